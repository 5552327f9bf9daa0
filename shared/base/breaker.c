/* SPDX-License-Identifier: Apache-2.0 */
#include "base/breaker.h"

void tmpl_breaker_init(tmpl_breaker_t *breaker, apr_interval_time_t pause)
{
    breaker->pause = pause;
    apr_atomic_set64(&breaker->retry_at, 0);
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
    /* the caller that advances the time is the one that tries */
    return apr_atomic_cas64(&breaker->retry_at, (apr_uint64_t)(now + breaker->pause), retry_at) ==
           retry_at;
}

/* Notes a call. Returns how many of the last calls were late. */
static int note(tmpl_breaker_t *breaker, int is_late)
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
    int late = note(breaker, 1);

    if ((apr_uint64_t)began >= late_at &&
        apr_atomic_cas64(&breaker->late_at, (apr_uint64_t)now, late_at) == late_at) {
        apr_atomic_inc32(&breaker->rounds);
    }
    return late >= TMPL_BREAKER_LATE && apr_atomic_read32(&breaker->rounds) >= TMPL_BREAKER_LATE;
}

int tmpl_breaker_report(tmpl_breaker_t *breaker, apr_time_t began, apr_time_t now,
                        tmpl_call_e result)
{
    if (result == TMPL_CALL_OK) {
        apr_uint64_t retry_at = apr_atomic_read64(&breaker->retry_at);

        note(breaker, 0);
        /* not by a call that was under way when it opened */
        return retry_at != 0 && (apr_uint64_t)(began + breaker->pause) >= retry_at &&
               apr_atomic_xchg64(&breaker->retry_at, 0) != 0;
    }
    if (result == TMPL_CALL_LATE && apr_atomic_read64(&breaker->retry_at) == 0 &&
        !is_one_too_many(breaker, began, now)) {
        return 0;
    }
    /* for the time after it closes */
    apr_atomic_set32(&breaker->late, 0);
    apr_atomic_set32(&breaker->rounds, 0);
    return apr_atomic_xchg64(&breaker->retry_at, (apr_uint64_t)(now + breaker->pause)) == 0;
}
