/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of features that hold for texts and pages drawn at random. */
#include "feature_fixture.h"

#include <apr_lib.h>

#include "base/bytes.h"
#include "feature/tally.h"
#include "pieces.h"

static uint32_t random_below(uint64_t *seed, uint32_t n)
{
    *seed = *seed * 6364136223846793005 + 1442695040888963407;
    return (uint32_t)(*seed >> 33) % n;
}

/* The set of one kind of byte, by the table. */
static uint64_t set_of(const unsigned char *bytes, uint32_t n, unsigned kinds)
{
    uint64_t set = 0;
    for (uint32_t i = 0; i < n; i++) {
        set |= (uint64_t)(kinds >> tmpl_byte_classes[bytes[i]] & 1) << i;
    }
    return set;
}

#define SET(kind) (1U << TMPL_BYTE_##kind)

/* Vectors know the kinds of bytes that the table knows; each byte in each position. */
static void bytes_are_classed_by_the_table(void **state)
{
    unsigned char bytes[TMPL_BYTES64];
    for (unsigned start = 0; start < 256; start++) {
        for (unsigned i = 0; i < TMPL_BYTES64; i++) {
            bytes[i] = (unsigned char)(start + i * (1 + start % 3));
        }
        for (uint32_t n = 1; n <= TMPL_BYTES64; n += start % 3 + 1) {
            uint64_t all = ~(uint64_t)0 >> (TMPL_BYTES64 - n);
            tmpl_bytes64_t sets = tmpl_bytes64(bytes, n);
            assert_true((sets.wide & all) == set_of(bytes, n, SET(WIDE)));
            assert_true((sets.words & all) ==
                        set_of(bytes, n, SET(SMALL) | SET(CAPITAL) | SET(DIGIT)));
        }
    }
    (void)state;
}

/* The same word: apostrophes and capitals do not count. */
static int is_same_word(const char *a, const char *b)
{
    for (;; a++, b++) {
        while (*a == '\'') {
            a++;
        }
        while (*b == '\'') {
            b++;
        }
        if (*a == '\0' || *b == '\0' || apr_tolower(*a) != apr_tolower(*b)) {
            return *a == *b;
        }
    }
}

/* Words of the title are found, in capitals or with apostrophes, too. */
static void any_word_of_the_title(void **state)
{
    static const char *const letters[] = { "a", "B", "b", "3", "'", "\xC3\xA9", "A" };
    uint64_t seed = 1;
    unsigned found = 0;
    for (unsigned round = 0; round < 3000; round++) {
        const char *words[11];
        const char *title = "<title>";
        int is_of_title = 0;
        for (unsigned w = 0; w < 11; w++) {
            words[w] = letters[random_below(&seed, 2)];
            for (unsigned n = random_below(&seed, 12); n > 0; n--) {
                words[w] = apr_pstrcat(*state, words[w], letters[random_below(&seed, 7)], NULL);
            }
            title = apr_pstrcat(*state, title, words[w], " ", NULL);
        }
        const char *word = apr_pstrcat(*state, words[round % 11],
                                       round % 3 ? "" : letters[random_below(&seed, 7)], NULL);
        char *other = apr_pstrdup(*state, word + random_below(&seed, 2));
        for (char *at = other; *at != '\0'; at++) {
            *at = (char)(random_below(&seed, 2) ? apr_toupper(*at) : *at);
        }
        word = apr_isalpha(*other) ? other : word;
        for (unsigned w = 0; w < 11; w++) {
            is_of_title |= is_same_word(words[w], word);
        }
        read_t r = read_html(
            apr_pstrcat(*state, title, "</title><p>", word, round % 2 ? "</p>" : " -", NULL),
            *state);
        IS(0, TITLE, is_of_title);
        found += (unsigned)is_of_title;
    }
    assert_in_range(found, 300, 2700);
}

/* A row does not depend on what was in the columns before; behind the last row they stay. */
static void rows_in_any_order(void **state)
{
    enum { BLOCKS = 150, STEP = 37 };
    static const tmpl_evidence_t nothing = { 0 };
    static tmpl_columns_t columns;
    const char *html = "<title>t</title>";
    for (int i = 0; i < BLOCKS; i++) {
        html = apr_pstrcat(*state, html, i % 9 == 0 ? "<div><ul>" : "", "<li>",
                           i % 40 == 20 ? "a b c d e f g h i j k l m n" : "x y", NULL);
    }
    read_t r = read_html(html, *state);
    assert_int_equal(r.page->n_blocks, BLOCKS);
    tmpl_rows_t *rows = tmpl_rows_of(r.reading, &r.layout, &nothing, *state);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        uint32_t first = i * STEP % BLOCKS;
        uint32_t after = first + 5 < BLOCKS ? first + 5 : BLOCKS;
        for (uint32_t k = 0; k < TMPL_BLOCKS_AT_ONCE; k++) {
            for (uint32_t f = 0; f < TMPL_BLOCK_FEATURE_COUNT; f++) {
                columns.of[f][k] = -7;
            }
        }
        tmpl_rows_fill(&columns, rows, first, after);
        for (uint32_t k = 0; k < TMPL_BLOCKS_AT_ONCE; k++) {
            for (uint32_t f = 0; f < TMPL_BLOCK_FEATURE_COUNT; f++) {
                float is = first + k < after ? of(&r, first + k, f) : -7;
                assert_float_equal(columns.of[f][k], is, 0);
            }
        }
    }
}

/* Rows are the same the second time, when boxes and logarithms of DF are known. */
static void what_is_known_gives_the_same_rows(void **state)
{
    static tmpl_columns_t columns[2];
    uint64_t seed = 1;
    for (unsigned round = 0; round < 40; round++) {
        const char *html = "<title>the title of a page</title>";
        unsigned blocks = 1 + random_below(&seed, 200);
        for (unsigned b = 0; b < blocks; b++) {
            html = apr_pstrcat(*state, html,
                               random_below(&seed, 8) == 0 ? "</div><div class=menu>" : "", "<p>",
                               NULL);
            unsigned words = random_below(&seed, 40) == 0 ? 2000 : random_below(&seed, 30);
            for (unsigned w = 0; w < words; w += 10) {
                html = apr_pstrcat(*state, html, "a, <a href=#x>title</a> of 1.2, the ",
                                   words > 99 ? "page, b, c, d, e" : "page. ", NULL);
            }
        }
        read_t r = read_html(html, *state);
        tmpl_record_t *segments = apr_pcalloc(*state, r.page->n_keys * sizeof(*segments));
        tmpl_record_t *paths = apr_pcalloc(*state, r.layout.n_keys * sizeof(*paths));
        for (uint32_t i = 0; i < r.page->n_keys; i++) {
            segments[i].df = 1 + random_below(&seed, 9);
        }
        for (uint32_t i = 0; i < r.layout.n_keys; i++) {
            paths[i] = (tmpl_record_t){ .df = 1 + random_below(&seed, 9),
                                        .text = 1000,
                                        .repeated = random_below(&seed, 1000) };
        }
        tmpl_evidence_t evidence = { segments, paths, round % 4 > 0 ? 9 : 0, 5 };
        tmpl_rows_t *rows = tmpl_rows_of(r.reading, &r.layout, &evidence, *state);
        for (uint32_t first = 0, after; first < r.page->n_blocks; first = after) {
            after = first + 1 + random_below(&seed, TMPL_BLOCKS_AT_ONCE);
            after = after < r.page->n_blocks ? after : r.page->n_blocks;
            tmpl_rows_fill(&columns[0], rows, first, after);
            tmpl_rows_fill(&columns[1], rows, first, after);
            assert_memory_equal(&columns[0], &columns[1], sizeof(columns[0]));
        }
    }
}

/* Every feature of every page is a finite number in its range. */
static void mixtures_give_numbers(void **state)
{
    uint32_t seed = 1;
    unsigned read = 0;
    for (unsigned i = 0; i < 3000; i++) {
        apr_pool_t *pool;
        read_t r;
        apr_pool_create(&pool, *state);
        const char *html = "<p>Text, ";
        for (unsigned k = 0; k < 12; k++) {
            seed = seed * 1664525U + 1013904223U;
            html = apr_pstrcat(pool, html, oracle_pieces[(seed >> 8) % ORACLE_PIECES], NULL);
        }
        if (try_read(&r, html, pool)) {
            read++;
            for (uint32_t f = 0; f < r.page->n_blocks * TMPL_BLOCK_FEATURE_COUNT; f++) {
                assert_true(isfinite(r.rows[f]) && r.rows[f] >= -1 && r.rows[f] <= 1000);
            }
        }
        apr_pool_destroy(pool);
    }
    assert_true(read > 1000);
}

static const struct CMUnitTest tests[] = {
    CHECK(bytes_are_classed_by_the_table),
    CHECK(any_word_of_the_title),
    CHECK(rows_in_any_order),
    CHECK(what_is_known_gives_the_same_rows),
    CHECK(mixtures_give_numbers),
};

TAP_MAIN(tests)
