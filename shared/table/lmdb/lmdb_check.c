/* SPDX-License-Identifier: Apache-2.0 */
#include "table/lmdb/lmdb_check.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "table/lmdb/lmdb_walk.h"

/* later: what follows from the damage. */
static apr_status_t damage_fail(const char *dir, size_t page, const char *later, tmpl_error_t *err)
{
    return tmpl_fail(err, APR_EGENERAL, "lmdb:%s: data.mdb is damaged at page %lu%s", dir,
                     (unsigned long)page, later);
}

apr_status_t tmpl_lmdb_examine(const char *dir, apr_time_t deadline, tmpl_error_t *err,
                               apr_pool_t *pool)
{
    tmpl_lmdb_lock_t writer;
    size_t page = 0;
    int rc = tmpl_lmdb_lock_open(&writer, dir, deadline, pool);
    if (rc == 0) {
        rc = tmpl_lmdb_lock_take(&writer, deadline);
    }
    if (rc == 0) {
        rc = tmpl_lmdb_walk(tmpl_lmdb_path(dir, TMPL_LMDB_FILE, pool), &page);
        tmpl_lmdb_lock_give(&writer);
    }
    tmpl_lmdb_lock_close(&writer);
    return rc == 0               ? APR_SUCCESS
           : rc == MDB_CORRUPTED ? damage_fail(dir, page, "", err)
                                 : tmpl_lmdb_fail(dir, rc, err, "cannot check");
}

/* ---- whether a directory could be used, found out without making a file in it ---- */

/* What the process must be allowed to do; a file that is missing will be made. */
static const struct {
    const char *name;
    int mode;
    const char *failing;
} parts[] = {
    { ".", R_OK | W_OK | X_OK, "cannot write to the directory" },
    { TMPL_LMDB_WRITER_FILE, R_OK | W_OK, "cannot write " TMPL_LMDB_WRITER_FILE },
    { TMPL_LMDB_READERS_FILE, R_OK | W_OK, "cannot write " TMPL_LMDB_READERS_FILE },
    { TMPL_LMDB_FILE, R_OK | W_OK, "cannot write " TMPL_LMDB_FILE },
};

/* 0, or what is wrong with the directory; *failing says what cannot be done. */
static int directory_test(const char *dir, const char **failing, apr_pool_t *pool)
{
    struct statvfs disk;
    struct stat st;
    if (stat(dir, &st) != 0 || statvfs(dir, &disk) != 0) {
        return errno;
    }
    if (!S_ISDIR(st.st_mode)) {
        return ENOTDIR;
    }
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        *failing = parts[i].failing;
        if (access(tmpl_lmdb_path(dir, parts[i].name, pool), parts[i].mode) != 0 &&
            errno != ENOENT) {
            return errno;
        }
    }
    return disk.f_bavail == 0 ? ENOSPC : 0;
}

/* Reads the format without LMDB's locks, which are in a file that LMDB would create. */
static int format_test(const char *dir)
{
    MDB_env *env;
    MDB_txn *txn;
    MDB_dbi meta;
    int rc = mdb_env_create(&env);
    if (rc != 0) {
        return rc;
    }
    if ((rc = mdb_env_set_maxdbs(env, TMPL_DB_COUNT)) == 0 &&
        (rc = mdb_env_open(env, dir, MDB_RDONLY | MDB_NOLOCK, 0)) == 0 &&
        (rc = mdb_txn_begin(env, NULL, MDB_RDONLY, &txn)) == 0) {
        rc = mdb_dbi_open(txn, TMPL_LMDB_META, 0, &meta);
        rc = rc == 0 ? tmpl_lmdb_format(txn, meta) : rc;
        mdb_txn_abort(txn);
    }
    mdb_env_close(env);
    return rc == MDB_NOTFOUND || rc == ENOENT ? 0 : rc; /* there is no table yet */
}

/*
 * Whether no process uses the directory: each that does holds a shared lock of the writers' lock
 * file (lmdb_lock.c). -1: there is no such file, as nobody has used the directory yet. Gives the
 * lock back at once: a process that finds it taken takes the file for one that is in use, and
 * neither mends it nor makes the mutex anew.
 */
static int is_unused(int lock)
{
    return lock < 0 || (flock(lock, LOCK_EX | LOCK_NB) == 0 && flock(lock, LOCK_UN) == 0);
}

/*
 * Tests the content of the file. While a process uses it, it changes, and was tested already. This
 * is so, too, if a process has begun to use it in the meantime.
 */
static int content_test(const char *dir, size_t *page, apr_pool_t *pool)
{
    int lock = open(tmpl_lmdb_path(dir, TMPL_LMDB_WRITER_FILE, pool), O_RDWR | O_CLOEXEC), rc = 0;
    if (is_unused(lock)) {
        rc = tmpl_lmdb_walk(tmpl_lmdb_path(dir, TMPL_LMDB_FILE, pool), page);
        rc = rc == 0 && is_unused(lock) ? format_test(dir) : rc;
        rc = is_unused(lock) ? rc : 0;
    }
    if (lock >= 0) {
        close(lock);
    }
    return rc;
}

apr_status_t tmpl_lmdb_test(const char *dir, tmpl_error_t *err, apr_pool_t *pool)
{
    const char *failing = "cannot open";
    size_t page = 0;
    int rc = directory_test(dir, &failing, pool);
    if (rc == 0) {
        failing = "cannot open";
        rc = content_test(dir, &page, pool);
    }
    return rc == 0 ? APR_SUCCESS
           : rc == MDB_CORRUPTED
               ? damage_fail(dir, page,
                             ": who opens it moves it aside, and everything is learnt anew", err)
               : tmpl_lmdb_fail(dir, rc, err, failing);
}
