/* SPDX-License-Identifier: Apache-2.0 */
/* A clock that nobody sets, and waiting until a time on it. */
#ifndef TMPL_CLOCK_H
#define TMPL_CLOCK_H

#include <pthread.h>
#include <time.h>

#include <apr_time.h>

/* Microseconds on CLOCK_MONOTONIC. */
apr_time_t tmpl_clock(void);

/* A time on tmpl_clock, as POSIX takes it with CLOCK_MONOTONIC. */
static inline struct timespec tmpl_clock_timespec(apr_time_t time)
{
    return (struct timespec){ (time_t)apr_time_sec(time), (long)apr_time_usec(time) * 1000 };
}

/*
 * Locks mutex, or returns ETIMEDOUT at deadline, or another error of pthread_mutex_clocklock(). A
 * robust mutex whose holder has died is the caller's.
 */
int tmpl_clock_lock(pthread_mutex_t *mutex, apr_time_t deadline);

/* Makes a robust mutex in memory that processes share. */
void tmpl_clock_lock_make(pthread_mutex_t *mutex);

#endif
