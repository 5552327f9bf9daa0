/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The detector "incremental", Wang et al. (WWW 2008), section 2.3: the template ratio of a block is
 * the length of its segments with DF >= MinDF over the length of all its segments. A block is
 * template if its ratio is larger than a threshold.
 */
#ifndef TMPL_INCREMENTAL_H
#define TMPL_INCREMENTAL_H

#include "detect/verdict.h"
#include "table/counts.h"

/* Fills verdicts, page->n_blocks of them. records has one record for each of page->keys. */
void tmpl_detect_incremental(tmpl_verdict_t *verdicts, const tmpl_page_t *page,
                             const tmpl_record_t *records, uint32_t min_df, double threshold);

#endif
