/* SPDX-License-Identifier: Apache-2.0 */
#include "table/lmdb/lmdb_env.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#define FORMAT        6
#define MAX_READERS   4096  /* threads that read at the same moment, over all processes */
#define TRIES         3     /* tries to begin a transaction */
#define RESERVE_PAGES 64    /* kept for deleting when the map is full */
#define GROWTH        65536 /* bytes; a site's record and the list of free pages need fewer */

static const char *const db_names[TMPL_DB_COUNT] = { "meta", "sites", "entries", "dropped" };

/* ---- what the codes of LMDB and of the system mean for a store ---- */

static const struct {
    int rc;
    apr_status_t status;
    const char *text;
} meanings[] = {
    { MDB_MAP_FULL, APR_ENOSPC, "the map is full: allow it more bytes, or forget sites" },
    { MDB_TXN_FULL, APR_ENOSPC, "the change is too large for one transaction" },
    { ENOSPC, APR_ENOSPC, "the disk is full" },
    { EDQUOT, APR_ENOSPC, "the disk quota is used up" },
    { EFBIG, APR_ENOSPC, "the file may not grow further" },
    { EROFS, APR_ENOSPC, "the file system is read-only" },
    /* LMDB's code for a write of which only a part found room */
    { EIO, APR_ENOSPC, "a write broke off: the disk is full, or fails" },
    { MDB_READERS_FULL, APR_EAGAIN, "too many readers at once" },
    { ETIMEDOUT, APR_TIMEUP, "another writer did not finish in time" },
    { MDB_INVALID, APR_EGENERAL, "data.mdb is no LMDB file: move it away" },
    { MDB_CORRUPTED, APR_EGENERAL, "data.mdb is damaged: move it away" },
    { MDB_PAGE_NOTFOUND, APR_EGENERAL, "data.mdb is damaged: move it away" },
    { MDB_PANIC, APR_EGENERAL, "the disk failed an earlier write" },
    { MDB_VERSION_MISMATCH, APR_EGENERAL, "data.mdb is of another version of LMDB" },
    { MDB_INCOMPATIBLE, APR_EGENERAL, "data.mdb is not of this version of mod_tmpl: move it away" },
};

apr_status_t tmpl_lmdb_fail(const char *dir, int rc, tmpl_error_t *err, const char *doing)
{
    for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++) {
        if (meanings[i].rc == rc) {
            return tmpl_fail(err, meanings[i].status, "lmdb:%s: %s: %s", dir, doing,
                             meanings[i].text);
        }
    }
    return tmpl_fail(err, rc > 0 ? APR_FROM_OS_ERROR(rc) : APR_EGENERAL, "lmdb:%s: %s: %s", dir,
                     doing, mdb_strerror(rc));
}

/* ---- the databases ---- */

static int meta_get(MDB_txn *txn, MDB_dbi meta, const char *name, MDB_val *data)
{
    MDB_val key = { strlen(name), (void *)name };
    return mdb_get(txn, meta, &key, data);
}

static int meta_put(MDB_txn *txn, MDB_dbi meta, const char *name, const void *bytes, size_t len)
{
    MDB_val key = { strlen(name), (void *)name }, data = { len, (void *)bytes };
    return mdb_put(txn, meta, &key, &data, 0);
}

int tmpl_lmdb_secret_get(tmpl_lmdb_t *db, MDB_txn *txn, char secret[TMPL_SECRET_SIZE])
{
    MDB_val data;
    int rc = meta_get(txn, db->dbi[TMPL_DB_META], "secret", &data);
    size_t len = rc == 0 && data.mv_size < TMPL_SECRET_SIZE ? data.mv_size : 0;
    if (len > 0) {
        memcpy(secret, data.mv_data, len);
    }
    secret[len] = '\0';
    return rc == MDB_NOTFOUND ? 0 : rc;
}

int tmpl_lmdb_secret_put(tmpl_lmdb_t *db, MDB_txn *txn, const char *secret)
{
    return meta_put(txn, db->dbi[TMPL_DB_META], "secret", secret, strlen(secret));
}

/*
 * Whether meta says that the file has the format of this version: 0, MDB_INCOMPATIBLE, or
 * MDB_NOTFOUND if it does not say.
 */
static int format_check(MDB_txn *txn, MDB_dbi meta)
{
    MDB_val data;
    int rc = meta_get(txn, meta, "format", &data);
    return rc == 0 && (data.mv_size != 1 || *(const unsigned char *)data.mv_data != FORMAT)
               ? MDB_INCOMPATIBLE
               : rc;
}

/* Opens the databases. With MDB_CREATE, a file without a format gets one, and a secret. */
static int dbis_open(tmpl_lmdb_t *db, MDB_txn *txn, unsigned flags)
{
    static const unsigned char format = FORMAT;
    char secret[TMPL_SECRET_SIZE];
    int rc = 0;
    for (int i = 0; rc == 0 && i < TMPL_DB_COUNT; i++) {
        rc = mdb_dbi_open(txn, db_names[i], flags, &db->dbi[i]);
    }
    if (rc == 0) {
        rc = format_check(txn, db->dbi[TMPL_DB_META]);
    }
    if (rc == MDB_NOTFOUND && flags != 0) {
        tmpl_secret_draw(secret);
        rc = meta_put(txn, db->dbi[TMPL_DB_META], "format", &format, sizeof(format));
        rc = rc == 0 ? tmpl_lmdb_secret_put(db, txn, secret) : rc;
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

int tmpl_lmdb_tables(tmpl_lmdb_t *db, apr_time_t deadline)
{
    MDB_txn *txn;
    int rc = tables_find(db);
    if (rc == MDB_NOTFOUND) {
        rc = tmpl_lmdb_write_begin(db, deadline, &txn);
        if (rc == 0) {
            rc = tmpl_lmdb_write_end(db, txn, dbis_open(db, txn, MDB_CREATE));
        }
    }
    return rc;
}

/* ---- the environment ---- */

/* Rounds size to whole pages: otherwise LMDB maps less than it believes. */
static size_t whole_pages(size_t size)
{
    return (size + 65535) & ~(size_t)65535;
}

/* Reads the size of the map: LMDB may have made it larger than requested. */
static void map_size_read(tmpl_lmdb_t *db)
{
    MDB_envinfo info;
    mdb_env_info(db->env, &info);
    db->map_size = info.me_mapsize;
}

int tmpl_lmdb_start(tmpl_lmdb_t *db)
{
    mdb_filehandle_t fd;
    struct stat st;
    int rc;
    db->map_size = whole_pages(db->map_size);
    if ((rc = mdb_env_create(&db->env)) != 0 ||
        (rc = mdb_env_set_maxdbs(db->env, TMPL_DB_COUNT)) != 0 ||
        (rc = mdb_env_set_maxreaders(db->env, MAX_READERS)) != 0 ||
        (rc = mdb_env_set_mapsize(db->env, db->map_size)) != 0 ||
        (rc = mdb_env_open(db->env, db->dir, MDB_NOSYNC | MDB_NOTLS, 0600)) != 0 ||
        (rc = mdb_env_get_fd(db->env, &fd)) != 0) {
        return rc;
    }
    /* LMDB lets programs that the process starts inherit this file, such as CGI scripts */
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) != 0 || fstat(fd, &st) != 0) {
        return errno;
    }
    db->file = (tmpl_lmdb_id_t){ st.st_dev, st.st_ino };
    map_size_read(db);
    return 0;
}

void tmpl_lmdb_stop(tmpl_lmdb_t *db)
{
    if (db->env != NULL) {
        mdb_env_close(db->env);
    }
    db->env = NULL;
}

int tmpl_lmdb_is_lost(const tmpl_lmdb_t *db)
{
    return !tmpl_lmdb_is_file(db->path, &db->file);
}

/* Opens the environment anew, as large as it was. The caller holds map_lock for writing. */
static int env_restart(tmpl_lmdb_t *db)
{
    int is_lost = tmpl_lmdb_is_lost(db);
    tmpl_lmdb_stop(db);
    int rc = is_lost ? MDB_NOTFOUND : tmpl_lmdb_start(db);
    if (rc == 0) {
        rc = tables_find(db);
    }
    if (rc != 0) {
        tmpl_lmdb_stop(db);
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

int tmpl_lmdb_grow(tmpl_lmdb_t *db, size_t size)
{
    pthread_rwlock_rdlock(&db->map_lock);
    size_t wanted = whole_pages(size > 0 ? size : db->map_size + GROWTH);
    int is_larger = db->env != NULL && wanted > db->map_size;
    pthread_rwlock_unlock(&db->map_lock);
    return is_larger ? map_resize(db, wanted) : 0;
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

/* ---- transactions ---- */

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
    int rc = tmpl_clock_lock(&db->writer.shared->mutex, deadline);
    if (rc == 0) {
        rc = txn_begin(db, 0, txn);
        if (rc == 0) {
            db->writing = *txn;
            return 0;
        }
        pthread_mutex_unlock(&db->writer.shared->mutex);
    }
    __atomic_sub_fetch(&db->locking, 1, __ATOMIC_RELAXED);
    return rc;
}

int tmpl_lmdb_write_end(tmpl_lmdb_t *db, MDB_txn *txn, int rc)
{
    db->writing = NULL;
    if (rc != 0) {
        mdb_txn_abort(txn);
    }
    else {
        rc = mdb_txn_commit(txn);
    }
    pthread_rwlock_unlock(&db->map_lock);
    pthread_mutex_unlock(&db->writer.shared->mutex);
    __atomic_sub_fetch(&db->locking, 1, __ATOMIC_RELAXED);
    return rc;
}

/* ---- room ---- */

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
