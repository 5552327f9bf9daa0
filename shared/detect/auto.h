/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The joint detector: boosted trees over what a leaf block looks like and what the site's table says of it
 * (feature.h). It judges the first page of a site, too: to the features, a page that the table knows
 * nothing of is the first one.
 */
#ifndef TMPL_AUTO_H
#define TMPL_AUTO_H

#include "detect/verdict.h"
#include "feature/feature.h"
#include "model/trees.h"

/* A page between what the store is told of it and what the store answers. */
typedef struct {
    tmpl_layout_t layout;
    tmpl_reading_t *reading;
    apr_pool_t *pool; /* of reading, and of what judging needs */
} tmpl_auto_t;

/*
 * Reads a page that was parsed with tmpl_separators_leaf, and fills observation as
 * tmpl_layout_observation does. From pool.
 */
tmpl_auto_t *tmpl_auto_read(tmpl_observation_t *observation, const tmpl_page_t *page,
                            apr_pool_t *pool);

/*
 * Fills ratio, the templateness, of each block's verdict, and gives back the memory of what was read: the page
 * can be judged once. counts answers observation, both as they were when the page was read; counts->records
 * NULL: there is no answer.
 */
void tmpl_detect_auto(tmpl_verdict_t *verdicts, const tmpl_auto_t *page,
                      const tmpl_observation_t *observation, const tmpl_counts_t *counts,
                      uint32_t min_df, const tmpl_trees_t *trees);

#endif
