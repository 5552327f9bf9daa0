/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A circuit breaker in front of a server that may fail slowly: while the breaker is open, only one
 * caller per pause tries again. The pause begins when a call has failed, and is four times as long
 * as that call, within bounds. Lock-free, for all threads of one process.
 *
 * A failed call opens the breaker at once. A late call does not: on a busy machine a healthy server
 * is late now and then. The breaker opens when TMPL_BREAKER_LATE of the last TMPL_BREAKER_CALLS
 * calls were late, in as many rounds: late calls that waited at the same time are one round,
 * because one stall of the server delays all of them. TMPL_BREAKER_CALLS calls in time, one after
 * the other, set the number of rounds to 0.
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
    apr_interval_time_t pause; /* the shortest pause */
    /* 0: closed. Otherwise open, and at this time one caller may try. */
    volatile apr_uint64_t retry_at;
    volatile apr_uint64_t failed_at; /* when the last call that failed ended */
    volatile apr_uint64_t wait;      /* length of the pause since then */
    volatile apr_uint64_t late_at;   /* when the last round of late calls ended */
    volatile apr_uint32_t rounds;
    volatile apr_uint32_t late; /* a bit for each of the last calls, the last one lowest */
} tmpl_breaker_t;

/*
 * Makes a closed breaker. After a failure no call is allowed for the time pause at least. A failed
 * call that took more than a quarter of pause makes a longer pause, of 10 seconds at most.
 */
void tmpl_breaker_init(tmpl_breaker_t *breaker, apr_interval_time_t pause);

/*
 * Whether the caller may call. After the pause exactly one caller gets 1; if it never reports, one
 * other caller gets 1 a pause later. now is 1 or more; the clock is the same for all calls.
 */
int tmpl_breaker_allow(tmpl_breaker_t *breaker, apr_time_t now);

/*
 * Reports the result of an allowed call. Returns whether the report opened or closed the breaker.
 * A call in time closes an open breaker only if it began after the last failure.
 */
int tmpl_breaker_report(tmpl_breaker_t *breaker, apr_time_t began, apr_time_t now,
                        tmpl_call_e result);

#endif
