/* SPDX-License-Identifier: Apache-2.0 */
/* What TmplParts says: words -> a change of a set; changes that follow each other. */
#include "check.h"

#include "detect/parts.h"

/* The parts that stay if texts are said one behind another of the default; NULL: one is refused. */
static const char *stay(const char *first, const char *second, apr_pool_t *pool)
{
    tmpl_parts_t one, two;
    tmpl_error_t err;
    if (tmpl_parts_parse(&one, first, &err) != APR_SUCCESS ||
        (second != NULL && tmpl_parts_parse(&two, second, &err) != APR_SUCCESS)) {
        return NULL;
    }
    return tmpl_part_names(
        TMPL_PARTS_ALL & ~tmpl_parts_without(second != NULL ? tmpl_parts_join(one, two) : one),
        pool);
}

#define ALL                                                                                        \
    "headline lead byline body caption facts comment review qa related notice control hidden"
#define DEFAULT tmpl_part_names(TMPL_PARTS_DEFAULT, *state)

static void sets_are_named_and_changed(void **state)
{
    static const struct {
        const char *first, *second, *stay;
    } cases[] = {
        { "all", NULL, ALL },
        { "headline", NULL, "headline" },
        /* lead is a part of body, unless it is said to go */
        { "body", NULL, "lead body" },
        { "body,Headline", NULL, "headline lead body" },
        { " headline ,\tBODY, ", NULL, "headline lead body" },
        { "headline body -lead", NULL, "headline body" },
        { "body", "-lead", "body" },
        { "-lead", "body", "lead body" },
        { "all -comment,-review", NULL,
          "headline lead byline body caption facts qa related notice control hidden" },
        { "all -comment +comment", NULL, ALL },
        { "-all +body", NULL, "body" },
        { "+all", NULL, ALL },
        { "-all", NULL, "" },
        /* a second one */
        { "body", "+comment", "lead body comment" },
        { "body comment", "-comment", "lead body" },
        { "body", "headline", "headline" },
        { "+notice", "body", "lead body" },
        { "all -body,-hidden", "+body -headline",
          "lead byline body caption facts comment review qa related notice control" },
        { "body", "-comment", "lead body" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_string_equal(stay(cases[i].first, cases[i].second, *state), cases[i].stay);
    }
    assert_string_equal(stay("+body", NULL, *state), DEFAULT);
    assert_string_equal(stay("-body", "+body", *state), DEFAULT);
    assert_int_equal(tmpl_parts_without((tmpl_parts_t){ 0, 0 }),
                     TMPL_PARTS_ALL & ~TMPL_PARTS_DEFAULT);
}

/* Changes may be joined in any way: sections are merged from the outside and for each request. */
static void joining_is_associative(void **state)
{
    static const char *const texts[] = { "body", "+comment -body", "all -qa", "-comment", "+body" };
    enum { N = sizeof(texts) / sizeof(texts[0]) };
    (void)state;
    for (unsigned i = 0; i < N * N * N; i++) {
        tmpl_parts_t p[3], left, right;
        assert_int_equal(tmpl_parts_parse(&p[0], texts[i / N / N], NULL), APR_SUCCESS);
        assert_int_equal(tmpl_parts_parse(&p[1], texts[i / N % N], NULL), APR_SUCCESS);
        assert_int_equal(tmpl_parts_parse(&p[2], texts[i % N], NULL), APR_SUCCESS);
        left = tmpl_parts_join(tmpl_parts_join(p[0], p[1]), p[2]);
        right = tmpl_parts_join(p[0], tmpl_parts_join(p[1], p[2]));
        assert_int_equal(tmpl_parts_without(left), tmpl_parts_without(right));
    }
}

static void words_are_refused(void **state)
{
    static const struct {
        const char *text, *why;
    } cases[] = {
        { "", "no part is named" },
        { " , ", "no part is named" },
        { "bodyy", "there is no part \"bodyy\"" },
        { "bod", "there is no part \"bod\"" },
        { "body - comment", "there is no part \"-\"" },
        { "+-body", "there is no part \"+-body\"" },
        { "unknown", "there is no part \"unknown\"" },
        { "body template", "template always goes" },
        { "all -template", "template always goes" },
        { "body +comment", "\"+comment\" has a + or - in front, unlike the first" },
        { "-body comment", "\"comment\" has no + or - in front, unlike the first" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tmpl_parts_t parts = { 7, 8 };
        tmpl_error_t err;
        assert_int_equal(tmpl_parts_parse(&parts, cases[i].text, &err), APR_EINVAL);
        assert_string_equal(err.text, cases[i].why);
        assert_true(parts.off == 7 && parts.on == 8);
    }
    assert_null(stay("all", "x", *state));
    assert_string_equal(tmpl_part_name(TMPL_PART_QA), "qa");
    assert_string_equal(tmpl_part_name(TMPL_PART_COUNT), "unknown");
}

static const struct CMUnitTest tests[] = {
    CHECK(sets_are_named_and_changed),
    CHECK(joining_is_associative),
    CHECK(words_are_refused),
};

TAP_MAIN(tests)
