/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page + verdicts -> fingerprint. fingerprint.t compares it with docs/fingerprint.md in many
 * scripts.
 */
#include "check.h"

#include <apr_lib.h>

#include "fingerprint/fingerprint.h"

static tmpl_fingerprint_t of(const char *html, const tmpl_verdict_t *verdicts, apr_pool_t *pool)
{
    tmpl_fingerprint_t fingerprint;
    tmpl_fingerprint(&fingerprint, check_page(html, pool), verdicts, NULL, pool);
    return fingerprint;
}

/* A paragraph of the words from..to - 1. */
static const char *words(unsigned from, unsigned to, apr_pool_t *pool)
{
    char *text = apr_pstrdup(pool, "<p>");
    for (unsigned i = from; i < to; i++) {
        text = apr_psprintf(pool, "%sword%u ", text, i);
    }
    return apr_pstrcat(pool, text, "</p>", NULL);
}

static void template_is_left_out(void **state)
{
    static const tmpl_verdict_t verdicts[] = { { 1, 1, 0 }, { 0, 0, 0 }, { 1, 1, 0 } };
    const char *article = words(0, 50, *state);
    const char *html = apr_pstrcat(*state, "<body><div>", words(100, 150, *state), "</div><div>",
                                   article, "</div><div>foot</div>", NULL);
    tmpl_fingerprint_t alone = of(article, NULL, *state);
    tmpl_fingerprint_t rest = of(html, verdicts, *state);
    assert_int_equal(alone.words, 50);
    assert_int_equal(rest.words, 50);
    assert_true(rest.bits == alone.bits);
    tmpl_fingerprint_t all = of(html, NULL, *state);
    assert_int_equal(all.words, 101);
    assert_true(all.bits != alone.bits);
}

static void few_words_have_none(void **state)
{
    tmpl_fingerprint_t few = of(words(0, TMPL_FINGERPRINT_LEAST - 1, *state), NULL, *state);
    assert_int_equal(few.words, TMPL_FINGERPRINT_LEAST - 1);
    assert_true(few.bits == 0);
    assert_null(tmpl_fingerprint_text(
        check_page(words(0, TMPL_FINGERPRINT_LEAST - 1, *state), *state), NULL, NULL, *state));
    tmpl_fingerprint_t enough = of(words(0, TMPL_FINGERPRINT_LEAST, *state), NULL, *state);
    assert_true(enough.bits != 0);
    assert_string_equal(
        tmpl_fingerprint_text(check_page(words(0, TMPL_FINGERPRINT_LEAST, *state), *state), NULL,
                              NULL, *state),
        apr_psprintf(*state, "%016" APR_UINT64_T_HEX_FMT, enough.bits));
}

/* A page with html in ten places, each between other words. */
static tmpl_fingerprint_t among_words(const char *html, apr_pool_t *pool)
{
    const char *page = "";
    for (unsigned i = 0; i < 10; i++) {
        page = apr_pstrcat(pool, page, html, words(10 * i, 10 * i + 10, pool), NULL);
    }
    return of(page, NULL, pool);
}

/* White space, tags and references are not text; blocks divide words. */
static void text_is_what_is_seen(void **state)
{
    static const struct {
        const char *html;
        int same;
    } cases[] = {
        { "<!-- no --><div>CAF<b>&eacute;</b>\n</div><img src=x><div><i>O</i>ne</div><script>var x"
          "</script>&ldquo;two&rdquo;!",
          1 },
        { "<div>caf&#233;</div><div>one</div><div>two</div>", 1 },
        { "<div>caf&Eacute; one two</div>", 0 }, /* only A to Z become lower case */
        { "<div>caf&eacute; o<br>ne two</div>", 0 },
        { "<div>caf&eacute; o<b title='>'>ne</b> two</div>", 1 },
        { "<div>caf&eacute; o<a href=x></a><!-- > -->ne two</div>", 1 },
        { "<div>caf&eacute; o<a href=x><script>x</script></a>ne two</div>", 0 },
    };
    tmpl_fingerprint_t expected = among_words("<p>Caf\xC3\xA9 one two</p>", *state);
    assert_int_equal(expected.words, 10 * (3 + 10));
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tmpl_fingerprint_t got = among_words(cases[i].html, *state);
        assert_int_equal(got.bits == expected.bits, cases[i].same);
    }
}

/* In how many bits two fingerprints differ. */
static unsigned bits_between(uint64_t a, uint64_t b)
{
    return (unsigned)__builtin_popcountll(a ^ b);
}

static void order_and_repetition(void **state)
{
    const char *a = words(0, 60, *state);
    const char *b = words(100, 160, *state);
    uint64_t ab = of(apr_pstrcat(*state, a, b, NULL), NULL, *state).bits;
    uint64_t ba = of(apr_pstrcat(*state, b, a, NULL), NULL, *state).bits;
    uint64_t abab = of(apr_pstrcat(*state, a, b, a, b, NULL), NULL, *state).bits;
    /* all but two shingles are the same: those over the end of the block */
    assert_true(bits_between(ab, ba) <= 6);
    assert_true(bits_between(ab, abab) <= 6);
    assert_true(bits_between(ab, of(a, NULL, *state).bits) > 6);
}

/* The mean distance of texts with resemblance r is 32 (1 - r). */
static void distance_is_resemblance(void **state)
{
    enum { PAIRS = 60, WORDS = 300 };
    for (unsigned tenths = 0; tenths <= 10; tenths += 2) {
        unsigned shared = WORDS * tenths / 10;
        unsigned sum = 0;
        for (unsigned i = 0; i < PAIRS; i++) {
            unsigned base = i * 10000;
            const char *one = words(base, base + WORDS, *state);
            const char *other =
                apr_pstrcat(*state, words(base, base + shared, *state),
                            words(base + 5000, base + 5000 + WORDS - shared, *state), NULL);
            sum += bits_between(of(one, NULL, *state).bits, of(other, NULL, *state).bits);
        }
        double in_both = shared > 2 ? shared - 2 : 0;
        double resemblance = tenths == 10 ? 1 : in_both / (2 * (WORDS - 2) - in_both);
        /* four standard deviations of the mean */
        assert_float_equal((double)sum / PAIRS, 32 * (1 - resemblance), 4 * 4.0 / 7.7);
    }
}

/* A character between two letters divides them, joins them, or is a word itself. */
static void characters_make_words(void **state)
{
    static const struct {
        uint32_t code;
        unsigned words; /* of "x", the character and "y" */
    } expected[] = {
        { '_', 2 },    { '7', 1 },     { '\'', 2 },    { 0xA0, 2 },    { 0xA9, 2 },
        { 0xAA, 1 },   { 0xE9, 1 },    { 0x430, 1 },   { 0x60C, 2 },   { 0x964, 2 },
        { 0xDFF, 1 },  { 0xE00, 3 },   { 0xEFF, 3 },   { 0xF00, 1 },   { 0xFFF, 1 },
        { 0x1000, 3 }, { 0x109F, 3 },  { 0x10A0, 1 },  { 0x177F, 1 },  { 0x1780, 3 },
        { 0x17FF, 3 }, { 0x1800, 1 },  { 0x2000, 2 },  { 0x2019, 2 },  { 0x206F, 2 },
        { 0x2070, 1 }, { 0x3001, 2 },  { 0x303F, 1 },  { 0x3040, 3 },  { 0x30FB, 3 },
        { 0x9FFF, 3 }, { 0xA000, 1 },  { 0xAC00, 1 },  { 0xFEFF, 1 },  { 0xFF0C, 2 },
        { 0xFF21, 1 }, { 0x1F600, 1 }, { 0x20000, 3 }, { 0x2FFFF, 3 }, { 0x30000, 1 },
    };
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        tmpl_fingerprint_t is =
            of(apr_psprintf(*state, "<p>x&#%u;y", expected[i].code), NULL, *state);
        assert_int_equal(is.words, expected[i].words);
    }
}

/* Step 4 of docs/fingerprint.md, byte by byte. */
static uint64_t hash_numbers(const uint64_t *numbers, size_t n)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t product = (hash ^ numbers[i]) * 0x9E3779B97F4A7C15;
        hash = 0;
        for (unsigned byte = 0; byte < 8; byte++) {
            hash |= (product >> 8 * byte & 0xFF) << 8 * (7 - byte);
        }
    }
    return hash;
}

/* Step 4: a word of at most 64 bytes. */
static uint64_t hash_word(const char *word, size_t len)
{
    uint64_t numbers[8] = { 0 };
    size_t n = (len + 7) / 8;
    size_t padding = 8 * n - len;
    for (size_t i = 0; i < len; i++) {
        size_t at = i < 8 * (n - 1) ? i : i + padding;
        numbers[at / 8] |= (uint64_t)(unsigned char)apr_tolower(word[i]) << 8 * (at % 8);
    }
    return hash_numbers(numbers, n);
}

/* The fingerprint of a text of ASCII words by docs/fingerprint.md, computed word by word. */
static tmpl_fingerprint_t by_document(char *text)
{
    tmpl_fingerprint_t fingerprint = { 0 };
    uint64_t least[64];
    uint64_t last[3] = { 0 };
    char *state;
    memset(least, 0xFF, sizeof(least));
    for (char *run = apr_strtok(text, " ,.-'", &state); run != NULL;
         run = apr_strtok(NULL, " ,.-'", &state)) {
        for (size_t len; *run != '\0'; run += len) {
            len = strlen(run) < 64 ? strlen(run) : 64;
            last[0] = last[1];
            last[1] = last[2];
            last[2] = hash_word(run, len);
            if (++fingerprint.words >= 3) {
                uint64_t hash = hash_numbers(last, 3);
                least[hash >> 58] = hash < least[hash >> 58] ? hash : least[hash >> 58];
            }
        }
    }
    for (unsigned bin = 0; bin < 64; bin++) {
        unsigned step = 0;
        while (least[(bin + step) % 64] == UINT64_MAX) {
            step++;
        }
        fingerprint.bits |= (least[(bin + step) % 64] >> step & 1) << bin;
    }
    return fingerprint;
}

/*
 * Text is divided into words in chunks. Where the chunks end does not matter, for words of any
 * length in any script.
 */
static void words_of_any_length(void **state)
{
    static const unsigned lengths[] = { 1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 128, 129, 300 };
    static const char *const letters[] = {
        "a", "B", "0", "\xC3\xA9", "\xE1\xBA\xBF", "\xF0\x9D\x92\x9C"
    };
    static const char *const between[] = { " ", ", ", ".", " - '" };
    uint32_t random = 1;
    for (unsigned offset = 0; offset < 70; offset++) {
        char *text = apr_psprintf(*state, "%*s", (int)offset, "");
        for (unsigned w = 0; w < 60; w++) {
            unsigned n = lengths[(random >> 8) % (sizeof(lengths) / sizeof(lengths[0]))];
            char *word = apr_pcalloc(*state, 4 * n + 1);
            for (unsigned i = 0; i < n; i++) {
                random = random * 1664525 + 1013904223;
                strcat(word, letters[(random >> 16) % (sizeof(letters) / sizeof(letters[0]))]);
            }
            text = apr_pstrcat(*state, text, word, between[(random >> 20) % 4], NULL);
        }
        tmpl_fingerprint_t is = of(apr_pstrcat(*state, "<p>", text, NULL), NULL, *state);
        tmpl_fingerprint_t expected = by_document(text);
        assert_int_equal(is.words, expected.words);
        assert_true(is.bits == expected.bits);
    }
}

static const struct CMUnitTest tests[] = {
    CHECK(template_is_left_out), CHECK(few_words_have_none),     CHECK(text_is_what_is_seen),
    CHECK(order_and_repetition), CHECK(distance_is_resemblance), CHECK(characters_make_words),
    CHECK(words_of_any_length),
};

TAP_MAIN(tests)
