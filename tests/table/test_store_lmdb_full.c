/* SPDX-License-Identifier: Apache-2.0 */
/* LMDB where nothing can be written: full maps and disks, readers that stay, writes that fail. */
#include "lmdb_fixture.h"

#include <sys/syscall.h>

/*
 * pwrite(2) as LMDB calls it for its first two pages, which say what has been committed. After one
 * of these has failed LMDB lets nobody in any more.
 */
static int meta_writes_fail;

__attribute__((visibility("default"))) ssize_t pwrite(int fd, const void *bytes, size_t n, off_t at)
{
    if (at < 8192 && __atomic_load_n(&meta_writes_fail, __ATOMIC_RELAXED)) {
        errno = EIO;
        return -1;
    }
    return syscall(SYS_pwrite64, fd, bytes, n, at);
}

static void set_meta_writes_fail(int fail)
{
    __atomic_store_n(&meta_writes_fail, fail, __ATOMIC_RELAXED);
}

/* Nothing dies. */
static const tmpl_policy_t lasting = {
    .min_df = 5, .lifetime_tb = 1000000, .lifetime_n = 1, .max_entries = 1000000
};

/* Learns new pages of 100 new keys until the store is full; the number learnt. */
static unsigned fill(ctx_t *c, const char *site)
{
    for (unsigned i = 0; i < 100000; i++) {
        apr_status_t rv =
            try_observe(c, site, 2 * i, 2 * i + 1, 1000 + 100 * i, 100, &lasting, 1, TIMEOUT);

        if (rv != APR_SUCCESS) {
            assert_int_equal(rv, APR_ENOSPC);
            assert_int_equal(c->counts.pages, i);
            assert_false(c->counts.counted);
            return i;
        }
    }
    fail_msg("a map that is never full");
    return 0;
}

/* One site fills the map, and is not forgotten for itself. */
static void full_map_still_counts(void **state)
{
    ctx_t *c = *state;
    unsigned learnt;

    c->store = open_with(c, backend_uri_limited(c, "size=1M"), NULL);
    learn(c, "small", 1, 0, 10);
    learnt = fill(c, "big");
    assert_in_range(learnt, 20, 1000);
    assert_non_null(strstr(c->err.text, "map is full"));
    assert_non_null(strstr(c->err.text, lmdb_dir(c)));
    look(c, "big", 1000, 100);
    assert_int_equal(c->counts.pages, learnt);
    assert_int_equal(c->counts.records[99].df, 1);
    /* there is a way out */
    assert_int_equal(tmpl_store_forget(c->store, "big", &c->err, c->pool), APR_SUCCESS);
    assert_in_range(fill(c, "big"), learnt / 4, learnt * 2);
}

/* Has the file say that all pages of a map of number bytes are in use, but for its last. */
static int child_takes_all_pages(ctx_t *c, unsigned number)
{
    enum {
        PAGE = 4096,
        LAST_PAGE = 136
    }; /* where a page with what was committed says which is the last */
    const char *path = apr_psprintf(c->pool, "%s/data.mdb", lmdb_dir(c));
    int fd = open(path, O_RDWR), wrong = fd < 0 || ftruncate(fd, number) != 0;
    uint64_t last = number / PAGE - 2;

    for (off_t at = LAST_PAGE; !wrong && at < 2 * PAGE; at += PAGE) {
        wrong = pwrite(fd, &last, sizeof(last), at) != sizeof(last);
    }
    return wrong;
}

/* Where there is no page to write to, a site can be forgotten, and others learn then. */
static void forgetting_needs_no_room(void **state)
{
    ctx_t *c = *state;
    tmpl_store_opts_t opts = tmpl_store_opts_default;
    apr_pool_t *pool;

    opts.map_size = 1 << 20;
    c->uri = backend_uri(LMDB, c->pool);
    apr_pool_create(&pool, NULL);
    assert_int_equal(tmpl_store_open(&c->store, c->uri, &opts, &c->err, pool), APR_SUCCESS);
    learn(c, "small", 1, 0, 10);
    learn(c, "big", 1, 0, 15000);
    apr_pool_destroy(pool);
    assert_exits(in_child_alone(c, 1 << 20, child_takes_all_pages));
    c->store = open_with(c, c->uri, &opts);
    assert_int_equal(try_observe(c, "small", 4, 5, 0, 11, &usual, 1, TIMEOUT), APR_ENOSPC);
    assert_int_equal(tmpl_store_forget(c->store, "big", &c->err, c->pool), APR_SUCCESS);
    assert_unknown(c, "big");
    learn(c, "small", 3, 0, 11);
    assert_int_equal(c->counts.records[9].df, 2);
}

static apr_status_t stay_for_ever(void *baton, const tmpl_entry_t *entry)
{
    (void)entry;
    if (write(*(int *)baton, "x", 1) != 1) {
        return APR_EOF;
    }
    for (;;) {
        pause();
    }
    return APR_SUCCESS;
}

static int reader_pipe[2];

static int child_reads_for_ever(ctx_t *c, unsigned number)
{
    tmpl_store_stats_t head;

    (void)number;
    return tmpl_store_export(c->store, "s", &head, stay_for_ever, &reader_pipe[1], &c->err,
                             c->pool);
}

/* A reader keeps alive what it sees, all that was written since included: not beyond its death. */
static void dead_reader_keeps_nothing(void **state)
{
    ctx_t *c = *state;
    tmpl_store_opts_t opts = tmpl_store_opts_default;
    unsigned page = 1;
    apr_status_t rv;
    char x;
    pid_t pid;

    opts.map_size = 1 << 20;
    c->store = open_with(c, c->uri = backend_uri(LMDB, c->pool), &opts);
    learn(c, "s", 0, 0, 2000);
    assert_int_equal(pipe(reader_pipe), 0);
    pid = in_child(c, 0, child_reads_for_ever);
    assert_int_equal(read(reader_pipe[0], &x, 1), 1);
    do {
        rv = try_observe(c, "s", 2 * page, 2 * page + 1, 0, 2000, &usual, 1, TIMEOUT);
        assert_true(page++ < 1000);
    } while (rv == APR_SUCCESS);
    assert_int_equal(rv, APR_ENOSPC);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    close(reader_pipe[0]);
    close(reader_pipe[1]);
    try_observe(c, "s", 2 * page, 2 * page + 1, 0, 2000, &usual, 1, TIMEOUT);
    for (unsigned i = 1; i < 20; i++) {
        learn(c, "s", page + i, 0, 2000);
    }
}

static int child_has_no_disk(ctx_t *c, unsigned number)
{
    struct rlimit limit = { 0, 0 };
    struct stat st;
    unsigned i;

    (void)number;
    signal(SIGXFSZ, SIG_IGN);
    if (try_observe(c, "s", 1, 2, 0, 10, &usual, 1, TIMEOUT) != APR_SUCCESS ||
        stat(apr_psprintf(c->pool, "%s/data.mdb", lmdb_dir(c)), &st) != 0) {
        return 1;
    }
    limit.rlim_cur = limit.rlim_max = (rlim_t)st.st_size + 65536;
    setrlimit(RLIMIT_FSIZE, &limit);
    for (i = 1; i < 2000; i++) {
        if (try_observe(c, "s", 2 * i + 1, 2 * i + 2, 50 * i, 50, &lasting, 1, TIMEOUT) !=
            APR_SUCCESS) {
            break;
        }
    }
    /* full: nothing learnt, counts read, again and again; a page for which pages that are free in
     * the file do not do */
    for (unsigned again = 0; again < 5; again++) {
        if (try_observe(c, "s", 9000, 9001, 0, 8000, &lasting, 1, TIMEOUT) != APR_ENOSPC ||
            c->counts.pages != i || c->counts.records[0].df != 1 ||
            (strstr(c->err.text, "may not grow") == NULL &&
             strstr(c->err.text, "disk is full") == NULL)) {
            return 2;
        }
    }
    return i < 2000 && try_observe(c, "s", 1, 2, 0, 10, &lasting, 1, TIMEOUT) == APR_SUCCESS ? 0
                                                                                             : 3;
}

static void full_disk_still_counts(void **state)
{
    ctx_t *c = *state;

    apr_pool_clear(c->pool);
    c->uri = backend_uri(LMDB, c->pool);
    assert_exits(in_child(c, 0, child_has_no_disk));
    c->store = open_with(c, c->uri, NULL);
    learn(c, "s", 5000, 0, 10);
    assert_int_equal(c->counts.records[0].df, 2);
}

/* Nothing is lost but what was not committed, and nobody has to restart anything. */
static void failed_writes_are_survived(void **state)
{
    ctx_t *c = *state;

    learn(c, "s", 1, 0, 5);
    learn(c, "s", 2, 0, 5);
    set_meta_writes_fail(1);
    for (unsigned i = 3; i < 6; i++) {
        assert_int_equal(try_observe(c, "s", 2 * i, 2 * i + 1, 0, 5, &usual, 1, TIMEOUT),
                         APR_ENOSPC);
        assert_int_equal(c->counts.records[4].df, 2);
    }
    set_meta_writes_fail(0);
    look(c, "s", 0, 5);
    assert_int_equal(c->counts.records[4].df, 2);
    learn(c, "s", 3, 0, 5);
    assert_int_equal(c->counts.records[4].df, 3);
}

/* It cannot be opened anew at once: the next who comes tries again. */
static void failed_writes_and_no_file(void **state)
{
    ctx_t *c = *state;
    const char *file = apr_pstrcat(c->pool, lmdb_dir(c), "/data.mdb", NULL);
    const char *away = apr_pstrcat(c->pool, lmdb_dir(c), "/away.mdb", NULL);

    learn(c, "s", 1, 0, 5);
    assert_int_equal(rename(file, away), 0);
    set_meta_writes_fail(1);
    assert_int_not_equal(try_observe(c, "s", 4, 5, 0, 5, &usual, 1, TIMEOUT), APR_SUCCESS);
    set_meta_writes_fail(0);
    for (int learning = 0; learning < 2; learning++) {
        assert_int_not_equal(try_observe(c, "s", 4, 5, 0, 5, &usual, learning, TIMEOUT),
                             APR_SUCCESS);
        assert_non_null(strstr(c->err.text, "the disk failed an earlier write"));
    }
    assert_int_equal(rename(away, file), 0);
    learn(c, "s", 2, 0, 5);
    assert_int_equal(c->counts.records[4].df, 2);
}

/* Whether this process has the store's file mapped. */
static int is_mapped(const ctx_t *c)
{
    const char *path = apr_pstrcat(c->pool, lmdb_dir(c), "/data.mdb\n", NULL);
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096];
    int found = 0;

    assert_non_null(maps);
    while (!found && fgets(line, sizeof(line), maps) != NULL) {
        found = strstr(line, path) != NULL;
    }
    fclose(maps);
    return found;
}

/* Who has the store open goes on with the map there was, and closes it in the end. */
static void too_large_a_map_is_refused(void **state)
{
    ctx_t *c = *state;
    tmpl_store_opts_t opts = tmpl_store_opts_default;
    tmpl_store_t *other;

    c->uri = backend_uri(LMDB, c->pool);
    apr_pool_t *pool = open_apart(c, 10);
    learn(c, "s", 1, 0, 5);
    opts.map_size = (apr_size_t)1 << 62;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(tmpl_store_open(&other, c->uri, &opts, &c->err, c->pool), ENOMEM);
        assert_non_null(strstr(c->err.text, lmdb_dir(c)));
    }
    look(c, "s", 0, 5);
    assert_int_equal(c->counts.records[4].df, 1);
    learn(c, "s", 2, 0, 5);
    assert_int_equal(c->counts.records[4].df, 2);
    assert_true(is_mapped(c));
    apr_pool_destroy(pool);
    assert_false(is_mapped(c));
}

#define THREADS         4
#define PAGES_OF_THREAD 200

static void *thread_learns(void *baton)
{
    ctx_t own = { .store = ((ctx_t *)baton)->store };

    apr_pool_create(&own.pool, NULL);
    for (unsigned i = 0; i < PAGES_OF_THREAD; i++) {
        try_observe(&own, "s", 1000 + 2 * i, 1001 + 2 * i, i, 5, &usual, i % 4 != 0, TIMEOUT);
    }
    apr_pool_destroy(own.pool);
    return NULL;
}

/* While threads read and write it is opened anew again and again. */
static void failed_writes_between_threads(void **state)
{
    ctx_t *c = *state;
    pthread_t threads[THREADS];

    learn(c, "s", 1, 0, 5);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, thread_learns, c), 0);
    }
    for (unsigned i = 0; i < PAGES_OF_THREAD; i++) {
        set_meta_writes_fail(i % 2 == 0);
        try_observe(c, "s", 5000 + 2 * i, 5001 + 2 * i, i, 5, &usual, 1, TIMEOUT);
    }
    set_meta_writes_fail(0);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    learn(c, "t", 2, 0, 5);
    assert_int_equal(c->counts.records[4].df, 1);
}

static const store_test_t table[] = {
    TEST(LMDB, full_map_still_counts),         TEST(LMDB, dead_reader_keeps_nothing),
    TEST(LMDB, forgetting_needs_no_room),      TEST(LMDB, full_disk_still_counts),
    TEST(LMDB, failed_writes_are_survived),    TEST(LMDB, failed_writes_and_no_file),
    TEST(LMDB, failed_writes_between_threads), TEST(LMDB, too_large_a_map_is_refused),
};

int main(int argc, char **argv)
{
    return run(table, DIM(table), argc, argv);
}
