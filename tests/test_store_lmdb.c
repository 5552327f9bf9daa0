/* SPDX-License-Identifier: Apache-2.0 */
/* What is particular to LMDB: processes, their death, full maps and disks, damaged files. */
#include "store/lmdb_buckets.h"
#include "store_fixture.h"

#include <lmdb.h>
#include <sys/syscall.h>

/*
 * pwrite(2) as LMDB calls it for its first two pages, which say what has been committed. After one of these
 * has failed LMDB lets nobody in any more.
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

static const char *lmdb_dir(const ctx_t *c)
{
    return c->uri + strlen("lmdb:");
}

/* Runs child in a process of its own, without a store. */
static pid_t in_child_alone(ctx_t *c, unsigned number, int (*child)(ctx_t *c, unsigned number))
{
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        _exit(child(c, number));
    }
    return pid;
}

/* Runs child in a process of its own with a store of its own. */
static pid_t in_child(ctx_t *c, unsigned number, int (*child)(ctx_t *c, unsigned number))
{
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        ctx_t *own = calloc(1, sizeof(*own));
        apr_status_t rv;

        prctl(PR_SET_PDEATHSIG, SIGKILL);
        apr_pool_create(&own->pool, NULL);
        own->uri = c->uri;
        rv = tmpl_store_open(&own->store, own->uri, NULL, &own->err, own->pool);
        if (rv == APR_SUCCESS) {
            rv = child(own, number);
            apr_pool_destroy(own->pool);
        }
        _exit(rv == APR_SUCCESS ? 0 : 1);
    }
    return pid;
}

static void assert_exits(pid_t pid)
{
    int status;

    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

#define PROCESSES        4
#define PAGES_OF_PROCESS 50

static int child_learns(ctx_t *c, unsigned number)
{
    apr_status_t rv = APR_SUCCESS;

    for (unsigned i = 0; rv == APR_SUCCESS && i < PAGES_OF_PROCESS; i++) {
        unsigned page = number * PAGES_OF_PROCESS + i;

        rv = try_observe(c, "s", 2 * page, 2 * page + 1, 0, 20, &usual, 1, TIMEOUT);
    }
    return rv;
}

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

static void full_map_still_counts(void **state)
{
    ctx_t *c = *state;
    tmpl_store_opts_t opts = tmpl_store_opts_default;
    unsigned learnt, pages = 6, refused = 0;

    opts.map_size = 1 << 20;
    c->store = open_with(c, c->uri = backend_uri(LMDB, c->pool), &opts);
    for (unsigned i = 0; i < 6; i++) {
        learn(c, "small", i, 0, 10);
    }
    learnt = fill(c, "big");
    assert_in_range(learnt, 20, 1000);
    assert_non_null(strstr(c->err.text, "map is full"));
    assert_non_null(strstr(c->err.text, lmdb_dir(c)));
    /* little pages may still find room for a while; whatever does not is counted all the same */
    for (unsigned i = 0; i < 3000; i++) {
        apr_status_t rv =
            try_observe(c, "small", 900 + i, 9900 + i, 20 + 30 * i, 30, &usual, 1, TIMEOUT);

        pages += rv == APR_SUCCESS;
        refused += rv == APR_ENOSPC;
        assert_int_equal(c->counts.pages, pages);
        assert_int_equal(c->counts.counted, rv == APR_SUCCESS);
    }
    assert_int_equal(pages + refused, 3006);
    assert_true(refused > 100);
    look(c, "small", 0, 10);
    assert_int_equal(c->counts.records[9].df, 6);
    look(c, "big", 1000, 100);
    assert_int_equal(c->counts.records[99].df, 1);
    /* there is a way out */
    assert_int_equal(tmpl_store_forget(c->store, "big", &c->err, c->pool), APR_SUCCESS);
    learn(c, "small", 30000, 0, 11);
    assert_int_equal(c->counts.records[0].df, 7);
    assert_in_range(fill(c, "big"), learnt / 4, learnt * 2);
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

/* What is dead makes room on a full map by itself, where even the least page finds none. */
static void full_map_heals(void **state)
{
    ctx_t *c = *state;
    tmpl_store_opts_t opts = tmpl_store_opts_default;
    tmpl_policy_t brief = {
        .min_df = 5, .lifetime_tb = 3, .lifetime_n = 1, .max_entries = 1000000
    };
    apr_status_t rv = APR_ENOSPC;
    unsigned refused = 0;

    opts.map_size = 1 << 20;
    c->store = open_with(c, c->uri = backend_uri(LMDB, c->pool), &opts);
    fill(c, "s");
    for (unsigned i = 0; refused < 50; i++) {
        refused += try_observe(c, "s", 90000 + i, 190000 + i, 500000 + 10 * i, 10, &lasting, 1,
                               TIMEOUT) == APR_ENOSPC;
        assert_true(i < 10000);
    }
    for (unsigned i = 0; rv != APR_SUCCESS && i < 500; i++) {
        rv = try_observe(c, "s", 1, 77, 0, 10, &brief, 1, TIMEOUT);
    }
    assert_int_equal(rv, APR_SUCCESS);
    assert_true(c->counts.counted);
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
    /* full: nothing learnt, counts read, again and again; a page for which pages that are free in the file do not do */
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

static void sites_are_limited(void **state)
{
    ctx_t *c = *state;
    tmpl_store_opts_t opts = tmpl_store_opts_default;

    opts.max_sites = 5;
    c->store = open_with(c, c->uri, &opts);
    for (unsigned i = 0; i < 5; i++) {
        learn(c, apr_psprintf(c->pool, "site%u", i), 1, 0, 100);
    }
    assert_int_equal(try_observe(c, "one more", 1, 2, 0, 5, &usual, 1, TIMEOUT), APR_ENOSPC);
    assert_non_null(strstr(c->err.text, "5 sites"));
    assert_int_equal(c->counts.pages, 0);
    assert_int_equal(c->counts.records[4].df, 0);
    learn(c, "site2", 2, 0, 100);
    assert_int_equal(c->counts.records[99].df, 2);
    /* idle ones make room: with no patience at all, a second later. All of them in turn. */
    opts.idle = 1;
    c->store = open_with(c, c->uri, &opts);
    for (unsigned i = 0; i < 12; i++) {
        /* the names of the second round sort before those of the first: the search goes round */
        const char *site = apr_psprintf(c->pool, i < 5 ? "zone%u" : "area%u", i);
        apr_time_t start = tmpl_clock();

        while (try_observe(c, site, 1, 2, 0, 5, &usual, 1, TIMEOUT) == APR_ENOSPC) {
            assert_true(tmpl_clock() - start < TIMEOUT);
            redis_server_nap();
        }
        assert_int_equal(c->counts.pages, 1);
        assert_int_equal(sites_of(c)->nelts, 5);
    }
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
    /* who has nothing to learn does not wait */
    page--;
    assert_int_equal(try_observe(c, "s", 2 * page, 2 * page + 1, 0, 5, &usual, 1, SHORT),
                     APR_SUCCESS);
    assert_int_equal(try_observe(c, "s", 9, 9, 0, 5, &usual, 0, SHORT), APR_SUCCESS);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    learn(c, "s", page + 2, 0, 5);
    assert_true(c->counts.counted);
}

/* The file as LMDB alone sees it, while no store has it open here: a child's work. */
static int raw_begin(ctx_t *c, MDB_env **env, MDB_txn **txn, MDB_dbi *dbi, const char *name)
{
    return mdb_env_create(env) != 0 || mdb_env_set_maxdbs(*env, 4) != 0 ||
           mdb_env_open(*env, lmdb_dir(c), 0, 0600) != 0 ||
           mdb_txn_begin(*env, NULL, 0, txn) != 0 || mdb_dbi_open(*txn, name, 0, dbi) != 0;
}

/* Has patch change a copy of the record at a key, and perhaps the key, and puts it; 0: done. */
static int raw_patch(ctx_t *c, const char *table, const char *name,
                     void (*patch)(MDB_val *key, MDB_val *data, unsigned number), unsigned number)
{
    unsigned char bytes[64];
    MDB_val key = { strlen(name), (void *)name }, data;
    MDB_env *env;
    MDB_txn *txn;
    MDB_dbi dbi;
    int wrong;

    if (raw_begin(c, &env, &txn, &dbi, table)) {
        return 1;
    }
    wrong = mdb_get(txn, dbi, &key, &data) != 0 || data.mv_size > sizeof(bytes);
    if (!wrong) {
        memcpy(bytes, data.mv_data, data.mv_size);
        data.mv_data = bytes;
        patch(&key, &data, number);
        wrong = mdb_put(txn, dbi, &key, &data, 0) != 0;
    }
    wrong |= mdb_txn_commit(txn) != 0;
    mdb_env_close(env);
    return wrong;
}

/* Whether the file holds so many buckets, whosever. */
static int child_counts_buckets(ctx_t *c, unsigned number)
{
    MDB_stat stat;
    MDB_env *env;
    MDB_txn *txn;
    MDB_dbi dbi;
    int wrong;

    if (raw_begin(c, &env, &txn, &dbi, "entries")) {
        return 1;
    }
    wrong = mdb_stat(txn, dbi, &stat) != 0 || stat.ms_entries != number;
    mdb_txn_abort(txn);
    mdb_env_close(env);
    return wrong;
}

static void last_seen_in_1970(MDB_val *key, MDB_val *data, unsigned number)
{
    (void)key;
    (void)number;
    memset((unsigned char *)data->mv_data + 24, 0, 8);
}

static int child_makes_it_old(ctx_t *c, unsigned number)
{
    return raw_patch(c, "sites", "old", last_seen_in_1970, number);
}

/* A store that is open in a pool of its own, to be closed by ending that. */
static apr_pool_t *open_apart(ctx_t *c, uint32_t max_sites)
{
    tmpl_store_opts_t opts = tmpl_store_opts_default;
    apr_pool_t *pool;

    opts.max_sites = max_sites;
    apr_pool_create(&pool, NULL);
    assert_int_equal(tmpl_store_open(&c->store, c->uri, &opts, &c->err, pool), APR_SUCCESS);
    return pool;
}

/* Gives each bucket of the file number bytes that are none. */
static int child_spoils_buckets(ctx_t *c, unsigned number)
{
    static char bytes[TMPL_BUCKET_MOST + 1];
    MDB_val key, data, spoilt = { number, bytes };
    MDB_cursor *cursor;
    MDB_env *env;
    MDB_txn *txn;
    MDB_dbi dbi;
    unsigned found = 0;

    /* so many entries that even the longest of these has no room for them, or has, but is too long */
    memset(bytes, number > TMPL_BUCKET_MOST ? 1 : 'x', sizeof(bytes));
    if (raw_begin(c, &env, &txn, &dbi, "entries") || mdb_cursor_open(txn, dbi, &cursor) != 0) {
        return 1;
    }
    while (mdb_cursor_get(cursor, &key, &data, MDB_NEXT) == 0) {
        found += mdb_cursor_put(cursor, &key, &spoilt, MDB_CURRENT) == 0;
    }
    mdb_cursor_close(cursor);
    if (mdb_txn_commit(txn) != 0) {
        return 1;
    }
    mdb_env_close(env);
    return found != 1;
}

/* In what is no bucket stands no entry: not for a look, and the next page begins it anew. */
static void bucket_of_garbage_is_none(void **state)
{
    static const unsigned lengths[] = { 1, 4, 15, 900, TMPL_BUCKET_MOST + 1 };
    ctx_t *c = *state;

    assert_int_equal(try_path(c, "s", 50, &usual, 1), APR_SUCCESS);
    assert_int_equal(stats_of(c, "s", &usual).live, 4);
    for (unsigned i = 0; i < DIM(lengths); i++) {
        assert_exits(in_child_alone(c, lengths[i], child_spoils_buckets));
        assert_int_equal(stats_of(c, "s", &usual).live, 0);
        assert_int_equal(try_path(c, "s", 99, &usual, 0), APR_SUCCESS);
        assert_path(c, 0, 0, 0, 0);
        assert_int_equal(try_path(c, "s", i, &usual, 1), APR_SUCCESS);
        assert_path(c, 1, i + 2, 10, 0); /* the text, too, is one that was never seen */
        assert_int_equal(stats_of(c, "s", &usual).live, 4);
    }
}

/* Nor does it stay for ever: who sweeps takes it away. */
static void garbage_is_swept(void **state)
{
    ctx_t *c = *state;

    learn(c, "s", 1, 0, 3);
    assert_exits(in_child_alone(c, 15, child_spoils_buckets));
    learn(c, "t", 1, 0, 3);
    assert_exits(in_child_alone(c, 2, child_counts_buckets));
    for (unsigned i = 2; i < 5; i++) {
        assert_int_equal(try_observe(c, "s", 2 * i, 2 * i + 1, 0, 0, &usual, 1, TIMEOUT),
                         APR_SUCCESS);
    }
    assert_exits(in_child_alone(c, 2, child_counts_buckets));
    assert_int_equal(stats_of(c, "s", &usual).live, 6);
}

/* Forgotten, replaced, idle: what is given up is deleted, at once or by the writes that follow. */
static void nothing_is_left_behind(void **state)
{
    ctx_t *c = *state;
    tmpl_store_stats_t head = { .pages = 1 };
    apr_pool_t *pool;

    c->uri = backend_uri(LMDB, c->pool);
    pool = open_apart(c, 10);
    learn(c, "a", 1, 0, 1000);
    learn(c, "b", 1, 0, 1000);
    assert_int_equal(tmpl_store_forget(c->store, "a", &c->err, c->pool), APR_SUCCESS);
    assert_int_equal(tmpl_store_import(c->store, "b", &head, NULL, 0, &c->err, c->pool),
                     APR_SUCCESS);
    learn(c, "old", 1, 0, 1000);
    apr_pool_destroy(pool);
    /* "old": 1000 segments, and its document by address and text */
    assert_exits(in_child_alone(c, tmpl_buckets_for(1002), child_counts_buckets));
    assert_exits(in_child_alone(c, 0, child_makes_it_old));
    pool = open_apart(c, 2);
    for (unsigned i = 0; i < 50; i++) {
        learn(c, "new", i, 0, 1);
    }
    assert_unknown(c, "old");
    apr_pool_destroy(pool);
    /* "new": one segment seen often, and 50 documents */
    assert_exits(in_child_alone(c, tmpl_buckets_for(101), child_counts_buckets));
}

/* A store of max_sites, in which a child has changed what is known of "old"; of the pool that is returned. */
static apr_pool_t *open_changed(ctx_t *c, uint32_t max_sites,
                                int (*change)(ctx_t *c, unsigned number))
{
    apr_pool_t *pool;

    c->uri = backend_uri(LMDB, c->pool);
    pool = open_apart(c, max_sites);
    learn(c, "old", 1, 0, 5);
    apr_pool_destroy(pool);
    assert_exits(in_child_alone(c, 0, change));
    return open_apart(c, max_sites);
}

/* A site that is only looked at is in use. */
static void looking_keeps_a_site(void **state)
{
    ctx_t *c = *state;
    apr_pool_t *pool = open_changed(c, 1, child_makes_it_old);

    look(c, "old", 0, 5);
    assert_int_equal(try_observe(c, "new", 1, 2, 0, 5, &usual, 1, TIMEOUT), APR_ENOSPC);
    apr_pool_destroy(pool);
    assert_exits(in_child_alone(c, 0, child_makes_it_old));
    pool = open_apart(c, 1);
    learn(c, "new", 1, 0, 5);
    apr_pool_destroy(pool);
}

/* What is known goes to a site whose name is as long as LMDB allows, and a serial to be known by. */
static void named_without_end(MDB_val *key, MDB_val *data, unsigned number)
{
    static char name[511];

    (void)number;
    memset(data->mv_data, 99, 4);
    memset(name, 'a', sizeof(name));
    *key = (MDB_val){ sizeof(name), name };
}

static int child_names_it_long(ctx_t *c, unsigned number)
{
    return raw_patch(c, "sites", "old", named_without_end, number);
}

/* No site has such a name: it goes before any site that is idle, and is copied nowhere. */
static void name_without_end_is_no_site(void **state)
{
    ctx_t *c = *state;
    apr_pool_t *pool = open_changed(c, 2, child_names_it_long);

    learn(c, "new", 1, 0, 5);
    assert_int_equal(sites_of(c)->nelts, 2);
    look(c, "old", 0, 5);
    assert_int_equal(c->counts.records[4].df, 1);
    assert_int_equal(try_observe(c, "none", 1, 2, 0, 5, &usual, 1, TIMEOUT), APR_ENOSPC);
    apr_pool_destroy(pool);
}

static void buckets_without_end(MDB_val *key, MDB_val *data, unsigned number)
{
    (void)key;
    (void)number;
    memset((unsigned char *)data->mv_data + 36, 0xff, 4);
}

/* Has "old" more buckets than their numbers tell apart. */
static int child_gives_buckets_without_end(ctx_t *c, unsigned number)
{
    return raw_patch(c, "sites", "old", buckets_without_end, number);
}

static void assert_says_how_to_mend(const ctx_t *c, apr_status_t rv)
{
    assert_int_equal(rv, APR_EGENERAL);
    assert_non_null(strstr(c->err.text, lmdb_dir(c)));
    assert_non_null(strstr(c->err.text, "site old in data.mdb is damaged"));
    assert_non_null(strstr(c->err.text, "tmplctl forget"));
}

/* Whoever comes by it is told which site it is, and what to do; other sites go on, and so does this one then. */
static void buckets_without_end_are_damage(void **state)
{
    ctx_t *c = *state;
    apr_pool_t *pool = open_changed(c, 2, child_gives_buckets_without_end);
    tmpl_document_t documents[2] = { { 1, 2 }, { 3, 4 } };
    tmpl_observation_t pages[2];
    const tmpl_observation_t *both[] = { &pages[0], &pages[1] };
    tmpl_store_stats_t stats;

    for (int learning = 0; learning < 2; learning++) {
        assert_says_how_to_mend(c, try_observe(c, "old", 4, 5, 0, 5, &usual, learning, TIMEOUT));
    }
    for (unsigned i = 0; i < 2; i++) {
        pages[i] = (tmpl_observation_t){ .site = i == 0 ? "new" : "old",
                                         .document = &documents[i],
                                         .keys = keys_of(c->pool, 0, 5),
                                         .n = 5,
                                         .policy = &usual };
    }
    assert_says_how_to_mend(c,
                            tmpl_store_learn(c->store, both, 2, TIMEOUT, NULL, &c->err, c->pool));
    assert_says_how_to_mend(c, tmpl_store_stats(c->store, "old", &usual, &stats, &c->err, c->pool));
    learn(c, "new", 1, 0, 5);
    assert_int_equal(tmpl_store_forget(c->store, "old", &c->err, c->pool), APR_SUCCESS);
    learn(c, "old", 2, 0, 5);
    assert_int_equal(c->counts.pages, 1);
    assert_int_equal(c->counts.records[0].df, 1);
    apr_pool_destroy(pool);
}

/*
 * Pages learnt one by one, of sites in turn, leave the file's pages half-empty, where LMDB puts them; then buckets
 * take 22 to 25 bytes an entry. They are put in order now and then.
 */
static void pages_of_the_file_stay_full(void **state)
{
    static const tmpl_policy_t brief = {
        .min_df = 5, .lifetime_tb = 60, .lifetime_n = 1, .max_entries = 1000000
    };
    static const char *const sites[] = { "one", "two", "three" };
    ctx_t *c = *state;

    for (unsigned i = 0; i < 600; i++) {
        observe_as(c, sites[i % DIM(sites)], 2 * i, 2 * i + 1, 100 * i, 100, &brief, 1);
    }
    for (unsigned i = 0; i < DIM(sites); i++) {
        tmpl_store_stats_t stats = stats_of(c, sites[i], &brief);

        assert_true(stats.live > 6000);
        assert_in_range(stats.bytes / stats.live, 12, 19);
    }
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

/* A write transaction over the buckets of one site alone. */
typedef struct {
    tmpl_lmdb_t *db;
    MDB_txn *txn;
    tmpl_site_t site;
    tmpl_lmdb_buckets_t buckets;
} buckets_t;

static void buckets_begin(ctx_t *c, buckets_t *b)
{
    memset(b, 0, sizeof(*b));
    b->site.serial = 5;
    b->site.buckets = tmpl_buckets_new(0);
    assert_int_equal(tmpl_lmdb_open(&b->db, lmdb_dir(c), 1 << 24, &c->err), APR_SUCCESS);
    assert_int_equal(tmpl_lmdb_write_begin(b->db, tmpl_clock() + TIMEOUT, &b->txn), 0);
    assert_int_equal(tmpl_lmdb_buckets_begin(&b->buckets, b->db, b->txn, &b->site, c->pool), 0);
}

static void buckets_end(buckets_t *b)
{
    tmpl_lmdb_buckets_end(&b->buckets);
    assert_int_equal(tmpl_lmdb_write_end(b->db, b->txn, 0), 0);
    tmpl_lmdb_close(b->db);
}

/* The file may say that there are entries without end: no page pays for more than its own. */
static void buckets_grow_by_what_is_new(void **state)
{
    ctx_t *c = *state;
    buckets_t b;

    buckets_begin(c, &b);
    b.site.entries = UINT32_MAX;
    for (uint32_t n_new = 0; n_new < 4000; n_new += 1000) {
        uint32_t before = b.site.buckets.n;

        assert_int_equal(tmpl_lmdb_buckets_grow(&b.buckets, b.site.entries - n_new), 0);
        assert_in_range(b.site.buckets.n - before, tmpl_buckets_for(n_new),
                        64 + tmpl_buckets_for(n_new));
    }
    buckets_end(&b);
}

#define ENTRIES 2000

static int count_entry(void *baton, tmpl_key_t key, const tmpl_value_t *value)
{
    (void)key;
    *(unsigned *)baton += value->df == 1 && value->last == 1 && value->n == 1;
    return 0;
}

static void assert_all_there(buckets_t *b)
{
    unsigned found = 0;

    assert_int_equal(tmpl_lmdb_buckets_walk(&b->buckets, count_entry, &found), 0);
    assert_int_equal(found, ENTRIES);
    for (uint64_t i = 0; i < ENTRIES; i++) {
        tmpl_key_t key = { model_mix(i), TMPL_KIND_SEGMENT };
        tmpl_bucket_t bucket;
        tmpl_value_t value;

        assert_int_equal(
            tmpl_lmdb_bucket_get(&b->buckets, tmpl_bucket_of(&b->site.buckets, key), &bucket), 0);
        assert_true(tmpl_bucket_find(bucket.bytes, bucket.len, key, &value));
    }
}

/* More buckets and fewer: every entry is where it belongs, and none is lost or there twice. */
static void nothing_is_lost_on_the_way(void **state)
{
    static const tmpl_value_t value = { .df = 1, .last = 1, .n = 1 };
    ctx_t *c = *state;
    buckets_t b;
    uint32_t dead, n = 0;

    buckets_begin(c, &b);
    for (uint64_t i = 0; i < ENTRIES; i++) {
        tmpl_bucket_entry_t entry = { { model_mix(i), TMPL_KIND_SEGMENT }, &value };
        tmpl_bucket_t bucket;

        assert_int_equal(tmpl_lmdb_buckets_grow(&b.buckets, b.site.entries++), 0);
        n = tmpl_bucket_of(&b.site.buckets, entry.key);
        assert_int_equal(tmpl_lmdb_bucket_get(&b.buckets, n, &bucket), 0);
        assert_true(tmpl_bucket_update(&b.buckets.desk, &bucket, &entry, 1, NULL, 1, &dead));
        assert_int_equal(tmpl_lmdb_bucket_put(&b.buckets, n, &bucket), 0);
    }
    assert_int_equal(b.site.buckets.n, tmpl_buckets_for(ENTRIES - 1));
    assert_all_there(&b);
    for (b.site.entries = ENTRIES; b.site.entries > 0; b.site.entries /= 2) {
        do {
            n = b.site.buckets.n;
            assert_int_equal(tmpl_lmdb_buckets_shrink(&b.buckets), 0);
            assert_in_range(n - b.site.buckets.n, 0, TMPL_BUCKETS_MERGES);
        } while (b.site.buckets.n < n);
        assert_true(n <= tmpl_buckets_enough(b.site.entries));
        assert_all_there(&b);
    }
    assert_int_equal(b.site.buckets.n, 1);
    buckets_end(&b);
}

/* Opening uri must fail, and name it. */
static apr_status_t cannot_open(ctx_t *c, const char *uri)
{
    tmpl_store_t *store = NULL;
    apr_status_t rv = tmpl_store_open(&store, uri, NULL, &c->err, c->pool);

    assert_int_not_equal(rv, APR_SUCCESS);
    assert_int_equal(rv, c->err.status);
    assert_non_null(strstr(c->err.text, uri));
    return rv;
}

static void write_file(const char *path, const char *bytes, size_t len)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    fclose(file);
}

static void damaged_file_is_an_error(void **state)
{
    ctx_t *c = *state;
    char garbage[20000], *path;
    struct stat st;

    for (unsigned i = 0; i < sizeof(garbage); i++) {
        garbage[i] = (char)model_mix(i);
    }
    for (size_t len = 1; len <= sizeof(garbage); len = 3 * len + 17) {
        c->uri = backend_uri(LMDB, c->pool);
        write_file(apr_psprintf(c->pool, "%s/data.mdb", lmdb_dir(c)), garbage, len);
        cannot_open(c, c->uri);
    }
    /* cut short, at every page */
    c->uri = backend_uri(LMDB, c->pool);
    path = apr_psprintf(c->pool, "%s/data.mdb", lmdb_dir(c));
    assert_exits(in_child(c, 0, child_learns));
    assert_int_equal(stat(path, &st), 0);
    assert_true(st.st_size > 4 * 4096);
    for (off_t size = st.st_size - 4096; size > 0; size -= 4096) {
        assert_int_equal(truncate(path, size), 0);
        cannot_open(c, c->uri);
    }
    /* an empty file is a new one */
    assert_int_equal(truncate(path, 0), 0);
    c->store = open_with(c, c->uri, NULL);
    learn(c, "s", 1, 0, 5);
    assert_int_equal(c->counts.pages, 1);
}

static void other_format(MDB_val *key, MDB_val *data, unsigned number)
{
    (void)key;
    *(unsigned char *)data->mv_data = (unsigned char)number;
}

/* Has the file say that it is of the format number. */
static int child_names_format(ctx_t *c, unsigned number)
{
    return raw_patch(c, "meta", "format", other_format, number);
}

/* 1 and 2 had entries that stood alone. */
static void file_of_another_format_is_told(void **state)
{
    static const unsigned others[] = { 0, 1, 2, 4 };
    ctx_t *c = *state;

    c->uri = backend_uri(LMDB, c->pool);
    assert_exits(in_child(c, 0, child_learns));
    for (unsigned i = 0; i < DIM(others); i++) {
        assert_exits(in_child_alone(c, others[i], child_names_format));
        assert_int_equal(cannot_open(c, c->uri), APR_EGENERAL);
        assert_non_null(strstr(c->err.text, "not of this version"));
    }
    assert_exits(in_child_alone(c, 3, child_names_format));
    c->store = open_with(c, c->uri, NULL);
    look(c, "s", 0, 5);
    assert_int_equal(c->counts.pages, PAGES_OF_PROCESS);
}

static int child_could_open(ctx_t *c, unsigned number)
{
    (void)c;
    (void)number;
    _exit(0); /* without closing, which flushes to disk */
}

/* Takes a last page away that holds nothing; whether there was one. */
static int cut_empty_page(const char *path)
{
    static const char nothing[4096];
    char page[4096];
    struct stat st;
    int fd = open(path, O_RDWR);
    int cut = fd >= 0 && fstat(fd, &st) == 0 &&
              pread(fd, page, sizeof(page), st.st_size - 4096) == 4096 &&
              memcmp(page, nothing, sizeof(page)) == 0 && ftruncate(fd, st.st_size - 4096) == 0;

    close(fd);
    return cut;
}

/* The file as a writer leaves it that is killed between LMDB's commit and what we add to it. */
static void assert_uncovered_file_is_mended(ctx_t *c)
{
    char *lock = apr_psprintf(c->pool, "%s/writer.lock", lmdb_dir(c));
    uint32_t uncovered = 1;
    int fd = open(lock, O_RDWR);

    cannot_open(c, c->uri);
    assert_int_equal(pwrite(fd, &uncovered, sizeof(uncovered), sizeof(pthread_mutex_t)),
                     sizeof(uncovered));
    close(fd);
    apr_pool_destroy(open_apart(c, 10));
}

/* A write transaction that takes pages and gives them back, the last of the file among them. */
static void take_and_give_back(ctx_t *c)
{
    char bytes[1000] = "";
    MDB_val key = { 5, bytes }, data = { sizeof(bytes), bytes };
    tmpl_lmdb_t *db;
    MDB_txn *txn;

    assert_int_equal(tmpl_lmdb_open(&db, lmdb_dir(c), 1 << 24, &c->err), APR_SUCCESS);
    assert_int_equal(tmpl_lmdb_write_begin(db, tmpl_clock() + TIMEOUT, &txn), 0);
    for (int give = 0; give < 2; give++) {
        for (bytes[4] = 0; bytes[4] < 100; bytes[4]++) {
            MDB_dbi dbi = tmpl_lmdb_dbi(db, TMPL_DB_ENTRIES);

            assert_int_equal(
                give ? mdb_del(txn, dbi, &key, NULL) : mdb_put(txn, dbi, &key, &data, 0), 0);
        }
    }
    assert_int_equal(tmpl_lmdb_write_end(db, txn, 0), 0);
    tmpl_lmdb_close(db);
}

/*
 * LMDB leaves a last page that it has taken and given back in one transaction out of the file. That
 * must not pass for a file cut short.
 */
static void file_is_whole_after_every_page(void **state)
{
    ctx_t *c = *state;
    tmpl_policy_t brief = usual;
    apr_pool_t *pool;
    unsigned key = 0, mended = 0;

    brief.lifetime_tb = 2;
    brief.lifetime_n = 1;
    c->uri = backend_uri(LMDB, c->pool);
    pool = open_apart(c, 10);
    for (unsigned i = 0; i < 100; i++) {
        unsigned draw = (unsigned)(model_mix(model_mix(i + 4000)) >> 20);
        unsigned n = draw % 2 ? draw / 8 % 50 : draw / 8 % 5000;
        const char *site = draw / 2 % 3 == 0 ? "a" : draw / 2 % 3 == 1 ? "b" : "c";

        if (draw / 64 % 40 == 0) {
            tmpl_store_forget(c->store, site, &c->err, c->pool);
            assert_exits(in_child(c, 0, child_could_open));
        }
        observe_as(c, site, 2 * i, 2 * i + 1, key, n, &brief, 1);
        assert_exits(in_child(c, 0, child_could_open));
        key += n;
        take_and_give_back(c);
        assert_exits(in_child(c, 0, child_could_open));
        if (cut_empty_page(apr_psprintf(c->pool, "%s/data.mdb", lmdb_dir(c)))) {
            apr_pool_destroy(pool);
            assert_uncovered_file_is_mended(c);
            pool = open_apart(c, 10);
            mended++;
        }
    }
    assert_true(mended > 0);
    apr_pool_destroy(pool);
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
    return try_observe(c, "grown", 1, 2, 0, 100000, &usual, 1, TIMEOUT);
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
    look(c, "grown", 0, 100000);
    assert_int_equal(c->counts.records[99999].df, 1);
    learn(c, "grown", 2, 0, 100);
    assert_int_equal(c->counts.records[99].df, 2);
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
    TEST(LMDB, failed_writes_are_survived),
    TEST(LMDB, failed_writes_and_no_file),
    TEST(LMDB, failed_writes_between_threads),
    TEST(LMDB, processes_share_a_directory),
    TEST(LMDB, survives_kill_9),
    TEST(LMDB, reopened_it_knows_all),
    TEST(LMDB, one_directory_opened_twice),
    TEST(LMDB, full_map_still_counts),
    TEST(LMDB, full_map_heals),
    TEST(LMDB, dead_reader_keeps_nothing),
    TEST(LMDB, full_disk_still_counts),
    TEST(LMDB, sites_are_limited),
    TEST(LMDB, bucket_of_garbage_is_none),
    TEST(LMDB, garbage_is_swept),
    TEST(LMDB, nothing_is_left_behind),
    TEST(LMDB, looking_keeps_a_site),
    TEST(LMDB, name_without_end_is_no_site),
    TEST(LMDB, buckets_without_end_are_damage),
    TEST(LMDB, pages_of_the_file_stay_full),
    TEST(LMDB, large_pages_have_their_buckets),
    TEST(LMDB, buckets_grow_by_what_is_new),
    TEST(LMDB, nothing_is_lost_on_the_way),
    TEST(LMDB, stopped_writer_holds_nobody),
    TEST(LMDB, damaged_file_is_an_error),
    TEST(LMDB, file_of_another_format_is_told),
    TEST(LMDB, file_is_whole_after_every_page),
    TEST(LMDB, bad_directories),
    TEST(LMDB, follows_a_larger_map),
};

int main(int argc, char **argv)
{
    return run(table, DIM(table), argc, argv);
}
