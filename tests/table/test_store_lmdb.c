/* SPDX-License-Identifier: Apache-2.0 */
/* Only LMDB: processes that share a directory, and their death; where the directory may be, and how
 * many sites it may hold. */
#include "lmdb_fixture.h"
#include "table/bucket.h"

#define PROCESSES 4

static void processes_share_a_directory(void **state)
{
    ctx_t *c = *state;
    pid_t pids[PROCESSES];

    /* not opened here before they fork: LMDB would not stand it */
    apr_pool_clear(c->pool);
    c->uri = backend_uri(LMDB, c->pool);
    for (unsigned i = 0; i < PROCESSES; i++) {
        pids[i] = in_child(c, i, child_learns);
    }
    for (unsigned i = 0; i < PROCESSES; i++) {
        assert_exits(pids[i]);
    }
    c->store = open_with(c, c->uri, NULL);
    look(c, "s", 0, 20);
    assert_int_equal(c->counts.pages, PROCESSES * PAGES_OF_PROCESS);
    assert_int_equal(c->counts.records[19].df, PROCESSES * PAGES_OF_PROCESS);
    assert_int_equal(c->counts.version, 20);
}

static int child_learns_for_ever(ctx_t *c, unsigned number)
{
    apr_pool_create(&c->pool, c->pool);
    for (unsigned page = number;; page++) {
        if (try_observe(c, "s", 2 * page, 2 * page + 1, page % 200, 200, &usual, 1, TIMEOUT) !=
            APR_SUCCESS) {
            return 1;
        }
        apr_pool_clear(c->pool);
    }
}

static void survives_kill_9(void **state)
{
    ctx_t *c = *state;
    uint32_t pages = 0;

    for (unsigned round = 0; round < 20; round++) {
        pid_t pid = in_child(c, 1000 + 100000 * round, child_learns_for_ever);
        uint32_t until = pages + 3 + round;

        do {
            assert_int_equal(waitpid(pid, NULL, WNOHANG), 0); /* it goes on */
            learn(c, "s", round, 0, 200);
            pages = c->counts.pages;
        } while (pages < until);
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        learn(c, "s", 500 + round, 0, 200);
        assert_true(c->counts.counted);
        assert_true(c->counts.pages >= pages + 1);
        pages = c->counts.pages;
    }
    assert_int_equal(table_of(c, "s")->entries->nelts, stats_of(c, "s", &usual).entries);
}

static void reopened_it_knows_all(void **state)
{
    ctx_t *c = *state;
    table_t *before;
    apr_pool_t *first;

    apr_pool_create(&first, NULL);
    assert_int_equal(
        tmpl_store_open(&c->store, c->uri = backend_uri(LMDB, c->pool), NULL, &c->err, first),
        APR_SUCCESS);
    for (unsigned i = 0; i < 7; i++) {
        learn(c, "s", i, i, 20);
    }
    before = table_of(c, "s");
    apr_pool_destroy(first);
    c->store = open_with(c, c->uri, NULL);
    assert_tables_equal(before, table_of(c, "s"));
    learn(c, "s", 3, 3, 20);
    assert_false(c->counts.counted);
}

/* Whether another process sees LMDB's own lock on the directory, which one close too many drops. */
static int child_sees_the_lock(ctx_t *c, unsigned number)
{
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1 };
    int fd = open(apr_psprintf(c->pool, "%s/lock.mdb", lmdb_dir(c)), O_RDWR);

    (void)number;
    return fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK && lock.l_pid == getppid() ? 0
                                                                                               : 1;
}

/* Virtual hosts of one server open one directory, and their pools end in any order. */
static void one_directory_opened_twice(void **state)
{
    ctx_t *c = *state;
    tmpl_store_t *first = c->store, *second, *third;
    apr_pool_t *pool;

    apr_pool_create(&pool, NULL);
    second = open_with(
        c, apr_psprintf(c->pool, "lmdb:%s/../%s", lmdb_dir(c), strrchr(lmdb_dir(c), '/') + 1),
        NULL);
    assert_int_equal(tmpl_store_open(&third, c->uri, NULL, &c->err, pool), APR_SUCCESS);
    c->store = third;
    learn(c, "s", 1, 0, 3);
    apr_pool_destroy(pool);
    assert_exits(in_child_alone(c, 0, child_sees_the_lock));
    c->store = second;
    learn(c, "s", 2, 0, 3);
    c->store = first;
    look(c, "s", 0, 3);
    assert_int_equal(c->counts.records[2].df, 2);
}

/* Holds the writers' lock until it is killed. */
static int child_holds_the_lock(ctx_t *c, unsigned number)
{
    int fd = open(apr_psprintf(c->pool, "%s/writer.lock", lmdb_dir(c)), O_RDWR);
    pthread_mutex_t *mutex = mmap(NULL, sizeof(*mutex), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    (void)number;
    pthread_mutex_lock(mutex);
    for (;;) {
        pause();
    }
    return 0;
}

static void stopped_writer_holds_nobody(void **state)
{
    ctx_t *c = *state;
    apr_time_t start;
    apr_status_t rv;
    unsigned page = 10;
    pid_t pid;

    learn(c, "s", page, 0, 5);
    pid = in_child(c, 0, child_holds_the_lock);
    do {
        start = tmpl_clock();
        page++;
        rv = try_observe(c, "s", 2 * page, 2 * page + 1, 0, 5, &usual, 1, SHORT);
    } while (rv == APR_SUCCESS); /* it has not got it yet */
    assert_int_equal(rv, APR_TIMEUP);
    assert_true(tmpl_clock() - start < GROSSLY * SHORT);
    assert_non_null(strstr(c->err.text, lmdb_dir(c)));
    /* who only looks up does not wait */
    assert_int_equal(try_observe(c, "s", 9, 9, 0, 5, &usual, 0, SHORT), APR_SUCCESS);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    learn(c, "s", page + 1, 0, 5);
    assert_true(c->counts.counted);
}

static void bad_directories(void **state)
{
    ctx_t *c = *state;
    char *file = apr_psprintf(c->pool, "%s/data.mdb", lmdb_dir(c));
    char *fresh = apr_psprintf(c->pool, "%s/fresh", lmdb_dir(c));
    struct stat st;

    assert_int_equal(cannot_open(c, apr_psprintf(c->pool, "lmdb:%s", file)), ENOTDIR);
    assert_int_equal(cannot_open(c, apr_psprintf(c->pool, "lmdb:%s/a/b", fresh)), ENOENT);
    assert_int_equal(cannot_open(c, "lmdb:/proc/tmpl"), ENOENT);
    c->store = open_with(c, apr_psprintf(c->pool, "lmdb:%s", fresh), NULL);
    assert_int_equal(stat(fresh, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    learn(c, "s", 1, 0, 1);
}

/* The map one process has grown is followed by one that has it open. */
static int child_grows_the_map(ctx_t *c, unsigned number)
{
    tmpl_store_opts_t opts = tmpl_store_opts_default;

    (void)number;
    opts.map_size = 8 << 20;
    if (tmpl_store_open(&c->store, c->uri, &opts, &c->err, c->pool) != APR_SUCCESS) {
        return 1;
    }
    return try_observe(c, "grown", 1, 2, 0, 250000, &usual, 1, TIMEOUT);
}

static void follows_a_larger_map(void **state)
{
    ctx_t *c = *state;
    tmpl_store_opts_t opts = tmpl_store_opts_default;

    opts.map_size = 1 << 20;
    c->uri = backend_uri(LMDB, c->pool);
    c->store = open_with(c, c->uri, &opts);
    learn(c, "s", 1, 0, 5);
    assert_exits(in_child(c, 0, child_grows_the_map));
    look(c, "grown", 0, 250000);
    assert_int_equal(c->counts.records[249999].df, 1);
    learn(c, "grown", 2, 0, 100);
    assert_int_equal(c->counts.records[99].df, 2);
}

/* As many buckets as the entries of one page call for, at once, be they many or more. */
static void large_pages_have_their_buckets(void **state)
{
    static const unsigned sizes[] = { 1000, 5000, 8000 };
    ctx_t *c = *state;
    apr_pool_t *pool;

    for (size_t i = 0; i < DIM(sizes); i++) {
        c->uri = backend_uri(LMDB, c->pool);
        pool = open_apart(c, 2);
        learn(c, "s", 1, 0, sizes[i]);
        apr_pool_destroy(pool);
        assert_exits(in_child_alone(c, tmpl_buckets_for(sizes[i] + 2), child_counts_buckets));
    }
}

static const store_test_t table[] = {
    TEST(LMDB, processes_share_a_directory), TEST(LMDB, survives_kill_9),
    TEST(LMDB, reopened_it_knows_all),       TEST(LMDB, one_directory_opened_twice),
    TEST(LMDB, stopped_writer_holds_nobody), TEST(LMDB, bad_directories),
    TEST(LMDB, follows_a_larger_map),        TEST(LMDB, large_pages_have_their_buckets),
};

int main(int argc, char **argv)
{
    return run(table, DIM(table), argc, argv);
}
