/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of each block (parts.h), by what the page says of it: names, roles and tags
 * (feature/lexicon.h), texts that head or label something in many languages (part_words.h), the
 * place in the page. Where these are unsure, the templateness must say the same: a rule has the
 * least templateness of a block that it takes. Dialogs, labels of advertisements and states of
 * scripts ("Loading") need none.
 *
 * A hint holds for the element whose tag has it, and for all in it, unless the element has more
 * words, or more of the page's content, than such a part has (parts_find.c): a name on a large
 * element is of something else. A block has a hint if all of its segments have it.
 *
 * In this order, the first rule that knows a block decides:
 *   1. headline, byline: by tmpl_headline.
 *   2. comment: elements with the hint COMMENT behind an article, some of which say who or when.
 *      In a thread posts are body, and only comments in schema.org's Question and Answer count.
 *      What a site repeats around comments is template: their headings, the form for one, recent
 *      comments in a sidebar, what the counts say, but not who wrote them and when. A page is a
 *      thread if more than half of its content is in elements with names of forums, by its
 *      canonical address, or by the types DiscussionForumPosting and QAPage. If its
 *      address says so, what stands behind the last post is template, unless the trees are sure.
 *   3. comment, review, qa, related, byline (a box about the author): the largest element that
 *      begins with a phrase that heads one, or the rest of its section, if it is like template (or,
 *      for related pages, made of links) and a quarter of the content stands before it. Controls
 *      inside stay controls (parts_regions.c). "Discussion" heads comments only if the region says
 *      who or when; several headings of related pages over much of the content are sections of a
 *      front page, and head no related pages.
 *   4. review: elements with the hint REVIEW. Reviews are on pages of products only, by the types
 *      Product and ProductGroup.
 *   5. lead: the first text behind the headline, if it is called so.
 *   6. hidden, notice, control, qa, byline, related, caption: single blocks, by the table in
 *      parts_rules.c. A credit needs a picture near it. A button that asks, or that opens a text,
 *      is body if that text stays. Cells of a table in a dialog are facts, unless a form is
 *      between. What hides an element of several blocks with content closes a panel: no hint.
 *      Items of a list of ingredients are body up to TMPL_SURE_TEMPLATE.
 *   7. byline: a short text of content with the hint AUTHOR, DATE, META or USER, or which begins
 *      like a date. facts: prices, names of specifications, short terms and descriptions.
 *   8. body: all other content. template: all other template.
 * In nav, header, footer and aside (but not of an article), template stays template. Then the
 * blocks of a field of records agree on their part (parts_records.c).
 */
#ifndef TMPL_PARTS_FIND_H
#define TMPL_PARTS_FIND_H

#include "detect/records.h"

/*
 * Sets part in each verdict; records are those of the page. HEADLINE and BYLINE that were set
 * before stay. Template that rules 2 to 6 know becomes content, because TmplParts says whether it
 * stays; but captions and bylines that are template stay so. Scratch memory is from pool.
 */
void tmpl_parts_find(const tmpl_ruled_t *judged, const tmpl_records_t *records, apr_pool_t *pool);

#endif
