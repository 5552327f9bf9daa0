/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A circuit breaker in front of something that may fail and be slow to say so: while it is open
 * nobody pays for the trial but one caller per pause. Lock-free, for all threads of one process.
 *
 *     if (tmpl_breaker_allow(&b, now)) {
 *         ok = call();
 *         if (tmpl_breaker_report(&b, now_again, ok)) log(ok ? "back" : "gone");
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
 * Whether the caller may call. Once the pause is over it says so to exactly one caller, and to
 * the next one a pause later should that one never report. now is any clock (1 or more) that the
 * caller keeps to.
 */
int tmpl_breaker_allow(tmpl_breaker_t *breaker, apr_time_t now);

/* How an allowed call went. Returns whether the breaker has opened or closed by it. */
int tmpl_breaker_report(tmpl_breaker_t *breaker, apr_time_t now, int ok);

#endif
