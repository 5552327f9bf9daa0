/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A child's stores: when one is asked, when it is left alone, and what is said of it.
 *
 * connections.c is included; what it needs of httpd, of the module's other files and of the library
 * stands below, and so does the clock.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../mod_tmpl/connections.c"

#define URI "redis://localhost/0"

module AP_MODULE_DECLARE_DATA tmpl_module;
unixd_config_rec ap_unixd_config;

static apr_pool_t *pool;
static apr_time_t clock_now;  /* what tmpl_clock() says */
static char log_text[4096];   /* all that was logged since say() */
static int understood;        /* what the parser says of the page */
static unsigned asked;        /* times the store was asked */
static tmpl_error_t answer;   /* what it says */
static unsigned char counted; /* and whether it counted the document */
static apr_status_t opens;    /* what comes of opening it */
static apr_uint64_t counters[TMPL_COUNTER_COUNT];

apr_time_t tmpl_clock(void)
{
    return clock_now;
}

apr_status_t tmpl_store_open(tmpl_store_t **store, const char *uri, const tmpl_store_opts_t *opts,
                             tmpl_error_t *err, apr_pool_t *p)
{
    (void)uri;
    (void)opts;
    (void)p;
    *store = (tmpl_store_t *)&asked;
    return opens == APR_SUCCESS ? APR_SUCCESS : tmpl_fail(err, opens, "no such store");
}

int tmpl_clean_read(tmpl_outcome_t *outcome, const tmpl_input_t *input,
                    const tmpl_clean_opts_t *opts, apr_pool_t *p)
{
    (void)input;
    (void)opts;
    (void)p;
    *outcome = (tmpl_outcome_t){ 0 };
    return understood;
}

void tmpl_clean_judge(tmpl_outcome_t *outcome, const tmpl_input_t *input,
                      const tmpl_clean_opts_t *opts, tmpl_store_t *store,
                      apr_interval_time_t timeout, apr_pool_t *p)
{
    (void)input;
    (void)opts;
    (void)timeout;
    (void)p;
    if (store != NULL) {
        asked++;
        outcome->store_error = answer;
        outcome->counts.counted = counted;
    }
}

void tmpl_conf_opts(tmpl_clean_opts_t *opts, const tmpl_conf_t *conf)
{
    (void)opts;
    (void)conf;
}

apr_interval_time_t tmpl_conf_timeout(const tmpl_conf_t *conf)
{
    (void)conf;
    return 1;
}

void tmpl_count(tmpl_counter_e counter, apr_uint64_t by)
{
    counters[counter] += by;
}

AP_DECLARE(char *) ap_runtime_dir_relative(apr_pool_t *p, const char *name)
{
    return apr_pstrcat(p, "/run/", name, NULL);
}

static void keep_log(const char *format, va_list args)
{
    apr_size_t len = strlen(log_text);
    apr_vsnprintf(log_text + len, sizeof(log_text) - len, format, args);
}

AP_DECLARE(void)
ap_log_error_(const char *file, int line, int index, int level, apr_status_t status,
              const server_rec *s, const char *format, ...)
{
    va_list args;

    (void)file;
    (void)line;
    (void)index;
    (void)level;
    (void)status;
    (void)s;
    va_start(args, format);
    keep_log(format, args);
    va_end(args);
}

AP_DECLARE(void)
ap_log_rerror_(const char *file, int line, int index, int level, apr_status_t status,
               const request_rec *r, const char *format, ...)
{
    va_list args;

    (void)file;
    (void)line;
    (void)index;
    (void)level;
    (void)status;
    (void)r;
    va_start(args, format);
    keep_log(format, args);
    va_end(args);
}

static int setup(void **state)
{
    (void)state;
    return apr_pool_create(&pool, NULL) != APR_SUCCESS;
}

static int teardown(void **state)
{
    (void)state;
    apr_pool_destroy(pool);
    return 0;
}

/* A child with one store, which opens as opens says. */
static tmpl_link_t *start(apr_status_t how)
{
    static server_rec server;
    tmpl_link_t *link;

    clock_now = apr_time_from_sec(1000);
    understood = 1;
    asked = 0;
    answer = (tmpl_error_t){ APR_SUCCESS, "" };
    counted = 0;
    opens = how;
    log_text[0] = '\0';
    memset(counters, 0, sizeof(counters));
    server.log.level = APLOG_TRACE8;
    tmpl_links_reset(pool);
    link = tmpl_link_add(URI, pool);
    tmpl_links_open(&server, pool);
    return link;
}

/* A request for a page of that site; returns what was logged. */
static const char *request(tmpl_link_t *link, const char *site)
{
    static struct ap_logconf logconf;
    static conn_rec connection;
    tmpl_conf_t conf = { .store = link };
    tmpl_input_t input = { .site = site };
    tmpl_outcome_t outcome;
    request_rec r = { 0 };

    logconf.level = APLOG_TRACE8;
    r.log = &logconf;
    r.connection = &connection;
    log_text[0] = '\0';
    tmpl_link_clean(&outcome, &input, &conf, &r, pool);
    return log_text;
}

static void fail_with(apr_status_t status)
{
    answer.status = status;
    apr_cpystrn(answer.text, "it fails", sizeof(answer.text));
}

/* Whatever a store says, APR_EINVAL too, it is left alone for a second, and it is told of once. */
static void a_store_that_fails_is_left_alone(void **state)
{
    static const apr_status_t failures[] = { APR_EINVAL, APR_TIMEUP, APR_EGENERAL, ECONNREFUSED };
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(failures) / sizeof(failures[0]); i++) {
        tmpl_link_t *link = start(APR_SUCCESS);

        fail_with(failures[i]);
        assert_non_null(strstr(request(link, "s"), "[T011] store " URI " fails"));
        assert_non_null(strstr(log_text, "it fails"));
        clock_now += PAUSE - 1;
        assert_string_equal(request(link, "s"), "");
        assert_int_equal(asked, 1);
        clock_now += 1;
        assert_string_equal(request(link, "s"), "");
        assert_int_equal(asked, 2);
        assert_string_equal(request(link, "s"), "");
        assert_int_equal(asked, 2);
        assert_int_equal(counters[TMPL_COUNTER_STORE_FAILURES], 2);
        assert_int_equal(counters[TMPL_COUNTER_STORE_DOWN], 1);
        clock_now += PAUSE;
        answer = (tmpl_error_t){ APR_SUCCESS, "" };
        assert_non_null(strstr(request(link, "s"), "[T012]"));
        assert_string_equal(request(link, "s"), "");
        assert_int_equal(asked, 4);
        assert_int_equal(counters[TMPL_COUNTER_STORE_UP], 1);
    }
}

static void a_store_that_does_not_open_is_tried_again(void **state)
{
    tmpl_link_t *link = start(APR_EGENERAL);

    (void)state;
    assert_non_null(strstr(log_text, "[T011] store " URI " cannot be opened"));
    assert_string_equal(request(link, "s"), "");
    clock_now += PAUSE;
    assert_string_equal(request(link, "s"), ""); /* known to be away, and still is */
    assert_int_equal(counters[TMPL_COUNTER_STORE_FAILURES], 1);
    clock_now += PAUSE;
    opens = APR_SUCCESS;
    assert_non_null(strstr(request(link, "s"), "[T012]"));
    assert_int_equal(asked, 1);
}

/* What asks no store must not be the one request that may try it. */
static void only_who_asks_is_a_trial(void **state)
{
    tmpl_link_t *link = start(APR_SUCCESS);
    char site[TMPL_SITE_MAX + 2];

    (void)state;
    memset(site, 's', sizeof(site) - 1);
    site[sizeof(site) - 1] = '\0';
    fail_with(APR_TIMEUP);
    request(link, "s");
    clock_now += PAUSE;
    understood = 0;
    request(link, "s");
    understood = 1;
    request(link, site);
    request(link, "");
    assert_int_equal(asked, 1);
    request(link, "s");
    assert_int_equal(asked, 2);
}

/* The name may be made of what clients send: it is told of at most once a second, and no failure. */
static void bad_names_of_sites_do_not_fill_the_log(void **state)
{
    tmpl_link_t *link = start(APR_SUCCESS);
    char site[TMPL_SITE_MAX + 2];
    unsigned lines = 0;
    int i;

    (void)state;
    memset(site, 's', sizeof(site) - 1);
    site[sizeof(site) - 1] = '\0';
    for (i = 0; i < 100; i++) {
        lines += strstr(request(link, site), "[T015]") != NULL;
        clock_now += APR_USEC_PER_SEC / 100;
    }
    assert_int_equal(lines, 1);
    assert_non_null(strstr(request(link, ""), "[T015] a site's name of 0 bytes"));
    assert_int_equal(asked, 0);
    assert_int_equal(counters[TMPL_COUNTER_STORE_FAILURES], 0);
    site[TMPL_SITE_MAX] = '\0';
    assert_string_equal(request(link, site), "");
    assert_int_equal(asked, 1);
}

/* A full store answers, so it is asked; it is told of once, until something new has found room. */
static void a_full_store_is_told_of_once(void **state)
{
    tmpl_link_t *link = start(APR_SUCCESS);

    (void)state;
    fail_with(APR_ENOSPC);
    assert_non_null(strstr(request(link, "s"), "[T013]"));
    assert_string_equal(request(link, "s"), "");
    answer = (tmpl_error_t){ APR_SUCCESS, "" };
    assert_string_equal(request(link, "s"), ""); /* a page that is known: nothing was written */
    fail_with(APR_TIMEUP);
    assert_null(strstr(request(link, "s"), "[T014]"));
    clock_now += PAUSE;
    answer = (tmpl_error_t){ APR_SUCCESS, "" };
    assert_null(strstr(request(link, "s"), "[T014]"));
    fail_with(APR_ENOSPC);
    assert_string_equal(request(link, "s"), "");
    answer = (tmpl_error_t){ APR_SUCCESS, "" };
    counted = 1;
    assert_non_null(strstr(request(link, "s"), "[T014]"));
    assert_string_equal(request(link, "s"), "");
    assert_int_equal(counters[TMPL_COUNTER_STORE_FAILURES], 1);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(a_store_that_fails_is_left_alone), TEST(a_store_that_does_not_open_is_tried_again),
        TEST(only_who_asks_is_a_trial),         TEST(bad_names_of_sites_do_not_fill_the_log),
        TEST(a_full_store_is_told_of_once),
    };

    apr_initialize();
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
