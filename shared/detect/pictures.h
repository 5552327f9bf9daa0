/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pictures of an article. Trees know little of a block without a word, and learnt from labels that say nothing of
 * pictures: those of navigation are the most.
 */
#ifndef TMPL_PICTURES_H
#define TMPL_PICTURES_H

#include "detect/verdict.h"
#include "table/store.h"

/*
 * A block of pictures alone becomes content if there is content in front of it and behind, and each of its pictures is this
 * page's own. Content is the nearest block that is a heading that stays, or that has TMPL_PICTURES_TEXT bytes or more and
 * does not begin with a picture, if it is content. A page's own is a picture with a DF of 1 at most, which does not say that it
 * is less than TMPL_PICTURES_SIDE pixels wide or high; before the site has min_df pages it must say that it is not.
 * records is one per page->keys. NULL: there is no store, or it has not answered; pages is 0 then. Each picture is
 * judged as one that no other page has, as on the first page of a site.
 */
void tmpl_pictures(tmpl_verdict_t *verdicts, const tmpl_page_t *page, const tmpl_record_t *records,
                   uint64_t pages, uint32_t min_df);

#define TMPL_PICTURES_TEXT 80
#define TMPL_PICTURES_SIDE 100

#endif
