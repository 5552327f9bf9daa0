/* SPDX-License-Identifier: Apache-2.0 */
#include "breaker.h"

void tmpl_breaker_init(tmpl_breaker_t *breaker, apr_interval_time_t pause)
{
    breaker->pause = pause;
    apr_atomic_set64(&breaker->retry_at, 0);
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

int tmpl_breaker_report(tmpl_breaker_t *breaker, apr_time_t now, int ok)
{
    if (ok) {
        /* the common case must not write to a cache line that all threads read */
        return apr_atomic_read64(&breaker->retry_at) != 0 &&
               apr_atomic_xchg64(&breaker->retry_at, 0) != 0;
    }
    return apr_atomic_xchg64(&breaker->retry_at, (apr_uint64_t)(now + breaker->pause)) == 0;
}
