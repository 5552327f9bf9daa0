/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process that is ended by a signal: a child of prefork destroys its pools within the handler,
 * wherever it was. The code that the signal interrupted never goes on: no process may wait for a
 * lock of this code, and the process must not go on with its wait.
 */
#include "store_fixture.h"

#include <signal.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "table/redis/redis_client.h"
#include "table/snapshots.h"

/* Seconds: a child that takes longer hangs; one that may hang, within malloc, is killed soon, which
 * is an end as well. */
#define PATIENCE 120
#define BRIEFLY  5

static apr_pool_t *ending; /* the pool that the handler destroys */

static void end_here(int sig)
{
    (void)sig;
    apr_pool_destroy(ending);
    _exit(0);
}

/* Ends this process so after some microseconds of its own CPU time. */
static void end_after(long microseconds)
{
    const struct itimerval once = { .it_value = { 0, microseconds } };

    signal(SIGVTALRM, end_here);
    setitimer(ITIMER_VIRTUAL, &once, NULL);
}

static int waits[2]; /* a pipe: a child that goes to wait now writes to it */

/* From now on this process does nothing but wait: it may be ended when it sleeps. */
static void end_asleep(void)
{
    signal(SIGALRM, end_here);
    (void)!write(waits[1], "", 1);
}

/* Waits for a child, in vain if it hangs: 0. */
static int wait_for(pid_t pid, int *status, int seconds)
{
    apr_time_t until = tmpl_clock() + apr_time_from_sec(seconds);
    pid_t done;

    while ((done = waitpid(pid, status, WNOHANG)) == 0 && tmpl_clock() < until) {
        apr_sleep(1000);
    }
    if (done == 0) {
        kill(pid, SIGKILL);
        waitpid(pid, status, 0);
    }
    return done != 0;
}

static pid_t begin(void (*work)(unsigned), unsigned number)
{
    pid_t pid = fork();

    if (pid == 0) {
        apr_pool_create(&ending, NULL);
        work(number);
        _exit(1);
    }
    return pid;
}

/* Whether a child that does this ends in time, by the handler. */
static int ends(void (*work)(unsigned), unsigned number, int seconds)
{
    pid_t pid = begin(work, number);
    int status = -1;

    return wait_for(pid, &status, seconds) && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* The same of one that goes to wait, and is ended when it does. */
static int ends_asleep(void (*work)(unsigned))
{
    apr_time_t until = tmpl_clock() + apr_time_from_sec(PATIENCE);
    int status = -1, slept = 0;
    char byte;
    pid_t pid;

    assert_int_equal(pipe(waits), 0);
    pid = begin(work, 0);
    close(waits[1]);
    if (read(waits[0], &byte, 1) == 1) {
        while (!(slept = sleeps(pid)) && tmpl_clock() < until) {
            apr_sleep(1000);
        }
    }
    close(waits[0]);
    kill(pid, slept ? SIGALRM : SIGKILL);
    return wait_for(pid, &status, PATIENCE) && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Locks and unlocks what is kept, for ever. */
static void use_snapshots(unsigned number)
{
    tmpl_snapshots_t *snapshots = tmpl_snapshots_create(10000, ending);
    tmpl_head_t head;

    end_after(1000 + 10 * number);
    for (;;) {
        (void)tmpl_snapshots_head(snapshots, "s", 1, &head);
    }
}

static void who_holds_what_is_kept_ends(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 40; i++) {
        assert_true(ends(use_snapshots, i, PATIENCE));
    }
}

static apr_status_t node_free(void *node)
{
    tmpl_redis_node_destroy(node);
    return APR_SUCCESS;
}

/* Waits for a connection: there is one, and somebody has it. */
static void wait_for_connection(unsigned number)
{
    tmpl_redis_server_t server = { .name = "nowhere", .place = { .host = "/nowhere" } };
    tmpl_redis_node_t *node = tmpl_redis_node_create(&server, 1);
    tmpl_error_t err;

    (void)number;
    apr_pool_cleanup_register(ending, node, node_free, apr_pool_cleanup_null);
    if (tmpl_redis_node_take(node, tmpl_clock() + TIMEOUT, &err) != NULL) {
        end_asleep();
        (void)tmpl_redis_node_take(node, tmpl_clock() + LONG, &err);
    }
}

static void who_waits_for_a_connection_ends(void **state)
{
    (void)state;
    assert_true(ends_asleep(wait_for_connection));
}

static const char *lmdb_uri;

/* Learns one page after the other. */
static void write_lmdb(unsigned number)
{
    ctx_t c = { .pool = ending };

    c.store = open_with(&c, lmdb_uri, NULL);
    c.pool = NULL; /* what is taken for a page is not what is given back when it ends */
    apr_pool_create(&c.pool, NULL);
    end_after(1000 + 10 * number);
    for (unsigned i = 0;; i++) {
        (void)try_observe(&c, "child", 100 * number + i, 100000 + 100 * number + i, 0, 100, &usual,
                          1, TIMEOUT);
    }
}

/* Whoever is in the midst of writing: others write on. */
static void who_writes_lmdb_keeps_nobody_from_it(void **state)
{
    ctx_t *c = *state;

    lmdb_uri = c->uri;
    for (unsigned i = 0; i < 40; i++) {
        (void)ends(write_lmdb, i, BRIEFLY);
        assert_int_equal(try_observe(c, "s", 2 * i, 2 * i + 1, 0, 5, &usual, 1, TIMEOUT),
                         APR_SUCCESS);
        assert_int_equal(c->counts.pages, i + 1);
    }
}

static const store_test_t table[] = {
    TEST(NO_STORE, who_holds_what_is_kept_ends),
    TEST(NO_STORE, who_waits_for_a_connection_ends),
    TEST(LMDB, who_writes_lmdb_keeps_nobody_from_it),
};

int main(int argc, char **argv)
{
    return run(table, DIM(table), argc, argv);
}
