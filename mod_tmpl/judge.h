/* SPDX-License-Identifier: Apache-2.0 */
/* From a complete page to what is decided about it, by a store of this child. */
#ifndef TMPL_JUDGE_H
#define TMPL_JUDGE_H

#include "cache.h"
#include "mod_tmpl.h"

/* A page and what was found in it. */
typedef struct {
    tmpl_input_t input;
    tmpl_outcome_t outcome;
    tmpl_cached_t cached;
    const char *body; /* what is sent in place of the page; NULL: the page with its edits */
    apr_size_t body_len;
    const char *inflated;       /* the coding that was undone; NULL: none */
    const char *fingerprint;    /* the fingerprint of the content; NULL if there is none */
    apr_uint32_t changed;       /* when it changed, in seconds since 1970; 0: not known */
    apr_time_t start;           /* on tmpl_clock() */
    apr_interval_time_t waited; /* for the store, about a decision of the cache */
} tmpl_judged_t;

/*
 * Sets site, page_key and learn of ctx from the response's fields. To be called before the page
 * comes: once the page has been sent, other modules may have changed the fields, and the status may
 * be 206, for a range.
 */
void tmpl_judge_expect(tmpl_ctx_t *ctx, request_rec *r);

/*
 * Finds the decision about a page in the cache; or judges the page with ctx->conf's store, and
 * counts it. TmplStoreRead, if it is set, is asked about a page that is not learnt in its request;
 * the store itself while the replica's breaker is open. While no store may be asked, judges without
 * one. Queues a page that may be learnt later. judged points to memory from pool, or to the page's
 * own. Returns an error if page's buckets cannot be read.
 */
apr_status_t tmpl_judge(tmpl_judged_t *judged, const tmpl_ctx_t *ctx, apr_bucket_brigade *page,
                        request_rec *r, apr_pool_t *pool);

#endif
