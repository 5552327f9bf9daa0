/* SPDX-License-Identifier: Apache-2.0 */
/* Named character references, against the longest name of the table that a text begins with. */
#include "check.h"

#include <apr_lib.h>

#include "text/decode.h"

static const struct {
    const char *name;
    int is_bare;
    uint32_t first, second;
} named[] = {
#define REFERENCE(name, is_bare, first, second) { name, is_bare, first, second },
#include "text/references.def"
#undef REFERENCE
};

#define N_NAMED (sizeof(named) / sizeof(named[0]))

/* What is put behind a name. */
static const char *const behind[] = { "", ";", " ", "x", "1;", "=", "zzzzzz", "zzzzzzzzzzzzzzzz;" };

#define N_BEHIND (sizeof(behind) / sizeof(behind[0]))

/* HTML, 13.2.5.73, word by word. */
static tmpl_reference_t expected(const char *text, tmpl_reference_e where)
{
    tmpl_reference_t found = { { 0 }, 0 };
    for (size_t i = 0; i < N_NAMED; i++) {
        size_t len = strlen(named[i].name);
        if (strncmp(text + 1, named[i].name, len) != 0) {
            continue;
        }
        int has_semicolon = text[1 + len] == ';';
        size_t used = 1 + len + (size_t)has_semicolon;
        if ((has_semicolon || named[i].is_bare) && used > found.used) {
            found = (tmpl_reference_t){ { named[i].first, named[i].second }, used };
        }
    }
    char next = text[found.used];
    if (where == TMPL_IN_ATTRIBUTE && found.used > 0 && text[found.used - 1] != ';' &&
        (next == '=' || apr_isalnum(next))) {
        found.used = 0;
    }
    return found;
}

static void check(const char *text, apr_size_t len, tmpl_reference_e where,
                  const tmpl_reference_t *want)
{
    tmpl_reference_t is = tmpl_reference_read(text, len, where);
    if (is.used != want->used ||
        (is.used > 0 && memcmp(is.codes, want->codes, sizeof(is.codes)) != 0)) {
        fail_msg("%.*s: U+%04X U+%04X of %lu bytes, not U+%04X U+%04X of %lu", (int)len, text,
                 is.codes[0], is.codes[1], (unsigned long)is.used, want->codes[0], want->codes[1],
                 (unsigned long)want->used);
    }
}

/* Everywhere, and ending in the middle: what is behind its end is not read. */
static void check_all(const char *text, apr_pool_t *pool)
{
    for (apr_size_t len = strlen(text); len > 0; len--) {
        for (int where = TMPL_IN_TEXT; where <= TMPL_IN_ATTRIBUTE; where++) {
            tmpl_reference_t want =
                expected(apr_pstrmemdup(pool, text, len), (tmpl_reference_e)where);
            check(text, len, (tmpl_reference_e)where, &want);
        }
    }
}

static void every_name_is_known(void **state)
{
    apr_pool_t *pool;
    unsigned bare = 0;
    apr_pool_create(&pool, *state);
    for (size_t i = 0; i < N_NAMED; i++) {
        const char *text = apr_pstrcat(pool, "&", named[i].name, ";", NULL);
        tmpl_reference_t want = { { named[i].first, named[i].second }, strlen(text) };
        check(text, strlen(text), TMPL_IN_TEXT, &want);
        check(text, strlen(text), TMPL_IN_ATTRIBUTE, &want);
        if (named[i].is_bare) {
            want.used--;
            check(text, strlen(text) - 1, TMPL_IN_TEXT, &want);
            check(text, strlen(text) - 1, TMPL_IN_ATTRIBUTE, &want);
            bare++;
        }
        apr_pool_clear(pool);
    }
    assert_int_equal(N_NAMED + bare, 2231);
    assert_int_equal(bare, 106);
}

static void what_is_behind_a_name_may_be_of_another(void **state)
{
    apr_pool_t *pool;
    apr_pool_create(&pool, *state);
    for (size_t i = 0; i < N_NAMED; i += 7) {
        for (unsigned k = 0; k < N_BEHIND; k++) {
            check_all(apr_pstrcat(pool, "&", named[i].name, behind[k], NULL), pool);
        }
        apr_pool_clear(pool);
    }
}

typedef struct {
    const char *text;
    tmpl_reference_e where;
    tmpl_reference_t is;
} known_t;

static void these_are_known(void **state)
{
    static const known_t known[] = {
        { "&nbsp;", TMPL_IN_TEXT, { { 0xA0 }, 6 } },
        { "&nbspx", TMPL_IN_TEXT, { { 0xA0 }, 5 } },
        { "&nbspx", TMPL_IN_ATTRIBUTE, { { 0 }, 0 } },
        { "&copy=", TMPL_IN_TEXT, { { 0xA9 }, 5 } },
        { "&copy=", TMPL_IN_ATTRIBUTE, { { 0 }, 0 } },
        { "&copy&", TMPL_IN_ATTRIBUTE, { { 0xA9 }, 5 } },
        { "&copy;=", TMPL_IN_ATTRIBUTE, { { 0xA9 }, 6 } },
        { "&notit;", TMPL_IN_TEXT, { { 0xAC }, 4 } },
        { "&notin;", TMPL_IN_TEXT, { { 0x2209 }, 7 } },
        { "&notin", TMPL_IN_TEXT, { { 0xAC }, 4 } },
        { "&apos", TMPL_IN_TEXT, { { 0 }, 0 } },
        { "&apos;", TMPL_IN_TEXT, { { '\'' }, 6 } },
        { "&NBSP;", TMPL_IN_TEXT, { { 0 }, 0 } },
        { "&NotEqualTilde;", TMPL_IN_TEXT, { { 0x2242, 0x338 }, 15 } },
        { "&Afr;", TMPL_IN_TEXT, { { 0x1D504 }, 5 } },
        { "&CounterClockwiseContourIntegral;", TMPL_IN_TEXT, { { 0x2233 }, 33 } },
        { "&CounterClockwiseContourIntegrals", TMPL_IN_TEXT, { { 0 }, 0 } },
        { "&", TMPL_IN_TEXT, { { 0 }, 0 } },
        { "&;", TMPL_IN_TEXT, { { 0 }, 0 } },
        { "&#", TMPL_IN_TEXT, { { 0 }, 0 } },
        { "&#x;", TMPL_IN_TEXT, { { 0 }, 0 } },
        { "&#228", TMPL_IN_ATTRIBUTE, { { 228 }, 5 } },
        { "&#xE4;", TMPL_IN_TEXT, { { 228 }, 6 } },
        { "&#128;", TMPL_IN_TEXT, { { 0x20AC }, 6 } },
        { "&#0;", TMPL_IN_TEXT, { { 0xFFFD }, 4 } },
        { "&#xD800;", TMPL_IN_TEXT, { { 0xFFFD }, 8 } },
        { "&#99999999999;", TMPL_IN_TEXT, { { 0xFFFD }, 14 } },
    };
    (void)state;
    for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        check(known[i].text, strlen(known[i].text), known[i].where, &known[i].is);
    }
}

/* Strings of the letters that names consist of, drawn. */
static void any_letters_are_read_as_by_the_table(void **state)
{
    static const char letters[] = "aceglmnopqrstu1;=";
    uint32_t drawn = 1;
    (void)state;
    for (int round = 0; round < 3000; round++) {
        char text[14] = "&";
        for (unsigned i = 1; i + 1 < sizeof(text); i++) {
            drawn = drawn * 1664525u + 1013904223u;
            text[i] = letters[(drawn >> 16) % (sizeof(letters) - 1)];
        }
        for (int where = TMPL_IN_TEXT; where <= TMPL_IN_ATTRIBUTE; where++) {
            tmpl_reference_t want = expected(text, (tmpl_reference_e)where);
            check(text, strlen(text), (tmpl_reference_e)where, &want);
        }
    }
}

static const struct CMUnitTest tests[] = {
    CHECK(every_name_is_known),
    CHECK(what_is_behind_a_name_may_be_of_another),
    CHECK(these_are_known),
    CHECK(any_letters_are_read_as_by_the_table),
};

TAP_MAIN(tests)
