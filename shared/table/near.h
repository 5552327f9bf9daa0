/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Near copies: pages of a new address and a new text that show little but what one document counted
 * before has shown, as an article with a clock on it that is asked for as ?a=1, ?a=2. If they
 * counted, anybody could raise the document frequency of an article until it is template.
 */
#ifndef TMPL_NEAR_H
#define TMPL_NEAR_H

#include "table/rules.h"

/*
 * Whether a page is a near copy, as store.h has it, of a document in the table of a site as it is
 * at clock now. Its slots are filled; pool is for the call alone. It takes time and memory as the
 * page has shares and min_df fingerprints.
 */
int tmpl_is_near_copy(const tmpl_rules_page_t *page, const tmpl_lifetimes_t *lifetimes,
                      uint32_t now, apr_pool_t *pool);

#endif
