/* SPDX-License-Identifier: Apache-2.0 */
#include "table/lmdb/lmdb_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

/* of lock.mdb: a line of the cache for each reader, and a page for its head */
#define READER_SIZE  64
#define READERS_HEAD 64

/*
 * Maps DIR/writer.lock. Whoever holds the file shared uses the mutex in it; whoever gets it
 * exclusively is alone and makes the mutex anew, as one left over from before a reboot may be
 * locked by nobody; the rest stays as it is. That downgrading is not atomic does no harm: before it
 * nobody uses the mutex.
 */
int tmpl_lmdb_lock_open(tmpl_lmdb_lock_t *lock, const char *dir)
{
    char path[4096];
    pthread_mutexattr_t attr;
    int alone, rc;

    *lock = (tmpl_lmdb_lock_t){ .fd = -1 };
    if (snprintf(path, sizeof(path), "%s/writer.lock", dir) >= (int)sizeof(path)) {
        return ENAMETOOLONG;
    }
    lock->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock->fd < 0) {
        return errno;
    }
    alone = flock(lock->fd, LOCK_EX | LOCK_NB) == 0;
    if (alone && ftruncate(lock->fd, sizeof(tmpl_lmdb_shared_t)) != 0) {
        return errno;
    }
    rc = posix_fallocate(lock->fd, 0, sizeof(tmpl_lmdb_shared_t));
    if (rc != 0) {
        return rc;
    }
    if (!alone && flock(lock->fd, LOCK_SH) != 0) {
        return errno;
    }
    lock->shared =
        mmap(NULL, sizeof(tmpl_lmdb_shared_t), PROT_READ | PROT_WRITE, MAP_SHARED, lock->fd, 0);
    if (lock->shared == MAP_FAILED) {
        lock->shared = NULL;
        return errno;
    }
    if (alone) {
        pthread_mutexattr_init(&attr);
        pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
        pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
        pthread_mutex_init(&lock->shared->mutex, &attr);
        pthread_mutexattr_destroy(&attr);
        return flock(lock->fd, LOCK_SH) == 0 ? 0 : errno;
    }
    return 0;
}

void tmpl_lmdb_lock_close(tmpl_lmdb_lock_t *lock)
{
    if (lock->shared != NULL) {
        munmap(lock->shared, sizeof(tmpl_lmdb_shared_t));
    }
    if (lock->fd >= 0) {
        close(lock->fd);
    }
    *lock = (tmpl_lmdb_lock_t){ .fd = -1 };
}

int tmpl_lmdb_lock_take(tmpl_lmdb_lock_t *lock, apr_time_t deadline)
{
    struct timespec until;
    int rc;

    until.tv_sec = (time_t)apr_time_sec(deadline);
    until.tv_nsec = (long)apr_time_usec(deadline) * 1000;
    rc = pthread_mutex_clocklock(&lock->shared->mutex, CLOCK_MONOTONIC, &until);
#ifdef __SANITIZE_THREAD__
    /* GCC 12 has one that does not know pthread_mutex_clocklock */
    if (rc == 0 || rc == EOWNERDEAD) {
        __tsan_mutex_pre_lock(&lock->shared->mutex, 0);
        __tsan_mutex_post_lock(&lock->shared->mutex, 0, 0);
    }
#endif
    if (rc == EOWNERDEAD) {
        /* LMDB has dropped the transaction that died with its process */
        rc = pthread_mutex_consistent(&lock->shared->mutex);
    }
    return rc;
}

void tmpl_lmdb_lock_give(tmpl_lmdb_lock_t *lock)
{
    pthread_mutex_unlock(&lock->shared->mutex);
}

/*
 * LMDB maps DIR/lock.mdb without having blocks for it: where the disk is full, using it would be a SIGBUS. They are
 * taken before. Nobody of this process has the file open, whose locks would go with the descriptor.
 */
int tmpl_lmdb_readers_reserve(const char *dir, unsigned n)
{
    char path[4096];
    struct stat st;
    int fd, rc;

    if (snprintf(path, sizeof(path), "%s/lock.mdb", dir) >= (int)sizeof(path)) {
        return ENAMETOOLONG;
    }
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) {
        return errno;
    }
    /* LMDB goes by the size that is there; one that is in use must keep it */
    rc = fstat(fd, &st) != 0
             ? errno
             : posix_fallocate(
                   fd, 0, st.st_size > 0 ? st.st_size : READER_SIZE * (READERS_HEAD + (off_t)n));
    close(fd);
    return rc;
}
