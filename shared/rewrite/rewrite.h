/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verdicts -> edits -> bytes. An edit replaces a span of the source; every byte outside edits leaves
 * as it came. Knows neither stores nor detectors.
 */
#ifndef TMPL_REWRITE_H
#define TMPL_REWRITE_H

#include "detect/detect.h"

/* Replaces the bytes of span by text (text_len 0: deletes them). An empty span inserts. */
typedef struct {
    tmpl_span_t span;
    const char *text;
    uint32_t text_len;
} tmpl_edit_t;

/* In order of position; none overlaps another. */
typedef struct {
    const tmpl_edit_t *edits;
    uint32_t n;
} tmpl_edits_t;

/*
 * Marks elements with the attribute data-tmpl="" and runs with <!--tmpl--> .. <!--/tmpl-->. Such marks
 * that the page brought itself become data-x-tmpl and <!--x-tmpl-->, so that every mark is ours.
 */
void tmpl_annotate(tmpl_edits_t *edits, const tmpl_page_t *page, const tmpl_closure_t *closure,
                   apr_pool_t *pool);

/* Deletes the bytes of every cut. */
void tmpl_strip(tmpl_edits_t *edits, const tmpl_closure_t *closure, apr_pool_t *pool);

/* The bytes after the edits, in one piece, from pool: for callers that have no buckets to splice. */
const char *tmpl_edits_apply(apr_size_t *out_len, const tmpl_edits_t *edits, const char *src,
                             apr_size_t len, apr_pool_t *pool);

#endif
