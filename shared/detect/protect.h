/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts that a reader misses first. The trees judge each block by what it looks like, and these
 * look like template: short, linked, with names and numbers. So after the trees, rules make them
 * content where they belong to content.
 */
#ifndef TMPL_PROTECT_H
#define TMPL_PROTECT_H

#include "detect/verdict.h"
#include "feature/layout.h"
#include "table/store.h"

/* A page that the trees have judged. */
typedef struct {
    tmpl_verdict_t *verdicts;
    const tmpl_reading_t *reading; /* with its text and score */
    const tmpl_layout_t *layout;
    const tmpl_counts_t *counts; /* records may be NULL, as without a store */
    uint32_t min_df;
} tmpl_judged_t;

void tmpl_headline(const tmpl_judged_t *judged);
void tmpl_groups(const tmpl_judged_t *judged, apr_pool_t *pool);

/*
 * Whether other pages of the site have a segment so often that it is the site's: min_df of them, or
 * more than half.
 */
static inline int tmpl_is_of_site(const tmpl_judged_t *judged, uint32_t segment)
{
    const tmpl_record_t *records = judged->counts->records;
    uint32_t key = judged->reading->page->segments[segment].key;
    return records != NULL && records[key].df > 1 &&
           (records[key].df >= judged->min_df || 2 * records[key].df > judged->counts->pages);
}

#endif
