/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a store is, by what it has said in this child: whether it may be asked, and what of that is counted and
 * logged. A store that takes nothing may still answer, and the other way round: each has a breaker of its own.
 */
#include "mod_tmpl.h"

/* How long a store that failed is left alone: few requests pay for a trial, and it is soon back. */
#define PAUSE apr_time_from_sec(1)

static const struct {
    tmpl_counter_e fails; /* each time */
    int counts_changes;   /* whether they are counted, too */
    struct {
        int level;
        const char *number, *text; /* the store's name stands between them; why it fails behind */
    } says[2];                     /* that it fails; that it is well again */
} purposes[TMPL_PURPOSES] = {
    [TMPL_PURPOSE_ASK] = { TMPL_COUNTER_STORE_FAILURES,
                           1,
                           { { APLOG_WARNING, TMPL_LOG_STORE_DOWN,
                               " fails, pages are not counted: " },
                             { APLOG_NOTICE, TMPL_LOG_STORE_UP, " answers again" } } },
    [TMPL_PURPOSE_LEARN] = { TMPL_COUNTER_LATER_FAILURES,
                             0,
                             { { APLOG_WARNING, TMPL_LOG_LEARNS_NOT,
                                 " does not learn the pages that wait: " },
                               { APLOG_NOTICE, TMPL_LOG_LEARNS, " learns again" } } },
};

void tmpl_health_init(tmpl_health_t *health, server_rec *s)
{
    int i;

    health->server = s;
    for (i = 0; i < TMPL_PURPOSES; i++) {
        tmpl_breaker_init(&health->breakers[i], PAUSE);
    }
}

int tmpl_health_allows(tmpl_health_t *health, tmpl_purpose_e purpose)
{
    return tmpl_breaker_allow(&health->breakers[purpose], tmpl_clock());
}

int tmpl_health_had_no_turn(const tmpl_error_t *err)
{
    return err->status == APR_EBUSY;
}

/* Of a request, or of the server where there is none. */
static void say(const tmpl_health_t *health, const request_rec *r, int level, const char *text)
{
    if (r != NULL) {
        ap_log_rerror(APLOG_MARK, level, 0, r, "%s", text);
    }
    else {
        ap_log_error(APLOG_MARK, level, 0, health->server, "%s", text);
    }
}

void tmpl_health_report_room(tmpl_health_t *health, const tmpl_error_t *err, int written,
                             request_rec *r, apr_pool_t *pool)
{
    apr_uint32_t full = APR_STATUS_IS_ENOSPC(err->status);

    if (!full && (err->status != APR_SUCCESS || !written)) {
        return;
    }
    if (apr_atomic_read32(&health->full) == full ||
        apr_atomic_xchg32(&health->full, full) == full) {
        return;
    }
    if (full) {
        say(health, r, APLOG_WARNING,
            apr_psprintf(pool, TMPL_LOG_STORE_FULL "store %s is full, nothing new is learnt: %s",
                         health->name, err->text));
    }
    else {
        say(health, r, APLOG_NOTICE,
            apr_psprintf(pool, TMPL_LOG_STORE_ROOM "store %s has room again", health->name));
    }
}

static void count_change(int ok)
{
    tmpl_count(ok ? TMPL_COUNTER_STORE_UP : TMPL_COUNTER_STORE_DOWN, 1);
}

void tmpl_health_report(tmpl_health_t *health, tmpl_purpose_e purpose, const tmpl_error_t *err,
                        request_rec *r, apr_pool_t *pool)
{
    int ok = err->status == APR_SUCCESS || APR_STATUS_IS_ENOSPC(err->status);

    if (tmpl_health_had_no_turn(err)) {
        return;
    }
    if (!ok) {
        tmpl_count(purposes[purpose].fails, 1);
    }
    if (!tmpl_breaker_report(&health->breakers[purpose], tmpl_clock(), ok)) {
        return;
    }
    if (purposes[purpose].counts_changes) {
        count_change(ok);
    }
    say(health, r, purposes[purpose].says[ok].level,
        apr_pstrcat(pool, purposes[purpose].says[ok].number, "store ", health->name,
                    purposes[purpose].says[ok].text, ok ? "" : err->text, NULL));
}

void tmpl_health_not_open(tmpl_health_t *health, const tmpl_error_t *err)
{
    tmpl_breaker_report(&health->breakers[TMPL_PURPOSE_ASK], tmpl_clock(), 0);
    count_change(0);
    ap_log_error(APLOG_MARK, APLOG_WARNING, 0, health->server,
                 TMPL_LOG_STORE_DOWN "store %s cannot be opened, pages are not counted: %s",
                 health->name, err->text);
}
