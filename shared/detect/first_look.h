/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the site's counts may take away of a page: what stands outside its records and its main
 * text. Inside them a repeated value is a value: a date, a price, a clause, a row.
 */
#ifndef TMPL_FIRST_LOOK_H
#define TMPL_FIRST_LOOK_H

#include "detect/records.h"
#include "model/judge_rows.h"

/*
 * A block is in doubt if it is template, but neither in nav, header, footer, aside or form, nor in
 * an element named like them that is nearer than one named like content (lexicon.h); those
 * around the headline, too, do not count. Texts on more than TMPL_FIRST_LOOK_PAGES of the site's
 * pages, a mean over a block's segments, are in doubt in fields of TMPL_RECORDS_LEAST blocks, where
 * bylines are, and on pages of which more is in doubt than stays. A text of TMPL_BYLINE_WORDS at
 * most with a digit may be a fact, such as opening hours or an address: it is not everywhere.
 */
typedef enum { TMPL_DOUBT_NO, TMPL_DOUBT_SOME, TMPL_DOUBT_EVERYWHERE } tmpl_doubt_e;

typedef struct {
    tmpl_span_t headline; /* blocks, by tmpl_headline_find() */
    unsigned char *doubt; /* a tmpl_doubt_e of each block */
    uint32_t *stay;       /* [i]: halves of words before block i that stay */
    float *alone; /* templateness; that of a block in doubt is as on the site's first page */
} tmpl_first_look_t;

/*
 * Judges the blocks in doubt as on the site's first page. What look holds is from pool.
 * Returns 0 if no block is in doubt.
 */
int tmpl_first_look(tmpl_first_look_t *look, const tmpl_ruled_t *judged,
                    const tmpl_records_t *records, const tmpl_trees_t *trees,
                    tmpl_judging_t *judging, apr_pool_t *pool);

/*
 * Keeps blocks in doubt that would be content on the site's first page: if their templateness is at
 * most threshold, or if half of the words of their table, which is not for layout, are or would be.
 *   1. They stand with the headline: in the smallest element around it that has
 *      TMPL_FIRST_LOOK_WORDS words more that are content or would be, or in a smaller one; these
 *      are half of its words, or no smaller one holds more than the headline.
 *   2. They are not everywhere; or they may be a byline, in no list, of TMPL_BYLINE_WORDS at
 *      most, among TMPL_BYLINE_BLOCKS behind the headline, with as few words of content between;
 *      or they stand in a record of which something stays, among TMPL_RECORDS_LEAST or more in
 *      their field; or in a table that stays, unless most of its words are links; or more would be
 *      content in that element than stays on the page without the headline, as a list would that
 *      all known pages have.
 * Returns 1 for each block that stands with the headline and is in doubt, or was content where a
 * block can be in doubt: it is not of the site (tmpl_is_of_site()), and no vote cuts it
 * (records.h). From pool.
 */
const unsigned char *tmpl_first_look_keep(const tmpl_first_look_t *look, const tmpl_ruled_t *judged,
                                          const tmpl_records_t *records, double threshold,
                                          apr_pool_t *pool);

#define TMPL_FIRST_LOOK_WORDS 10
#define TMPL_FIRST_LOOK_PAGES 0.9

#endif
