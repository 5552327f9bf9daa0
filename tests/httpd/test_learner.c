/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages that wait to be learnt: which, when, in which order, and what happens to them when a child
 * ends.
 */
#include <unistd.h>

#include "child_store_fixture.h"

/* Without a watchdog, or with no delay, a page is learnt while its client waits. */
static void without_a_watchdog_nothing_waits(void **state)
{
    tmpl_child_store_t *ours = start_waiting(0);

    (void)state;
    delay = 1000;
    request(ours, "s");
    assert_int_equal(was_asked, TMPL_LEARNING_NOW);
    ours = start_waiting(1000);
    delay = 0;
    request(ours, "s");
    assert_int_equal(was_asked, TMPL_LEARNING_NOW);
    ours = start_waiting(1000);
    request(ours, "s");
    assert_int_equal(was_asked, TMPL_LEARNING_LATER);
    watch(AP_WATCHDOG_STATE_STOPPING, NULL, pool);
    request(ours, "s");
    assert_int_equal(was_asked, TMPL_LEARNING_NOW);
}

static void what_waits_is_learnt_when_it_is_due(void **state)
{
    tmpl_child_store_t *ours = start_waiting(1000);

    (void)state;
    tick();
    assert_int_equal(handed, 0);
    request(ours, "s");
    clock_now += 999;
    request(ours, "s");
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

/* A few at a time, so that there is room again soon; all that are due, and no others. */
static void a_turn_is_made_of_short_steps(void **state)
{
    tmpl_child_store_t *ours = start_waiting(1000);

    (void)state;
    requests(ours, "s", 2 * LEARN_AT_ONCE + 1);
    clock_now += 1000;
    requests(ours, "s", LEARN_AT_ONCE);
    tick();
    assert_int_equal(handed, 3);
    assert_int_equal(last_n, LEARN_AT_ONCE);
    assert_int_equal(ours->learner->queue->n, 1);
    assert_int_equal(counters[TMPL_COUNTER_LATER_RUNS], 3);
}

/* httpd waits for its watchdog: a turn ends when the child has to end. */
static void a_turn_ends_when_httpd_does(void **state)
{
    tmpl_child_store_t *ours = start_waiting(1000);

    (void)state;
    requests(ours, "s", 3 * LEARN_AT_ONCE);
    clock_now += 1000;
    mpm_state = AP_MPMQ_STOPPING;
    tick();
    assert_int_equal(handed, 1);
    end_child(ours); /* learns the others */
    assert_int_equal(handed, 3);
    assert_int_equal(counters[TMPL_COUNTER_LATER_DONE], 3 * LEARN_AT_ONCE);
}

/* The children of a server take turns, to avoid conflicts. */
static void children_take_turns(void **state)
{
    tmpl_child_store_t *ours = start_waiting(1000);

    (void)state;
    request(ours, "s");
    clock_now += 1000;
    turn_of = ours->learner;
    tick();
    assert_int_equal(handed, 1);
    assert_int_equal(turn_was_taken, 1);
    assert_int_equal(turn_is_taken(ours->learner), 0);
}

static int others_end; /* of a pipe: when it is closed the other child ends its turn */
static pid_t other;

/* Another child takes the turn. */
static void other_takes_turn(tmpl_child_store_t *ours)
{
    int has_it[2], keeps_it[2];
    char byte = 1;

    assert_int_equal(pipe(has_it) | pipe(keeps_it), 0);
    other = fork();
    if (other == 0) {
        close(keeps_it[1]);
        byte = apr_proc_mutex_lock(ours->learner->turn) == APR_SUCCESS;
        _exit(write(has_it[1], &byte, 1) != 1 || read(keeps_it[0], &byte, 1) != 0 ||
              apr_proc_mutex_unlock(ours->learner->turn) != APR_SUCCESS);
    }
    assert_int_equal(read(has_it[0], &byte, 1), 1);
    assert_int_equal(byte, 1);
    close(has_it[0]);
    close(has_it[1]);
    close(keeps_it[0]);
    others_end = keeps_it[1];
}

static void other_gives_up_turn(apr_interval_time_t slept_now)
{
    int status = -1;

    (void)slept_now;
    meanwhile = NULL;
    assert_int_equal(handed, 0);
    close(others_end);
    assert_int_equal(waitpid(other, &status, 0), other);
    assert_int_equal(status, 0);
}

static void who_learns_waits_for_its_turn(void **state)
{
    tmpl_child_store_t *ours = start_waiting(1000);

    (void)state;
    request(ours, "s");
    other_takes_turn(ours);
    meanwhile = other_gives_up_turn;
    tick_after(1000);
    assert_int_equal(handed, 1);
    assert_int_equal(slept, TURN_POLL);
}

static void time_passes(apr_interval_time_t time)
{
    clock_now += time;
}

/* The store of another child may hang: a child that has to end waits for that only a short time. */
static void wait_for_no_turn(int graceful, apr_interval_time_t at_most)
{
    tmpl_child_store_t *ours = start_waiting(1000);

    requests(ours, "s", LEARN_AT_ONCE + 1);
    other_takes_turn(ours);
    meanwhile = time_passes;
    mpm_state = AP_MPMQ_STOPPING;
    alarm(300); /* ends a test that hangs */
    tick_after(1000);
    assert_int_equal(handed, 1);
    assert_int_equal(slept, 0);
    tmpl_stopping_child_stopping(pool, graceful);
    end_child(ours);
    alarm(0);
    assert_int_equal(handed, 2);
    assert_int_equal(slept, at_most);
    assert_int_equal(counters[TMPL_COUNTER_LATER_DONE], LEARN_AT_ONCE + 1);
    handed = 0;
    other_gives_up_turn(0);
}

static void who_ends_waits_for_no_turn(void **state)
{
    (void)state;
    wait_for_no_turn(0, END_TIMEOUT);
    wait_for_no_turn(1, GRACEFUL_END_TIMEOUT);
}

/* Pages of one site are passed together, as they are in a store. */
static void pages_are_handed_over_by_site(void **state)
{
    tmpl_child_store_t *ours = start_waiting(1000);
    unsigned i;

    (void)state;
    for (i = 0; i < 6; i++) {
        requests(ours, "b", 1);
        requests(ours, "a", 1);
    }
    tick_after(1000);
    assert_int_equal(handed, 2);
    assert_memory_equal(last_sites, "bbbbbb", 6);
    assert_int_equal(counters[TMPL_COUNTER_LATER_DONE], 12);
}

/*
 * At the end of a child all waiting pages are learnt, due or not; those that cannot be are counted.
 */
static void the_end_of_a_child_learns_what_waits(void **state)
{
    tmpl_child_store_t *ours = start_waiting(1000);

    (void)state;
    request(ours, "s");
    end_child(ours);
    assert_int_equal(handed, 1);
    assert_int_equal(counters[TMPL_COUNTER_LATER_DONE], 1);
    tick(); /* the watchdog's thread may end later than the stores */
    assert_int_equal(handed, 1);

    ours = start_waiting(1000);
    request(ours, "s");
    learns = (tmpl_error_t){ APR_EGENERAL, "it is gone" };
    end_child(ours);
    assert_int_equal(handed, 1);
    assert_int_equal(counters[TMPL_COUNTER_LATER_FAILED], 1);
}

/*
 * This is the last chance, so a store that timed out is tried again, but only for a limited time.
 */
static void at_the_end_who_is_late_is_tried_again(void **state)
{
    static const apr_status_t late[] = { APR_TIMEUP, APR_EBUSY };
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(late) / sizeof(late[0]); i++) {
        tmpl_child_store_t *ours = start_waiting(1000);

        requests(ours, "s", 3);
        learns = (tmpl_error_t){ late[i], "it is late" };
        takes = END_TIMEOUT / 3 + 1;
        end_child(ours);
        assert_int_equal(handed, 3);
        assert_int_equal(counters[TMPL_COUNTER_LATER_FAILED], 3);
    }
}

static jmp_buf process_end;
static tmpl_child_store_t *ending;
static tmpl_observation_t *left[2]; /* waiting pages: the ending process does not free them */

/* As prefork's SIGTERM handler: the interrupted code holds its lock and never continues. */
static void process_ends(void)
{
    apr_thread_mutex_lock(ending->learner->queue->lock);
    left[0] = ending->learner->queue->pages[0].page;
    left[1] = ending->learner->queue->pages[1].page;
    end_child(ending);
    longjmp(process_end, 1);
}

/* A child that ends within a request waits for no lock, and counts the pages it loses. */
static void a_child_may_end_within_a_request(void **state)
{
    (void)state;
    ending = start_waiting(1000);
    request(ending, "s");
    request(ending, "s");
    within = process_ends;
    alarm(300); /* ends a test that hangs */
    if (setjmp(process_end) == 0) {
        request(ending, "s");
        fail_msg("it went on");
    }
    alarm(0);
    assert_int_equal(handed, 0);
    assert_int_equal(counters[TMPL_COUNTER_LATER_FAILED], 2);
    tick(); /* the watchdog does not touch what is freed */
    assert_int_equal(handed, 0);
    free(left[0]);
    free(left[1]);
}

/* The child ends, whatever it waits for. */
static void a_child_that_is_interrupted_ends(void **state)
{
    int status = -1;
    pid_t pid;

    (void)state;
    start_waiting(1000);
    threads = AP_MPMQ_NOT_SUPPORTED;
    pid = fork();
    if (pid == 0) {
        tmpl_stopping_child_stopping(pool, 0);
        for (;;) {
            pause();
        }
    }
    alarm(300); /* ends a test that hangs */
    assert_int_equal(waitpid(pid, &status, 0), pid);
    alarm(0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static const struct CMUnitTest tests[] = {
    TEST(without_a_watchdog_nothing_waits),
    TEST(what_waits_is_learnt_when_it_is_due),
    TEST(a_turn_is_made_of_short_steps),
    TEST(a_turn_ends_when_httpd_does),
    TEST(children_take_turns),
    TEST(who_learns_waits_for_its_turn),
    TEST(who_ends_waits_for_no_turn),
    TEST(pages_are_handed_over_by_site),
    TEST(the_end_of_a_child_learns_what_waits),
    TEST(at_the_end_who_is_late_is_tried_again),
    TEST(a_child_may_end_within_a_request),
    TEST(a_child_that_is_interrupted_ends),
};

TAP_MAIN(tests)
