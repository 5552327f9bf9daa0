/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a directory could be used, found out without making a file in it. */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "table/lmdb/lmdb_env.h"
#include "table/lmdb/lmdb_lock.h"
#include "table/lmdb/lmdb_walk.h"

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
static int directory_test(const char *dir, const char **failing)
{
    char path[TMPL_LMDB_PATH];
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
        if (!tmpl_lmdb_path(path, dir, parts[i].name) ||
            (access(path, parts[i].mode) != 0 && errno != ENOENT)) {
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
static int content_test(const char *dir, size_t *page)
{
    char lock_path[TMPL_LMDB_PATH], path[TMPL_LMDB_PATH];
    int rc = 0;

    if (!tmpl_lmdb_path(lock_path, dir, TMPL_LMDB_WRITER_FILE) ||
        !tmpl_lmdb_path(path, dir, TMPL_LMDB_FILE)) {
        return errno;
    }
    int lock = open(lock_path, O_RDWR | O_CLOEXEC);
    if (is_unused(lock)) {
        rc = tmpl_lmdb_walk(path, page);
        rc = rc == 0 && is_unused(lock) ? format_test(dir) : rc;
        rc = is_unused(lock) ? rc : 0;
    }
    if (lock >= 0) {
        close(lock);
    }
    return rc;
}

apr_status_t tmpl_lmdb_test(const char *dir, tmpl_error_t *err)
{
    const char *failing = "cannot open";
    size_t page = 0;
    int rc = directory_test(dir, &failing);

    if (rc == 0) {
        failing = "cannot open";
        rc = content_test(dir, &page);
    }
    if (rc == MDB_CORRUPTED) {
        return tmpl_fail(err, APR_EGENERAL,
                         "lmdb:%s: data.mdb is damaged at page %lu: who opens it moves it aside, "
                         "and everything is learnt anew",
                         dir, (unsigned long)page);
    }
    return rc == 0 ? APR_SUCCESS : tmpl_lmdb_dir_fail(dir, rc, err, failing);
}
