/* SPDX-License-Identifier: Apache-2.0 */
#include "table/lmdb/lmdb_env.h"

#include <endian.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "table/lmdb/lmdb_lock.h"
#include "table/lmdb/lmdb_walk.h"

#define FORMAT        6
#define MAX_READERS   4096  /* threads that read at the same moment, over all processes */
#define TRIES         3     /* tries to begin a transaction */
#define RESERVE_PAGES 64    /* kept for deleting when the map is full */
#define GROWTH        65536 /* bytes; a site's record and the list of free pages need fewer */
#define OPEN_TIMEOUT  apr_time_from_sec(1)
#define CLOSE_SECONDS 2

struct tmpl_lmdb_t {
    tmpl_lmdb_t *next;
    unsigned refs;
    pid_t pid; /* the process that opened it; a child must not use what it inherits */
    dev_t dev; /* dev and ino: the directory, whatever its path */
    ino_t ino;
    dev_t file_dev; /* data.mdb, as it was opened */
    ino_t file_ino;
    int leaves_damaged;
    char moved[48]; /* the name of the damaged file that was there before; empty: none was */
    int is_lost;    /* the file is no longer in dir, and a newer environment has dir open */
    /* held for reading by every transaction, for writing to change the map or the environment */
    pthread_rwlock_t map_lock;
    MDB_env *env;    /* NULL after it could not be opened again */
    size_t map_size; /* of env, or of the next env */
    MDB_dbi dbi[TMPL_DB_COUNT];
    tmpl_lmdb_lock_t writer;
    MDB_txn *writing; /* the write transaction; only its owner may look */
    unsigned locking; /* threads that may hold a lock of LMDB's, or the writers' lock; atomic */
    char search_from[TMPL_SITE_MAX + 1];
    char dir[];
};

static const char *const db_names[TMPL_DB_COUNT] = { TMPL_LMDB_META, "sites", "entries",
                                                     "dropped" };

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

char *tmpl_lmdb_search_from(tmpl_lmdb_t *db)
{
    return db->search_from;
}

apr_status_t tmpl_lmdb_fail(const tmpl_lmdb_t *db, int rc, tmpl_error_t *err, const char *doing)
{
    return tmpl_lmdb_dir_fail(db->dir, rc, err, doing);
}

/* Rounds size to whole pages: otherwise LMDB maps less than it believes. */
static size_t whole_pages(size_t size)
{
    return (size + 65535) & ~(size_t)65535;
}

static void env_stop(tmpl_lmdb_t *db)
{
    if (db->env != NULL) {
        mdb_env_close(db->env);
    }
    db->env = NULL;
}

/* Reads the size of the map: LMDB may have made it larger than requested. */
static void map_size_read(tmpl_lmdb_t *db)
{
    MDB_envinfo info;

    mdb_env_info(db->env, &info);
    db->map_size = info.me_mapsize;
}

/* LMDB's own order for keys of 8 bytes, without a call. All keys of the table have 8 bytes. */
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

int tmpl_lmdb_secret_get(tmpl_lmdb_t *db, MDB_txn *txn, char secret[TMPL_SECRET_SIZE])
{
    MDB_val key = { 6, (void *)"secret" }, data = { 0, NULL };
    int rc = mdb_get(txn, db->dbi[TMPL_DB_META], &key, &data);

    if (rc == 0 && data.mv_size < TMPL_SECRET_SIZE) {
        memcpy(secret, data.mv_data, data.mv_size);
    }
    secret[rc == 0 && data.mv_size < TMPL_SECRET_SIZE ? data.mv_size : 0] = '\0';
    return rc == MDB_NOTFOUND ? 0 : rc;
}

int tmpl_lmdb_secret_put(tmpl_lmdb_t *db, MDB_txn *txn, const char *secret)
{
    MDB_val key = { 6, (void *)"secret" }, data = { strlen(secret), (void *)secret };

    return mdb_put(txn, db->dbi[TMPL_DB_META], &key, &data, 0);
}

int tmpl_lmdb_format(MDB_txn *txn, MDB_dbi meta)
{
    MDB_val key = { 6, (void *)"format" }, data;
    int rc = mdb_get(txn, meta, &key, &data);

    return rc == 0 && (data.mv_size != 1 || *(const unsigned char *)data.mv_data != FORMAT)
               ? MDB_INCOMPATIBLE
               : rc;
}

static int dbis_open(tmpl_lmdb_t *db, MDB_txn *txn, unsigned flags)
{
    unsigned char format = FORMAT;
    int rc = 0;

    for (int i = 0; rc == 0 && i < TMPL_DB_COUNT; i++) {
        rc = mdb_dbi_open(txn, db_names[i], flags, &db->dbi[i]);
    }
    if (rc == 0) {
        rc = mdb_set_compare(txn, db->dbi[TMPL_DB_ENTRIES], entries_order);
    }
    if (rc == 0) {
        rc = tmpl_lmdb_format(txn, db->dbi[TMPL_DB_META]);
        if (rc == MDB_NOTFOUND && flags != 0) {
            MDB_val key = { 6, (void *)"format" }, data = { 1, &format };
            char secret[TMPL_SECRET_SIZE];

            rc = mdb_put(txn, db->dbi[TMPL_DB_META], &key, &data, 0);
            tmpl_secret_draw(secret);
            rc = rc == 0 ? tmpl_lmdb_secret_put(db, txn, secret) : rc;
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
            return mdb_txn_commit(txn); /* the commit makes the handles last */
        }
        mdb_txn_abort(txn);
    }
    return rc;
}

static int env_start(tmpl_lmdb_t *db)
{
    int rc = tmpl_lmdb_readers_reserve(db->dir);

    if (rc != 0 || (rc = mdb_env_create(&db->env)) != 0) {
        return rc;
    }
    if ((rc = mdb_env_set_maxdbs(db->env, TMPL_DB_COUNT)) == 0 &&
        (rc = mdb_env_set_maxreaders(db->env, MAX_READERS)) == 0 &&
        (rc = mdb_env_set_mapsize(db->env, db->map_size)) == 0 &&
        (rc = mdb_env_open(db->env, db->dir, MDB_NOSYNC | MDB_NOTLS, 0600)) == 0) {
        map_size_read(db);
    }
    return rc;
}

/* Opens the environment anew, as large as it was. The caller holds map_lock for writing. */
static int env_restart(tmpl_lmdb_t *db)
{
    int is_lost = tmpl_lmdb_is_lost(db);
    env_stop(db);
    int rc = is_lost ? MDB_NOTFOUND : env_start(db);
    if (rc == 0) {
        rc = tables_find(db);
    }
    if (rc != 0) {
        env_stop(db);
    }
    return rc == MDB_NOTFOUND ? MDB_PANIC : rc; /* somebody has taken the file away */
}

/*
 * LMDB refuses every transaction after a write of its first pages has failed (MDB_PANIC). What was
 * committed before is still there, so the environment is opened again, once no thread is in a
 * transaction. Other processes have environments of their own.
 */
static int env_revive(tmpl_lmdb_t *db, const MDB_env *dead)
{
    pthread_rwlock_wrlock(&db->map_lock);
    int rc = db->env == dead ? env_restart(db) : 0; /* another thread may have done this already */
    pthread_rwlock_unlock(&db->map_lock);
    return rc;
}

/* Follows a map that another process made larger (size 0), or changes its size here. */
static int map_resize(tmpl_lmdb_t *db, size_t size)
{
    int rc = MDB_PANIC;

    pthread_rwlock_wrlock(&db->map_lock);
    if (db->env != NULL) {
        rc = mdb_env_set_mapsize(db->env, size);
        if (rc == 0) {
            map_size_read(db);
        }
        else {
            (void)env_restart(db); /* LMDB has unmapped the file */
        }
    }
    pthread_rwlock_unlock(&db->map_lock);
    return rc;
}

/* Begins a transaction. If this succeeds the thread holds map_lock until the transaction ends. */
static int txn_begin(tmpl_lmdb_t *db, unsigned flags, MDB_txn **txn)
{
    int rc = 0;

    for (int tries = 0; tries < TRIES; tries++) {
        pthread_rwlock_rdlock(&db->map_lock);
        MDB_env *env = db->env;
        __atomic_add_fetch(&db->locking, 1, __ATOMIC_RELAXED);
        rc = env != NULL ? mdb_txn_begin(env, NULL, flags, txn) : MDB_PANIC;
        __atomic_sub_fetch(&db->locking, 1, __ATOMIC_RELAXED);
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
        else if (rc != MDB_PANIC || (rc = env_revive(db, env)) != 0) {
            break;
        }
    }
    return rc != 0 ? rc : MDB_MAP_RESIZED;
}

int tmpl_lmdb_read_begin(tmpl_lmdb_t *db, MDB_txn **txn)
{
    return txn_begin(db, MDB_RDONLY, txn);
}

void tmpl_lmdb_read_end(tmpl_lmdb_t *db, MDB_txn *txn)
{
    mdb_txn_abort(txn);
    pthread_rwlock_unlock(&db->map_lock);
}

int tmpl_lmdb_write_begin(tmpl_lmdb_t *db, apr_time_t deadline, MDB_txn **txn)
{
    __atomic_add_fetch(&db->locking, 1, __ATOMIC_RELAXED);
    int rc = tmpl_lmdb_lock_take(&db->writer, deadline);
    if (rc == 0) {
        rc = txn_begin(db, 0, txn);
        if (rc == 0) {
            db->writing = *txn;
            return 0;
        }
        tmpl_lmdb_lock_give(&db->writer);
    }
    __atomic_sub_fetch(&db->locking, 1, __ATOMIC_RELAXED);
    return rc;
}

/*
 * Sets *lacks to the bytes that LMDB counts as used and data.mdb lacks; with cover, adds them to
 * the file.
 */
static int file_lacks(MDB_env *env, int cover, off_t *lacks)
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
    *lacks = (off_t)(info.me_last_pgno + 1) * stat.ms_psize - st.st_size;
    if (cover && *lacks > 0) {
        if (ftruncate(fd, st.st_size + *lacks) != 0) {
            return errno;
        }
        *lacks = 0;
    }
    return 0;
}

/*
 * LMDB does not write a last page that was taken and given back within one transaction. Each commit
 * makes the file cover that page, so that opening can detect a file that was cut short. uncovered
 * stays set if the process dies in between.
 */
int tmpl_lmdb_write_end(tmpl_lmdb_t *db, MDB_txn *txn, int rc)
{
    off_t lacks;

    db->writing = NULL;
    if (rc != 0) {
        mdb_txn_abort(txn);
    }
    else {
        db->writer.shared->uncovered = 1;
        rc = mdb_txn_commit(txn);
        db->writer.shared->uncovered = file_lacks(db->env, 1, &lacks) != 0;
    }
    pthread_rwlock_unlock(&db->map_lock);
    tmpl_lmdb_lock_give(&db->writer);
    __atomic_sub_fetch(&db->locking, 1, __ATOMIC_RELAXED);
    return rc;
}

/*
 * MDB_CORRUPTED if the file was cut short: to read a page that is missing raises SIGBUS. A file
 * that seems short is looked at again under the writers' lock, as a commit may be under way.
 */
static int file_check(tmpl_lmdb_t *db)
{
    off_t lacks = 0;
    int rc = file_lacks(db->env, 0, &lacks);

    if (rc == 0 && lacks > 0) {
        rc = tmpl_lmdb_lock_take(&db->writer, tmpl_clock() + OPEN_TIMEOUT);
        if (rc == 0) {
            rc = file_lacks(db->env, db->writer.shared->uncovered != 0, &lacks);
            tmpl_lmdb_lock_give(&db->writer);
        }
    }
    return rc == 0 && lacks > 0 ? MDB_CORRUPTED : rc;
}

/* Counts the pages that the databases use: LMDB does not tell how many are free. */
static size_t pages_used(tmpl_lmdb_t *db, MDB_txn *txn)
{
    size_t used = 0;
    MDB_stat stat;

    for (int i = 0; i < TMPL_DB_COUNT; i++) {
        if (mdb_stat(txn, db->dbi[i], &stat) == 0) {
            used += stat.ms_branch_pages + stat.ms_leaf_pages + stat.ms_overflow_pages;
        }
    }
    return used;
}

void tmpl_lmdb_bytes(tmpl_lmdb_t *db, MDB_txn *txn, uint64_t *used, uint64_t *most)
{
    MDB_stat stat;

    mdb_env_stat(db->env, &stat);
    *used = (uint64_t)pages_used(db, txn) * stat.ms_psize;
    *most = db->map_size;
}

int tmpl_lmdb_is_tight(tmpl_lmdb_t *db, uint64_t bytes)
{
    MDB_stat stat;

    mdb_env_stat(db->env, &stat);
    size_t pages = db->map_size / stat.ms_psize;
    size_t reserve = pages / 8 < RESERVE_PAGES ? pages / 8 : RESERVE_PAGES;
    return (size_t)(bytes / stat.ms_psize) + pages_used(db, db->writing) + reserve > pages;
}

int tmpl_lmdb_lacks_share(tmpl_lmdb_t *db, unsigned share)
{
    return tmpl_lmdb_is_tight(db, db->map_size / share);
}

int tmpl_lmdb_grow(tmpl_lmdb_t *db)
{
    pthread_rwlock_rdlock(&db->map_lock);
    size_t size = db->map_size;
    pthread_rwlock_unlock(&db->map_lock);
    return map_resize(db, whole_pages(size + GROWTH));
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

/*
 * Opens the databases; if they exist, only for reading, so that a writer that hangs does not block
 * this.
 */
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

/* Starts the environment, and notes which file it has. */
static int env_start_named(tmpl_lmdb_t *db)
{
    mdb_filehandle_t fd;
    struct stat st;
    int rc = env_start(db);

    if (rc != 0) {
        return rc;
    }
    if (mdb_env_get_fd(db->env, &fd) != 0 || fstat(fd, &st) != 0) {
        return errno;
    }
    db->file_dev = st.st_dev;
    db->file_ino = st.st_ino;
    return 0;
}

/* Moves a damaged file aside, while no other process has it open. */
static int file_replace(tmpl_lmdb_t *db)
{
    char from[TMPL_LMDB_PATH], to[TMPL_LMDB_PATH];
    time_t now = time(NULL);
    struct tm utc;
    size_t page;

    if (!tmpl_lmdb_path(from, db->dir, TMPL_LMDB_FILE)) {
        return errno;
    }
    int rc = tmpl_lmdb_walk(from, &page);
    if (rc != MDB_CORRUPTED || db->leaves_damaged) {
        return rc == MDB_VERSION_MISMATCH ? 0 : rc; /* LMDB itself refuses such a file */
    }
    strftime(db->moved, sizeof(db->moved), TMPL_LMDB_FILE ".damaged-%Y%m%dT%H%M%SZ",
             gmtime_r(&now, &utc));
    return tmpl_lmdb_path(to, db->dir, db->moved) && rename(from, to) == 0 ? 0 : errno;
}

static int is_file_of_locks(const tmpl_lmdb_t *db)
{
    return db->file_dev == db->writer.shared->dev && db->file_ino == db->writer.shared->ino;
}

/*
 * Whether the locks of the directory belong to its data.mdb. If not, somebody has removed or
 * replaced data.mdb while it was in use. LMDB must not use one lock.mdb for two files: lock.mdb
 * holds the number of the last transaction.
 */
static int locks_fit(const tmpl_lmdb_t *db)
{
    const tmpl_lmdb_shared_t *shared = db->writer.shared;
    char path[TMPL_LMDB_PATH];

    return tmpl_lmdb_path(path, db->dir, TMPL_LMDB_FILE) &&
           tmpl_lmdb_is_file(path, shared->dev, shared->ino);
}

/*
 * Starts the environment of a file that the locks do not belong to yet. The caller holds the lock.
 */
static int env_claim(tmpl_lmdb_t *db)
{
    tmpl_lmdb_shared_t *shared = db->writer.shared;

    if (shared->ino != 0) { /* processes may have another file open, which is lost */
        tmpl_lmdb_readers_remove(db->dir);
    }
    int rc = file_replace(db);
    shared->uncovered = 1; /* the file lacks free pages only */
    if (rc == 0) {
        rc = env_start_named(db);
    }
    if (rc == 0) {
        shared->dev = db->file_dev;
        shared->ino = db->file_ino;
    }
    return rc;
}

/* Starts the environment. While the locks fit, a writer that hangs does not block this. */
static int env_begin(tmpl_lmdb_t *db)
{
    if (!locks_fit(db)) {
        int rc = tmpl_lmdb_lock_take(&db->writer, tmpl_clock() + OPEN_TIMEOUT);
        if (rc != 0) {
            return rc;
        }
        int fit = locks_fit(db); /* another process was faster */
        if (!fit) {
            rc = env_claim(db);
        }
        tmpl_lmdb_lock_give(&db->writer);
        if (!fit) {
            return rc;
        }
    }
    int rc = env_start_named(db);
    return rc == 0 && !is_file_of_locks(db) ? EAGAIN : rc; /* the file was removed just now */
}

static int env_open(tmpl_lmdb_t *db)
{
    int rc = env_begin(db);

    if (rc == 0) {
        rc = file_check(db);
    }
    if (rc == 0) {
        tmpl_lmdb_reader_check(db);
        rc = tables_open(db);
    }
    return rc;
}

/* The environment of a directory if this process has it open. The caller holds open_lock. */
static tmpl_lmdb_t *open_find(const struct stat *st)
{
    for (tmpl_lmdb_t *db = open_list; db != NULL; db = db->next) {
        if (db->dev == st->st_dev && db->ino == st->st_ino && db->pid == getpid() && !db->is_lost) {
            return db;
        }
    }
    return NULL;
}

int tmpl_lmdb_is_lost(const tmpl_lmdb_t *db)
{
    char path[TMPL_LMDB_PATH];

    return tmpl_lmdb_path(path, db->dir, TMPL_LMDB_FILE) &&
           !tmpl_lmdb_is_file(path, db->file_dev, db->file_ino);
}

static void db_free(tmpl_lmdb_t *db)
{
    env_stop(db);
    tmpl_lmdb_lock_close(&db->writer);
    pthread_rwlock_destroy(&db->map_lock);
    free(db);
}

const char *tmpl_lmdb_moved(const tmpl_lmdb_t *db)
{
    return db->moved[0] != '\0' ? db->moved : NULL;
}

apr_status_t tmpl_lmdb_examine(const char *dir, apr_time_t deadline, tmpl_error_t *err)
{
    char path[TMPL_LMDB_PATH];
    tmpl_lmdb_lock_t writer;
    size_t page = 0;
    int rc = tmpl_lmdb_lock_open(&writer, dir, deadline);

    if (rc == 0) {
        rc = tmpl_lmdb_lock_take(&writer, deadline);
    }
    if (rc == 0) {
        rc = tmpl_lmdb_path(path, dir, TMPL_LMDB_FILE) ? tmpl_lmdb_walk(path, &page) : errno;
        tmpl_lmdb_lock_give(&writer);
    }
    tmpl_lmdb_lock_close(&writer);
    return rc == 0 ? APR_SUCCESS
           : rc == MDB_CORRUPTED
               ? tmpl_fail(err, APR_EGENERAL, "lmdb:%s: data.mdb is damaged at page %lu", dir,
                           (unsigned long)page)
               : tmpl_lmdb_dir_fail(dir, rc, err, "cannot check");
}

static int open_new(tmpl_lmdb_t **opened, const char *dir, const struct stat *st, size_t map_size,
                    int leaves_damaged)
{
    size_t len = strlen(dir) + 1;
    tmpl_lmdb_t *db = calloc(1, sizeof(*db) + len);

    if (db == NULL) {
        return ENOMEM;
    }
    db->refs = 1;
    db->pid = getpid();
    db->dev = st->st_dev;
    db->ino = st->st_ino;
    memcpy(db->dir, dir, len);
    db->map_size = whole_pages(map_size);
    db->leaves_damaged = leaves_damaged;
    pthread_rwlock_init(&db->map_lock, NULL);
    int rc = tmpl_lmdb_lock_open(&db->writer, dir, tmpl_clock() + OPEN_TIMEOUT);
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

/* Adds a user to an open environment. The map grows if this user wants it larger. */
static int open_join(tmpl_lmdb_t *db, size_t map_size)
{
    pthread_rwlock_rdlock(&db->map_lock);
    int larger = db->env != NULL && map_size > db->map_size;
    pthread_rwlock_unlock(&db->map_lock);
    int rc = larger ? map_resize(db, whole_pages(map_size)) : 0;
    if (rc == 0) {
        db->refs++;
    }
    return rc;
}

apr_status_t tmpl_lmdb_open(tmpl_lmdb_t **opened, const char *dir, apr_size_t map_size,
                            int leaves_damaged, tmpl_error_t *err)
{
    struct stat st;
    tmpl_lmdb_t *db;
    int rc = 0;

    pthread_mutex_lock(&open_lock);
    if ((mkdir(dir, 0700) != 0 && errno != EEXIST) || stat(dir, &st) != 0) {
        rc = errno;
    }
    else if (!S_ISDIR(st.st_mode)) {
        rc = ENOTDIR;
    }
    else if ((db = open_find(&st)) != NULL && !tmpl_lmdb_is_lost(db)) {
        rc = open_join(db, map_size);
        *opened = db;
    }
    else {
        if (db != NULL) {
            db->is_lost = 1;
        }
        rc = open_new(opened, dir, &st, map_size, leaves_damaged);
    }
    pthread_mutex_unlock(&open_lock);
    return rc == 0 ? APR_SUCCESS : tmpl_lmdb_dir_fail(dir, rc, err, "cannot open");
}

/*
 * prefork ends a child by destroying its pools within a signal handler. The code that the signal
 * interrupted may hold open_lock, or a lock that is in a file and belongs to all processes. Then
 * nothing is unmapped, so that the kernel finds the lock after the process has ended, and gives it
 * to another process.
 */
void tmpl_lmdb_close(tmpl_lmdb_t *db)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += CLOSE_SECONDS;
    if (pthread_mutex_timedlock(&open_lock, &until) != 0) {
        return;
    }
    /* a child must not close what it inherited */
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
