/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writers' lock of an LMDB directory: a robust mutex in DIR/writer.lock, which every process
 * maps. It is taken before LMDB's own write lock, which has no time limit: if its holder is
 * stopped, others wait for ever.
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

#include <apr_time.h>

/* The path of a file in a directory: 1, or 0 and errno if it is too long. */
#define TMPL_LMDB_PATH 4096
int tmpl_lmdb_path(char path[TMPL_LMDB_PATH], const char *dir, const char *name);
int tmpl_lmdb_is_file(const char *path, dev_t dev, ino_t ino);

/* The content of DIR/writer.lock. */
typedef struct {
    pthread_mutex_t mutex;
    uint32_t uncovered; /* a commit began, and data.mdb may lack its last pages (lmdb_env.c) */
    /* the data.mdb whose readers and writers use the lock.mdb of the directory; 0, 0: none yet */
    dev_t dev;
    ino_t ino;
} tmpl_lmdb_shared_t;

#define TMPL_LMDB_WRITER_FILE  "writer.lock"
#define TMPL_LMDB_READERS_FILE "lock.mdb"

typedef struct {
    int fd;
    tmpl_lmdb_shared_t *shared;
} tmpl_lmdb_lock_t;

/*
 * Opens the lock of dir, and creates it if it is missing. Close it even if this fails. Waits until
 * deadline while another process makes the content.
 */
int tmpl_lmdb_lock_open(tmpl_lmdb_lock_t *lock, const char *dir, apr_time_t deadline);
void tmpl_lmdb_lock_close(tmpl_lmdb_lock_t *lock);

/*
 * Removes lock.mdb from dir, so that LMDB makes a new one. Processes that have the old one open go
 * on with it.
 */
void tmpl_lmdb_readers_remove(const char *dir);

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
int tmpl_lmdb_readers_reserve(const char *dir);

#endif
