/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the site's counts may take away of a page: what stands outside its records and its main
 * text. Inside them a repeated value is a value, such as a date, a price or a clause.
 */
#ifndef TMPL_FIRST_LOOK_H
#define TMPL_FIRST_LOOK_H

#include "detect/records.h"
#include "model/judge_rows.h"

/*
 * Judges again, as on a site's first page, the blocks that are template on a known site; not those
 * in nav, header, footer, aside and form, or in an element with a bad name (hint_names.h) and no
 * good one below it. A block that would be content then is inside if it stands with the headline:
 * in the smallest element around the headline that has TMPL_FIRST_LOOK_WORDS more words of content,
 * if half of its words are content; content are blocks that stay and those that would be.
 *
 * A block inside becomes content if at most TMPL_FIRST_LOOK_PAGES of the site's pages have its
 * text, a mean over its segments; or if most words of content in that element would go, as those of
 * a list that all known pages have.
 *
 * Returns 1 for each block inside. Temporary memory is from pool.
 */
const unsigned char *tmpl_first_look(const tmpl_ruled_t *judged, const float *alone, double threshold,
                                     const tmpl_records_t *records, apr_pool_t *pool);
void tmpl_first_look_judge(float *alone, const tmpl_ruled_t *judged, const tmpl_trees_t *trees,
                           tmpl_rows_t *rows, apr_pool_t *pool);

#define TMPL_FIRST_LOOK_WORDS 10
#define TMPL_FIRST_LOOK_PAGES 0.75

#endif
