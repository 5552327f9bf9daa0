/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The detector "auto": boosted trees (model/trees.h) over what a block looks like and what the
 * site's table says of it (feature/feature.h); then records are judged whole (records.h), and rules
 * make content of the parts that a reader would miss first (headline.h, pictures.h); at last each
 * block gets its part (parts_find.h). It judges the first page of a site, too: without counts the
 * features are those of a first page.
 */
#ifndef TMPL_AUTO_H
#define TMPL_AUTO_H

#include "detect/explain.h"
#include "feature/layout.h"
#include "model/trees.h"

/* A page between its observation, which the store gets, and its counts, which the store gives. */
typedef struct tmpl_auto_t {
    tmpl_layout_t layout;
    tmpl_reading_t *reading;
    apr_pool_t *pool; /* for reading, and for all that judging allocates */
} tmpl_auto_t;

/*
 * Reads a page that was parsed with tmpl_separators_leaf, and fills observation as
 * tmpl_layout_observation does. The result is from pool.
 */
tmpl_auto_t *tmpl_auto_read(tmpl_observation_t *observation, const tmpl_page_t *page,
                            apr_pool_t *pool);

/*
 * Fills verdicts, one for each block. ratio is the templateness by the trees. A block with a ratio
 * above threshold is template; threshold < 0 stands for the page's best threshold, but at least the
 * model's. counts answers observation; its records are NULL if there is no answer. explain gets the
 * reasons; it may be NULL. Frees the memory of page: a page can be judged once.
 */
void tmpl_detect_auto(tmpl_verdict_t *verdicts, const tmpl_auto_t *page,
                      const tmpl_observation_t *observation, const tmpl_counts_t *counts,
                      uint32_t min_df, const tmpl_trees_t *trees, double threshold,
                      tmpl_explain_t *explain);

#endif
