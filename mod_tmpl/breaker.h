/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A circuit breaker in front of something that may fail slowly: while it is open, only one caller
 * per pause tries again. Lock-free, for all threads of one process.
 *
 *     if (tmpl_breaker_allow(&b, now)) {
 *         ok = call();
 *         if (tmpl_breaker_report(&b, now_again, ok)) log(ok ? "up" : "down");
 *     }
 */
#ifndef TMPL_BREAKER_H
#define TMPL_BREAKER_H

#include <apr_atomic.h>
#include <apr_time.h>

typedef struct {
    apr_interval_time_t pause;
    /* 0: closed. Otherwise open, and at this time one caller may try. */
    volatile apr_uint64_t retry_at;
} tmpl_breaker_t;

/* Closed; pause is the time after a failure in which no call is allowed. Cannot fail. */
void tmpl_breaker_init(tmpl_breaker_t *breaker, apr_interval_time_t pause);

/*
 * Whether the caller may call. After the pause exactly one caller gets 1, and another one a pause
 * later if the first never reports. now is a time of any clock, 1 or more, the same for all calls.
 */
int tmpl_breaker_allow(tmpl_breaker_t *breaker, apr_time_t now);

/* Reports the result of an allowed call. Returns whether that opened or closed the breaker. */
int tmpl_breaker_report(tmpl_breaker_t *breaker, apr_time_t now, int ok);

#endif
