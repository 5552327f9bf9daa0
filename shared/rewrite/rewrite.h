/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verdicts -> edits -> bytes. An edit replaces a span of the source; every byte outside edits leaves
 * as it came. Knows neither stores nor detectors.
 */
#ifndef TMPL_REWRITE_H
#define TMPL_REWRITE_H

#include "cut/closure.h"

/* Replaces the bytes of span by a text. An empty span inserts. There may be as many as elements: no pointers. */
typedef struct {
    tmpl_span_t span;
    uint32_t text; /* index in the edits' texts */
} tmpl_edit_t;

/* In order of position; none overlaps another. All zero: none. */
typedef struct {
    const tmpl_edit_t *edits;
    uint32_t n;
    const char *const *texts; /* "" deletes */
} tmpl_edits_t;

/* What stands instead of the span of edit i. */
static inline const char *tmpl_edit_text(const tmpl_edits_t *edits, uint32_t i)
{
    return edits->texts[edits->edits[i].text];
}

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
