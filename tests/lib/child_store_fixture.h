/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A child of httpd with one store; the test sets the store's replies. Includes child_store.c,
 * judge.c and the files that belong to them, and has stubs of httpd, of the module's other files,
 * of the library and of the clock.
 */
#ifndef CHILD_STORE_FIXTURE_H
#define CHILD_STORE_FIXTURE_H

#include <stdio.h>
#include <sys/wait.h>

#include "tap.h"

#include <apr_time.h>

/* Sleep only advances the clock. */
static apr_interval_time_t slept;     /* the sum of all sleeps */
static void (*meanwhile)(apr_time_t); /* called in each sleep */

static void sleep_soundly(apr_interval_time_t time)
{
    slept += time;
    if (meanwhile != NULL) {
        meanwhile(time);
    }
}
#define apr_sleep sleep_soundly

#include "mod_tmpl/child_store.c"
#include "mod_tmpl/stopping.c"
#include "mod_tmpl/health.c"
#include "mod_tmpl/judge.c"
#include "mod_tmpl/learn_queue.c"
#include "mod_tmpl/learner.c"

/* Stubs need few of their arguments. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define URI "redis://localhost/0"

enum { LEARN_AT_ONCE = TMPL_BATCH_MOST };

module AP_MODULE_DECLARE_DATA tmpl_module;
unixd_config_rec ap_unixd_config;

static apr_pool_t *pool;
static apr_time_t clock_now;  /* the result of tmpl_clock() */
static char log_text[4096];   /* all that was logged since say() */
static int understood;        /* 1: the page can be read; 0: it is declined */
static unsigned asked;        /* how often the store was asked */
static tmpl_error_t answer;   /* the store's reply */
static unsigned char counted; /* whether the store counted the document */
static apr_status_t opens;    /* the result of opening the store */
static apr_interval_time_t delay;
static tmpl_error_t learns;            /* the store's reply when pages are passed to it */
static unsigned handed;                /* how often pages were passed to the store */
static unsigned last_n;                /* number of pages that were passed last */
static char last_sites[LEARN_AT_ONCE]; /* first letters of the sites of these pages */
static int mpm_state;                  /* the state of httpd */
static int threads;                    /* AP_MPMQ_STATIC: children have threads */
static const char *bad_site;           /* the store never learns pages of this site */
static apr_interval_time_t slow;       /* time for each page; more than the timeout: failure */
static apr_interval_time_t takes;      /* time for all pages together */
static tmpl_learning_e was_asked;      /* how the last page had to be learnt */
static tmpl_observation_t a_page;      /* the observation of each page */
static tmpl_document_t document;       /* a new document for each page, */
static int pages_come_again;           /* unless this is set: one document for all pages */
static void (*within)(void);           /* called while a page is judged */
static tmpl_learner_t
    *turn_of; /* when pages are passed on, the test looks whether this learner has the turn */
static int turn_was_taken;
static apr_uint64_t counters[TMPL_COUNTER_COUNT];
static apr_uint32_t waiting_pages; /* waiting pages and bytes, as reported last */
static apr_size_t waiting_bytes;
static int lost;                 /* whether the store's file has been taken away */
static unsigned looked;          /* how often the file was looked for */
static apr_status_t secret_says; /* the store's status when asked for its secret */
static unsigned asked_secret;    /* how often the store was asked for its secret */
static uint64_t operators_seed;  /* the seed of the configuration */
static uint64_t seed_of_page;    /* the seed of the last page that was read */

apr_time_t tmpl_clock(void)
{
    return clock_now;
}

apr_status_t tmpl_store_open(tmpl_store_t **store, const char *uri, const tmpl_store_opts_t *opts,
                             tmpl_error_t *err, apr_pool_t *p)
{
    *store = (tmpl_store_t *)&asked;
    return opens == APR_SUCCESS ? APR_SUCCESS : tmpl_fail(err, opens, "no such store");
}

const char *tmpl_store_moved(const tmpl_store_t *store)
{
    return NULL;
}

int tmpl_store_is_lost(const tmpl_store_t *store)
{
    looked++;
    return lost;
}

apr_status_t tmpl_store_secret(tmpl_store_t *store, char secret[TMPL_SECRET_SIZE],
                               apr_interval_time_t timeout, tmpl_error_t *err, apr_pool_t *p)
{
    asked_secret++;
    apr_cpystrn(secret, "of the store", TMPL_SECRET_SIZE);
    return secret_says == APR_SUCCESS ? APR_SUCCESS : tmpl_fail(err, secret_says, "no secret");
}

apr_status_t tmpl_store_usage(tmpl_store_t *store, tmpl_store_usage_t *usage, tmpl_error_t *err)
{
    return APR_ENOTIMPL;
}

/* Only for sites of a replica, and no test has a replica. */
apr_status_t tmpl_store_observe(tmpl_store_t *store, const tmpl_observation_t *page,
                                apr_interval_time_t timeout, tmpl_counts_t *counts,
                                tmpl_error_t *err, apr_pool_t *p)
{
    return tmpl_fail(err, APR_EGENERAL, "no replica");
}

uint64_t tmpl_seed(const char *secret)
{
    return strlen(secret);
}

int tmpl_clean_read(tmpl_outcome_t *outcome, const tmpl_input_t *input,
                    const tmpl_clean_opts_t *opts, apr_pool_t *p)
{
    seed_of_page = opts->page.seed;
    *outcome = (tmpl_outcome_t){ 0 };
    return understood;
}

void tmpl_clean_judge(tmpl_outcome_t *outcome, const tmpl_input_t *input,
                      const tmpl_clean_opts_t *opts, tmpl_store_t *store,
                      apr_interval_time_t timeout, apr_pool_t *p)
{
    was_asked = input->learn;
    if (within != NULL) {
        within();
    }
    if (store != NULL) {
        asked++;
        outcome->was_asked = 1;
        outcome->store_error = answer;
        outcome->counts.counted = counted;
        outcome->counts.due = answer.status == APR_SUCCESS && input->learn == TMPL_LEARNING_LATER;
        outcome->observation = a_page;
        outcome->observation.site = input->site;
        document.id += !pages_come_again;
        document.text = document.id;
    }
}

/* Whether another child finds the turn taken. */
static int turn_is_taken(tmpl_learner_t *learner)
{
    pid_t pid = fork();
    int status = -1;

    if (pid == 0) {
        _exit(APR_STATUS_IS_EBUSY(apr_proc_mutex_trylock(learner->turn)));
    }
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

apr_status_t tmpl_store_learn(tmpl_store_t *store, const tmpl_observation_t *const *pages,
                              uint32_t n, apr_interval_time_t timeout, uint32_t *new_ones,
                              tmpl_error_t *err, apr_pool_t *p)
{
    tmpl_error_t said = learns;
    uint32_t i;

    for (i = 0; i < n; i++) {
        last_sites[i] = *pages[i]->site;
        if (bad_site != NULL && strcmp(pages[i]->site, bad_site) == 0) {
            said = (tmpl_error_t){ APR_EGENERAL, "a bad site" };
        }
    }
    if (slow * n > timeout) {
        said = (tmpl_error_t){ APR_TIMEUP, "it is slow" };
    }
    if (turn_of != NULL) {
        turn_was_taken = turn_is_taken(turn_of);
    }
    clock_now += takes;
    handed++;
    last_n = n;
    *new_ones = said.status == APR_SUCCESS ? n : 0;
    *err = said;
    return said.status;
}

void tmpl_conf_opts(tmpl_clean_opts_t *opts, const tmpl_conf_t *conf)
{
    memset(opts, 0, sizeof(*opts));
    opts->page.seed = operators_seed;
}

int tmpl_conf_holds(const tmpl_conf_t *conf)
{
    return 1;
}

apr_int64_t tmpl_conf_number(const tmpl_conf_t *conf, tmpl_setting_e setting)
{
    return setting == TMPL_SETTING_delay ? delay : 1;
}

/* Nobody reads fingerprints. */
int tmpl_conf_headers(const tmpl_conf_t *conf)
{
    return 0;
}

tmpl_mode_e tmpl_conf_mode(const tmpl_conf_t *conf)
{
    return TMPL_MODE_STRIP;
}

const char *tmpl_clean_fingerprint(const tmpl_outcome_t *outcome, const tmpl_input_t *input,
                                   apr_pool_t *p)
{
    return NULL;
}

void tmpl_clean_version(tmpl_outcome_t *outcome, const tmpl_clean_opts_t *opts, apr_pool_t *p)
{
}

apr_uint32_t tmpl_listed_page_look(const tmpl_listed_page_t *sighted, tmpl_outcome_t *outcome,
                                   request_rec *r, apr_pool_t *p)
{
    return 0;
}

/* What tmpl_judge() calls, which the tests do not. */
#define NEVER(type, function)                                                                      \
    type function                                                                                  \
    {                                                                                              \
        abort();                                                                                   \
    }
NEVER(const char *, tmpl_conf_type(const tmpl_conf_t *conf))
NEVER(int, tmpl_conf_is_used(void))
NEVER(int, tmpl_conf_is_used_by(const server_rec *s))
NEVER(int, tmpl_may_learn(request_rec *r, const tmpl_conf_t *conf))
NEVER(const char *, tmpl_uri_of(const request_rec *r, apr_pool_t *p))
NEVER(const char *, tmpl_canonical_url(const char *uri, const request_rec *r, apr_pool_t *p))
NEVER(int,
      tmpl_cache_find(tmpl_cached_t *cached, tmpl_decision_t *decision, const tmpl_input_t *input,
                      const tmpl_conf_t *conf, request_rec *r, apr_pool_t *p))
NEVER(void, tmpl_cache_count(const tmpl_cached_t *cached))
NEVER(void, tmpl_cache_keep(tmpl_cached_t *cached, const tmpl_outcome_t *outcome,
                            const char *fingerprint, const char *body, apr_size_t body_len,
                            const tmpl_input_t *input, const tmpl_conf_t *conf))
NEVER(int, tmpl_is_personal(request_rec *r))
NEVER(const char *, tmpl_body(apr_size_t *len, const tmpl_outcome_t *outcome,
                              const tmpl_input_t *input, const tmpl_clean_opts_t *opts,
                              const char *url, const char *fingerprint, apr_pool_t *p))
NEVER(const char *, tmpl_key_of(request_rec *r, const ap_expr_info_t *expr))
NEVER(const char *, tmpl_site_of(request_rec *r, const tmpl_conf_t *conf))
AP_DECLARE(NEVER(const char *, ap_make_content_type(request_rec *r, const char *type)))

AP_DECLARE(apr_status_t)
ap_mutex_register(apr_pool_t *p, const char *type, const char *dir, apr_lockmech_e mech,
                  apr_int32_t options)
{
    return APR_SUCCESS;
}

AP_DECLARE(apr_status_t)
ap_proc_mutex_create(apr_proc_mutex_t **mutex, const char **name, const char *type,
                     const char *instance, server_rec *s, apr_pool_t *p, apr_int32_t options)
{
    return apr_proc_mutex_create(mutex, NULL, APR_LOCK_DEFAULT, p);
}

AP_DECLARE(apr_status_t) ap_mpm_query(int query_code, int *result)
{
    *result = query_code == AP_MPMQ_IS_THREADED ? threads : mpm_state;
    return APR_SUCCESS;
}

void tmpl_count(tmpl_counter_e counter, apr_uint64_t by)
{
    counters[counter] += by;
}

int tmpl_stores_add(const char *name)
{
    return 0;
}

void tmpl_stores_error(int store, tmpl_purpose_e purpose)
{
}

void tmpl_stores_paused(int store, tmpl_purpose_e purpose, int is_paused)
{
}

void tmpl_stores_full(int store, int is_full)
{
}

void tmpl_page_pools_rest(void)
{
}

void tmpl_stores_waiting(int store, apr_uint32_t pages, apr_size_t bytes)
{
    waiting_pages = pages;
    waiting_bytes = bytes;
}

void tmpl_stage_took(tmpl_measure_e stage, apr_interval_time_t took)
{
}

AP_DECLARE(char *) ap_make_dirstr_parent(apr_pool_t *p, const char *name)
{
    return apr_pstrmemdup(p, name, (apr_size_t)(strrchr(name, '/') - name));
}

AP_DECLARE(int) ap_run_drop_privileges(apr_pool_t *pchild, server_rec *s)
{
    return OK;
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

/* The logs of a server and of a request: log_text gets the texts of both, nothing else. */
#define LOG_FUNCTION(name, about)                                                                  \
    AP_DECLARE(void)                                                                               \
    name(const char *file, int line, int index, int level, apr_status_t status, const about *of,   \
         const char *format, ...)                                                                  \
    {                                                                                              \
        va_list args;                                                                              \
                                                                                                   \
        va_start(args, format);                                                                    \
        keep_log(format, args);                                                                    \
        va_end(args);                                                                              \
    }

LOG_FUNCTION(ap_log_error_, server_rec)
LOG_FUNCTION(ap_log_rerror_, request_rec)
#pragma GCC diagnostic pop

static inline int setup(void **state)
{
    (void)state;
    delay = 0;
    return apr_pool_create(&pool, NULL) != APR_SUCCESS;
}

static inline int teardown(void **state)
{
    (void)state;
    apr_pool_destroy(pool);
    return 0;
}

/* Starts a child with one store, whose opening returns how; its pools end with the test's pool. */
static tmpl_child_store_t *start(apr_status_t how)
{
    static const tmpl_policy_t policy;
    static process_rec process;
    static server_rec server;
    tmpl_child_store_t *ours;

    process.pool = pool;
    server.process = &process;
    a_page = (tmpl_observation_t){ .site = "s", .document = &document, .policy = &policy };
    handed = 0;
    learns = (tmpl_error_t){ APR_SUCCESS, "" };
    bad_site = NULL;
    pages_come_again = 0;
    within = NULL;
    turn_of = NULL;
    slept = 0;
    meanwhile = NULL;
    apr_atomic_set32(&tmpl_child_stores_users, 0); /* as in a process of its own */
    graceful_end = 0;
    mpm_state = AP_MPMQ_RUNNING;
    threads = AP_MPMQ_STATIC;
    slow = 0;
    takes = 0;

    lost = 0;
    looked = 0;
    secret_says = APR_SUCCESS;
    asked_secret = 0;
    operators_seed = 0;

    clock_now = apr_time_from_sec(1000);
    understood = 1;
    asked = 0;
    answer = (tmpl_error_t){ APR_SUCCESS, "" };
    counted = 0;
    opens = how;
    log_text[0] = '\0';
    memset(counters, 0, sizeof(counters));
    server.log.level = APLOG_TRACE8;
    tmpl_child_stores_reset(pool);
    has_watchdog = delay > 0;
    ours = tmpl_child_store_add(URI, pool);
    ours->learner = tmpl_learner_create(&ours->health, 0, &server, pool);
    tmpl_child_stores_open(&server, pool);
    return ours;
}

/* Ends the child of a store. */
static inline void end_child(tmpl_child_store_t *ours)
{
    apr_pool_destroy(ours->end);
}

static apr_status_t store_said; /* the status in the last request's outcome */

/* A request for a page of site. */
static void ask(tmpl_child_store_t *ours, const char *site)
{
    static struct ap_logconf logconf;
    static conn_rec connection;
    tmpl_conf_t conf = { .store = ours };
    tmpl_ctx_t ctx = { .conf = &conf };
    tmpl_judged_t judged = { .input = { .site = site } };
    tmpl_clean_opts_t opts;
    request_rec r = { 0 };

    logconf.level = APLOG_TRACE8;
    r.log = &logconf;
    r.connection = &connection;
    tmpl_conf_opts(&opts, &conf);
    judged.input.learn = learning_of(&conf);
    judge_by_store(&judged, &ctx, &opts, &r, pool);
    store_said = judged.outcome.store_error.status;
}

/* As ask(); returns the log. */
static inline const char *request(tmpl_child_store_t *ours, const char *site)
{
    log_text[0] = '\0';
    ask(ours, site);
    return log_text;
}

static inline void fail_with(apr_status_t status)
{
    answer.status = status;
    apr_cpystrn(answer.text, "it fails", sizeof(answer.text));
}
#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

/* Starts a child whose pages wait how_long; it has a watchdog unless how_long is 0. */
static inline tmpl_child_store_t *start_waiting(apr_interval_time_t how_long)
{
    delay = how_long;
    return start(APR_SUCCESS);
}

static inline void tick(void)
{
    log_text[0] = '\0';
    watch(AP_WATCHDOG_STATE_RUNNING, NULL, pool);
}

static inline void tick_after(apr_interval_time_t time)
{
    clock_now += time;
    tick();
}

static inline void store_hangs(void)
{
    learns = (tmpl_error_t){ APR_TIMEUP, "it hangs" };
}

static inline void store_learns(void)
{
    learns = (tmpl_error_t){ APR_SUCCESS, "" };
}

/* n requests for pages of a site. */
static inline void requests(tmpl_child_store_t *ours, const char *site, unsigned n)
{
    while (n-- > 0) {
        request(ours, site);
    }
}

#endif
