/* SPDX-License-Identifier: Apache-2.0 */
#include "table/lmdb/lmdb_env.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <apr_strings.h>

#include "base/clock.h"

/* How often to try again while another process is alone. */
#define SHARE_POLL apr_time_from_msec(5)

/* Bytes of a new lock.mdb. LMDB has as many readers as fit into the file, here about 5,000. */
#define READERS_SIZE (320 * 1024)

const char *tmpl_lmdb_path(const char *dir, const char *name, apr_pool_t *pool)
{
    return apr_pstrcat(pool, dir, "/", name, NULL);
}

int tmpl_lmdb_is_file(const char *path, const tmpl_lmdb_id_t *id)
{
    struct stat st;
    return stat(path, &st) == 0 && st.st_dev == id->dev && st.st_ino == id->ino;
}

/* A descriptor, or -1 and errno. */
static int file_open(const char *dir, const char *name, apr_pool_t *pool)
{
    return open(tmpl_lmdb_path(dir, name, pool), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
}

static void mutex_init(pthread_mutex_t *mutex)
{
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(mutex, &attr);
    pthread_mutexattr_destroy(&attr);
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
 * A process that has locked the file shared may use what is in it. A process that can lock it
 * exclusively is the only one, and makes the content anew: after a reboot the mutex may be locked
 * by a process that no longer exists. The change from exclusive to shared is not atomic: another
 * process may be alone in between, and make the content anew once more. That does no harm, as no
 * process uses it before it has the shared lock.
 */
int tmpl_lmdb_lock_open(tmpl_lmdb_lock_t *lock, const char *dir, apr_time_t deadline,
                        apr_pool_t *pool)
{
    *lock = (tmpl_lmdb_lock_t){ .fd = file_open(dir, TMPL_LMDB_WRITER_FILE, pool) };
    if (lock->fd < 0) {
        return errno;
    }
    int is_alone = flock(lock->fd, LOCK_EX | LOCK_NB) == 0;
    int rc = posix_fallocate(lock->fd, 0, sizeof(*lock->shared));
    if (rc != 0) {
        return rc;
    }
    void *map = mmap(NULL, sizeof(*lock->shared), PROT_READ | PROT_WRITE, MAP_SHARED, lock->fd, 0);
    if (map == MAP_FAILED) {
        return errno;
    }
    lock->shared = map;
    if (is_alone) {
        *lock->shared = (tmpl_lmdb_shared_t){ .unused = 0 };
        mutex_init(&lock->shared->mutex);
    }
    return lock_share(lock, deadline);
}

void tmpl_lmdb_lock_close(tmpl_lmdb_lock_t *lock)
{
    if (lock->shared != NULL) {
        munmap(lock->shared, sizeof(*lock->shared));
    }
    if (lock->fd >= 0) {
        close(lock->fd);
    }
    *lock = (tmpl_lmdb_lock_t){ .fd = -1 };
}

int tmpl_lmdb_lock_take(tmpl_lmdb_lock_t *lock, apr_time_t deadline)
{
    int rc = tmpl_clock_lock(&lock->shared->mutex, deadline);
    return rc == EOWNERDEAD ? pthread_mutex_consistent(&lock->shared->mutex) : rc;
}

void tmpl_lmdb_lock_give(tmpl_lmdb_lock_t *lock)
{
    pthread_mutex_unlock(&lock->shared->mutex);
}

int tmpl_lmdb_readers_reserve(const char *dir, apr_pool_t *pool)
{
    struct stat st;
    int fd = file_open(dir, TMPL_LMDB_READERS_FILE, pool);
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
