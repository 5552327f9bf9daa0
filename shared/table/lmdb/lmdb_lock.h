/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The locks of an LMDB directory: that of the writers, which waits for a deadline and no longer, in DIR/writer.lock; and
 * the readers' table of LMDB itself, DIR/lock.mdb, as far as it needs help.
 *
 * Return codes are errno's, 0 for none.
 */
#ifndef TMPL_LMDB_LOCK_H
#define TMPL_LMDB_LOCK_H

#include <pthread.h>
#include <stdint.h>

#include <apr_time.h>

/* What stands in DIR/writer.lock, mapped by all processes. */
typedef struct {
    pthread_mutex_t mutex;
    uint32_t
        uncovered; /* for who has the lock: a commit has begun that was not followed by the file's being whole */
} tmpl_lmdb_shared_t;

typedef struct {
    int fd;
    tmpl_lmdb_shared_t *shared;
} tmpl_lmdb_lock_t;

/* Opens the writers' lock, making it if it is missing; to be closed even if that fails. */
int tmpl_lmdb_lock_open(tmpl_lmdb_lock_t *lock, const char *dir);
void tmpl_lmdb_lock_close(tmpl_lmdb_lock_t *lock);

/* Waits for it until deadline, on tmpl_clock: ETIMEDOUT. Who died with it has given it back. */
int tmpl_lmdb_lock_take(tmpl_lmdb_lock_t *lock, apr_time_t deadline);
void tmpl_lmdb_lock_give(tmpl_lmdb_lock_t *lock);

/* Sees to it that the table of n readers has its blocks on disk. Before anybody of this process has it open. */
int tmpl_lmdb_readers_reserve(const char *dir, unsigned n);

#endif
