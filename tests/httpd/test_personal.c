/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which responses are learnt from and listed: none that is a person's own, or may be.
 *
 * personal.c and fields.c are included.
 */
#include "tap.h"

#include "mod_tmpl/fields.c"
#include "mod_tmpl/personal.c"

static apr_pool_t *pool;
static request_rec *r;
static int expression; /* the result of an expression */

/* As httpd: whether a list has a token, in any case. */
AP_DECLARE(int) ap_find_token(apr_pool_t *p, const char *line, const char *token)
{
    char *state;
    char *item = apr_strtok(apr_pstrdup(p, line), ", \t", &state);

    while (item != NULL && strcasecmp(item, token) != 0) {
        item = apr_strtok(NULL, ", \t", &state);
    }
    return item != NULL;
}

AP_DECLARE(int) ap_expr_exec(request_rec *of, const ap_expr_info_t *expr, const char **err)
{
    (void)of;
    (void)expr;
    *err = NULL;
    return expression;
}

/* A request for a page, by nobody known, and a response without fields. */
static int setup(void **state)
{
    (void)state;
    if (apr_pool_create(&pool, NULL) != APR_SUCCESS) {
        return 1;
    }
    r = apr_pcalloc(pool, sizeof(*r));
    r->pool = pool;
    r->status = HTTP_OK;
    r->method_number = M_GET;
    r->headers_in = apr_table_make(pool, 4);
    r->headers_out = apr_table_make(pool, 4);
    r->err_headers_out = apr_table_make(pool, 4);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    apr_pool_destroy(pool);
    return 0;
}

/* Whether it is learnt from; TmplLearn is not set, and then public, which is the same. */
static int is_learnt(void)
{
    tmpl_learn_t learn = { TMPL_LEARN_PUBLIC, NULL };
    tmpl_conf_t unset = { .learn = NULL };
    tmpl_conf_t set = { .learn = &learn };
    int may = tmpl_may_learn(r, &unset);

    assert_int_equal(tmpl_may_learn(r, &set), may);
    return may;
}

static tmpl_lists_e listed(void)
{
    tmpl_conf_t conf = { .documents = 1 };

    return tmpl_may_list(r, &conf);
}

/* A page is learnt from and listed as the rows say, with a request's field and a response's. */
static void assert_public(const char *name, const char *value, const char *control, int learnt,
                          int lists)
{
    apr_table_set(r->headers_in, name, value);
    if (control != NULL) {
        apr_table_set(r->headers_out, "Cache-Control", control);
    }
    if (is_learnt() != learnt || listed() != (lists ? TMPL_LISTS : TMPL_LISTS_NOT)) {
        fail_msg("%s: %s, Cache-Control: %s", name, value, control != NULL ? control : "none");
    }
    apr_table_clear(r->headers_in);
    apr_table_clear(r->headers_out);
}

static void a_page_for_everybody(void **state)
{
    (void)state;
    assert_true(is_learnt());
    assert_int_equal(listed(), TMPL_LISTS);
    assert_public("Accept", "*/*", "max-age=60", 1, 1);
    assert_public("Accept", "*/*", "public, max-age=60", 1, 1);
}

static void only_pages(void **state)
{
    static const int statuses[] = { HTTP_CREATED, HTTP_NOT_MODIFIED, HTTP_INTERNAL_SERVER_ERROR };
    size_t i;

    (void)state;
    r->method_number = M_POST;
    assert_false(is_learnt());
    assert_int_equal(listed(), TMPL_LISTS_NOT);
    r->method_number = M_GET;
    r->header_only = 1;
    assert_false(is_learnt());
    assert_int_equal(listed(), TMPL_LISTS_NOT);
    r->header_only = 0;
    for (i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
        r->status = statuses[i];
        assert_false(is_learnt());
        assert_int_equal(listed(), TMPL_LISTS_NOT);
    }
}

static void pages_of_users(void **state)
{
    (void)state;
    assert_public("Authorization", "Basic YTpi", NULL, 0, 0);
    assert_public("Authorization", "Basic YTpi", "public", 0, 0);
    assert_public("Accept", "*/*", "private", 0, 0);
    assert_public("Accept", "*/*", "max-age=60, No-Store", 0, 0);
    apr_table_set(r->err_headers_out, "Set-Cookie", "session=1");
    assert_false(is_learnt());
    assert_int_equal(listed(), TMPL_LISTS_NOT);
    apr_table_clear(r->err_headers_out);
    r->user = apr_pstrdup(pool, "ann");
    assert_public("Accept", "*/*", "public", 0, 0);
}

/* With a cookie that may choose the page, it is learnt from if it is public, but never listed. */
static void cookies(void **state)
{
    (void)state;
    assert_public("Cookie", "session=1", NULL, 0, 0);
    assert_public("Cookie", "session", "max-age=60", 0, 0);
    assert_public("Cookie", "session=1", "public", 1, 0);
    assert_public("Cookie", "", NULL, 1, 1);
    /* cookies that count visits: all that a request has must be */
    assert_public("Cookie", "_ga=1;_ga_AB12=2;\t__utmz=3; euconsent-v2=4", NULL, 1, 1);
    assert_public("Cookie", "_ga=1; session=2", NULL, 0, 0);
    assert_public("Cookie", "session=2; _ga=1", NULL, 0, 0);
    assert_public("Cookie", "_gax=1", NULL, 0, 0);
    assert_public("Cookie", "__utm=1", NULL, 0, 0);
    assert_public("Cookie", "session=_ga", NULL, 0, 0);
}

static void vary(void **state)
{
    (void)state;
    apr_table_set(r->headers_out, "Vary", "Accept-Encoding, Cookie");
    assert_true(is_learnt());
    apr_table_set(r->headers_in, "Cookie", "_ga=1");
    apr_table_set(r->headers_out, "Cache-Control", "public");
    assert_false(is_learnt());
    assert_int_equal(listed(), TMPL_LISTS_NOT);
    apr_table_set(r->headers_out, "Vary", "Accept-Encoding");
    assert_true(is_learnt());
    apr_table_set(r->headers_out, "Vary", "*");
    apr_table_unset(r->headers_in, "Cookie");
    assert_false(is_learnt());
}

static void the_administrator_says_what_is_learnt(void **state)
{
    tmpl_learn_t learn = { TMPL_LEARN_ALWAYS, NULL };
    tmpl_conf_t conf = { .learn = &learn };

    (void)state;
    r->user = apr_pstrdup(pool, "ann");
    assert_true(tmpl_may_learn(r, &conf));
    learn.when = TMPL_LEARN_NEVER;
    assert_false(tmpl_may_learn(r, &conf));
    learn.when = TMPL_LEARN_IF;
    for (expression = -1; expression <= 1; expression++) {
        assert_int_equal(tmpl_may_learn(r, &conf), expression == 1);
    }
    expression = 1;
    r->status = HTTP_NOT_FOUND;
    assert_false(tmpl_may_learn(r, &conf));
}

static void missing_pages_leave_the_list(void **state)
{
    (void)state;
    r->status = HTTP_NOT_FOUND;
    assert_int_equal(listed(), TMPL_LISTS_GONE);
    assert_false(is_learnt());
    r->status = HTTP_GONE;
    assert_int_equal(listed(), TMPL_LISTS_GONE);
    apr_table_set(r->headers_in, "Cookie", "session=1");
    assert_int_equal(listed(), TMPL_LISTS_NOT);
}

static void robots_are_told_not_to_index(void **state)
{
    (void)state;
    apr_table_set(r->headers_out, "X-Robots-Tag", "noarchive, noindex");
    assert_int_equal(listed(), TMPL_LISTS_GONE);
    assert_true(is_learnt());
    apr_table_set(r->headers_out, "X-Robots-Tag", "noarchive");
    assert_int_equal(listed(), TMPL_LISTS);
}

static void lists_are_off_by_default_and_for_parts_of_pages(void **state)
{
    tmpl_conf_t conf = { .documents = 1 };
    request_rec whole = { 0 };

    (void)state;
    r->main = &whole;
    assert_int_equal(tmpl_may_list(r, &conf), TMPL_LISTS_NOT);
    r->main = NULL;
    conf.documents = 0;
    assert_int_equal(tmpl_may_list(r, &conf), TMPL_LISTS_NOT);
    conf.documents = TMPL_UNSET;
    assert_int_equal(tmpl_may_list(r, &conf), TMPL_LISTS_NOT);
}

#define PERSONAL(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static const struct CMUnitTest tests[] = {
    PERSONAL(a_page_for_everybody),
    PERSONAL(only_pages),
    PERSONAL(pages_of_users),
    PERSONAL(cookies),
    PERSONAL(vary),
    PERSONAL(the_administrator_says_what_is_learnt),
    PERSONAL(missing_pages_leave_the_list),
    PERSONAL(robots_are_told_not_to_index),
    PERSONAL(lists_are_off_by_default_and_for_parts_of_pages),
};

TAP_MAIN(tests)
