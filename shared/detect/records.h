/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page, layout -> records: the parts of a page that are alike, as posts of a thread, cards of a
 * collection, rows of a list or a table.
 *
 * A field is all blocks at the same place in records: with one layout path, and in one column if
 * they are cells of a table. Its run is the innermost element around all of them, and the record of
 * a block is the element just below its run. So blocks need not have one parent, and records need
 * not follow each other.
 */
#ifndef TMPL_RECORDS_H
#define TMPL_RECORDS_H

#include "detect/headline.h"
#include "feature/layout.h"

typedef struct {
    uint32_t n;           /* blocks */
    uint32_t first, last; /* the first and the last of them */
} tmpl_field_t;

typedef struct {
    const tmpl_page_t *page;
    tmpl_field_t *fields;
    uint32_t n_fields;
    uint32_t *field; /* of each block: index in fields */
    uint32_t *next;  /* of each block: the next one of its field; TMPL_NONE */
} tmpl_records_t;

/* Finds the fields of a page. Each block has one. From pool. */
void tmpl_records_find(tmpl_records_t *records, const tmpl_page_t *page,
                       const tmpl_layout_t *layout, apr_pool_t *pool);

/* The node of a field's run; for a field of one block, the block's own element. */
uint32_t tmpl_records_run(const tmpl_records_t *records, const tmpl_field_t *field);

/* The node of a block's record, just below the run of its field; the root if there is none. */
uint32_t tmpl_records_record(const tmpl_page_t *page, uint32_t run, uint32_t block);

/*
 * Gives all blocks of a field of TMPL_RECORDS_LEAST blocks the verdict of most of them, content if
 * it is a tie. If a block is content, blocks of a few words in a table's rows with content count as
 * content, too. But a block of more than TMPL_RECORDS_WORDS words does not become template if most
 * words of the field are content, nor does one below TMPL_SURE_CONTENT or inside (first_look.h);
 * and one above TMPL_SURE_TEMPLATE becomes content only inside, as a heading, or if it says who,
 * when or how much. And a field of two or more becomes content if it is template, but a reader
 * needs it, as an author, a date or a price:
 *   1. half of its neighbours have different texts, or most of its first TMPL_RECORDS_LOOKED blocks
 *      say by a tag, rel or itemprop, or by a year, who or when (TMPL_BYLINE_SAID);
 *   2. its blocks have TMPL_RECORDS_WORDS words at most, in the mean;
 *   3. content stands between half of its neighbours: the records stay. If most of its first
 *      blocks say neither who, when nor how much, and are no headings, half of all words between
 *      neighbours must be content;
 *   4. its run is not in nav, footer or aside.
 * Blocks of the site do not become content, nor do blocks without words: pictures.h judges
 * pictures. The trees take such fields for template, because a name or a date repeats within a run.
 * Fields of tables that are no cells of others, and of lists of terms, are judged twice: what is
 * content in other columns then stands between their blocks.
 */
void tmpl_records_judge(const tmpl_ruled_t *judged, const tmpl_records_t *records,
                        apr_pool_t *pool);

/*
 * Whether a field of template is needed by rules 1 to 4, and names, dates or prices records: most
 * of its first blocks say so, and most of its first records have content. kept[b]: halves of words
 * of content before block b.
 */
int tmpl_records_named(const tmpl_ruled_t *judged, const tmpl_records_t *records,
                       const tmpl_field_t *field, uint32_t *kept);

#define TMPL_RECORDS_LEAST  3
#define TMPL_RECORDS_WORDS  20
#define TMPL_RECORDS_LOOKED 4

#endif
