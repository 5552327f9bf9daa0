/* SPDX-License-Identifier: Apache-2.0 */
/* Where a page's content begins: its headline. */
#ifndef TMPL_OPENING_H
#define TMPL_OPENING_H

#include "content/content.h"

/*
 * The heading in body that is the page's title (metadata.h): it has most of its words, and few
 * others. Of several, an h1 before others, then the one that is most like it, then the first. If no
 * heading is like the title: the first one, if it is the only h1. NULL: there is none, or no title.
 * *before: bytes of text in front of it.
 */
const xmlNode *tmpl_opening_headline(uint32_t *before, const tmpl_content_t *content,
                                     apr_pool_t *pool);

#endif
