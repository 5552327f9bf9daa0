/* SPDX-License-Identifier: Apache-2.0 */
#include "base/breaker.h"

/*
 * The pause is PAUSE_TIMES as long as the failed call, PAUSE_MOST at most: callers of a silent
 * server must not spend most of their time on trials.
 */
#define PAUSE_TIMES 4
#define PAUSE_MOST  apr_time_from_sec(10)

void tmpl_breaker_init(tmpl_breaker_t *breaker, apr_interval_time_t pause)
{
    breaker->pause = pause;
    apr_atomic_set64(&breaker->retry_at, 0);
    apr_atomic_set64(&breaker->failed_at, 0);
    apr_atomic_set64(&breaker->wait, (apr_uint64_t)pause);
    apr_atomic_set64(&breaker->late_at, 0);
    apr_atomic_set32(&breaker->late, 0);
    apr_atomic_set32(&breaker->rounds, 0);
}

int tmpl_breaker_allow(tmpl_breaker_t *breaker, apr_time_t now)
{
    apr_uint64_t retry_at = apr_atomic_read64(&breaker->retry_at);
    if (retry_at == 0) {
        return 1;
    }
    if ((apr_uint64_t)now < retry_at) {
        return 0;
    }
    /* only the caller that advances retry_at tries */
    return apr_atomic_cas64(&breaker->retry_at,
                            (apr_uint64_t)now + apr_atomic_read64(&breaker->wait),
                            retry_at) == retry_at;
}

/* Notes a call. Returns how many of the last calls were late. */
static int note_call(tmpl_breaker_t *breaker, int is_late)
{
    const apr_uint32_t all = (1u << TMPL_BREAKER_CALLS) - 1;
    apr_uint32_t before, after;
    do {
        before = apr_atomic_read32(&breaker->late);
        after = (before << 1 | (apr_uint32_t)is_late) & all;
        /* the common case must not write to a cache line that all threads read */
    } while (before != after && apr_atomic_cas32(&breaker->late, after, before) != before);
    if (after == 0 && apr_atomic_read32(&breaker->rounds) != 0) {
        apr_atomic_set32(&breaker->rounds, 0);
    }
    return __builtin_popcount(after);
}

/* Whether a late call is one too many. */
static int is_one_too_many(tmpl_breaker_t *breaker, apr_time_t began, apr_time_t now)
{
    apr_uint64_t late_at = apr_atomic_read64(&breaker->late_at);
    int late = note_call(breaker, 1);
    if ((apr_uint64_t)began >= late_at &&
        apr_atomic_cas64(&breaker->late_at, (apr_uint64_t)now, late_at) == late_at) {
        apr_atomic_inc32(&breaker->rounds);
    }
    return late >= TMPL_BREAKER_LATE && apr_atomic_read32(&breaker->rounds) >= TMPL_BREAKER_LATE;
}

/* Begins a pause after a call that failed. Returns whether that opened the breaker. */
static int open_after(tmpl_breaker_t *breaker, apr_time_t began, apr_time_t now)
{
    apr_interval_time_t least = (now - began) * PAUSE_TIMES;
    apr_interval_time_t wait = least < PAUSE_MOST ? least : PAUSE_MOST;
    wait = wait > breaker->pause ? wait : breaker->pause;
    /* late calls are counted anew after the breaker closes */
    apr_atomic_set32(&breaker->late, 0);
    apr_atomic_set32(&breaker->rounds, 0);
    apr_atomic_set64(&breaker->wait, (apr_uint64_t)wait);
    apr_atomic_set64(&breaker->failed_at, (apr_uint64_t)now);
    return apr_atomic_xchg64(&breaker->retry_at, (apr_uint64_t)(now + wait)) == 0;
}

int tmpl_breaker_report(tmpl_breaker_t *breaker, apr_time_t began, apr_time_t now,
                        tmpl_call_e result)
{
    if (result == TMPL_CALL_OK) {
        note_call(breaker, 0);
        /* a call that was under way when the breaker opened does not close it */
        return apr_atomic_read64(&breaker->retry_at) != 0 &&
               (apr_uint64_t)began >= apr_atomic_read64(&breaker->failed_at) &&
               apr_atomic_xchg64(&breaker->retry_at, 0) != 0;
    }
    if (result == TMPL_CALL_LATE && apr_atomic_read64(&breaker->retry_at) == 0 &&
        !is_one_too_many(breaker, began, now)) {
        return 0;
    }
    return open_after(breaker, began, now);
}
