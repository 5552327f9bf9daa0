/* SPDX-License-Identifier: Apache-2.0 */
#include "health.h"
#include "messages.h"
#include "status/counters.h"

/* The pause after a failure: few requests pay for a trial, and the store is soon used again. */
#define PAUSE apr_time_from_sec(1)

/* By purpose: what is counted at each failure. */
static const tmpl_counter_e failure_counters[TMPL_PURPOSES] = {
    [TMPL_PURPOSE_LOOKUP] = TMPL_COUNTER_STORE_FAILURES,
    [TMPL_PURPOSE_LEARN] = TMPL_COUNTER_LATER_FAILURES,
};

void tmpl_health_init(tmpl_health_t *health, server_rec *s)
{
    health->server = s;
    for (int i = 0; i < TMPL_PURPOSES; i++) {
        tmpl_breaker_init(&health->breakers[i], PAUSE);
    }
}

int tmpl_health_allows(tmpl_health_t *health, tmpl_purpose_e purpose)
{
    return tmpl_breaker_allow(&health->breakers[purpose], tmpl_clock());
}

int tmpl_health_is_well(tmpl_health_t *health)
{
    return apr_atomic_read64(&health->breakers[TMPL_PURPOSE_LOOKUP].retry_at) == 0;
}

int tmpl_health_first_in_second(apr_uint32_t *last)
{
    apr_uint32_t now = (apr_uint32_t)apr_time_sec(tmpl_clock()) + 1;
    apr_uint32_t before = apr_atomic_read32(last);
    return before != now && apr_atomic_cas32(last, now, before) == before;
}

void tmpl_health_report_room(tmpl_health_t *health, const tmpl_error_t *err, int written)
{
    apr_uint32_t full = APR_STATUS_IS_ENOSPC(err->status);
    if ((!full && (err->status != APR_SUCCESS || !written)) ||
        apr_atomic_read32(&health->full) == full ||
        apr_atomic_xchg32(&health->full, full) == full) {
        return;
    }
    tmpl_stores_full(health->number, (int)full);
    if (full) {
        ap_log_error(APLOG_MARK, APLOG_WARNING, 0, health->server, TMPL_LOG_STORE_FULL,
                     health->name, err->text);
    }
    else {
        ap_log_error(APLOG_MARK, APLOG_NOTICE, 0, health->server, TMPL_LOG_STORE_ROOM,
                     health->name);
    }
}

/* Reports that this child stops using the store for a purpose, or uses it again. */
static void report_change(const tmpl_health_t *health, tmpl_purpose_e purpose, int ok,
                          const char *why)
{
    tmpl_stores_paused(health->number, purpose, !ok);
    if (purpose == TMPL_PURPOSE_LOOKUP) {
        tmpl_count(ok ? TMPL_COUNTER_STORE_UP : TMPL_COUNTER_STORE_DOWN, 1);
    }
    if (ok && purpose == TMPL_PURPOSE_LOOKUP) {
        ap_log_error(APLOG_MARK, APLOG_NOTICE, 0, health->server, TMPL_LOG_STORE_UP, health->name);
    }
    else if (ok) {
        ap_log_error(APLOG_MARK, APLOG_NOTICE, 0, health->server, TMPL_LOG_LEARNING, health->name);
    }
    else if (purpose == TMPL_PURPOSE_LOOKUP) {
        ap_log_error(APLOG_MARK, APLOG_WARNING, 0, health->server, TMPL_LOG_STORE_DOWN,
                     health->name, why);
    }
    else {
        ap_log_error(APLOG_MARK, APLOG_WARNING, 0, health->server, TMPL_LOG_NOT_LEARNING,
                     health->name, why);
    }
}

void tmpl_health_report(tmpl_health_t *health, tmpl_purpose_e purpose, apr_time_t began,
                        apr_time_t ended, const tmpl_error_t *err)
{
    int damaged = err->status == TMPL_EDAMAGED || err->status == TMPL_EPART;
    int ok = damaged || err->status == APR_SUCCESS || APR_STATUS_IS_ENOSPC(err->status);
    /* learning waits for seconds: a store that does not answer by then has failed */
    int is_late = purpose == TMPL_PURPOSE_LOOKUP && APR_STATUS_IS_TIMEUP(err->status);
    if (err->status == APR_EBUSY) {
        return; /* other writers keep the store busy, which says nothing about its state */
    }
    if (damaged && tmpl_health_first_in_second(&health->damaged)) {
        ap_log_error(APLOG_MARK, APLOG_WARNING, 0, health->server, TMPL_LOG_SITE_DAMAGED,
                     health->name, err->text);
    }
    if (damaged || !ok) {
        tmpl_count(failure_counters[purpose], 1);
        tmpl_stores_error(health->number, purpose);
    }
    if (tmpl_breaker_report(&health->breakers[purpose], began, ended,
                            ok        ? TMPL_CALL_OK
                            : is_late ? TMPL_CALL_LATE
                                      : TMPL_CALL_FAILED)) {
        report_change(health, purpose, ok, err->text);
    }
}

void tmpl_health_not_open(tmpl_health_t *health, const tmpl_error_t *err)
{
    apr_time_t now = tmpl_clock();
    tmpl_breaker_report(&health->breakers[TMPL_PURPOSE_LOOKUP], now, now, TMPL_CALL_FAILED);
    report_change(health, TMPL_PURPOSE_LOOKUP, 0, err->text);
}
