/* SPDX-License-Identifier: Apache-2.0 */
/* Character references, against libxml2's table of names read from end to end. */
#include "check.h"

#include <apr_lib.h>

#include <libxml/HTMLparser.h>

#include "text/entity.h"

#define CODES 0x10000u

/* What is put behind a name. */
static const char *const behind[] = { "", ";", " ", "x", "1;", "zzzzzz", "zzzzzzzzzzzzzzzzzz;" };

#define N_BEHIND (sizeof(behind) / sizeof(behind[0]))

static uint32_t by_name(const char *name, apr_size_t len, apr_pool_t *pool)
{
    const htmlEntityDesc *entity =
        htmlEntityLookup((const xmlChar *)apr_pstrmemdup(pool, name, len));
    return entity != NULL ? entity->value : 0;
}

/* tmpl_entity_next by its words: the name up to a semicolon, else the longest of Latin-1 at its start. */
static uint32_t expected(const char *text, apr_size_t *used, apr_pool_t *pool)
{
    apr_size_t n = 0;
    uint32_t code = 0;
    while (apr_isalnum(text[1 + n])) {
        n++;
    }
    if (n > 0 && text[1 + n] == ';') {
        code = by_name(text + 1, n, pool);
    }
    *used = code != 0 ? n + 2 : 0;
    for (; n > 1 && code == 0; n--) {
        uint32_t alone = by_name(text + 1, n, pool);
        if (alone != 0 && alone < 0x100 && alone != '\'') {
            code = alone;
            *used = n + 1;
        }
    }
    return code;
}

static void check(const char *text, apr_pool_t *pool)
{
    apr_size_t used, want_used;
    uint32_t want = expected(text, &want_used, pool);
    uint32_t code = tmpl_entity_next(text, strlen(text), &used);
    if (code != want || used != want_used) {
        fail_msg("%s: U+%04X of %lu bytes, not U+%04X of %lu", text, code, (unsigned long)used,
                 want, (unsigned long)want_used);
    }
}

static void every_name_is_known(void **state)
{
    int n = 0;
    for (unsigned value = 0; value < CODES; value++) {
        const htmlEntityDesc *entity = htmlEntityValueLookup(value);
        apr_size_t used;
        if (entity == NULL) {
            continue;
        }
        n++;
        const char *text = apr_pstrcat(*state, "&", entity->name, ";", NULL);
        assert_int_equal(tmpl_entity_next(text, strlen(text), &used), value);
        assert_int_equal(used, strlen(text));
        for (unsigned i = 0; i < N_BEHIND; i++) {
            check(apr_pstrcat(*state, "&", entity->name, behind[i], NULL), *state);
        }
    }
    assert_int_equal(n, 253);
}

/* Also where the text ends in the middle of a name: what is behind it is not read. */
static void a_part_of_a_name_is_its_own(void **state)
{
    for (unsigned value = 0; value < CODES; value++) {
        const htmlEntityDesc *entity = htmlEntityValueLookup(value);
        for (apr_size_t len = 0; entity != NULL && len < strlen(entity->name); len++) {
            const char *part = apr_pstrmemdup(*state, entity->name, len);
            apr_size_t used, want_used;
            for (unsigned i = 0; i < N_BEHIND; i++) {
                check(apr_pstrcat(*state, "&", part, behind[i], NULL), *state);
            }
            uint32_t want = expected(apr_pstrcat(*state, "&", part, NULL), &want_used, *state);
            const char *text = apr_pstrcat(*state, "&", entity->name, ";", NULL);
            assert_int_equal(tmpl_entity_next(text, 1 + len, &used), want);
            assert_int_equal(used, want_used);
        }
    }
}

static void letters_that_name_nothing_are_no_reference(void **state)
{
    static const char *const texts[] = { "&",          "&;",       "&a",           "&zzzzzz ",
                                         "&nbspx",     "&NBSP;",   "&ampamp;",     "&thetasymx;",
                                         "&upsilonx;", "&notit;",  "&frac14frac;", "&apos",
                                         "&apos;",     "&amp&amp", "&lt1;",        "&Agravea" };
    for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        check(texts[i], *state);
    }
}

/* Strings of the letters that names are of, drawn. */
static void any_letters_are_read_as_by_the_table(void **state)
{
    static const char letters[] = "aceglmnopqrstu1;";
    uint32_t drawn = 1;
    for (int round = 0; round < 20000; round++) {
        char text[14] = "&";
        for (unsigned i = 1; i + 1 < sizeof(text); i++) {
            drawn = drawn * 1664525u + 1013904223u;
            text[i] = letters[(drawn >> 16) % (sizeof(letters) - 1)];
        }
        check(text, *state);
    }
}

static const struct CMUnitTest tests[] = {
    CHECK(every_name_is_known),
    CHECK(a_part_of_a_name_is_its_own),
    CHECK(letters_that_name_nothing_are_no_reference),
    CHECK(any_letters_are_read_as_by_the_table),
};

TAP_MAIN(tests)
