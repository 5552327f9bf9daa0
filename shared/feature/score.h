/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The element that most likely holds the page's content, in the way of Arc90's Readability: each
 * block of free text gives points to the elements around it, less the farther they are, and an
 * element's score is its points times what is not links. Comments, reviews and what is behind main
 * give no points, unless the page is a thread: one comment must not decide what is content.
 */
#ifndef TMPL_SCORE_H
#define TMPL_SCORE_H

#include "feature/reading.h"

/* Fills scores and best of reading, whose text must have been read. From pool. */
void tmpl_read_score(tmpl_reading_t *reading, apr_pool_t *pool);

/* Whether a block is in an element that is named comments or reviews, or behind main. */
int tmpl_is_reply(const tmpl_reading_t *reading, uint32_t block);

/* Whether the page's canonical address is that of a thread. */
int tmpl_has_thread_address(const tmpl_page_t *page);

#endif
