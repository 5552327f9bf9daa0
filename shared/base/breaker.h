/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A circuit breaker in front of something that may fail slowly: while it is open, only one caller
 * per pause tries again. Lock-free, for all threads of one process.
 *
 * A call that fails opens it at once. A call that is late does not: on a busy machine a healthy
 * server is late now and then. It opens when TMPL_BREAKER_LATE of the last TMPL_BREAKER_CALLS calls
 * were late, and late calls ended in as many rounds: those that waited at the same time are one
 * round, because one stall of the server delays all of them. TMPL_BREAKER_CALLS calls in time, one
 * after the other, end the count of rounds.
 *
 *     if (tmpl_breaker_allow(&b, now)) {
 *         result = call();
 *         if (tmpl_breaker_report(&b, now, now_again, result)) log(result == OK ? "up" : "down");
 *     }
 */
#ifndef TMPL_BREAKER_H
#define TMPL_BREAKER_H

#include <apr_atomic.h>
#include <apr_time.h>

#define TMPL_BREAKER_LATE  3
#define TMPL_BREAKER_CALLS 8

typedef enum {
    TMPL_CALL_OK,
    TMPL_CALL_LATE, /* no answer in time */
    TMPL_CALL_FAILED,
} tmpl_call_e;

typedef struct {
    apr_interval_time_t pause;
    /* 0: closed. Otherwise open, and at this time one caller may try. */
    volatile apr_uint64_t retry_at;
    volatile apr_uint64_t late_at; /* when the last round of late calls ended */
    volatile apr_uint32_t rounds;
    volatile apr_uint32_t late; /* a bit for each of the last calls, the last one lowest */
} tmpl_breaker_t;

/* Closed; pause is the time after a failure in which no call is allowed. Cannot fail. */
void tmpl_breaker_init(tmpl_breaker_t *breaker, apr_interval_time_t pause);

/*
 * Whether the caller may call. After the pause exactly one caller gets 1, and another one a pause
 * later if the first never reports. now is a time of any clock, 1 or more, the same for all calls.
 */
int tmpl_breaker_allow(tmpl_breaker_t *breaker, apr_time_t now);

/*
 * Reports the result of a call that began at that time, after it was allowed. Returns whether that
 * opened or closed the breaker: a call closes it that began after it opened.
 */
int tmpl_breaker_report(tmpl_breaker_t *breaker, apr_time_t began, apr_time_t now,
                        tmpl_call_e result);

#endif
