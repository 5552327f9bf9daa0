/* SPDX-License-Identifier: Apache-2.0 */
/* From a complete page to what is decided about it. */
#ifndef TMPL_JUDGE_H
#define TMPL_JUDGE_H

#include "cache.h"
#include "mod_tmpl.h"

/* A page and what was found in it. */
typedef struct {
    tmpl_input_t input;
    tmpl_outcome_t outcome;
    tmpl_cached_t cached;
    const char *fingerprint; /* of what is not template; NULL if there is none */
    apr_time_t start;        /* on tmpl_clock() */
} tmpl_judged_t;

/*
 * Sets site, page_key and learn of ctx from the response's fields. To be called before the page
 * comes: once it has been sent, other modules may have changed the fields, and the status may be
 * that of a range.
 */
void tmpl_judge_expect(tmpl_ctx_t *ctx, request_rec *r);

/*
 * Judges the page that ctx holds, or finds it in the cache. What judged points to is from pool, or
 * is the page's. What reading the buckets returns if that fails.
 */
apr_status_t tmpl_judge(tmpl_judged_t *judged, const tmpl_ctx_t *ctx, request_rec *r,
                        apr_pool_t *pool);

/* The key of the site that r's page belongs to. */
const char *tmpl_site_of(request_rec *r, const tmpl_conf_t *conf);

/* The URI that the client sent, with its query and without a host; from pool. */
const char *tmpl_uri_of(const request_rec *r, apr_pool_t *pool);

#endif
