/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a store, by its answers in this child: whether it may be used, and what is logged.
 */
#ifndef TMPL_HEALTH_H
#define TMPL_HEALTH_H

#include "base/breaker.h"
#include "mod_tmpl.h"
#include "status/stores.h"

/*
 * May be used by many threads. A store that learns nothing may still answer look-ups, and the
 * reverse: each purpose has its own breaker.
 */
typedef struct {
    const char *name; /* for the log: without passwords */
    int number;       /* for status/stores.h */
    server_rec *server;
    tmpl_breaker_t breakers[TMPL_PURPOSES];
    apr_uint32_t full;    /* whether the store takes no writes; atomic */
    apr_uint32_t damaged; /* the second of the last message about a damaged site; atomic */
} tmpl_health_t;

/* At the start of a child; health->name is set already. The store is taken to be well. */
void tmpl_health_init(tmpl_health_t *health, server_rec *s);

/*
 * Whether the store may be used. While it fails, one caller per pause may try it. A caller that got
 * 1 must call tmpl_health_report(). A store fails at its first error. If only its answers to
 * look-ups are late, the store fails at the third late answer that breaker.h counts.
 */
int tmpl_health_allows(tmpl_health_t *health, tmpl_purpose_e purpose);

/* Whether the store answers look-ups, as far as is known. */
int tmpl_health_is_well(tmpl_health_t *health);

/* Whether this is the first call of this second with last, which is 0 at first and atomic. */
int tmpl_health_first_in_second(apr_uint32_t *last);

/*
 * Reports err, the store's answer to a call that began and ended at those times (on tmpl_clock()).
 * Counts failures; logs when the store begins to fail, and when it answers again. A full store does
 * not fail. A store that cannot use one site (TMPL_EDAMAGED) or the sites of one of its servers
 * (TMPL_EPART) does not fail either: it answers for other sites.
 */
void tmpl_health_report(tmpl_health_t *health, tmpl_purpose_e purpose, apr_time_t began,
                        apr_time_t ended, const tmpl_error_t *err);

/*
 * Logs when the store takes no writes because it is full, and when it takes writes again. Only a
 * call that has written something shows the latter: a page that was known already writes nothing.
 */
void tmpl_health_report_room(tmpl_health_t *health, const tmpl_error_t *err, int written);

/* Reports that the store could not be opened at the start of the child. */
void tmpl_health_not_open(tmpl_health_t *health, const tmpl_error_t *err);

#endif
