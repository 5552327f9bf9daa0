/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What children share: the last decisions, histograms, sites and stores, written by several
 * processes at the same time, of which one may be killed at any moment.
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

/* Before the sources, which are to use the test's clock. */
#include "mod_tmpl/mod_tmpl.h"

static apr_time_t clock_now; /* 0: the real clock */
static int clock_asked;      /* times */

#define tmpl_clock test_clock
static apr_time_t test_clock(void)
{
    struct timespec time;

    clock_asked++;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return clock_now != 0
               ? clock_now
               : apr_time_from_sec((apr_time_t)time.tv_sec) + (apr_time_t)time.tv_nsec / 1000;
}

#include "mod_tmpl/status/counters.c"
#include "mod_tmpl/status/sites.c"
#include "mod_tmpl/status/stores.c"

enum { WRITERS = 4, ROUNDS = 20000 };

static process_rec process;
static server_rec server = { .process = &process };

/* New memory for each test, as after a start. */
void *ap_retained_data_get(const char *key)
{
    (void)key;
    return NULL;
}

void *ap_retained_data_create(const char *key, apr_size_t size)
{
    (void)key;
    return apr_pcalloc(process.pool, size);
}

/* Nothing logs or answers here. */
module AP_MODULE_DECLARE_DATA tmpl_module;

void ap_log_error_(const char *file, int line, int module_index, int level, apr_status_t status,
                   const server_rec *s, const char *fmt, ...)
{
    (void)file, (void)line, (void)module_index, (void)level, (void)status, (void)s, (void)fmt;
}

int ap_rwrite(const void *buf, int nbyte, request_rec *r)
{
    (void)buf, (void)r;
    return nbyte;
}

int ap_rprintf(request_rec *r, const char *fmt, ...)
{
    (void)r, (void)fmt;
    return 0;
}

static int make_pool(void **state)
{
    (void)state;
    return apr_pool_create(&process.pool, NULL) != APR_SUCCESS;
}

static apr_pool_t *new_pool(void)
{
    apr_pool_t *pool;

    apr_pool_create(&pool, NULL);
    return pool;
}

/*
 * Runs work in WRITERS processes, with the number of each, and meanwhile watch, which may be NULL.
 */
static void in_processes(void (*work)(int number), void (*watch)(void))
{
    pid_t pids[WRITERS];
    int i, status, running = WRITERS;

    for (i = 0; i < WRITERS; i++) {
        pids[i] = fork();
        assert_true(pids[i] >= 0);
        if (pids[i] == 0) {
            work(i);
            _exit(0);
        }
    }
    while (running > 0) {
        running -= waitpid(-1, &status, WNOHANG) > 0;
        if (watch != NULL) {
            watch();
        }
    }
}

/* ---- the last decisions ---- */

static volatile apr_uint32_t *stop; /* shared; writers write until it is set */

/* A line of which each byte is the writer's letter. */
static void write_lines(int number)
{
    tmpl_recent_t line;

    memset(&line, 'a' + number, sizeof(line));
    while (!apr_atomic_read32(stop)) {
        if (lock_sites(WAIT_READER)) {
            recent->decision[recent->n++ % kept] = line;
            unlock_sites();
        }
    }
}

static unsigned lines_read, half_lines;

static void read_lines(void)
{
    apr_pool_t *pool = new_pool();
    const apr_array_header_t *list = tmpl_recent_list(pool);
    int i;

    for (i = 0; i < list->nelts; i++) {
        const unsigned char *line = (const unsigned char *)&APR_ARRAY_IDX(list, i, tmpl_recent_t);
        size_t at = 1;

        while (at < sizeof(tmpl_recent_t) && line[at] == line[0]) {
            at++;
        }
        lines_read++;
        half_lines += at < sizeof(tmpl_recent_t);
    }
    apr_pool_destroy(pool);
    apr_atomic_set32(stop, lines_read >= 10000);
}

static void no_reader_sees_half_a_line(void **state)
{
    (void)state;
    stop = tmpl_shm(&server, "", sizeof(*stop));
    tmpl_sites_create(&server, 3); /* so that writers meet in a slot */
    in_processes(write_lines, read_lines);
    assert_int_equal(half_lines, 0);
}

static void the_last_lines_are_there(void **state)
{
    apr_pool_t *pool = new_pool();
    tmpl_site_warning_t warning;
    tmpl_recent_t line = { 0 };
    const apr_array_header_t *list;
    int i;

    (void)state;
    clock_now = 1;
    tmpl_sites_create(&server, 5);
    assert_int_equal(tmpl_recent_list(pool)->nelts, 0);
    for (i = 1; i <= 12; i++) {
        line.blocks = (apr_uint32_t)i;
        tmpl_sites_add("a", &line, &warning);
        list = tmpl_recent_list(pool);
        assert_int_equal(list->nelts, i < 5 ? i : 5);
        assert_int_equal(APR_ARRAY_IDX(list, 0, tmpl_recent_t).blocks, i);
    }
    assert_int_equal(APR_ARRAY_IDX(list, 4, tmpl_recent_t).blocks, 8);
    tmpl_sites_create(&server, 0);
    tmpl_sites_add("a", &line, &warning);
    assert_int_equal(tmpl_recent_list(pool)->nelts, 0);
    apr_pool_destroy(pool);
}

/* ---- histograms ---- */

static void add_times(int number)
{
    int i;

    for (i = 0; i < ROUNDS; i++) {
        tmpl_stage_took(TMPL_STAGE_READ, number * 1000);
    }
}

/* The number of values of a histogram, or in one of its buckets. */
static json_int_t count_of(const json_t *histogram)
{
    return json_integer_value(json_object_get(histogram, "count"));
}

static json_int_t in_bucket(const json_t *histogram, int i)
{
    return count_of(json_array_get(json_object_get(histogram, "buckets"), (size_t)i));
}

static void no_time_is_lost(void **state)
{
    json_t *read, *total;

    (void)state;
    tmpl_counters_create(&server);
    in_processes(add_times, NULL);
    read = tmpl_histogram(TMPL_STAGE_READ);
    total = tmpl_histogram(TMPL_STAGE_TOTAL);
    assert_int_equal(count_of(read), WRITERS * ROUNDS);
    assert_float_equal(json_number_value(json_object_get(read, "seconds")),
                       (0 + 1 + 2 + 3) * ROUNDS / 1e3, 1e-6);
    assert_int_equal(count_of(total), 0);
    json_decref(read);
    json_decref(total);
}

/* A bound belongs to the bucket below it. */
static void times_go_to_their_buckets(void **state)
{
    json_t *histogram;
    int i;

    (void)state;
    tmpl_counters_create(&server);
    for (i = 0; i < BUCKETS - 1; i++) {
        tmpl_stage_took(TMPL_STAGE_WAIT, times[i]);
        tmpl_stage_took(TMPL_STAGE_WAIT, times[i] + 1);
    }
    tmpl_stage_took(TMPL_STAGE_WAIT, -5);
    histogram = tmpl_histogram(TMPL_STAGE_WAIT);
    for (i = 0; i < BUCKETS - 1; i++) {
        assert_int_equal(in_bucket(histogram, i), 2);
    }
    assert_int_equal(in_bucket(histogram, BUCKETS - 1), 1);
    json_decref(histogram);
}

static void shares_go_to_their_buckets(void **state)
{
    json_t *histogram, *other;
    int i;

    (void)state;
    tmpl_counters_create(&server);
    for (i = 0; i <= 10; i++) {
        tmpl_share_was(TMPL_SHARE_CONFIDENCE, i / 10.0);
    }
    histogram = tmpl_histogram(TMPL_SHARE_CONFIDENCE);
    assert_int_equal(in_bucket(histogram, 0), 2); /* 0 % and 10 % */
    for (i = 1; i < 9; i++) {
        assert_int_equal(in_bucket(histogram, i), 1);
    }
    /* 95 %, 99 %, 100 %, and what is impossible */
    assert_int_equal(json_array_size(json_object_get(histogram, "buckets")), 13);
    assert_int_equal(in_bucket(histogram, 9) + in_bucket(histogram, 10) + in_bucket(histogram, 12),
                     0);
    assert_int_equal(in_bucket(histogram, 11), 1);
    assert_float_equal(json_number_value(json_object_get(histogram, "sum")), 5.5, 1e-9);
    other = tmpl_histogram(TMPL_SHARE_RATIO);
    assert_int_equal(count_of(other), 0);
    json_decref(histogram);
    json_decref(other);
}

/* ---- sites ---- */

static int add_page_of(const char *site, tmpl_decline_e decline)
{
    static apr_time_t time = APR_USEC_PER_SEC;
    tmpl_site_warning_t warning;
    tmpl_recent_t page = { .time = time++,
                           .decline = decline,
                           .length = 10,
                           .length_after = 4,
                           .answered = 1,
                           .judged = 1,
                           .ratio = 0.25 };

    return tmpl_sites_add(site, &page, &warning);
}

/* The counter sites-dropped. */
static apr_uint64_t dropped(void)
{
    return value_at(TMPL_COUNTER_SITES_DROPPED);
}

static void add_pages(int number)
{
    char own[] = "own-0.example";
    int i;

    own[4] = (char)('0' + number);
    for (i = 0; i < ROUNDS; i++) {
        add_page_of("shared.example", TMPL_DECLINE_NONE);
        add_page_of(own, TMPL_DECLINE_NONE);
    }
}

static apr_uint64_t pages_of(const char *key)
{
    static tmpl_site_t site;

    return tmpl_sites_find(&site, key) ? site.pages : 0;
}

static void pages_of_all_children_count(void **state)
{
    apr_pool_t *pool = new_pool();
    char own[] = "own-0.example";
    apr_uint64_t sum;
    int i;

    (void)state;
    clock_now = 0;
    tmpl_counters_create(&server);
    tmpl_sites_create(&server, 0);
    in_processes(add_pages, NULL);
    /* a page counts or is dropped, and each site is there once */
    sum = pages_of("shared.example") + dropped();
    for (i = 0; i < WRITERS; i++) {
        own[4] = (char)('0' + i);
        sum += pages_of(own);
    }
    assert_int_equal(sum, 2 * WRITERS * ROUNDS);
    assert_int_equal(tmpl_sites_list(pool)->nelts, WRITERS + 1);
    apr_pool_destroy(pool);
    assert_int_equal(pages_of("unknown.example"), 0);
}

static void add_state(const char *key, tmpl_state_e state, int frozen)
{
    tmpl_site_warning_t warning;
    tmpl_recent_t page = { .time = 1, .answered = 1, .state = state, .frozen = frozen };

    tmpl_sites_add(key, &page, &warning);
}

static void a_site_has_the_state_of_its_last_page(void **state)
{
    tmpl_site_t site = { 0 };

    (void)state;
    clock_now = 0;
    tmpl_sites_create(&server, 0);
    add_state("a.example", TMPL_STATE_LEARNING, 0);
    add_state("b.example", TMPL_STATE_COLD, 0);
    add_state("b.example", TMPL_STATE_WARM, 1);
    assert_true(tmpl_sites_find(&site, "a.example"));
    assert_int_equal(site.state, TMPL_STATE_LEARNING);
    assert_false(site.frozen);
    assert_true(tmpl_sites_find(&site, "b.example"));
    assert_int_equal(site.state, TMPL_STATE_WARM);
    assert_true(site.frozen);
}

/* A child that takes the lock, says so, and waits until it is killed. */
static pid_t owner_begin(void)
{
    int said[2];
    char byte;
    assert_int_equal(pipe(said), 0);
    pid_t pid = fork();
    if (pid == 0) {
        (void)!write(said[1], lock_sites(WAIT_READER) ? "y" : "n", 1);
        for (;;) {
            pause();
        }
    }
    assert_int_equal(read(said[0], &byte, 1), 1);
    assert_int_equal(byte, 'y');
    close(said[0]);
    close(said[1]);
    return pid;
}

static void no_page_waits_for_an_owner_that_is_stopped_or_dead(void **state)
{
    (void)state;
    clock_now = 0;
    tmpl_counters_create(&server);
    tmpl_sites_create(&server, 0);
    pid_t owner = owner_begin();
    add_page_of("a.example", TMPL_DECLINE_NONE);
    assert_int_equal(dropped(), 1);
    /* a reader waits once, not for each site */
    sites->last[0] = sites->last[1] = 1;
    clock_asked = 0;
    clock_now = 1; /* its time is over */
    assert_int_equal(tmpl_sites_list(new_pool())->nelts, 0);
    assert_int_equal(clock_asked, 1);
    clock_now = 0;
    sites->last[0] = sites->last[1] = 0;
    kill(owner, SIGKILL);
    waitpid(owner, NULL, 0);
    add_page_of("a.example", TMPL_DECLINE_NONE);
    assert_int_equal(dropped(), 1);
    assert_int_equal(pages_of("a.example"), 1);
}

static void the_oldest_site_makes_room(void **state)
{
    apr_pool_t *pool = new_pool();
    char name[16];
    int i;

    (void)state;
    clock_now = 1;
    tmpl_sites_create(&server, 0);
    for (i = 0; i < TMPL_SITES_MOST; i++) {
        apr_snprintf(name, sizeof(name), "s%d", i);
        add_page_of(name, TMPL_DECLINE_NONE);
    }
    add_page_of("s0", TMPL_DECLINE_NONE);
    add_page_of("new", TMPL_DECLINE_NONE);
    assert_int_equal(pages_of("s0"), 2);
    assert_int_equal(pages_of("s1"), 0);
    assert_int_equal(pages_of("s2"), 1);
    assert_int_equal(pages_of("new"), 1);
    assert_int_equal(tmpl_sites_list(pool)->nelts, TMPL_SITES_MOST);
    assert_string_equal(APR_ARRAY_IDX(tmpl_sites_list(pool), 0, tmpl_site_t).key, "s0");
    apr_pool_destroy(pool);
}

static void a_long_name_is_not_kept(void **state)
{
    char name[TMPL_SITE_MAX + 2];

    (void)state;
    tmpl_sites_create(&server, 0);
    memset(name, 'x', sizeof(name));
    name[TMPL_SITE_MAX + 1] = '\0';
    add_page_of(name, TMPL_DECLINE_NONE);
    assert_int_equal(pages_of(name), 0);
    name[TMPL_SITE_MAX] = '\0';
    add_page_of(name, TMPL_DECLINE_NONE);
    assert_int_equal(pages_of(name), 1);
}

/* The mean of the last pages: what was long ago hardly counts. */
static void the_share_of_template_is_a_mean(void **state)
{
    tmpl_site_t site = { 0 };
    tmpl_site_warning_t warning;
    tmpl_recent_t page = { .answered = 1, .judged = 1, .ratio = 1 };

    (void)state;
    tmpl_sites_create(&server, 0);
    tmpl_sites_add("a", &page, &warning);
    page.ratio = 0.5;
    tmpl_sites_add("a", &page, &warning);
    assert_true(tmpl_sites_find(&site, "a"));
    assert_float_equal(site.template_share, 0.75, 1e-9);
    for (int i = 0; i < 200; i++) {
        tmpl_sites_add("a", &page, &warning);
    }
    assert_true(tmpl_sites_find(&site, "a"));
    assert_float_equal(site.template_share, 0.5, 0.01);
}

static void a_site_is_warned_of_once_an_hour(void **state)
{
    tmpl_site_warning_t warning = { 0 };
    tmpl_recent_t page = { .decline = TMPL_DECLINE_SLOW, .time = 5 };
    int i;

    (void)state;
    clock_now = 1;
    tmpl_sites_create(&server, 0);
    for (i = 0; i < 40; i++) {
        page.decline = TMPL_DECLINE_STORE; /* of that others warn */
        assert_false(tmpl_sites_add("a", &page, &warning));
    }
    for (i = 0; i < 25; i++) {
        page.decline = i < 5 ? TMPL_DECLINE_EMPTY : TMPL_DECLINE_SLOW;
        assert_false(tmpl_sites_add("a", &page, &warning));
    }
    assert_true(tmpl_sites_add("a", &page, &warning));
    assert_int_equal(warning.declined, 26);
    assert_int_equal(warning.of, 50);
    assert_int_equal(warning.reason, TMPL_DECLINE_SLOW);
    page.time += WARNING_PAUSE - 1;
    assert_false(tmpl_sites_add("a", &page, &warning));
    page.time++;
    assert_true(tmpl_sites_add("a", &page, &warning));
    /* half of the last fifty are enough to be quiet */
    page.decline = TMPL_DECLINE_NONE;
    for (i = 0; i < 25; i++) {
        assert_false(tmpl_sites_add("a", &page, &warning));
    }
    page.time += WARNING_PAUSE;
    page.decline = TMPL_DECLINE_SLOW;
    for (i = 0; i < 25; i++) {
        assert_false(tmpl_sites_add("a", &page, &warning));
    }
    assert_true(tmpl_sites_add("a", &page, &warning));
    assert_int_equal(warning.of, 50);
}

/* What the last of n pages changes; nothing before it is to change anything. */
static tmpl_alarm_e alarm_after(tmpl_alarm_t *alarm, int n, double share, double known)
{
    static apr_uint64_t document;
    tmpl_common_t page = { share, known };

    while (--n > 0) {
        assert_int_equal(add_to_alarm(alarm, &page, document++, 7), TMPL_ALARM_NONE);
    }
    return add_to_alarm(alarm, &page, document++, 7);
}

static void an_alarm_begins_and_ends_with_four_documents(void **state)
{
    const tmpl_common_t odd = { 0.1, 1 };
    tmpl_alarm_t alarm = { 0 };

    (void)state;
    assert_int_equal(alarm_after(&alarm, 100, 0.8, 8), TMPL_ALARM_NONE);
    assert_int_equal(alarm_after(&alarm, 100, 0.21, 4), TMPL_ALARM_NONE); /* long articles */
    assert_int_equal(alarm_after(&alarm, 100, 0.8, 8), TMPL_ALARM_NONE);
    assert_int_equal(alarm_after(&alarm, 100, 0.05, 8), TMPL_ALARM_NONE); /* longer ones */
    assert_int_equal(alarm_after(&alarm, 100, 0.8, 8), TMPL_ALARM_NONE);
    assert_int_equal(alarm_after(&alarm, 3, 0.1, 1), TMPL_ALARM_NONE);
    assert_int_equal(alarm_after(&alarm, 1, 0.5, 5), TMPL_ALARM_NONE); /* breaks the row */
    for (int i = 0; i < 100; i++) { /* one odd page, again and again */
        assert_int_equal(add_to_alarm(&alarm, &odd, 1000000, 7), TMPL_ALARM_NONE);
    }
    assert_int_equal(alarm_after(&alarm, 3, 0.1, 1), TMPL_ALARM_BEGINS);
    assert_int_equal(alarm.began, 7);
    assert_int_equal(alarm_after(&alarm, 100, 0.1, 1), TMPL_ALARM_NONE);
    assert_int_equal(alarm_after(&alarm, 4, 0.4, 4), TMPL_ALARM_ENDS);
    assert_int_equal(alarm.began, 0);
    assert_int_equal(alarm_after(&alarm, 100, 0.4, 4), TMPL_ALARM_NONE);
    assert_int_equal(alarm_after(&alarm, 4, 0, 0), TMPL_ALARM_BEGINS);
}

static void pages_without_a_common_template_have_no_alarm(void **state)
{
    tmpl_alarm_t alarm = { 0 };

    (void)state;
    assert_int_equal(alarm_after(&alarm, 100, 0.09, 9), TMPL_ALARM_NONE);
    assert_int_equal(alarm_after(&alarm, 100, 0, 0), TMPL_ALARM_NONE);
}

/* ---- stores ---- */

/* A number of the first store, by the names on the way to it. */
static json_int_t figure_of_first(const char *name, const char *purpose)
{
    apr_pool_t *pool = new_pool();
    json_t *list = tmpl_stores(pool), *value = json_object_get(json_array_get(list, 0), name);
    json_int_t figure =
        json_integer_value(purpose != NULL ? json_object_get(value, purpose) : value);

    json_decref(list);
    apr_pool_destroy(pool);
    return figure;
}

static int pipes[2];

/* Reports, says so, and waits until it is killed. */
static void report_and_hang(int number)
{
    tmpl_stores_join(new_pool());
    tmpl_stores_error(0, TMPL_PURPOSE_LOOKUP);
    tmpl_stores_paused(0, TMPL_PURPOSE_LOOKUP, 1);
    tmpl_stores_waiting(0, 3, 100);
    if (number > 0) {
        tmpl_stores_paused(0, TMPL_PURPOSE_LOOKUP, 0);
    }
    assert_int_equal(write(pipes[1], "x", 1), 1);
    pause();
}

static void children_that_died_do_not_count(void **state)
{
    pid_t pids[2];
    char said;
    int i;

    (void)state;
    tmpl_stores_create(&server);
    assert_int_equal(tmpl_stores_add("redis://here"), 0);
    assert_int_equal(pipe(pipes), 0);
    for (i = 0; i < 2; i++) {
        pids[i] = fork();
        if (pids[i] == 0) {
            report_and_hang(i);
        }
        assert_int_equal(read(pipes[0], &said, 1), 1);
    }
    assert_int_equal(figure_of_first("breakers_open", "look-up"), 1);
    assert_int_equal(figure_of_first("breakers_open", "learn"), 0);
    assert_int_equal(figure_of_first("waiting_pages", NULL), 6);
    assert_int_equal(figure_of_first("waiting_bytes", NULL), 200);
    for (i = 0; i < 2; i++) {
        kill(pids[i], SIGKILL);
        waitpid(pids[i], NULL, 0);
    }
    assert_int_equal(figure_of_first("breakers_open", "look-up"), 0);
    assert_int_equal(figure_of_first("waiting_pages", NULL), 0);
    assert_int_equal(figure_of_first("errors", "look-up"), 2);
}

static void a_child_that_ends_leaves(void **state)
{
    apr_pool_t *pchild = new_pool();

    (void)state;
    tmpl_stores_create(&server);
    assert_int_equal(tmpl_stores_add("a"), 0);
    tmpl_stores_join(pchild);
    tmpl_stores_paused(0, TMPL_PURPOSE_LEARN, 1);
    assert_int_equal(figure_of_first("breakers_open", "learn"), 1);
    tmpl_stores_full(0, 1);
    assert_int_equal(figure_of_first("full", NULL), 1);
    tmpl_stores_full(0, 0);
    assert_int_equal(figure_of_first("full", NULL), 0);
    apr_pool_destroy(pchild);
    assert_int_equal(figure_of_first("breakers_open", "learn"), 0);
    tmpl_stores_waiting(0, 1, 1); /* too late, and without effect */
}

static void further_stores_are_not_shown(void **state)
{
    apr_pool_t *pool = new_pool();
    json_t *list;
    int i;

    (void)state;
    tmpl_stores_create(&server);
    for (i = 0; i < TMPL_STORES_MOST; i++) {
        assert_int_equal(tmpl_stores_add(apr_itoa(pool, i)), i);
    }
    assert_int_equal(tmpl_stores_add("one more"), -1);
    tmpl_stores_error(-1, TMPL_PURPOSE_LOOKUP);
    tmpl_stores_full(-1, 1);
    tmpl_stores_waiting(-1, 1, 1);
    list = tmpl_stores(pool);
    assert_int_equal(json_array_size(list), TMPL_STORES_MOST);
    json_decref(list);
    apr_pool_destroy(pool);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(no_reader_sees_half_a_line),
    cmocka_unit_test(the_last_lines_are_there),
    cmocka_unit_test(no_time_is_lost),
    cmocka_unit_test(times_go_to_their_buckets),
    cmocka_unit_test(shares_go_to_their_buckets),
    cmocka_unit_test(a_site_has_the_state_of_its_last_page),
    cmocka_unit_test(pages_of_all_children_count),
    cmocka_unit_test(no_page_waits_for_an_owner_that_is_stopped_or_dead),
    cmocka_unit_test(the_oldest_site_makes_room),
    cmocka_unit_test(a_long_name_is_not_kept),
    cmocka_unit_test(the_share_of_template_is_a_mean),
    cmocka_unit_test(an_alarm_begins_and_ends_with_four_documents),
    cmocka_unit_test(pages_without_a_common_template_have_no_alarm),
    cmocka_unit_test(a_site_is_warned_of_once_an_hour),
    cmocka_unit_test(children_that_died_do_not_count),
    cmocka_unit_test(a_child_that_ends_leaves),
    cmocka_unit_test(further_stores_are_not_shown),
};

TAP_MAIN_WITH(tests, make_pool)
