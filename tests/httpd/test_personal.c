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

const char *tmpl_uri_of(const request_rec *of, apr_pool_t *p)
{
    (void)p;
    return of->uri;
}

static const char *certificate; /* what mod_ssl says of the client's; NULL: there is no mod_ssl */

static char *look_up(apr_pool_t *p, server_rec *s, conn_rec *c, request_rec *of, char *name)
{
    (void)s;
    (void)c;
    (void)of;
    assert_string_equal(name, "SSL_CLIENT_VERIFY");
    return apr_pstrdup(p, certificate);
}

apr_opt_fn_t *apr_dynamic_fn_retrieve(const char *name)
{
    assert_string_equal(name, "ssl_var_lookup");
    return certificate != NULL ? (apr_opt_fn_t *)look_up : NULL;
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
    r->uri = apr_pstrdup(pool, "/");
    certificate = NULL;
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
    assert_public("Authorization", "Basic YTpi", "private", 0, 0);
    r->user = apr_pstrdup(pool, "ann");
    assert_public("Accept", "*/*", "public", 0, 0);
}

/* Many programs say of every page that it is private: it is learnt, but not listed. */
static void pages_of_nobody(void **state)
{
    (void)state;
    assert_public("Accept", "*/*", "private", 1, 0);
    assert_public("Accept", "*/*", "max-age=60, No-Store", 1, 0);
    assert_public("Cookie", "_ga=1", "no-store", 1, 0);
    assert_public("Cookie", "session=1", "private", 0, 0);
    assert_public("Cookie", "session=1", "public, no-store", 0, 0);
    apr_table_set(r->err_headers_out, "Set-Cookie", "session=1");
    assert_public("Accept", "*/*", NULL, 1, 0);
    assert_public("Cookie", "session=1", "public", 0, 0);
}

/* Whether a private page at that address is learnt. */
static int is_learnt_at(const char *uri)
{
    r->uri = apr_pstrdup(pool, uri);
    apr_table_set(r->headers_out, "Cache-Control", "private");
    return is_learnt();
}

static void secrets_in_addresses(void **state)
{
    static const char *const secret[] = {
        "/reset?token=1",
        "/reset?a=b&resetToken=x",
        "/index.php;jsessionid=1?a=b",
        "/p?user%5Bpassword_token%5D=x",
        "/login?action=rp&key=x",
        "/v?code=1",
        "/v?x=1;sig=2",
        "/v?invite=bob",
        "/unsubscribe?email=bob@example.org",
        "/s/d41d8c",
        "/share/AbC123xy",
        "/reset/MQ/c5u2xh-8f4bd0f8a1b2c3d4e5f60718293a4b5c/",
        "/orders/550e8400-e29b-41d4-a716-446655440000",
        "/m/6UXDEB4WRQIW5LI5MAQ376UUZTISY2UX/",
        "/d/1b2M2Y8AsgTpgAmY7PhCfg",
        "/magic?x=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0",
        "/i/12345678901234567890",
        "/i/a-12345678901234567890",
    };
    static const char *const open[] = {
        "/",
        "/2026/11/28/how-to-build-a-house-in-10-days.html",
        "/projects/garden/issues?page=2&author=1&keyword=a",
        "/doku.php?id=notes:note1&do=edit",
        "/index.php?title=Special:RecentChanges&hidebots=1&oldid=20261128101500",
        "/wiki/HowToBuildAHouse/FrontPage",
        "/wiki/DisksSSDAndHDD",
        "/iphone15promax256gb?utm_source=news",
        "/wiki/%E3%83%9A%E3%83%BC%E3%82%B8",
        "/key/code/token",
        "/donaudampfschifffahrtsgesellschaftskapitaen",
        "/calendar/20261128T101500Z",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(secret) / sizeof(secret[0]); i++) {
        if (is_learnt_at(secret[i])) {
            fail_msg("%s: learnt", secret[i]);
        }
        /* what does not say that it is private is, as its address alone says little */
        apr_table_clear(r->headers_out);
        assert_true(is_learnt());
    }
    for (size_t i = 0; i < sizeof(open) / sizeof(open[0]); i++) {
        if (!is_learnt_at(open[i])) {
            fail_msg("%s: not learnt", open[i]);
        }
    }
}

static void fields_that_name_somebody(void **state)
{
    static const char *const naming[] = {
        "X-Api-Key",           "X-Forwarded-User",        "x-auth-token",
        "X-User-Id",           "Cf-Access-Jwt-Assertion", "X-Client-Cert-Dn",
        "X-Consumer-Username", "X-Remote-Userid",         "X-Ms-Client-Principal-Name",
        "X-Authorization",     "X-Amzn-Oidc-Accesstoken"
    };
    static const char *const others[] = { "User-Agent",      "X-Original-User-Agent",
                                          "Referer",         "Sec-Fetch-User",
                                          "X-Forwarded-For", "X-Country-Code",
                                          "Accept-Language", "If-None-Match" };

    (void)state;
    for (size_t i = 0; i < sizeof(naming) / sizeof(naming[0]); i++) {
        assert_public(naming[i], "1", "private", 0, 0);
        assert_public(naming[i], "1", NULL, 1, 1);
    }
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        assert_public(others[i], "1", "private", 1, 0);
    }
    apr_table_set(r->err_headers_out, "Vary", "Accept-Language, X-Forwarded-For, User-Agent, RSC");
    assert_public("Accept-Language", "de", "private", 1, 0);
    assert_public("User-Agent", "x", "private", 1, 0);
    assert_public("X-Forwarded-For", "192.0.2.1", "private", 0, 0);
    assert_public("X-Forwarded-For", "192.0.2.1", NULL, 1, 1);
}

static void client_certificates(void **state)
{
    (void)state;
    certificate = "NONE";
    assert_public("Accept", "*/*", "private", 1, 0);
    certificate = "";
    assert_public("Accept", "*/*", "private", 1, 0);
    certificate = "SUCCESS";
    assert_public("Accept", "*/*", "private", 0, 0);
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
    PERSONAL(pages_of_nobody),
    PERSONAL(secrets_in_addresses),
    PERSONAL(fields_that_name_somebody),
    PERSONAL(client_certificates),
    PERSONAL(cookies),
    PERSONAL(vary),
    PERSONAL(the_administrator_says_what_is_learnt),
    PERSONAL(missing_pages_leave_the_list),
    PERSONAL(robots_are_told_not_to_index),
    PERSONAL(lists_are_off_by_default_and_for_parts_of_pages),
};

TAP_MAIN(tests)
