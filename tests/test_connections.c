/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A child's stores: when one is asked, when it is left alone, and what is said of it.
 *
 * connections.c is included, and what it is made of; what they need of httpd, of the module's other files and of the library
 * stands below, and so does the clock.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>

#include <cmocka.h>

#include <apr_time.h>

/* Nobody sleeps here. */
static apr_interval_time_t slept; /* so long in all */

static void sleep_soundly(apr_interval_time_t time)
{
    slept += time;
}
#define apr_sleep sleep_soundly

#include "../mod_tmpl/connections.c"
#include "../mod_tmpl/health.c"
#include "../mod_tmpl/later.c"
#include "../mod_tmpl/learning.c"

#define URI "redis://localhost/0"

enum { LEARN_AT_ONCE = 32 }; /* what the store wants */

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
static apr_interval_time_t delay;
static tmpl_error_t learns;       /* what the store says when pages are handed over */
static unsigned handed;           /* times some were */
static unsigned last_n;           /* and how many, the last time, */
static char last_sites[64];       /* of which sites, a letter each */
static int mpm_state;             /* what httpd is doing */
static apr_interval_time_t room;  /* how long a page may wait for it */
static const char *bad_site;      /* and of this one always */
static apr_interval_time_t slow;  /* how long each page takes it: past its timeout it fails */
static tmpl_learning_e was_asked; /* how the last page was to be learnt */
static tmpl_observation_t a_page; /* what waits of each */
static tmpl_document_t document;  /* each page is another one, */
static int pages_come_again;      /* or the same one again */
static void (*within)(void);      /* called while a page is judged */
static tmpl_learner_t
    *turn_of; /* looks whether it is this learner's turn when pages are handed over */
static int turn_was_taken;
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
    (void)opts;
    (void)timeout;
    (void)p;
    was_asked = input->learn;
    if (within != NULL) {
        within();
    }
    if (store != NULL) {
        asked++;
        outcome->store_error = answer;
        outcome->counts.counted = counted;
        outcome->counts.due = answer.status == APR_SUCCESS && input->learn == TMPL_LEARNING_LATER;
        outcome->observation = a_page;
        outcome->observation.site = input->site;
        document.id += !pages_come_again;
        document.text = document.id;
    }
}

/* As another child finds it. */
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

    (void)store;
    (void)p;
    for (i = 0; i < n; i++) {
        last_sites[i % sizeof(last_sites)] = *pages[i]->site;
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
    handed++;
    last_n = n;
    *new_ones = said.status == APR_SUCCESS ? n : 0;
    *err = said;
    return said.status;
}

uint32_t tmpl_store_batch(const tmpl_store_t *store)
{
    (void)store;
    return LEARN_AT_ONCE;
}

void tmpl_conf_opts(tmpl_clean_opts_t *opts, const tmpl_conf_t *conf)
{
    (void)opts;
    (void)conf;
}

apr_interval_time_t tmpl_conf_timeout(const tmpl_conf_t *conf)
{
    (void)conf;
    return room;
}

AP_DECLARE(apr_status_t)
ap_mutex_register(apr_pool_t *p, const char *type, const char *dir, apr_lockmech_e mech,
                  apr_int32_t options)
{
    (void)p;
    (void)type;
    (void)dir;
    (void)mech;
    (void)options;
    return APR_SUCCESS;
}

AP_DECLARE(apr_status_t)
ap_proc_mutex_create(apr_proc_mutex_t **mutex, const char **name, const char *type,
                     const char *instance, server_rec *s, apr_pool_t *p, apr_int32_t options)
{
    (void)name;
    (void)type;
    (void)instance;
    (void)s;
    (void)options;
    return apr_proc_mutex_create(mutex, NULL, APR_LOCK_DEFAULT, p);
}

AP_DECLARE(apr_status_t) ap_mpm_query(int query_code, int *result)
{
    (void)query_code;
    *result = mpm_state;
    return APR_SUCCESS;
}

apr_interval_time_t tmpl_conf_delay(const tmpl_conf_t *conf)
{
    (void)conf;
    return delay;
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
    delay = 0;
    return apr_pool_create(&pool, NULL) != APR_SUCCESS;
}

static int teardown(void **state)
{
    (void)state;
    apr_pool_destroy(pool);
    return 0;
}

/* A child with one store, which opens as opens says; its pools go with the test's. */
static tmpl_link_t *start(apr_status_t how)
{
    static const tmpl_policy_t policy;
    static process_rec process;
    static server_rec server;
    tmpl_link_t *link;

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
    apr_atomic_set32(&inside, 0); /* a process of its own */
    mpm_state = AP_MPMQ_RUNNING;
    room = 1;
    slow = 0;

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
    has_watchdog = delay > 0;
    link = tmpl_link_add(URI, pool);
    link->learner = tmpl_learner_create(&link->health, 0, &server, pool);
    tmpl_links_open(&server, pool);
    return link;
}

static apr_status_t store_said; /* as the last request's outcome has it */

/* A request for a page of that site. */
static void ask(tmpl_link_t *link, const char *site)
{
    static struct ap_logconf logconf;
    static conn_rec connection;
    tmpl_conf_t conf = { .store = link };
    tmpl_input_t input = { .site = site, .learn = TMPL_LEARNING_NOW };
    tmpl_outcome_t outcome;
    request_rec r = { 0 };

    logconf.level = APLOG_TRACE8;
    r.log = &logconf;
    r.connection = &connection;
    tmpl_link_clean(&outcome, &input, &conf, &r, pool);
    store_said = outcome.store_error.status;
}

/* The same; returns what was logged. */
static const char *request(tmpl_link_t *link, const char *site)
{
    log_text[0] = '\0';
    ask(link, site);
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

/* A child with a watchdog, if its pages wait: so long. */
static tmpl_link_t *start_waiting(apr_interval_time_t how_long)
{
    delay = how_long;
    return start(APR_SUCCESS);
}

static void tick(void)
{
    log_text[0] = '\0';
    watch(AP_WATCHDOG_STATE_RUNNING, NULL, pool);
}

static void tick_after(apr_interval_time_t time)
{
    clock_now += time;
    tick();
}

static void store_hangs(void)
{
    learns = (tmpl_error_t){ APR_TIMEUP, "it hangs" };
}

static void store_learns(void)
{
    learns = (tmpl_error_t){ APR_SUCCESS, "" };
}

/* Without a watchdog, or with no delay, a page is learnt while its client waits. */
static void without_a_watchdog_nothing_waits(void **state)
{
    tmpl_link_t *link = start_waiting(0);

    (void)state;
    delay = 1000;
    request(link, "s");
    assert_int_equal(was_asked, TMPL_LEARNING_NOW);
    link = start_waiting(1000);
    delay = 0;
    request(link, "s");
    assert_int_equal(was_asked, TMPL_LEARNING_NOW);
    link = start_waiting(1000);
    request(link, "s");
    assert_int_equal(was_asked, TMPL_LEARNING_LATER);
    watch(AP_WATCHDOG_STATE_STOPPING, NULL, pool);
    request(link, "s");
    assert_int_equal(was_asked, TMPL_LEARNING_NOW);
}

static void what_waits_is_learnt_when_it_is_due(void **state)
{
    tmpl_link_t *link = start_waiting(1000);

    (void)state;
    tick();
    assert_int_equal(handed, 0);
    request(link, "s");
    clock_now += 999;
    request(link, "s");
    tick();
    assert_int_equal(handed, 0);
    clock_now += 1;
    tick();
    assert_int_equal(handed, 1);
    assert_int_equal(last_n, 2); /* the second with the first */
    tick_after(1000);
    assert_int_equal(handed, 1);
    assert_int_equal(counters[TMPL_COUNTER_LATER], 2);
    assert_int_equal(counters[TMPL_COUNTER_LATER_DONE], 2);
    assert_int_equal(counters[TMPL_COUNTER_LATER_RUNS], 1);
    assert_int_equal(counters[TMPL_COUNTER_LEARNED], 2);
}

/* So many requests for pages of a site. */
static void requests(tmpl_link_t *link, const char *site, unsigned n)
{
    while (n-- > 0) {
        request(link, site);
    }
}

/* A few at a time: so there is room again soon. But all that are due, and no others. */
static void a_turn_is_made_of_short_steps(void **state)
{
    tmpl_link_t *link = start_waiting(1000);

    (void)state;
    requests(link, "s", 2 * LEARN_AT_ONCE + 1);
    clock_now += 1000;
    requests(link, "s", LEARN_AT_ONCE);
    tick();
    assert_int_equal(handed, 3);
    assert_int_equal(last_n, LEARN_AT_ONCE);
    assert_int_equal(link->learner->later->n, 1);
    assert_int_equal(counters[TMPL_COUNTER_LATER_RUNS], 3);
}

/* httpd waits for its watchdog: the turn ends when the child is to end. */
static void a_turn_ends_when_httpd_does(void **state)
{
    tmpl_link_t *link = start_waiting(1000);

    (void)state;
    requests(link, "s", 3 * LEARN_AT_ONCE);
    clock_now += 1000;
    mpm_state = AP_MPMQ_STOPPING;
    tick();
    assert_int_equal(handed, 1);
    apr_pool_destroy(link->pool); /* which learns the others */
    assert_int_equal(handed, 3);
    assert_int_equal(counters[TMPL_COUNTER_LATER_DONE], 3 * LEARN_AT_ONCE);
}

/* Children of a server would be in each other's way, so they take turns. */
static void children_take_turns(void **state)
{
    tmpl_link_t *link = start_waiting(1000);

    (void)state;
    request(link, "s");
    clock_now += 1000;
    turn_of = link->learner;
    tick();
    assert_int_equal(handed, 1);
    assert_int_equal(turn_was_taken, 1);
    assert_int_equal(turn_is_taken(link->learner), 0);
}

/* A site's pages stand together, as they do in a store; the oldest page's come first. */
static void pages_are_handed_over_by_site(void **state)
{
    tmpl_link_t *link = start_waiting(1000);
    unsigned i;

    (void)state;
    for (i = 0; i < 6; i++) {
        requests(link, "b", 1);
        requests(link, "a", 1);
    }
    requests(link, "b", LEARN_AT_ONCE - 12);
    requests(link, "a", 1);
    tick_after(1000);
    assert_int_equal(handed, 2);
    assert_int_equal(last_n, 1);
    assert_int_equal(last_sites[0], 'a');
    assert_int_equal(last_sites[1], 'b');
    assert_int_equal(last_sites[LEARN_AT_ONCE - 7], 'b');
    assert_int_equal(last_sites[LEARN_AT_ONCE - 6], 'a');
    assert_int_equal(counters[TMPL_COUNTER_LATER_DONE], LEARN_AT_ONCE + 1);
}

static void fill(tmpl_link_t *link)
{
    requests(link, "s", PAGES_MOST - link->learner->later->n);
    assert_int_equal(link->learner->later->n, PAGES_MOST);
}

static unsigned who_waits_for_room(tmpl_link_t *link)
{
    unsigned n;

    apr_thread_mutex_lock(link->learner->later->lock);
    n = link->learner->later->waiting;
    apr_thread_mutex_unlock(link->learner->later->lock);
    return n;
}

static void *APR_THREAD_FUNC ask_in_a_thread(apr_thread_t *thread, void *link)
{
    (void)thread;
    ask(link, "s");
    return NULL;
}

/* Who finds no room waits until some pages are learnt, which they are at the watchdog's next turn, due or not. */
static void who_finds_no_room_waits_for_it(void **state)
{
    enum { LEFT = PAGES_MOST / 2 - LEARN_AT_ONCE };
    tmpl_link_t *link = start_waiting(1000);
    apr_status_t rv;
    apr_thread_t *thread;

    (void)state;
    fill(link);
    request(link, "s"); /* in vain, for a microsecond */
    assert_int_equal(counters[TMPL_COUNTER_LATER_NO_ROOM], 1);
    tick();
    assert_int_equal(link->learner->later->n, LEFT);
    fill(link);
    room = apr_time_from_sec(60);
    alarm(20); /* which ends a test that waits for ever */
    apr_thread_create(&thread, NULL, ask_in_a_thread, link, pool);
    while (who_waits_for_room(link) == 0) {
        apr_thread_yield();
    }
    tick();
    apr_thread_join(&rv, thread);
    alarm(0);
    assert_int_equal(counters[TMPL_COUNTER_LATER_NO_ROOM], 1);
    assert_int_equal(counters[TMPL_COUNTER_LATER], 2 * PAGES_MOST - LEFT + 1);
    assert_int_equal(link->learner->later->n, LEFT + 1);
}

/* n pages are taken, as if to learn them. */
static void take(tmpl_link_t *link, unsigned n)
{
    tmpl_waiting_t taken[TMPL_BATCH_MOST];

    assert_int_equal(tmpl_later_take(link->learner->later, taken, n), n);
    tmpl_later_free(taken, n);
}

static apr_interval_time_t slept_for(tmpl_link_t *link)
{
    slept = 0;
    request(link, "s");
    return slept;
}

/* With so little room that each is to come as fast as one is learnt, in 1 ms: each waits for those before it. */
static tmpl_link_t *start_slowed(void)
{
    enum { HALFWAY = PAGES_MOST / FILLED_PARTS * (FILLED_SLOWED + FILLED_PARTS) / 2 };
    tmpl_link_t *link = start_waiting(1000);

    requests(link, "s", HALFWAY + 20);
    take(link, 10);
    clock_now += 10 * 1000;
    take(link, 10);
    room = apr_time_from_sec(60);
    return link;
}

static void requests_are_as_fast_as_learning(void **state)
{
    tmpl_link_t *link = start_slowed();

    (void)state;
    assert_int_equal(slept_for(link), 1000);
    assert_int_equal(slept_for(link), 2000);
    clock_now += 1500;
    assert_int_equal(slept_for(link), 1500);
    clock_now += apr_time_from_sec(1);
    assert_int_equal(slept_for(link), 1000);
    pages_come_again = 1;
    assert_int_equal(slept_for(link), 0);
    pages_come_again = 0;
    room = 500;
    assert_int_equal(slept_for(link), 500); /* as long as may be */
    assert_int_equal(counters[TMPL_COUNTER_LATER_NO_ROOM], 0);
}

/* The nearer the end of the room, the more. */
static void the_less_room_the_slower(void **state)
{
    tmpl_link_t *link = start_slowed();
    unsigned most = 0, i;

    (void)state;
    for (i = link->learner->later->n; i < PAGES_MOST; i++) {
        clock_now += apr_time_from_sec(1);
        assert_in_range(slept_for(link), most, 2000);
        most = (unsigned)slept;
    }
    assert_in_range(most, 1900, 2000);
}

static void who_has_room_is_not_slowed_down(void **state)
{
    tmpl_link_t *link = start_slowed();

    (void)state;
    take(link, TMPL_BATCH_MOST);
    clock_now += 1000;
    take(link, TMPL_BATCH_MOST);
    assert_int_equal(slept_for(link), 0);
}

/* What was learnt at leisure tells no pace. */
static void leisure_is_no_pace(void **state)
{
    tmpl_link_t *link = start_waiting(1000);

    (void)state;
    requests(link, "s", 20);
    take(link, 10);
    clock_now += apr_time_from_sec(1);
    take(link, 10);
    requests(link, "s", PAGES_MOST);
    assert_int_equal(slept, 0);
}

/* Nobody waits for a store that does not learn. */
static void who_waits_in_vain_is_not_slowed_down(void **state)
{
    tmpl_link_t *link = start_slowed();

    (void)state;
    store_hangs();
    clock_now += apr_time_from_sec(1);
    tick();
    assert_int_equal(slept_for(link), 0);
}

/* Where no room is to be expected, nobody waits for it: such pages are lost, and counted. */
static void who_finds_no_room_does_not_wait_for_nothing(void **state)
{
    tmpl_link_t *link = start_waiting(1000);

    (void)state;
    fill(link);
    assert_int_equal(store_said, APR_SUCCESS);
    assert_string_equal(request(link, "s"), ""); /* the watchdog does not come */
    assert_int_equal(store_said, APR_ENOSPC);    /* not to be said or kept as learnt */
    room = apr_time_from_sec(60);
    alarm(20); /* which ends a test that waits for that long */
    requests(link, "s", 2);
    assert_int_equal(counters[TMPL_COUNTER_LATER_NO_ROOM], 3);
    store_hangs();
    tick();
    requests(link, "s", 2);
    alarm(0);
    assert_int_equal(counters[TMPL_COUNTER_LATER_NO_ROOM], 5);
    assert_int_equal(asked, PAGES_MOST + 5);
    assert_int_equal(link->learner->later->n, PAGES_MOST);
}

/* A page that comes again before it is learnt waits once. */
static void the_same_page_waits_once(void **state)
{
    tmpl_link_t *link = start_waiting(1000);

    (void)state;
    request(link, "s");
    pages_come_again = 1;
    request(link, "s");
    assert_int_equal(link->learner->later->n, 1);
    request(link, "t"); /* of another site */
    assert_int_equal(link->learner->later->n, 2);
    document.text++; /* or with another text, which is as its address from the next one on */
    assert_int_equal(tmpl_later_add(link->learner->later, &a_page, 0, 0), TMPL_LATER_ADDED);
    assert_int_equal(link->learner->later->n, 3);
    assert_int_equal(counters[TMPL_COUNTER_LATER], 2);
    assert_int_equal(handed, 0);
}

/* It does not when others have been taken, either. */
static void pages_are_known_that_stay(void **state)
{
    tmpl_link_t *link = start_waiting(1000);
    tmpl_waiting_t taken[LEARN_AT_ONCE];

    (void)state;
    requests(link, "s", LEARN_AT_ONCE + 1);
    assert_int_equal(tmpl_later_take(link->learner->later, taken, LEARN_AT_ONCE), LEARN_AT_ONCE);
    pages_come_again = 1;
    request(link, "s");
    assert_int_equal(link->learner->later->n, 1);
    document = taken[0].document;
    request(link, "s");
    assert_int_equal(link->learner->later->n, 2);
    tmpl_later_free(taken, LEARN_AT_ONCE);
}

/* Pages are bounded in bytes, too: a large one waits alone. */
static void a_page_that_is_too_large_waits_alone(void **state)
{
    tmpl_link_t *link = start_waiting(1000);

    (void)state;
    a_page.n = (uint32_t)(BYTES_MOST / sizeof(tmpl_key_t));
    a_page.keys = apr_pcalloc(pool, a_page.n * sizeof(tmpl_key_t));
    requests(link, "s", 2);
    assert_int_equal(link->learner->later->n, 1);
    assert_int_equal(counters[TMPL_COUNTER_LATER_NO_ROOM], 1);
    tick();
    assert_int_equal(counters[TMPL_COUNTER_LATER_DONE], 1);
    a_page.n = a_page.n * 2 / 5;
    requests(link, "s", 2); /* no room for three of these */
    assert_int_equal(link->learner->later->n, 2);
    request(link, "s");
    assert_int_equal(link->learner->later->n, 2);
    assert_int_equal(counters[TMPL_COUNTER_LATER_NO_ROOM], 2);
    tick(); /* and they are learnt early */
    assert_int_equal(link->learner->later->size, 0);
    assert_int_equal(link->learner->later->n, 0);
}

/* A store that fails is told of once and left alone; pages are tried again, and given up in the end. */
static void pages_are_not_tried_for_ever(void **state)
{
    tmpl_link_t *link = start_waiting(1000);
    unsigned tries;

    (void)state;
    request(link, "s");
    clock_now += 1000;
    store_hangs();
    tick();
    assert_non_null(strstr(log_text, "[T017] store " URI " does not learn"));
    assert_non_null(strstr(log_text, "it hangs"));
    tick();
    assert_int_equal(handed, 1);
    for (tries = 2; tries <= TRIES_MOST; tries++) {
        assert_int_equal(counters[TMPL_COUNTER_LATER_FAILED], 0);
        tick_after(PAUSE);
        assert_string_equal(log_text, "");
        assert_int_equal(handed, tries);
    }
    assert_int_equal(counters[TMPL_COUNTER_LATER_FAILED], 1);
    tick_after(PAUSE);
    assert_int_equal(handed, TRIES_MOST);
    assert_int_equal(counters[TMPL_COUNTER_LATER_FAILURES], TRIES_MOST);
    assert_int_equal(counters[TMPL_COUNTER_STORE_FAILURES], 0);
}

/* Where others write a site so often that there is no turn, nobody fails, and nothing is given up. */
static void who_has_no_turn_waits_for_one(void **state)
{
    tmpl_link_t *link = start_waiting(1000);
    unsigned i;

    (void)state;
    request(link, "s");
    clock_now += 1000;
    learns = (tmpl_error_t){ APR_EBUSY, "others write" };
    for (i = 1; i <= 2 * TRIES_MOST; i++) {
        tick();
        assert_string_equal(log_text, "");
        assert_int_equal(handed, i);
    }
    fail_with(APR_EBUSY);
    for (i = 1; i <= 3; i++) {
        assert_string_equal(request(link, "t"), "");
        assert_int_equal(asked, 1 + i);
    }
    assert_int_equal(counters[TMPL_COUNTER_STORE_FAILURES], 0);
    assert_int_equal(counters[TMPL_COUNTER_LATER_FAILURES], 0);
    assert_int_equal(counters[TMPL_COUNTER_LATER_FAILED], 0);
    store_learns();
    tick();
    assert_int_equal(counters[TMPL_COUNTER_LATER_DONE], 1);
}

/* A store that answers is asked, whatever becomes of learning: neither is the other's trial, or its end. */
static void learning_that_fails_leaves_requests_alone(void **state)
{
    tmpl_link_t *link = start_waiting(1000);
    unsigned i;

    (void)state;
    store_hangs();
    for (i = 0; i < 600; i++) {
        assert_null(strstr(request(link, "s"), "[T01"));
        clock_now += APR_USEC_PER_SEC / 10;
        tick();
    }
    assert_int_equal(asked, 600);
    assert_in_range(handed, 55, 60); /* it is left alone between its trials */
    assert_int_equal(counters[TMPL_COUNTER_STORE_FAILURES], 0);
    assert_int_equal(counters[TMPL_COUNTER_STORE_DOWN], 0);
}

/* The other way round: what waits is handed over while requests leave the store alone. */
static void a_store_that_does_not_answer_may_learn(void **state)
{
    tmpl_link_t *link = start_waiting(1000);

    (void)state;
    request(link, "s");
    fail_with(APR_TIMEUP);
    request(link, "s");
    tick_after(1000);
    assert_int_equal(counters[TMPL_COUNTER_LATER_DONE], 1);
    request(link, "s");
    assert_int_equal(asked, 2);
}

/* One site that cannot be learnt costs only its own pages. */
static void a_bad_site_takes_no_other_with_it(void **state)
{
    static const char *const sites[] = { "a", "bad", "b", "bad", "a" };
    tmpl_link_t *link = start_waiting(1000);
    unsigned tries;
    size_t i;

    (void)state;
    bad_site = "bad";
    for (i = 0; i < sizeof(sites) / sizeof(sites[0]); i++) {
        request(link, sites[i]);
    }
    tick_after(1000);
    assert_non_null(strstr(log_text, "[T017]"));
    assert_non_null(strstr(log_text, "a bad site"));
    assert_int_equal(counters[TMPL_COUNTER_LATER_DONE], 3);
    assert_int_equal(counters[TMPL_COUNTER_LEARNED], 3);
    assert_int_equal(link->learner->later->n, 2);
    for (tries = 2; tries <= TRIES_MOST; tries++) {
        assert_int_equal(counters[TMPL_COUNTER_LATER_FAILED], 0);
        request(link, "b");
        tick_after(PAUSE);
        assert_int_equal(counters[TMPL_COUNTER_LATER_DONE], 2 + tries);
    }
    assert_int_equal(counters[TMPL_COUNTER_LATER_FAILED], 2);
    request(link, "b");
    tick_after(PAUSE);
    assert_non_null(strstr(log_text, "[T018]"));
    assert_int_equal(link->learner->later->n, 0);
}

/* Each site has the whole time, so that many of them are learnt in the end. */
static void many_sites_have_time_of_their_own(void **state)
{
    tmpl_link_t *link = start_waiting(1000);
    unsigned i;

    (void)state;
    slow = LEARN_TIMEOUT / 3;
    for (i = 0; i < 4; i++) {
        request(link, i % 2 ? "a" : "b");
    }
    tick_after(1000);
    assert_int_equal(handed, 3);
    assert_int_equal(counters[TMPL_COUNTER_LATER_DONE], 4);
    assert_int_equal(counters[TMPL_COUNTER_LATER_FAILURES], 0);
    assert_string_equal(log_text, "");
}

/* A store that fails altogether is not asked once for each site; who was not tried waits on. */
static void a_store_that_hangs_is_not_tried_for_each_site(void **state)
{
    static const char *const sites[] = { "a", "b", "c", "d", "e", "f" };
    tmpl_link_t *link = start_waiting(1000);
    unsigned round;
    size_t i;

    (void)state;
    store_hangs();
    for (i = 0; i < sizeof(sites) / sizeof(sites[0]); i++) {
        request(link, sites[i]);
    }
    tick_after(1000);
    assert_int_equal(handed, 1 + SITES_FAIL_MOST);
    assert_int_equal(link->learner->later->n, 6);
    for (round = 1; round < TRIES_MOST; round++) {
        tick_after(PAUSE);
    }
    store_learns();
    tick_after(PAUSE);
    assert_int_equal(counters[TMPL_COUNTER_LATER_DONE] + counters[TMPL_COUNTER_LATER_FAILED], 6);
    assert_int_equal(counters[TMPL_COUNTER_LATER_FAILED], SITES_FAIL_MOST);
}

static void pages_are_learnt_when_the_store_is_back(void **state)
{
    tmpl_link_t *link = start_waiting(1000);

    (void)state;
    request(link, "s");
    request(link, "s");
    clock_now += 1000;
    store_hangs();
    tick();
    store_learns();
    tick_after(PAUSE);
    assert_non_null(strstr(log_text, "[T018]"));
    assert_int_equal(last_n, 2);
    assert_int_equal(counters[TMPL_COUNTER_LATER_DONE], 2);
    assert_int_equal(counters[TMPL_COUNTER_LATER_FAILED], 0);
}

/* A full store takes nothing soon: its pages are not kept. */
static void a_full_store_loses_what_waits(void **state)
{
    tmpl_link_t *link = start_waiting(1000);

    (void)state;
    request(link, "s");
    clock_now += 1000;
    learns = (tmpl_error_t){ APR_ENOSPC, "it is full" };
    tick();
    assert_non_null(strstr(log_text, "[T013]"));
    assert_int_equal(counters[TMPL_COUNTER_LATER_FULL], 1);
    assert_int_equal(counters[TMPL_COUNTER_STORE_FAILURES], 0);
    assert_int_equal(link->learner->later->n, 0);
    store_learns();
    counted = 1;
    assert_string_equal(request(link, "s"), ""); /* has written nothing yet */
    tick_after(1000);
    assert_non_null(strstr(log_text, "[T014]"));
}

/* At the end of a child all that waits is learnt, due or not; what cannot be is counted. */
static void the_end_of_a_child_learns_what_waits(void **state)
{
    tmpl_link_t *link = start_waiting(1000);

    (void)state;
    request(link, "s");
    apr_pool_destroy(link->pool);
    assert_int_equal(handed, 1);
    assert_int_equal(counters[TMPL_COUNTER_LATER_DONE], 1);
    tick(); /* the watchdog's thread may end later than the stores */
    assert_int_equal(handed, 1);

    link = start_waiting(1000);
    request(link, "s");
    store_hangs();
    apr_pool_destroy(link->pool);
    assert_int_equal(handed, 1);
    assert_int_equal(counters[TMPL_COUNTER_LATER_FAILED], 1);
}

static jmp_buf process_end;
static tmpl_link_t *ending;
static tmpl_observation_t *left[2]; /* what waited: the process that ends leaves it to the system */

/* As prefork's handler of SIGTERM: what it interrupts holds its lock and never goes on. */
static void process_ends(void)
{
    apr_thread_mutex_lock(ending->learner->later->lock);
    left[0] = ending->learner->later->pages[0].page;
    left[1] = ending->learner->later->pages[1].page;
    apr_pool_destroy(ending->pool);
    longjmp(process_end, 1);
}

/* A child that ends in the midst of a request ends: it waits for no lock, and counts what it loses. */
static void a_child_may_end_within_a_request(void **state)
{
    (void)state;
    ending = start_waiting(1000);
    request(ending, "s");
    request(ending, "s");
    within = process_ends;
    alarm(20); /* which ends a test that waits for ever */
    if (setjmp(process_end) == 0) {
        request(ending, "s");
        fail_msg("it went on");
    }
    alarm(0);
    assert_int_equal(handed, 0);
    assert_int_equal(counters[TMPL_COUNTER_LATER_FAILED], 2);
    tick(); /* nor does the watchdog touch what has gone */
    assert_int_equal(handed, 0);
    free(left[0]);
    free(left[1]);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(a_store_that_fails_is_left_alone),
        TEST(a_store_that_does_not_open_is_tried_again),
        TEST(only_who_asks_is_a_trial),
        TEST(bad_names_of_sites_do_not_fill_the_log),
        TEST(a_full_store_is_told_of_once),
        TEST(without_a_watchdog_nothing_waits),
        TEST(what_waits_is_learnt_when_it_is_due),
        TEST(a_turn_is_made_of_short_steps),
        TEST(a_turn_ends_when_httpd_does),
        TEST(children_take_turns),
        TEST(pages_are_handed_over_by_site),
        TEST(who_finds_no_room_waits_for_it),
        TEST(requests_are_as_fast_as_learning),
        TEST(the_less_room_the_slower),
        TEST(who_has_room_is_not_slowed_down),
        TEST(leisure_is_no_pace),
        TEST(who_waits_in_vain_is_not_slowed_down),
        TEST(who_finds_no_room_does_not_wait_for_nothing),
        TEST(the_same_page_waits_once),
        TEST(pages_are_known_that_stay),
        TEST(a_page_that_is_too_large_waits_alone),
        TEST(pages_are_not_tried_for_ever),
        TEST(who_has_no_turn_waits_for_one),
        TEST(learning_that_fails_leaves_requests_alone),
        TEST(a_store_that_does_not_answer_may_learn),
        TEST(a_bad_site_takes_no_other_with_it),
        TEST(many_sites_have_time_of_their_own),
        TEST(a_store_that_hangs_is_not_tried_for_each_site),
        TEST(pages_are_learnt_when_the_store_is_back),
        TEST(a_full_store_loses_what_waits),
        TEST(the_end_of_a_child_learns_what_waits),
        TEST(a_child_may_end_within_a_request),
    };

    apr_initialize();
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
