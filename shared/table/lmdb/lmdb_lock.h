/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of an LMDB directory, and the writers' lock: a robust mutex in DIR/writer.lock, which
 * every process maps. It is taken before LMDB's own write lock, which has no time limit: if its
 * holder is stopped, others wait for ever.
 *
 * apr_proc_mutex has no lock that unrelated processes (httpd and tmplctl) can open by name: its
 * locks of pthread, posixsem and sysvsem are for children only, its flock refuses a file that
 * exists, and its fcntl deletes the file.
 *
 * Functions return 0 or an errno.
 */
#ifndef TMPL_LMDB_LOCK_H
#define TMPL_LMDB_LOCK_H

#include <pthread.h>
#include <stdint.h>
#include <sys/types.h>

#include <apr_pools.h>
#include <apr_time.h>

#define TMPL_LMDB_FILE         "data.mdb"
#define TMPL_LMDB_WRITER_FILE  "writer.lock"
#define TMPL_LMDB_READERS_FILE "lock.mdb"

/* The path of a file in a directory, from pool. */
const char *tmpl_lmdb_path(const char *dir, const char *name, apr_pool_t *pool);

/* Which file or directory it is, whatever its path. All zero: none. */
typedef struct {
    dev_t dev;
    ino_t ino;
} tmpl_lmdb_id_t;

/* Whether a path leads to a file. */
int tmpl_lmdb_is_file(const char *path, const tmpl_lmdb_id_t *id);

/* The content of DIR/writer.lock. */
typedef struct {
    pthread_mutex_t mutex;
    uint32_t unused; /* former versions have a flag here */
    /* the data.mdb whose readers and writers use the lock.mdb of the directory */
    tmpl_lmdb_id_t file;
} tmpl_lmdb_shared_t;

typedef struct {
    int fd;
    tmpl_lmdb_shared_t *shared;
} tmpl_lmdb_lock_t;

/*
 * Opens the lock of dir, and creates it if it is missing. Close it even if this fails. Waits until
 * deadline while another process makes the content.
 */
int tmpl_lmdb_lock_open(tmpl_lmdb_lock_t *lock, const char *dir, apr_time_t deadline,
                        apr_pool_t *pool);
void tmpl_lmdb_lock_close(tmpl_lmdb_lock_t *lock);

/*
 * Takes the lock, or returns ETIMEDOUT at deadline (on tmpl_clock). A holder that dies releases it:
 * LMDB drops the transaction of a dead process itself.
 */
int tmpl_lmdb_lock_take(tmpl_lmdb_lock_t *lock, apr_time_t deadline);
void tmpl_lmdb_lock_give(tmpl_lmdb_lock_t *lock);

/*
 * Reserves disk blocks for LMDB's table of readers, DIR/lock.mdb, if it is new. LMDB maps the file
 * without blocks, so on a full disk the process would die by SIGBUS. No environment of this process
 * may have the directory open: closing our descriptor would drop the environment's locks on the
 * file.
 */
int tmpl_lmdb_readers_reserve(const char *dir, apr_pool_t *pool);

#endif
