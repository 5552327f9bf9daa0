/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Readers' comments below an article: where they are.
 *
 * Text here is text outside of links, buttons and forms. A region of comments is the outermost
 * element for which all of this holds:
 *   1. The page calls it a comment: its class or id has a name of TMPL_NAME_COMMENT, or it has
 *      itemprop=comment or the itemtype Comment of schema.org. The outermost element needs a class,
 *      an id or a role.
 *   2. An article stands before it: TMPL_COMMENTS_ARTICLE bytes of text, in segments of
 *      TMPL_COMMENTS_SENTENCE bytes or more.
 *   3. It is a group of equal parts. Lines in it say who wrote or when: time, cite, itemprop of an
 *      author or a date, or a class or id with a name of TMPL_NAME_ABOUT. Two of these lines have
 *      the same path of tags; or a line is inside an inner element for which rule 1 holds; or there
 *      is one line, and rules 1 and 2 hold for a sibling of the same tag, too.
 *   4. It has TMPL_COMMENTS_TEXT bytes of text for each line of one path.
 *   5. It is not part of a thread, where posts are the content: the page does not name the types
 *      DiscussionForumPosting or QAPage of schema.org, and no sibling before the first region has
 *      its tag, the first word of its class, and a segment of TMPL_COMMENTS_SENTENCE bytes.
 */
#ifndef TMPL_COMMENTS_H
#define TMPL_COMMENTS_H

#include <apr_tables.h>

#include "page/page.h"

#define TMPL_COMMENTS_ARTICLE  400 /* bytes, in segments of TMPL_COMMENTS_SENTENCE bytes or more */
#define TMPL_COMMENTS_SENTENCE 80
#define TMPL_COMMENTS_TEXT     20

/* The nodes of the regions (uint32_t) in order, from pool. */
apr_array_header_t *tmpl_comment_regions(const tmpl_page_t *page, apr_pool_t *pool);

#endif
