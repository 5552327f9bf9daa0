/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images of an article, and their captions. The trees of auto know little about a block without
 * words, and were trained on labels of text; most images on a page belong to its template.
 */
#ifndef TMPL_PICTURES_H
#define TMPL_PICTURES_H

#include "detect/verdict.h"
#include "table/counts.h"

/*
 * A template block of images only, or in a figcaption, becomes content if
 *   1. the nearest block of text before it and the one behind it are content. A block of text is a
 *      heading that is content, or a block of TMPL_PICTURES_TEXT bytes or more that does not begin
 *      with an image and is no caption;
 *   2. none of its segments has a DF above 1; and
 *   3. none of its images has a width or height attribute below TMPL_PICTURES_SIDE pixels. While
 *      the site has fewer than min_df pages, both attributes must be there.
 * records has one record for each of page->keys. Without a store records may be NULL, with pages 0:
 * then rule 2 holds for every segment.
 */
void tmpl_pictures(tmpl_verdict_t *verdicts, const tmpl_page_t *page, const tmpl_record_t *records,
                   uint64_t pages, uint32_t min_df);

#define TMPL_PICTURES_TEXT 80  /* bytes */
#define TMPL_PICTURES_SIDE 100 /* pixels */

#endif
