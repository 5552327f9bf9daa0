/* SPDX-License-Identifier: Apache-2.0 */
/* Block style clusters: pages -> words and keys -> counts -> verdicts, with every kind of store. */
#include "store_fixture.h"

#include "detect/detector.h"
#include "methods/style.h"
#include "pieces.h"

static const tmpl_page_t *parse(const char *html, apr_pool_t *pool)
{
    const tmpl_page_t *page = NULL;
    tmpl_page_opts_t opts = { 0 };
    assert_string_equal(tmpl_decline_name(tmpl_page_parse(&page, html, strlen(html), &opts, pool)),
                        "none");
    return page;
}

static tmpl_style_t style_of(const char *html, apr_pool_t *pool)
{
    tmpl_style_t style;
    tmpl_style_read(&style, parse(html, pool), pool);
    return style;
}

/* The number of keys that two pages have in common. */
static unsigned shared_keys(const char *a, const char *b, apr_pool_t *pool)
{
    tmpl_style_t x = style_of(a, pool);
    tmpl_style_t y = style_of(b, pool);
    unsigned n = 0;
    for (uint32_t i = 0; i < x.n_keys; i++) {
        for (uint32_t k = 0; k < y.n_keys; k++) {
            n += x.keys[i] == y.keys[k];
        }
    }
    return n;
}

typedef struct {
    const char *a, *b;
    unsigned same;
} pair_t;

static void check_pairs(const pair_t *pairs, size_t n)
{
    apr_pool_t *pool;
    apr_pool_create(&pool, NULL);
    for (size_t i = 0; i < n; i++) {
        unsigned same = shared_keys(pairs[i].a, pairs[i].b, pool);
        if (same != pairs[i].same) {
            fail_msg("%s and %s share %u keys, not %u", pairs[i].a, pairs[i].b, same,
                     pairs[i].same);
        }
    }
    apr_pool_destroy(pool);
}

#define CHECK_PAIRS(pairs) check_pairs(pairs, sizeof(pairs) / sizeof((pairs)[0]))

/* ---- styles ---- */

/* A single word has two keys, for the gaps before and behind it: equal if the style is. */
static void a_style_is_position_and_layout(void **state)
{
    static const pair_t pairs[] = {
        { "<div>x</div>", "<div>x</div>", 2 },
        { "<div>x</div>", "<div>y</div>", 0 },
        { "<div>x</div>", "<section>x</section>", 0 },
        /* the rank in a layer counts up to four: the sixth is like the fifth */
        { "<div></div><div>x</div>", "<div>x</div>", 0 },
        { "<div></div><div></div><div></div><div></div><div>x</div>",
          "<div></div><div></div><div></div><div></div><div></div><div>x</div>", 2 },
        { "<div></div><div></div><div></div><div>x</div>",
          "<div></div><div></div><div></div><div></div><div>x</div>", 0 },
        /* in each layer */
        { "<div><ul></ul><ul>x</ul></div>", "<div><ul>x</ul></div>", 0 },
        { "<div></div><div><ul>x</ul></div>", "<div><ul>x</ul></div>", 0 },
        /* other than layout elements do not count, rows and cells among them */
        { "<div><p><b>x</b></p></div>", "<div><span>x</span></div>", 2 },
        { "<table><tr><td>x</td></tr></table>", "<table><tr><th>x</th></tr></table>", 2 },
        /* text behind a box has another rank than text before it */
        { "<div>x<ul></ul></div>", "<div><ul></ul>x</div>", 2 },
        { "<div>x<ul>y</ul></div>", "<div>z<ul>y</ul>x</div>", 2 },
        /* layout attributes count, in any order; others do not */
        { "<table bgcolor=red><td>x</table>", "<table bgcolor=blue><td>x</table>", 0 },
        { "<table bgcolor=red><td>x</table>", "<table align=red><td>x</table>", 0 },
        { "<table bgcolor=a width=b><td>x</table>", "<table WIDTH=b bgcolor=a><td>x</table>", 2 },
        { "<table bgcolor=a width=b><td>x</table>", "<table bgcolor=b width=a><td>x</table>", 0 },
        { "<div id=a>x</div>", "<div id=b>x</div>", 2 },
    };
    (void)state;
    CHECK_PAIRS(pairs);
}

/* ---- words ---- */

static void words_are_signed_by_differences_of_their_offsets(void **state)
{
    static const pair_t pairs[] = {
        /* a and c: gaps of 0 and 2, 2 and 1 words; the word between does not count */
        { "<div>a b c</div>", "<div>a d c</div>", 4 },
        /* a word added in front changes the gaps before, one added behind those behind */
        { "<div>a b</div>", "<div>c a b</div>", 2 },
        { "<div>a b</div>", "<div>a b c</div>", 2 },
        /* one added between: a keeps the gap before it, b the one behind */
        { "<div>a b</div>", "<div>a c b</div>", 2 },
        /* twice: gaps 0, 2 and 1, cut into {0, 2} and {1}, and 1, 1, 1: {1} and {1} */
        { "<div>a a</div>", "<div>a a</div>", 2 },
        { "<div>a b a</div>", "<div>b a a</div>", 1 },
        { "<div>a b a</div>", "<div>a c a</div>", 2 },
        /* case and signs do not count; numbers are one word if there are other words */
        { "<div>A, (b).</div>", "<div>a b</div>", 4 },
        { "<div>page 7</div>", "<div>page 123</div>", 4 },
        { "<div>7</div>", "<div>123</div>", 0 },
        { "<div>7</div>", "<div>7</div>", 2 },
        { "<div>at 12:30</div>", "<div>at 7:05</div>", 4 },
        { "<div>v2</div>", "<div>v3</div>", 4 },
        /* images and empty links are words by their addresses, texts of signs by their bytes */
        { "<div><img src=a></div>", "<div><img src=a></div>", 2 },
        { "<div><img src=a></div>", "<div><img src=b></div>", 0 },
        { "<div>|</div>", "<div>|</div>", 2 },
        { "<div>|</div>", "<div>-</div>", 0 },
        /* in scripts without spaces a character is a word */
        { "<div>\xE6\x97\xA5\xE6\x9C\xAC</div>", "<div>\xE6\x97\xA5\xE4\xBA\xBA</div>", 2 },
    };
    (void)state;
    CHECK_PAIRS(pairs);
}

/* Bit arrays have 32 bits: a gap of 33 sets the bit of a gap of 1 (section 4.2). */
static void offsets_are_taken_modulo_the_bits_of_a_word(void **state)
{
    apr_pool_t *pool;
    char *far = NULL;
    (void)state;
    apr_pool_create(&pool, NULL);
    for (int i = 0; i <= 32; i++) {
        far = apr_pstrcat(pool, far == NULL ? "<div>" : far, "b ", NULL);
    }
    /* c's gap before it is 33 and 1, the same bit; those of b differ */
    assert_int_equal(shared_keys(apr_pstrcat(pool, far, "c</div>", NULL), "<div>b c d</div>", pool),
                     1);
    apr_pool_destroy(pool);
}

static const char *many_words(unsigned first, unsigned n, apr_pool_t *pool)
{
    char *text = apr_palloc(pool, n * 8UL + 1);
    char *at = text;
    for (unsigned i = first; i < first + n; i++) {
        *at++ = (char)('a' + i / 676 % 26);
        *at++ = (char)('a' + i / 26 % 26);
        *at++ = (char)('a' + i % 26);
        *at++ = ' ';
    }
    *at = '\0';
    return text;
}

/* The same few words of a long block are sampled on every page; fewer on a page of many blocks. */
static void keys_of_a_block_and_of_a_page_are_bounded(void **state)
{
    apr_pool_t *pool;
    (void)state;
    apr_pool_create(&pool, NULL);
    const char *text = many_words(0, 1000, pool);
    tmpl_style_t one = style_of(text, pool);
    assert_int_equal(one.first_word[1], TMPL_STYLE_WORDS);
    assert_int_equal(one.n_keys, TMPL_STYLE_WORDS * TMPL_STYLE_PARTS);
    /* appending a word that is not sampled changes no key */
    unsigned same = shared_keys(text, apr_pstrcat(pool, text, " 99", NULL), pool);
    assert_true(same >= TMPL_STYLE_WORDS - 1);

    for (unsigned blocks = 100; blocks <= 3200; blocks *= 2) {
        const char *page = "";
        for (unsigned i = 0; i < blocks; i++) {
            page = apr_pstrcat(pool, page, "<ul>", many_words(i * 5, 5, pool), "</ul>", NULL);
        }
        tmpl_style_t many = style_of(page, pool);
        assert_true(many.n_keys <= TMPL_STYLE_KEYS);
        assert_true(many.n_keys > TMPL_STYLE_KEYS / 3);
        unsigned of_each = many.first_word[1];
        assert_int_equal(of_each, blocks == 100 ? TMPL_STYLE_WORDS : blocks == 200 ? 2 : 1);
    }
    apr_pool_destroy(pool);
}

/* ---- verdicts ---- */

static tmpl_record_t *records_of(const tmpl_style_t *style, uint32_t df, apr_pool_t *pool)
{
    tmpl_record_t *records = apr_pcalloc(pool, (style->n_keys + 1) * sizeof(*records));
    for (uint32_t i = 0; i < style->n_keys; i++) {
        records[i].df = df;
    }
    return records;
}

static void the_ratio_counts_template_words(void **state)
{
    apr_pool_t *pool;
    tmpl_verdict_t v[1];
    (void)state;
    apr_pool_create(&pool, NULL);
    const tmpl_page_t *page = parse("<div>a b c d</div>", pool);
    tmpl_style_t style;
    tmpl_style_read(&style, page, pool);
    assert_int_equal(style.first_word[1], 4);
    tmpl_record_t *records = records_of(&style, 5, pool);
    /* one part of two with MinDF makes a template word; none does not */
    records[style.words[3].keys[0]].df = 4;
    tmpl_detect_style(v, page, &style, records, 5, 0.9);
    assert_float_equal(v[0].ratio, 1.0, 1e-6);
    records[style.words[3].keys[1]].df = 4;
    tmpl_detect_style(v, page, &style, records, 5, 0.7);
    assert_float_equal(v[0].ratio, 0.75, 1e-6);
    assert_true(v[0].template);
    tmpl_detect_style(v, page, &style, records, 5, 0.75);
    assert_false(v[0].template); /* 0.75 is not more than 0.75 */
    tmpl_detect_style(v, page, &style, records, 4, 0.9);
    assert_true(v[0].template);
    apr_pool_destroy(pool);
}

static void a_block_that_is_content_is_left_early(void **state)
{
    apr_pool_t *pool;
    tmpl_verdict_t v[1];
    (void)state;
    apr_pool_create(&pool, NULL);
    const tmpl_page_t *page = parse("<div>a b c d</div>", pool);
    tmpl_style_t style;
    tmpl_style_read(&style, page, pool);
    tmpl_record_t *records = records_of(&style, 5, pool);
    for (unsigned i = 0; i < 2; i++) {
        memset(&records[style.words[i].keys[0]], 0, sizeof(*records));
        memset(&records[style.words[i].keys[1]], 0, sizeof(*records));
    }
    /* decided after two of four words: template words behind them are not counted */
    tmpl_detect_style(v, page, &style, records, 5, 0.7);
    assert_float_equal(v[0].ratio, 0.0, 1e-6);
    assert_false(v[0].template);
    tmpl_detect_style(v, page, &style, records, 5, 0.4);
    assert_float_equal(v[0].ratio, 0.5, 1e-6);
    assert_true(v[0].template);
    apr_pool_destroy(pool);
}

/* ---- over a store ---- */

typedef struct {
    const tmpl_page_t *page;
    tmpl_verdict_t *exact; /* by incremental */
    tmpl_verdict_t *style;
} judged_t;

/* Counts page number i by segments in one site and by words in another. */
static judged_t visit(ctx_t *c, unsigned i, const char *html)
{
    judged_t judged = { .page = parse(html, c->pool) };
    const tmpl_page_t *page = judged.page;
    const tmpl_document_t document = { 1000 + i, page->text };
    tmpl_style_t style;
    tmpl_style_read(&style, page, c->pool);
    for (int by_style = 0; by_style < 2; by_style++) {
        uint32_t n = by_style ? style.n_keys : page->n_keys;
        const uint64_t *hashes = by_style ? style.keys : page->keys;
        tmpl_key_t *keys = apr_palloc(c->pool, n * sizeof(*keys));
        tmpl_verdict_t *verdicts = apr_palloc(c->pool, page->n_blocks * sizeof(*verdicts));
        tmpl_keys_fill(keys, hashes, n, TMPL_KIND_SEGMENT);
        tmpl_observation_t observation = { .site = by_style ? "style" : "exact",
                                           .document = &document,
                                           .keys = keys,
                                           .n = n,
                                           .policy = &usual,
                                           .learn = TMPL_LEARNING_NOW };
        if (tmpl_store_observe(c->store, &observation, TIMEOUT, &c->counts, &c->err, c->pool) !=
            APR_SUCCESS) {
            fail_msg("%s: %s", c->uri, c->err.text);
        }
        if (by_style) {
            tmpl_detect_style(verdicts, page, &style, c->counts.records, 5, 0.7);
            judged.style = verdicts;
        }
        else {
            tmpl_detect_incremental(verdicts, page, c->counts.records, 5, 0.7);
            judged.exact = verdicts;
        }
    }
    return judged;
}

/* The verdict of the block that holds text. */
static int holds(const judged_t *judged, const tmpl_verdict_t *verdicts, const char *text)
{
    for (uint32_t s = 0; s < judged->page->n_segments; s++) {
        const tmpl_segment_t *segment = &judged->page->segments[s];
        const char *at = judged->page->src + segment->span.start;
        if (strncmp(at, text, strlen(text)) == 0) {
            return verdicts[segment->block].template;
        }
    }
    fail_msg("there is no %s", text);
    return 0;
}

static const char *const names[] = {
    "Ada", "Bob Miller", "christine", "D.", "Elena", "Fay", "Guy"
};
static const char *const months[] = { "March", "May", "June", "July", "August", "April", "March" };

static const char *page_number(unsigned i, apr_pool_t *pool)
{
    return apr_psprintf(
        pool,
        "<div>Logged in as %s</div><ul><li>Teasers (%u)</ul>"
        "<article><p>%s stands on page %u only, and %s.</p></article>"
        "<section>Copyright 2024 the authors. Last updated on %u %s 2024, %u:%02u.</section>"
        "<aside>visitors: %u since 1999</aside>",
        names[i], 17 * i + 3, many_words(700 * i, 30, pool), i, many_words(700 * i + 300, 9, pool),
        i + 1, months[i], 8 + i, 9 * i, 1000 * i + 7);
}

static void what_changes_a_little_is_found(void **state)
{
    static const char *const changing[] = { "Logged", "Teasers", "Copyright", "visitors" };
    ctx_t *c = *state;
    for (unsigned i = 0; i < 7; i++) {
        judged_t judged = visit(c, i, page_number(i, c->pool));
        for (unsigned k = 0; k < 4; k++) {
            assert_false(holds(&judged, judged.exact, changing[k]));
            assert_int_equal(holds(&judged, judged.style, changing[k]), i >= 4);
        }
        assert_false(holds(&judged, judged.style, many_words(700 * i, 1, c->pool)));
    }
}

/* Random pages: keys are within the bound, and each block has a verdict. */
static void pages_drawn_at_random(void **state)
{
    apr_pool_t *pool;
    uint32_t seed = 1;
    unsigned read = 0;
    (void)state;
    apr_pool_create(&pool, NULL);
    for (unsigned i = 0; i < 1000; i++) {
        const tmpl_page_t *page;
        tmpl_page_opts_t opts = { 0 };
        const char *html = "x";
        for (unsigned k = 0; k < 20; k++) {
            seed = seed * 1103515245U + 12345U;
            html =
                apr_pstrcat(pool, html, oracle_pieces[(seed >> 8) % ORACLE_PIECES], " 7 y", NULL);
        }
        if (tmpl_page_parse(&page, html, strlen(html), &opts, pool) == TMPL_DECLINE_NONE) {
            tmpl_style_t style;
            tmpl_style_read(&style, page, pool);
            tmpl_verdict_t *v = apr_palloc(pool, page->n_blocks * sizeof(*v));
            tmpl_detect_style(v, page, &style, records_of(&style, 9, pool), 5, 0.7);
            for (uint32_t b = 0; b < page->n_blocks; b++) {
                assert_true(style.first_word[b + 1] > style.first_word[b]);
                assert_true(v[b].template);
            }
            read++;
        }
        apr_pool_clear(pool);
    }
    assert_true(read > 100);
    apr_pool_destroy(pool);
}

int main(int argc, char **argv)
{
    static const store_test_t tests[] = {
        TEST(NO_STORE, a_style_is_position_and_layout),
        TEST(NO_STORE, words_are_signed_by_differences_of_their_offsets),
        TEST(NO_STORE, offsets_are_taken_modulo_the_bits_of_a_word),
        TEST(NO_STORE, keys_of_a_block_and_of_a_page_are_bounded),
        TEST(NO_STORE, the_ratio_counts_template_words),
        TEST(NO_STORE, a_block_that_is_content_is_left_early),
        TEST(NO_STORE, pages_drawn_at_random),
        TEST(ALL_STORES, what_changes_a_little_is_found),
    };
    return run(tests, sizeof(tests) / sizeof(tests[0]), argc, argv);
}
