/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Near copies: pages with a new address and a new text that show little but the text of one
 * document, such as an article with a clock, or with other teasers for each request, requested as
 * ?a=1, ?a=2. If they counted, anybody could raise the DF of an article until it is template.
 */
#ifndef TMPL_NEAR_H
#define TMPL_NEAR_H

#include "table/rules.h"

/*
 * Whether a page is a near copy (counts.h) of a document of its site, at clock now. The slots of
 * the page must be filled. Takes time in proportion to its shares times min_df.
 */
int tmpl_is_near_copy(const tmpl_rules_page_t *page, const tmpl_lifetimes_t *lifetimes,
                      uint32_t now);

/*
 * Sets held[i] for each SEGMENT key i that the page, which is no near copy, must not raise: echoes,
 * and text of which the page takes too much from one document (counts.h). held is 0 before.
 */
void tmpl_near_hold(unsigned char *held, const tmpl_rules_page_t *page,
                    const tmpl_lifetimes_t *lifetimes, uint32_t now);

/* Sets the DF to 1 in the records of text that the page was among the first to show (counts.h). */
void tmpl_near_own(tmpl_record_t *records, const tmpl_rules_page_t *page);

#endif
