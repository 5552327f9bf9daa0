/* SPDX-License-Identifier: Apache-2.0 */
#include "table/lmdb/lmdb_env.h"

#include <endian.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "table/lmdb/lmdb_lock.h"

#define FORMAT        4
#define MAX_READERS   4096  /* threads that read at the same moment, over all processes */
#define IDLE_READERS  32    /* read transactions kept for the next reader */
#define FIRST_PAGES   2     /* where LMDB says which page is the root */
#define RESERVE_PAGES 64    /* kept for deleting when the map is full */
#define GROWTH        65536 /* bytes; a site's record and the list of free pages are fewer pages */
#define OPEN_TIMEOUT  apr_time_from_sec(10)
#define CLOSE_SECONDS 2

struct tmpl_lmdb_t {
    tmpl_lmdb_t *next;
    unsigned refs;
    pid_t pid; /* who opened it: a child must not use what it inherits */
    dev_t dev; /* the directory, whatever it is called */
    ino_t ino;
    char *dir;
    MDB_env *env;    /* NULL after it could not be opened anew */
    size_t map_size; /* of the environment before that */
    off_t least;     /* bytes of the file that must be there: LMDB's first pages */
    MDB_dbi dbi[TMPL_DB_COUNT];
    tmpl_lmdb_lock_t writer;
    /* threads that may hold a lock of LMDB or the writers': they write, wait for it, or are new as readers; atomic */
    unsigned locking;
    /* held for reading by every transaction, for writing to change the map or the environment */
    pthread_rwlock_t map_lock;
    pthread_mutex_t idle_lock;
    MDB_txn *idle[IDLE_READERS];
    unsigned n_idle;
    char idle_from[TMPL_SITE_MAX + 1];
};

static const char *const db_names[TMPL_DB_COUNT] = { "meta", "sites", "entries", "doomed" };

static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;
static tmpl_lmdb_t *open_list;

const char *tmpl_lmdb_dir(const tmpl_lmdb_t *db)
{
    return db->dir;
}

MDB_dbi tmpl_lmdb_dbi(const tmpl_lmdb_t *db, tmpl_db_e which)
{
    return db->dbi[which];
}

char *tmpl_lmdb_idle_from(tmpl_lmdb_t *db)
{
    return db->idle_from;
}

apr_status_t tmpl_lmdb_fail(const tmpl_lmdb_t *db, int rc, tmpl_error_t *err, const char *doing)
{
    return tmpl_lmdb_dir_fail(db->dir, rc, err, doing);
}

/* Or LMDB maps less than it believes. */
static size_t whole_pages(size_t size)
{
    return (size + 65535) & ~(size_t)65535;
}

/* The map has changed its size elsewhere (size 0), or is to change it here. */
static int map_resize(tmpl_lmdb_t *db, size_t size)
{
    int rc;

    pthread_rwlock_wrlock(&db->map_lock);
    rc = db->env != NULL ? mdb_env_set_mapsize(db->env, size) : MDB_PANIC;
    pthread_rwlock_unlock(&db->map_lock);
    return rc;
}

static MDB_txn *idle_pop(tmpl_lmdb_t *db)
{
    MDB_txn *txn = NULL;

    pthread_mutex_lock(&db->idle_lock);
    if (db->n_idle > 0) {
        txn = db->idle[--db->n_idle];
    }
    pthread_mutex_unlock(&db->idle_lock);
    return txn;
}

/* Keeps a reset read transaction: it holds its reader's slot, so the next one takes no lock. */
static void idle_push(tmpl_lmdb_t *db, MDB_txn *txn)
{
    int kept = 0;

    pthread_mutex_lock(&db->idle_lock);
    if (db->n_idle < IDLE_READERS) {
        db->idle[db->n_idle++] = txn;
        kept = 1;
    }
    pthread_mutex_unlock(&db->idle_lock);
    if (!kept) {
        mdb_txn_abort(txn);
    }
}

/* The order of LMDB's own, for keys of 8 bytes, which all of the table's are, without a call. */
static int entries_order(const MDB_val *a, const MDB_val *b)
{
    size_t least = a->mv_size < b->mv_size ? a->mv_size : b->mv_size;
    uint64_t x, y;
    int order;

    if (a->mv_size == sizeof(x) && b->mv_size == sizeof(y)) {
        memcpy(&x, a->mv_data, sizeof(x));
        memcpy(&y, b->mv_data, sizeof(y));
        x = be64toh(x);
        y = be64toh(y);
        return (x > y) - (x < y);
    }
    order = memcmp(a->mv_data, b->mv_data, least);
    return order != 0 ? order : (a->mv_size > b->mv_size) - (a->mv_size < b->mv_size);
}

static int dbis_open(tmpl_lmdb_t *db, MDB_txn *txn, unsigned flags)
{
    MDB_val key = { 6, (void *)"format" }, data;
    unsigned char format = FORMAT;
    int rc = 0;

    for (int i = 0; rc == 0 && i < TMPL_DB_COUNT; i++) {
        rc = mdb_dbi_open(txn, db_names[i], flags, &db->dbi[i]);
    }
    if (rc == 0) {
        rc = mdb_set_compare(txn, db->dbi[TMPL_DB_ENTRIES], entries_order);
    }
    if (rc == 0) {
        rc = mdb_get(txn, db->dbi[TMPL_DB_META], &key, &data);
        if (rc == MDB_NOTFOUND && flags != 0) {
            data.mv_size = 1;
            data.mv_data = &format;
            rc = mdb_put(txn, db->dbi[TMPL_DB_META], &key, &data, 0);
        }
        else if (rc == 0 && (data.mv_size != 1 || *(const unsigned char *)data.mv_data != format)) {
            rc = MDB_INCOMPATIBLE;
        }
    }
    return rc;
}

/* Opens the databases for reading; MDB_NOTFOUND if they are not there. */
static int tables_find(tmpl_lmdb_t *db)
{
    MDB_txn *txn;
    int rc = mdb_txn_begin(db->env, NULL, MDB_RDONLY, &txn);

    if (rc == 0) {
        rc = dbis_open(db, txn, 0);
        if (rc == 0) {
            return mdb_txn_commit(txn); /* what makes the handles last */
        }
        mdb_txn_abort(txn);
    }
    return rc;
}

/* The file's length, and the length its last page ends at. */
static int file_sizes(MDB_env *env, off_t *is, off_t *should)
{
    MDB_envinfo info;
    MDB_stat stat;
    struct stat st;
    mdb_filehandle_t fd;

    mdb_env_info(env, &info);
    mdb_env_stat(env, &stat);
    if (mdb_env_get_fd(env, &fd) != 0 || fstat(fd, &st) != 0) {
        return errno;
    }
    *is = st.st_size;
    *should = (off_t)(info.me_last_pgno + 1) * stat.ms_psize;
    return 0;
}

/*
 * LMDB has its file mapped, and what is missing of the file is missing of the map: to touch it is SIGBUS. So each transaction
 * looks whether somebody has cut it: before, whether there are LMDB's first pages, and the length; in it, whether its last page
 * is behind that. Who cuts the file later, in the midst of a transaction, still ends the process.
 */
static int file_length(const tmpl_lmdb_t *db, off_t *length)
{
    mdb_filehandle_t fd;
    struct stat st;

    if (mdb_env_get_fd(db->env, &fd) != 0 || fstat(fd, &st) != 0) {
        return errno;
    }
    *length = st.st_size;
    return st.st_size < db->least ? MDB_CORRUPTED : 0;
}

/* Whether the file may lack its last pages: see file_cover(). */
static int is_uncovered(const tmpl_lmdb_t *db)
{
    return __atomic_load_n(&db->writer.shared->uncovered, __ATOMIC_ACQUIRE) != 0;
}

/* It was so long before the transaction began; others may have written since. */
static int file_was_cut(const tmpl_lmdb_t *db, off_t is)
{
    MDB_envinfo info;
    off_t should;

    mdb_env_info(db->env, &info);
    should = (off_t)(info.me_last_pgno + 1) * (db->least / FIRST_PAGES);
    for (int tries = 0; is < should && tries < 3; tries++) {
        if (is_uncovered(db) || file_sizes(db->env, &is, &should) != 0) {
            return 0;
        }
    }
    return is < should && !is_uncovered(db);
}

static int env_start(tmpl_lmdb_t *db)
{
    int rc = tmpl_lmdb_readers_reserve(db->dir, MAX_READERS);
    MDB_stat stat;

    if (rc == 0) {
        rc = mdb_env_create(&db->env);
    }
    if (rc == 0) {
        rc = mdb_env_set_maxdbs(db->env, TMPL_DB_COUNT);
    }
    if (rc == 0) {
        rc = mdb_env_set_maxreaders(db->env, MAX_READERS);
    }
    if (rc == 0) {
        rc = mdb_env_set_mapsize(db->env, db->map_size);
    }
    if (rc == 0) {
        rc = mdb_env_open(db->env, db->dir, MDB_NOSYNC | MDB_NOTLS, 0600);
    }
    if (rc == 0) {
        rc = mdb_env_stat(db->env, &stat);
        db->least = FIRST_PAGES * (off_t)stat.ms_psize;
    }
    return rc;
}

static void env_stop(tmpl_lmdb_t *db)
{
    while (db->n_idle > 0) {
        mdb_txn_abort(db->idle[--db->n_idle]);
    }
    if (db->env != NULL) {
        mdb_env_close(db->env);
    }
    db->env = NULL;
}

static int env_is_dead(const tmpl_lmdb_t *db)
{
    MDB_txn *txn;
    int rc = db->env != NULL ? mdb_txn_begin(db->env, NULL, MDB_RDONLY, &txn) : MDB_PANIC;

    if (rc == 0) {
        mdb_txn_abort(txn);
    }
    return rc == MDB_PANIC;
}

/*
 * LMDB lets nobody in after a write of its first pages has failed (MDB_PANIC). What was committed before
 * is still there, so it is opened anew, once no thread is in a transaction; other processes have
 * environments of their own. A file that is short may belong to a writer who is just committing: next time.
 */
static int env_reopen(tmpl_lmdb_t *db)
{
    MDB_envinfo info;
    off_t is = 0, should = 0;
    int rc = 0;

    pthread_rwlock_wrlock(&db->map_lock);
    if (env_is_dead(db)) { /* or another thread has been here */
        if (db->env != NULL) {
            mdb_env_info(db->env, &info);
            db->map_size = info.me_mapsize;
        }
        env_stop(db);
        rc = env_start(db);
        if (rc == 0) {
            rc = file_sizes(db->env, &is, &should);
        }
        if (rc == 0) {
            rc = is < should ? MDB_CORRUPTED : tables_find(db);
        }
        if (rc == MDB_NOTFOUND) {
            rc = MDB_PANIC; /* somebody has taken the file away */
        }
        if (rc != 0) {
            env_stop(db);
        }
    }
    pthread_rwlock_unlock(&db->map_lock);
    return rc;
}

/* A read transaction: one that is idle, or a new one. */
static int read_start(tmpl_lmdb_t *db, MDB_txn **txn)
{
    MDB_txn *idle = idle_pop(db);
    int rc;

    if (idle == NULL) {
        __atomic_add_fetch(&db->locking, 1, __ATOMIC_RELAXED);
        rc = mdb_txn_begin(db->env, NULL, MDB_RDONLY, txn);
        __atomic_sub_fetch(&db->locking, 1, __ATOMIC_RELAXED);
        return rc;
    }
    rc = mdb_txn_renew(idle);
    if (rc == 0) {
        *txn = idle;
    }
    else {
        mdb_txn_abort(idle);
    }
    return rc;
}

/* One attempt; MDB_MAP_RESIZED and MDB_PANIC are for the caller. */
static int read_try(tmpl_lmdb_t *db, MDB_txn **txn)
{
    off_t length = 0;
    int rc = db->env != NULL ? file_length(db, &length) : MDB_PANIC;

    if (rc == 0) {
        rc = read_start(db, txn);
    }
    if (rc == 0 && file_was_cut(db, length)) {
        mdb_txn_abort(*txn);
        rc = MDB_CORRUPTED;
    }
    return rc;
}

int tmpl_lmdb_read_begin(tmpl_lmdb_t *db, MDB_txn **txn)
{
    int rc = 0;

    for (int tries = 0; tries < 3; tries++) {
        pthread_rwlock_rdlock(&db->map_lock);
        rc = read_try(db, txn);
        if (rc == 0) {
            return 0;
        }
        pthread_rwlock_unlock(&db->map_lock);
        if (rc == MDB_MAP_RESIZED) {
            rc = map_resize(db, 0);
        }
        else if (rc == MDB_READERS_FULL) {
            tmpl_lmdb_reader_check(db);
        }
        else if (rc != MDB_PANIC || (rc = env_reopen(db)) != 0) {
            break;
        }
    }
    return rc != 0 ? rc : MDB_MAP_RESIZED;
}

void tmpl_lmdb_read_end(tmpl_lmdb_t *db, MDB_txn *txn)
{
    mdb_txn_reset(txn);
    idle_push(db, txn);
    pthread_rwlock_unlock(&db->map_lock);
}

static int write_start(tmpl_lmdb_t *db, MDB_txn **txn)
{
    off_t length = 0;
    int rc = db->env != NULL ? file_length(db, &length) : MDB_PANIC;

    if (rc == 0) {
        rc = mdb_txn_begin(db->env, NULL, 0, txn);
    }
    if (rc == 0 && file_was_cut(db, length)) {
        mdb_txn_abort(*txn);
        rc = MDB_CORRUPTED;
    }
    return rc;
}

/* For who is counted among those that may hold a lock. */
static int write_try(tmpl_lmdb_t *db, apr_time_t deadline, MDB_txn **txn)
{
    int rc = tmpl_lmdb_lock_take(&db->writer, deadline);

    if (rc != 0) {
        return rc;
    }
    for (int tries = 0; tries < 3; tries++) {
        pthread_rwlock_rdlock(&db->map_lock);
        rc = write_start(db, txn);
        if (rc == 0) {
            return 0;
        }
        pthread_rwlock_unlock(&db->map_lock);
        if (rc == MDB_MAP_RESIZED) {
            rc = map_resize(db, 0);
        }
        else if (rc != MDB_PANIC || (rc = env_reopen(db)) != 0) {
            break;
        }
    }
    tmpl_lmdb_lock_give(&db->writer);
    return rc != 0 ? rc : MDB_MAP_RESIZED;
}

int tmpl_lmdb_write_begin(tmpl_lmdb_t *db, apr_time_t deadline, MDB_txn **txn)
{
    int rc;

    __atomic_add_fetch(&db->locking, 1, __ATOMIC_RELAXED);
    rc = write_try(db, deadline, txn);
    if (rc != 0) {
        __atomic_sub_fetch(&db->locking, 1, __ATOMIC_RELAXED);
    }
    return rc;
}

/*
 * LMDB does not write a last page that was taken and given back within one transaction. We see to
 * it that the file has it all the same: so a file that is too short is known to have been cut off.
 */
static int file_cover(MDB_env *env)
{
    mdb_filehandle_t fd;
    off_t is = 0, should = 0;
    int rc = file_sizes(env, &is, &should);

    if (rc == 0 && is < should) {
        rc = mdb_env_get_fd(env, &fd);
        if (rc == 0 && ftruncate(fd, should) != 0) {
            rc = errno;
        }
    }
    return rc;
}

int tmpl_lmdb_write_end(tmpl_lmdb_t *db, MDB_txn *txn, int rc)
{
    if (rc != 0) {
        mdb_txn_abort(txn);
    }
    else {
        db->writer.shared->uncovered = 1; /* stays so if we are killed before the file is covered */
        rc = mdb_txn_commit(txn);
        db->writer.shared->uncovered = file_cover(db->env) != 0;
    }
    pthread_rwlock_unlock(&db->map_lock);
    tmpl_lmdb_lock_give(&db->writer);
    __atomic_sub_fetch(&db->locking, 1, __ATOMIC_RELAXED);
    return rc;
}

/*
 * Whether the file has all its pages: to touch one that is missing would be SIGBUS. It may lack the
 * last ones if a writer is just committing, or was killed at that.
 */
static int file_check(tmpl_lmdb_t *db)
{
    off_t is = 0, should = 0;
    int rc = file_sizes(db->env, &is, &should);

    if (rc == 0 && is < should) {
        rc = tmpl_lmdb_lock_take(&db->writer, tmpl_clock() + OPEN_TIMEOUT);
        if (rc == 0) {
            if (db->writer.shared->uncovered) {
                rc = file_cover(db->env);
            }
            if (rc == 0) {
                rc = file_sizes(db->env, &is, &should);
            }
            tmpl_lmdb_lock_give(&db->writer);
        }
    }
    return rc == 0 && is < should ? MDB_CORRUPTED : rc;
}

/* Pages on LMDB's own list of free ones, counted up to enough. */
static size_t free_pages(tmpl_lmdb_t *db, size_t enough)
{
    MDB_cursor *cursor;
    MDB_val key, data;
    MDB_txn *txn;
    size_t n, sum = 0;

    /* a read transaction beside the write transaction: LMDB shows its list to no other */
    if (read_try(db, &txn) != 0) {
        return enough; /* let the writing find out */
    }
    if (mdb_cursor_open(txn, 0, &cursor) == 0) {
        while (sum < enough && mdb_cursor_get(cursor, &key, &data, MDB_NEXT) == 0) {
            memcpy(&n, data.mv_data, sizeof(n)); /* their number, then the pages */
            sum += n;
        }
        mdb_cursor_close(cursor);
    }
    mdb_txn_reset(txn);
    idle_push(db, txn);
    return sum;
}

int tmpl_lmdb_is_tight(tmpl_lmdb_t *db, uint64_t bytes)
{
    MDB_envinfo info;
    MDB_stat stat;
    size_t pages, reserve, available;

    mdb_env_info(db->env, &info);
    mdb_env_stat(db->env, &stat);
    pages = info.me_mapsize / stat.ms_psize;
    reserve = pages / 8 < RESERVE_PAGES ? pages / 8 : RESERVE_PAGES;
    reserve += (size_t)(bytes / stat.ms_psize);
    available = pages > info.me_last_pgno ? pages - info.me_last_pgno - 1 : 0;
    return available < reserve && available + free_pages(db, reserve - available) < reserve;
}

int tmpl_lmdb_grow(tmpl_lmdb_t *db)
{
    MDB_envinfo info;
    int rc;

    pthread_rwlock_rdlock(&db->map_lock);
    rc = db->env != NULL ? mdb_env_info(db->env, &info) : MDB_PANIC;
    pthread_rwlock_unlock(&db->map_lock);
    return rc == 0 ? map_resize(db, whole_pages(info.me_mapsize + GROWTH)) : rc;
}

void tmpl_lmdb_reader_check(tmpl_lmdb_t *db)
{
    int dead;

    pthread_rwlock_rdlock(&db->map_lock);
    if (db->env != NULL) {
        mdb_reader_check(db->env, &dead);
    }
    pthread_rwlock_unlock(&db->map_lock);
}

/* Opens the databases, for reading if they exist, so that it works next to a writer that hangs. */
static int tables_open(tmpl_lmdb_t *db)
{
    MDB_txn *txn;
    int rc = tables_find(db);

    if (rc == MDB_NOTFOUND) {
        rc = tmpl_lmdb_write_begin(db, tmpl_clock() + OPEN_TIMEOUT, &txn);
        if (rc == 0) {
            rc = tmpl_lmdb_write_end(db, txn, dbis_open(db, txn, MDB_CREATE));
        }
    }
    return rc;
}

static int env_open(tmpl_lmdb_t *db)
{
    int rc = env_start(db);

    if (rc == 0) {
        rc = file_check(db);
    }
    if (rc == 0) {
        tmpl_lmdb_reader_check(db);
        rc = tables_open(db);
    }
    return rc;
}

/* Joined with the list's lock held. */
static tmpl_lmdb_t *open_find(const struct stat *st)
{
    for (tmpl_lmdb_t *db = open_list; db != NULL; db = db->next) {
        if (db->dev == st->st_dev && db->ino == st->st_ino && db->pid == getpid()) {
            return db;
        }
    }
    return NULL;
}

static void db_free(tmpl_lmdb_t *db)
{
    env_stop(db);
    tmpl_lmdb_lock_close(&db->writer);
    pthread_rwlock_destroy(&db->map_lock);
    pthread_mutex_destroy(&db->idle_lock);
    free(db->dir);
    free(db);
}

static int open_new(tmpl_lmdb_t **opened, const char *dir, const struct stat *st, size_t map_size)
{
    tmpl_lmdb_t *db = calloc(1, sizeof(*db));
    int rc;

    if (db == NULL) {
        return ENOMEM;
    }
    db->refs = 1;
    db->pid = getpid();
    db->dev = st->st_dev;
    db->ino = st->st_ino;
    db->dir = strdup(dir);
    db->map_size = whole_pages(map_size);
    pthread_rwlock_init(&db->map_lock, NULL);
    pthread_mutex_init(&db->idle_lock, NULL);
    db->writer.fd = -1;
    rc = db->dir != NULL ? tmpl_lmdb_lock_open(&db->writer, dir) : ENOMEM;
    if (rc == 0) {
        rc = env_open(db);
    }
    if (rc != 0) {
        db_free(db);
        return rc;
    }
    db->next = open_list;
    open_list = db;
    *opened = db;
    return 0;
}

/* One more user of an open environment; the map grows if this one wants it larger. */
static int open_join(tmpl_lmdb_t *db, size_t map_size)
{
    MDB_envinfo info = { .me_mapsize = SIZE_MAX };

    pthread_rwlock_rdlock(&db->map_lock);
    if (db->env != NULL) {
        mdb_env_info(db->env, &info);
    }
    pthread_rwlock_unlock(&db->map_lock);
    db->refs++;
    return map_size > info.me_mapsize ? map_resize(db, whole_pages(map_size)) : 0;
}

apr_status_t tmpl_lmdb_open(tmpl_lmdb_t **opened, const char *dir, apr_size_t map_size,
                            tmpl_error_t *err)
{
    struct stat st;
    tmpl_lmdb_t *db;
    int rc = 0;

    pthread_mutex_lock(&open_lock);
    if (mkdir(dir, 0700) != 0 && errno != EEXIST) {
        rc = errno;
    }
    else if (stat(dir, &st) != 0) {
        rc = errno;
    }
    else if (!S_ISDIR(st.st_mode)) {
        rc = ENOTDIR;
    }
    else if ((db = open_find(&st)) != NULL) {
        rc = open_join(db, map_size);
        *opened = db;
    }
    else {
        rc = open_new(opened, dir, &st, map_size);
    }
    pthread_mutex_unlock(&open_lock);
    return rc == 0 ? APR_SUCCESS : tmpl_lmdb_dir_fail(dir, rc, err, "cannot open");
}

/* 0: who has it does not go on. */
static int open_lock_take(void)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += CLOSE_SECONDS;
    return pthread_mutex_timedlock(&open_lock, &until) == 0;
}

/*
 * prefork ends a child by destroying its pools within a signal's handler. Whom that has interrupted may hold the lock
 * of the list, or one that stands in a file and is everybody's: then nothing is unmapped, so that the kernel finds it, and
 * gives it to others, when the process has ended.
 */
void tmpl_lmdb_close(tmpl_lmdb_t *db)
{
    if (!open_lock_take()) {
        return;
    }
    /* in a child that has inherited it, it is not ours to close */
    if (db->pid == getpid() && --db->refs == 0 &&
        __atomic_load_n(&db->locking, __ATOMIC_RELAXED) == 0) {
        tmpl_lmdb_t **at = &open_list;

        while (*at != db) {
            at = &(*at)->next;
        }
        *at = db->next;
        if (db->env != NULL) {
            mdb_env_sync(db->env, 1);
        }
        db_free(db);
    }
    pthread_mutex_unlock(&open_lock);
}
