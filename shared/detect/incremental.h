/* SPDX-License-Identifier: Apache-2.0 */
/* The detector "incremental": a block is template if enough of its text is repeated on other pages. */
#ifndef TMPL_INCREMENTAL_H
#define TMPL_INCREMENTAL_H

#include "detect/verdict.h"
#include "table/store.h"

/*
 * Incremental detection, Wang et al. (WWW 2008), section 2.3: the template ratio of a block is the
 * length of its segments with DF >= min_df over the length of all its segments, and a block is
 * template if that is larger than threshold. records is one per page->keys; verdicts has room for
 * page->n_blocks.
 */
void tmpl_detect_incremental(tmpl_verdict_t *verdicts, const tmpl_page_t *page,
                             const tmpl_record_t *records, uint32_t min_df, double threshold);

#endif
