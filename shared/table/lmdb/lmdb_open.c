/* SPDX-License-Identifier: Apache-2.0 */
#include "table/lmdb/lmdb_env.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <apr_strings.h>

#define DATA_FILE    "data.mdb"
#define WRITER_FILE  "writer.lock"
#define READERS_FILE "lock.mdb"

#define OPEN_TIMEOUT  apr_time_from_sec(1)
#define CLOSE_SECONDS 2

/* How often to try again while another process is alone. */
#define SHARE_POLL apr_time_from_msec(5)

/* Bytes of a new lock.mdb. LMDB has as many readers as fit into the file, here about 5,000. */
#define READERS_SIZE (320 * 1024)

static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;
static tmpl_lmdb_t *open_list;

/* ---- the files, and the writers' lock ---- */

static const char *path_of(const char *dir, const char *name, apr_pool_t *pool)
{
    return apr_pstrcat(pool, dir, "/", name, NULL);
}

int tmpl_lmdb_is_file(const char *path, const tmpl_lmdb_id_t *id)
{
    struct stat st;
    return stat(path, &st) == 0 && st.st_dev == id->dev && st.st_ino == id->ino;
}

/* errno; clang-tidy does not know that it is not 0 after a failure. */
static int last_error(void)
{
    int failed = errno;
    return failed != 0 ? failed : EIO;
}

/* A descriptor, or -1 and errno. */
static int file_open(const char *dir, const char *name, apr_pool_t *pool)
{
    return open(path_of(dir, name, pool), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
}

/* Polls, because flock() has no deadline, and a process that is alone may be stopped. */
static int lock_share(tmpl_lmdb_lock_t *lock, apr_time_t deadline)
{
    while (flock(lock->fd, LOCK_SH | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) {
            return errno;
        }
        if (tmpl_clock() >= deadline) {
            return ETIMEDOUT;
        }
        apr_sleep(SHARE_POLL);
    }
    return 0;
}

/*
 * Opens the lock of dir, and creates it if it is missing. Close it even if this fails. Waits until
 * deadline while another process makes the content.
 *
 * A process that has locked the file shared may use what is in it. A process that can lock it
 * exclusively is the only one, and makes the content anew: after a reboot the mutex may be locked
 * by a process that no longer exists. The change from exclusive to shared is not atomic: another
 * process may be alone in between, and make the content anew once more. That does no harm, as no
 * process uses it before it has the shared lock.
 */
static int lock_open(tmpl_lmdb_lock_t *lock, const char *dir, apr_time_t deadline, apr_pool_t *pool)
{
    *lock = (tmpl_lmdb_lock_t){ .fd = file_open(dir, WRITER_FILE, pool) };
    if (lock->fd < 0) {
        return last_error();
    }
    int is_alone = flock(lock->fd, LOCK_EX | LOCK_NB) == 0;
    int rc = posix_fallocate(lock->fd, 0, sizeof(*lock->shared));
    if (rc != 0) {
        return rc;
    }
    void *map = mmap(NULL, sizeof(*lock->shared), PROT_READ | PROT_WRITE, MAP_SHARED, lock->fd, 0);
    if (map == MAP_FAILED) {
        return last_error();
    }
    lock->shared = map;
    if (is_alone) {
        *lock->shared = (tmpl_lmdb_shared_t){ .file = { 0 } };
        tmpl_clock_lock_make(&lock->shared->mutex);
    }
    return lock_share(lock, deadline);
}

static void lock_close(tmpl_lmdb_lock_t *lock)
{
    if (lock->shared != NULL) {
        munmap(lock->shared, sizeof(*lock->shared));
    }
    if (lock->fd >= 0) {
        close(lock->fd);
    }
    *lock = (tmpl_lmdb_lock_t){ .fd = -1 };
}

/*
 * Reserves disk blocks for LMDB's table of readers, DIR/lock.mdb, if it is new. LMDB maps the file
 * without blocks, so on a full disk the process would die by SIGBUS. No environment of this process
 * may have the directory open: closing our descriptor would drop the environment's locks on the
 * file.
 */
static int readers_reserve(const char *dir, apr_pool_t *pool)
{
    struct stat st;
    int fd = file_open(dir, READERS_FILE, pool);
    if (fd < 0) {
        return errno;
    }
    /* a table that is in use must keep its size */
    int rc = fstat(fd, &st) != 0
                 ? errno
                 : posix_fallocate(fd, 0, st.st_size > 0 ? st.st_size : READERS_SIZE);
    close(fd);
    return rc;
}

/* ---- opening ---- */

/* Moves a damaged file aside, while no other process has it open. */
static int file_replace(tmpl_lmdb_t *db)
{
    time_t now = time(NULL);
    struct tm utc;
    size_t page;
    int rc = tmpl_lmdb_walk(db->path, &page);
    if (rc != MDB_CORRUPTED || db->leaves_damaged) {
        return rc == MDB_VERSION_MISMATCH ? 0 : rc; /* LMDB itself refuses such a file */
    }
    strftime(db->moved, sizeof(db->moved), DATA_FILE ".damaged-%Y%m%dT%H%M%SZ",
             gmtime_r(&now, &utc));
    return rename(db->path, path_of(db->dir, db->moved, db->pool)) == 0 ? 0 : errno;
}

/*
 * Whether the locks of the directory belong to its data.mdb. If not, somebody has removed or
 * replaced data.mdb while it was in use. LMDB must not use one lock.mdb for two files: lock.mdb
 * holds the number of the last transaction.
 */
static int locks_fit(const tmpl_lmdb_t *db)
{
    return tmpl_lmdb_is_file(db->path, &db->writer.shared->file);
}

static int env_start(tmpl_lmdb_t *db)
{
    int rc = readers_reserve(db->dir, db->pool);
    return rc == 0 ? tmpl_lmdb_start(db) : rc;
}

/*
 * Starts the environment of a file that the locks do not belong to yet. The caller holds the lock.
 */
static int env_claim(tmpl_lmdb_t *db)
{
    tmpl_lmdb_shared_t *shared = db->writer.shared;
    if (shared->file.ino != 0) {
        /* processes may have another file open, which is lost: they go on with their lock.mdb */
        unlink(path_of(db->dir, READERS_FILE, db->pool));
    }
    int rc = file_replace(db);
    if (rc == 0) {
        rc = env_start(db);
    }
    if (rc == 0) {
        shared->file = db->file;
    }
    return rc;
}

/* Starts the environment. While the locks fit, a writer that hangs does not block this. */
static int env_begin(tmpl_lmdb_t *db)
{
    if (!locks_fit(db)) {
        int rc = tmpl_clock_lock(&db->writer.shared->mutex, tmpl_clock() + OPEN_TIMEOUT);
        if (rc != 0) {
            return rc;
        }
        int fit = locks_fit(db); /* another process was faster */
        if (!fit) {
            rc = env_claim(db);
        }
        pthread_mutex_unlock(&db->writer.shared->mutex);
        if (!fit) {
            return rc;
        }
    }
    int rc = env_start(db);
    const tmpl_lmdb_id_t *of_locks = &db->writer.shared->file;
    int fit = db->file.dev == of_locks->dev && db->file.ino == of_locks->ino;
    return rc == 0 && !fit ? EAGAIN : rc; /* the file was removed just now */
}

static int env_open(tmpl_lmdb_t *db)
{
    int rc = lock_open(&db->writer, db->dir, tmpl_clock() + OPEN_TIMEOUT, db->pool);
    if (rc == 0) {
        rc = env_begin(db);
    }
    if (rc == 0) {
        tmpl_lmdb_reader_check(db);
        rc = tmpl_lmdb_tables(db, tmpl_clock() + OPEN_TIMEOUT);
    }
    return rc;
}

/* The environment of a directory if this process has it open. The caller holds open_lock. */
static tmpl_lmdb_t *open_find(const struct stat *st)
{
    for (tmpl_lmdb_t *db = open_list; db != NULL; db = db->next) {
        if (db->dir_id.dev == st->st_dev && db->dir_id.ino == st->st_ino && db->pid == getpid() &&
            !db->is_lost) {
            return db;
        }
    }
    return NULL;
}

static void db_free(tmpl_lmdb_t *db)
{
    tmpl_lmdb_stop(db);
    lock_close(&db->writer);
    pthread_rwlock_destroy(&db->map_lock);
    apr_pool_destroy(db->pool);
}

static int db_open(tmpl_lmdb_t **opened, const char *dir, const struct stat *st, size_t map_size,
                   int leaves_damaged)
{
    apr_pool_t *pool;
    if (apr_pool_create_unmanaged(&pool) != APR_SUCCESS) {
        return ENOMEM;
    }
    tmpl_lmdb_t *db = apr_pcalloc(pool, sizeof(*db));
    db->pool = pool;
    db->refs = 1;
    db->pid = getpid();
    db->dir_id = (tmpl_lmdb_id_t){ st->st_dev, st->st_ino };
    db->dir = apr_pstrdup(pool, dir);
    db->path = path_of(dir, DATA_FILE, pool);
    db->map_size = map_size;
    db->leaves_damaged = leaves_damaged;
    pthread_rwlock_init(&db->map_lock, NULL);
    int rc = env_open(db);
    if (rc != 0) {
        db_free(db);
        return rc;
    }
    db->next = open_list;
    open_list = db;
    *opened = db;
    return 0;
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
        rc = tmpl_lmdb_grow(db, map_size);
        db->refs += rc == 0;
        *opened = db;
    }
    else {
        if (db != NULL) {
            db->is_lost = 1;
        }
        rc = db_open(opened, dir, &st, map_size, leaves_damaged);
    }
    pthread_mutex_unlock(&open_lock);
    return rc == 0 ? APR_SUCCESS : tmpl_lmdb_fail(dir, rc, err, "cannot open");
}

/*
 * prefork ends a child by destroying its pools within a signal handler. The code that the signal
 * interrupted may hold open_lock, or a lock that is in a file and belongs to all processes. Then
 * nothing is unmapped, so that the kernel finds the lock after the process has ended, and gives it
 * to another process.
 */
void tmpl_lmdb_close(tmpl_lmdb_t *db)
{
    if (tmpl_clock_lock(&open_lock, tmpl_clock() + apr_time_from_sec(CLOSE_SECONDS)) != 0) {
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

apr_status_t tmpl_lmdb_examine(const char *dir, apr_time_t deadline, tmpl_error_t *err,
                               apr_pool_t *pool)
{
    tmpl_lmdb_lock_t writer;
    size_t page = 0;
    int rc = lock_open(&writer, dir, deadline, pool);
    if (rc == 0) {
        rc = tmpl_clock_lock(&writer.shared->mutex, deadline);
    }
    if (rc == 0) {
        rc = tmpl_lmdb_walk(path_of(dir, DATA_FILE, pool), &page);
        pthread_mutex_unlock(&writer.shared->mutex);
    }
    lock_close(&writer);
    return rc == 0 ? APR_SUCCESS
           : rc == MDB_CORRUPTED
               ? tmpl_fail(err, APR_EGENERAL, "lmdb:%s: data.mdb is damaged at page %lu", dir,
                           (unsigned long)page)
               : tmpl_lmdb_fail(dir, rc, err, "cannot check");
}
