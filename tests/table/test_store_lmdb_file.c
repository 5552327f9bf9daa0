/* SPDX-License-Identifier: Apache-2.0 */
/* LMDB's file: damaged, of another format, cut short, or with data of sites that are gone. */
#include "lmdb_fixture.h"
#include <fcntl.h>
#include <sys/file.h>

#include "base/buf.h"
#include "table/bucket.h"
#include "table/lmdb/lmdb_env.h"

static void last_seen_in_1970(MDB_val *key, MDB_val *data, unsigned number)
{
    (void)key;
    (void)number;
    memset((unsigned char *)data->mv_data + TMPL_HEAD_SIZE + 4, 0, 8);
}

static int child_makes_it_old(ctx_t *c, unsigned number)
{
    return raw_patch(c, "sites", "old", last_seen_in_1970, number);
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

    /* so many entries that even the longest of these has no room for them, or has, but is too long
     */
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

/* Forgotten, replaced, evicted: what is given up is deleted, at once or by later writes. */
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

/* A store of max_sites, in which a child has changed what is known of "old"; of the pool that is
 * returned. */
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
    apr_pool_t *pool = open_changed(c, 2, child_makes_it_old);

    learn(c, "other", 1, 0, 5);
    look(c, "old", 0, 5);
    learn(c, "new", 1, 0, 5);
    assert_unknown(c, "other");
    apr_pool_destroy(pool);
    assert_exits(in_child_alone(c, 0, child_makes_it_old));
    pool = open_apart(c, 2);
    learn(c, "newer", 1, 0, 5);
    assert_unknown(c, "old");
    apr_pool_destroy(pool);
}

/* What is known goes to a site whose name is as long as LMDB allows, and a serial to be known by.
 */
static void named_without_end(MDB_val *key, MDB_val *data, unsigned number)
{
    static char name[511];

    (void)number;
    memset((unsigned char *)data->mv_data + TMPL_HEAD_SIZE, 99, 4);
    memset(name, 'a', sizeof(name));
    *key = (MDB_val){ sizeof(name), name };
}

static int child_names_it_long(ctx_t *c, unsigned number)
{
    return raw_patch(c, "sites", "old", named_without_end, number);
}

/* No site has such a name: it goes before any site, and is copied nowhere. */
static void name_without_end_is_no_site(void **state)
{
    ctx_t *c = *state;
    apr_pool_t *pool = open_changed(c, 2, child_names_it_long);

    learn(c, "new", 1, 0, 5);
    assert_int_equal(sites_of(c)->nelts, 2);
    look(c, "old", 0, 5);
    assert_int_equal(c->counts.records[4].df, 1);
    apr_pool_destroy(pool);
}

static void buckets_without_end(MDB_val *key, MDB_val *data, unsigned number)
{
    (void)key;
    (void)number;
    memset((unsigned char *)data->mv_data + 20, 0xff, 4);
}

/* Has "old" more buckets than their numbers tell apart. */
static int child_gives_buckets_without_end(ctx_t *c, unsigned number)
{
    return raw_patch(c, "sites", "old", buckets_without_end, number);
}

static void assert_says_how_to_mend(const ctx_t *c, apr_status_t rv)
{
    assert_int_equal(rv, TMPL_EDAMAGED);
    assert_non_null(strstr(c->err.text, lmdb_dir(c)));
    assert_non_null(strstr(c->err.text, "site old in data.mdb is damaged"));
    assert_non_null(strstr(c->err.text, "tmplctl forget"));
}

/* Whoever comes by it is told which site it is, and what to do; other sites go on, and so does this
 * one then. */
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

static void write_file(const char *path, const char *bytes, size_t len)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    fclose(file);
}

static char *file_of(ctx_t *c, const char *name)
{
    return apr_psprintf(c->pool, "%s/%s", lmdb_dir(c), name);
}

static tmpl_buf_t read_file(ctx_t *c, const char *path)
{
    FILE *file = fopen(path, "r");
    tmpl_buf_t buf;

    assert_non_null(file);
    tmpl_buf_init(&buf, c->pool);
    for (size_t n = 1; n > 0; buf.len += n) {
        n = fread(tmpl_buf_room(&buf, 65536), 1, 65536, file);
    }
    fclose(file);
    return buf;
}

/* The store begins anew, and the file that was there is kept under the name that it tells. */
static void assert_begins_anew(ctx_t *c, const char *bytes, size_t len)
{
    apr_pool_t *pool = open_apart(c, 10);
    const char *moved = tmpl_store_moved(c->store);
    tmpl_buf_t kept;

    assert_non_null(moved);
    assert_true(strncmp(moved, "data.mdb.damaged-", strlen("data.mdb.damaged-")) == 0);
    moved = apr_pstrdup(c->pool, moved); /* it is the store's */
    kept = read_file(c, file_of(c, moved));
    assert_int_equal(kept.len, len);
    assert_memory_equal(kept.at, bytes, len);
    learn(c, "s", 1, 0, 5);
    assert_int_equal(c->counts.pages, 1);
    apr_pool_destroy(pool);
    unlink(file_of(c, moved));
    pool = open_apart(c, 10);
    assert_null(tmpl_store_moved(c->store));
    apr_pool_destroy(pool);
    assert_int_equal(tmpl_store_examine(c->uri, &c->err, c->pool), APR_SUCCESS);
}

static void damaged_file_is_moved_aside(void **state)
{
    ctx_t *c = *state;
    char garbage[20000], *path;
    tmpl_buf_t whole;

    for (unsigned i = 0; i < sizeof(garbage); i++) {
        garbage[i] = (char)model_mix(i);
    }
    for (size_t len = 1; len <= sizeof(garbage); len = 3 * len + 17) {
        c->uri = backend_uri(LMDB, c->pool);
        write_file(file_of(c, "data.mdb"), garbage, len);
        assert_int_equal(tmpl_store_examine(c->uri, &c->err, c->pool), APR_EGENERAL);
        assert_begins_anew(c, garbage, len);
    }
    /* cut short, at every page */
    c->uri = backend_uri(LMDB, c->pool);
    path = file_of(c, "data.mdb");
    assert_exits(in_child(c, 0, child_learns));
    whole = read_file(c, path);
    assert_true(whole.len > 4 * 4096);
    for (size_t len = 4096; len < whole.len; len += 4096) {
        write_file(path, whole.at, len);
        if (tmpl_store_examine(c->uri, &c->err, c->pool) != APR_SUCCESS) {
            assert_begins_anew(c, whole.at, len);
            continue;
        }
        /* only free pages are missing */
        assert_true(whole.len - len < 8 * 4096);
        apr_pool_t *pool = open_apart(c, 10);
        assert_null(tmpl_store_moved(c->store));
        look(c, "s", 0, 5);
        assert_int_equal(c->counts.pages, PAGES_OF_PROCESS);
        apr_pool_destroy(pool);
    }
    /* an empty file is a new one */
    assert_int_equal(truncate(path, 0), 0);
    c->store = open_with(c, c->uri, NULL);
    assert_null(tmpl_store_moved(c->store));
    learn(c, "s", 1, 0, 5);
    assert_int_equal(c->counts.pages, 1);
}

/* A process that has the store open trusts its file: to move it away would help nobody. */
static void file_in_use_stays(void **state)
{
    ctx_t *c = *state;
    char byte;
    int ready[2], end[2];

    c->uri = backend_uri(LMDB, c->pool);
    assert_exits(in_child(c, 0, child_learns));
    assert_int_equal(pipe(ready) | pipe(end), 0);
    pid_t pid = fork();
    if (pid == 0) {
        close(end[1]);
        open_apart(c, 10);
        _exit(write(ready[1], "", 1) != 1 || read(end[0], &byte, 1) != 0);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    int fd = open(file_of(c, "data.mdb"), O_RDWR);
    for (off_t page = 2; page < 6; page++) {
        assert_int_equal(pwrite(fd, "xxxx", 4, page * 4096), 4);
    }
    close(fd);
    assert_int_equal(tmpl_store_examine(c->uri, &c->err, c->pool), APR_EGENERAL);
    apr_pool_destroy(open_apart(c, 10));
    assert_int_equal(access(file_of(c, "data.mdb"), F_OK), 0);
    close(end[1]);
    assert_exits(pid);
    apr_pool_t *pool = open_apart(c, 10);
    assert_non_null(tmpl_store_moved(c->store));
    apr_pool_destroy(pool);
}

#define DAMAGES 300

static int child_uses(ctx_t *c, unsigned number)
{
    tmpl_store_stats_t stats;

    (void)number;
    for (unsigned i = 0; i < 20; i++) {
        (void)try_observe(c, "s", 5000 + i, 6000 + i, i * 40, 60, &usual, 1, TIMEOUT);
    }
    (void)tmpl_store_stats(c->store, "s", &usual, &stats, &c->err, c->pool);
    (void)tmpl_store_forget(c->store, "a", &c->err, c->pool);
    return 0;
}

/* Neither the walk nor LMDB, with what the walk has let pass, crashes on a damaged file. */
static void what_the_walk_lets_pass_is_safe(void **state)
{
    ctx_t *c = *state;
    unsigned damaged = 0;

    c->uri = backend_uri(LMDB, c->pool);
    apr_pool_t *pool = open_apart(c, 10);
    learn(c, "a", 1, 0, 2000);
    learn(c, "s", 1, 0, 9000);
    assert_int_equal(tmpl_store_forget(c->store, "a", &c->err, c->pool), APR_SUCCESS);
    learn(c, "a", 2, 0, 1500);
    apr_pool_destroy(pool);
    char *path = file_of(c, "data.mdb");
    tmpl_buf_t whole = read_file(c, path);
    size_t pages = whole.len / 4096;
    int dirty = 1;
    for (unsigned i = 0; i < DAMAGES; i++) {
        uint64_t draw = model_mix(i);
        /* mostly the heads of pages, and of those the first ones, where the metas are */
        size_t page = draw % 4 == 0 ? draw / 4 % 4 : draw / 4 % pages;
        size_t at = page * 4096 + draw / 4096 % (draw % 3 == 0 ? 4096 : 160);
        char was = whole.at[at];
        size_t bad;

        whole.at[at] = draw % 5 == 0 ? (char)(draw >> 40) : (char)(was ^ 1 << (draw >> 40) % 8);
        if (dirty) {
            write_file(path, whole.at, whole.len);
        }
        int fd = open(path, O_RDWR);
        assert_int_equal(pwrite(fd, whole.at + at, 1, (off_t)at), 1);
        whole.at[at] = was;
        int rc = tmpl_lmdb_walk(path, &bad);
        damaged += rc == MDB_CORRUPTED;
        assert_int_equal(pwrite(fd, whole.at + at, rc != 0, (off_t)at), rc != 0);
        close(fd);
        dirty = rc == 0;
        if (rc == 0) {
            int status;

            assert_int_not_equal(waitpid(in_child(c, 0, child_uses), &status, 0), -1);
            if (!WIFEXITED(status)) {
                fail_msg("damage %u, byte %lu: signal %d", i, (unsigned long)at, WTERMSIG(status));
            }
        }
    }
    assert_true(damaged > DAMAGES / 8);
}

/* Writes so many records that the list of pages that this frees has pages of its own. */
static int child_frees_many(ctx_t *c, unsigned number)
{
    static char bytes[900];
    MDB_env *env;
    MDB_txn *txn;
    MDB_dbi dbi;

    if (raw_begin(c, &env, &txn, &dbi, "entries")) {
        return 1;
    }
    for (unsigned i = 0; i < number; i++) {
        unsigned char name[TMPL_LMDB_KEY_SIZE];
        MDB_val key = tmpl_bucket_pack(name, 99, i), data = { sizeof(bytes), bytes };

        if (mdb_put(txn, dbi, &key, &data, 0) != 0) {
            return 1;
        }
    }
    int rc = mdb_txn_commit(txn);
    mdb_env_close(env);
    return rc;
}

/* Nothing that LMDB writes passes for damage. */
static void walk_lets_good_files_pass(void **state)
{
    ctx_t *c = *state;
    size_t bad;

    c->uri = backend_uri(LMDB, c->pool);
    assert_exits(in_child(c, 0, child_learns));
    for (unsigned n = 1500; n < 6000; n += 700) {
        assert_exits(in_child_alone(c, n, child_frees_many));
        assert_int_equal(tmpl_lmdb_walk(file_of(c, "data.mdb"), &bad), 0);
    }
}

/* In use, the file is removed: the next to open the store makes a new one, which all then use. */
static void removed_file_is_made_anew(void **state)
{
    ctx_t *c = *state;
    tmpl_store_t *former;
    apr_pool_t *first, *second;

    c->uri = backend_uri(LMDB, c->pool);
    first = open_apart(c, 10);
    former = c->store;
    learn(c, "s", 1, 0, 5);
    assert_false(tmpl_store_is_lost(former));
    assert_int_equal(unlink(file_of(c, "data.mdb")), 0);
    assert_true(tmpl_store_is_lost(former));
    second = open_apart(c, 10);
    assert_false(tmpl_store_is_lost(c->store));
    learn(c, "s", 1000, 0, 5);
    assert_int_equal(c->counts.pages, 1);
    assert_exits(in_child(c, 0, child_learns));
    look(c, "s", 0, 5);
    assert_int_equal(c->counts.pages, 1 + PAGES_OF_PROCESS);
    /* who uses the former one does no harm */
    apr_pool_t *third = open_apart(c, 10);
    tmpl_store_t *present = c->store;
    c->store = former;
    learn(c, "s", 2, 0, 5);
    assert_int_equal(c->counts.pages, 2);
    c->store = present;
    apr_pool_destroy(first);
    look(c, "s", 0, 5);
    assert_int_equal(c->counts.pages, 1 + PAGES_OF_PROCESS);
    apr_pool_destroy(second);
    apr_pool_destroy(third);
}

/* A program that the process starts, such as a CGI script of another user, gets no file of it. */
static void files_are_not_inherited(void **state)
{
    ctx_t *c = *state;
    struct stat data, open;
    unsigned found = 0;

    learn(c, "s", 1, 0, 5);
    assert_int_equal(stat(file_of(c, "data.mdb"), &data), 0);
    for (int fd = 0; fd < 1024; fd++) {
        if (fstat(fd, &open) == 0 && open.st_dev == data.st_dev && open.st_ino == data.st_ino) {
            assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
            found++;
        }
    }
    assert_true(found > 0);
}

/* The second process that notices finds what the first one has made. */
static void removed_file_is_made_anew_once(void **state)
{
    ctx_t *c = *state;
    char byte;
    int ready[2], removed[2];

    c->uri = backend_uri(LMDB, c->pool);
    assert_int_equal(pipe(ready) | pipe(removed), 0);
    pid_t pid = fork();
    if (pid == 0) {
        open_apart(c, 10);
        int wrong = write(ready[1], "", 1) != 1 || read(removed[0], &byte, 1) != 1 ||
                    !tmpl_store_is_lost(c->store);
        open_apart(c, 10);
        look(c, "s", 0, 5);
        _exit(wrong || c->counts.pages != 1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    apr_pool_t *former = open_apart(c, 10);
    assert_int_equal(unlink(file_of(c, "data.mdb")), 0);
    apr_pool_t *present = open_apart(c, 10);
    learn(c, "s", 1, 0, 5);
    assert_int_equal(write(removed[1], "", 1), 1);
    assert_exits(pid);
    assert_false(tmpl_store_is_lost(c->store));
    apr_pool_destroy(former);
    apr_pool_destroy(present);
}

/*
 * A process that never had the former file opens the new one first: all use the locks of that one.
 */
static void removed_file_is_made_anew_by_another(void **state)
{
    ctx_t *c = *state;
    struct stat made, found;
    char byte;
    int ready[2], go[2];

    c->uri = backend_uri(LMDB, c->pool);
    assert_int_equal(pipe(ready) | pipe(go), 0);
    apr_pool_t *former = open_apart(c, 10);
    learn(c, "s", 1, 0, 5);
    assert_int_equal(unlink(file_of(c, "data.mdb")), 0);
    pid_t pid = fork();
    if (pid == 0) {
        open_apart(c, 10);
        int wrong = write(ready[1], "", 1) != 1 || read(go[0], &byte, 1) != 1;
        learn(c, "s", 2, 5, 5);
        _exit(wrong || c->counts.pages != 2);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(stat(file_of(c, "lock.mdb"), &made), 0);
    apr_pool_t *present = open_apart(c, 10);
    assert_int_equal(stat(file_of(c, "lock.mdb"), &found), 0);
    assert_int_equal(made.st_ino, found.st_ino);
    learn(c, "s", 1, 0, 5);
    assert_int_equal(c->counts.pages, 1);
    assert_int_equal(write(go[1], "", 1), 1);
    assert_exits(pid);
    look(c, "s", 0, 5);
    assert_int_equal(c->counts.pages, 2);
    apr_pool_destroy(former);
    apr_pool_destroy(present);
}

static void seen_later(MDB_val *key, MDB_val *data, unsigned number)
{
    (void)key;
    /* behind head and serial: microseconds, little-endian */
    ((unsigned char *)data->mv_data)[TMPL_HEAD_SIZE + 4 + 7] = (unsigned char)number;
}

/* Has the file say that the site s was used thousands of years from now. */
static int child_sets_seen(ctx_t *c, unsigned number)
{
    return raw_patch(c, "sites", "s", seen_later, number);
}

/* A site of 990 entries gets new buckets on few pages only. */
static int child_learns_once(ctx_t *c, unsigned number)
{
    learn(c, "s", 0, 0, number);
    return 0;
}

/* Buckets that were read count no longer as current, however wrong the clock is. */
static void each_write_is_noticed(void **state)
{
    ctx_t *c = *state;

    c->uri = backend_uri(LMDB, c->pool);
    assert_exits(in_child(c, 990, child_learns_once));
    assert_exits(in_child_alone(c, 1, child_sets_seen));
    c->store = open_with(c, c->uri, NULL);
    for (unsigned i = 1; i < 9; i++) {
        look(c, "s", 0, 5);
        assert_int_equal(c->counts.records[4].df, i);
        assert_int_equal(c->counts.pages, i);
        learn(c, "s", i, 0, 5);
    }
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

/* 1 to 5 are those of former versions. */
static void file_of_another_format_is_told(void **state)
{
    static const unsigned others[] = { 0, 1, 2, 3, 4, 5, 7 };
    ctx_t *c = *state;

    c->uri = backend_uri(LMDB, c->pool);
    assert_exits(in_child(c, 0, child_learns));
    for (unsigned i = 0; i < DIM(others); i++) {
        assert_exits(in_child_alone(c, others[i], child_names_format));
        assert_int_equal(cannot_open(c, c->uri), APR_EGENERAL);
        assert_non_null(strstr(c->err.text, "not of this version"));
    }
    assert_exits(in_child_alone(c, 6, child_names_format));
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

/* A write transaction that takes pages and gives them back, the last of the file among them. */
static void take_and_give_back(ctx_t *c)
{
    char bytes[1000] = "";
    MDB_val key = { 5, bytes }, data = { sizeof(bytes), bytes };
    tmpl_lmdb_t *db;
    MDB_txn *txn;

    assert_int_equal(tmpl_lmdb_open(&db, lmdb_dir(c), 1 << 24, 0, &c->err), APR_SUCCESS);
    assert_int_equal(tmpl_lmdb_write_begin(db, tmpl_clock() + TIMEOUT, &txn), 0);
    for (int give = 0; give < 2; give++) {
        for (bytes[4] = 0; bytes[4] < 100; bytes[4]++) {
            MDB_dbi dbi = db->dbi[TMPL_DB_ENTRIES];

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
    unsigned key = 0;

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
        assert_int_equal(tmpl_store_examine(c->uri, &c->err, c->pool), APR_SUCCESS);
    }
    apr_pool_destroy(pool);
}

static const store_test_t table[] = {
    TEST(LMDB, bucket_of_garbage_is_none),       TEST(LMDB, garbage_is_swept),
    TEST(LMDB, nothing_is_left_behind),          TEST(LMDB, looking_keeps_a_site),
    TEST(LMDB, name_without_end_is_no_site),     TEST(LMDB, buckets_without_end_are_damage),
    TEST(LMDB, damaged_file_is_moved_aside),     TEST(LMDB, file_in_use_stays),
    TEST(LMDB, what_the_walk_lets_pass_is_safe), TEST(LMDB, walk_lets_good_files_pass),
    TEST(LMDB, files_are_not_inherited),         TEST(LMDB, removed_file_is_made_anew),
    TEST(LMDB, removed_file_is_made_anew_once),  TEST(LMDB, removed_file_is_made_anew_by_another),
    TEST(LMDB, each_write_is_noticed),           TEST(LMDB, file_of_another_format_is_told),
    TEST(LMDB, file_is_whole_after_every_page),
};

int main(int argc, char **argv)
{
    return run(table, DIM(table), argc, argv);
}
