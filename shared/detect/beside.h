/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Single blocks among others: the trees judge a block by its looks, a reader misses it beside what
 * stays.
 *
 *   element                what is in it
 *   blockquote             stays if what is before or behind it, in the element around, stays. In a
 *                          thread a quote of which less than half stays goes: it repeats a post,
 *                          and "Ida said:" alone says nothing.
 *   figcaption             stays if a part of its figure stays.
 *   ul, ol, dl, table      stays if the text before, in the element around, stays and ends in a
 *                          colon, unless that text is a phrase (part_words.h).
 *   h1 to h6               stays if it is the first heading of its article or li, and most words of
 *                          that stay; not in a thread, where it names a member.
 *                          Goes if all that it heads goes, up to the next heading of its level
 *                          or above; but not an h1, the page's first one, more than two in a row,
 *                          a sentence, or one below TMPL_SURE_CONTENT. Unless it is a link, fewer
 *                          than TMPL_BESIDE_LOST of the words that go may be content, by ratio.
 *   aside, ul              is related, and goes, if all words that stay in it are links to other
 *                          pages. An ul must be in an article, have TMPL_BESIDE_LINKS words, and
 *                          follow a paragraph of the element around that ends like a sentence.
 *
 * What is in nav, footer or form does not come to stay, nor do blocks of the site (headline.h) and
 * those above TMPL_SURE_TEMPLATE.
 */
#ifndef TMPL_BESIDE_H
#define TMPL_BESIDE_H

#include "detect/headline.h"

#define TMPL_BESIDE_LINKS 10
#define TMPL_BESIDE_LOST  2

/* Changes the verdicts, after records, headline, notes and pictures were judged. */
void tmpl_beside(const tmpl_ruled_t *judged);

#endif
