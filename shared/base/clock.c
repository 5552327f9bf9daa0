/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"

#include <errno.h>

#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

apr_time_t tmpl_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return apr_time_make((apr_time_t)now.tv_sec, now.tv_nsec / 1000);
}

int tmpl_clock_lock(pthread_mutex_t *mutex, apr_time_t deadline)
{
    struct timespec until = tmpl_clock_timespec(deadline);
    int rc = pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &until);
#ifdef __SANITIZE_THREAD__
    /* ThreadSanitizer of GCC 12 does not know pthread_mutex_clocklock */
    if (rc == 0 || rc == EOWNERDEAD) {
        __tsan_mutex_pre_lock(mutex, 0);
        __tsan_mutex_post_lock(mutex, 0, 0);
    }
#endif
    return rc == EOWNERDEAD ? pthread_mutex_consistent(mutex) : rc;
}

void tmpl_clock_lock_make(pthread_mutex_t *mutex)
{
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(mutex, &attr);
    pthread_mutexattr_destroy(&attr);
}
