/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of one site, learnt apart from each other, become one. The order of the tables does not
 * matter. If no document is in two of them, the result does not depend on which are merged first.
 *
 * D is the number of different DOCUMENT keys, E the sum of their numbers in each table, N the sum
 * of the clocks. The clock becomes N D / E: N if no document is in two tables, and that of one
 * table if all are equal. An entry was last seen as many documents ago as in the table that saw it
 * last. By kind:
 *     DOCUMENT   one entry
 *     SEGMENT    the different fingerprints of all tables, while these are less than min_df, and
 *                none of the tables has dropped them; DF is their number. Otherwise DF is the sum
 *                of all DF times D / E, but at least the largest one
 *     PATH       DF, text and repeated: their sums times D / E, but at least those of the largest
 * So a document that two tables have counted does not count twice: what both know of a site is
 * averaged, what one of them knows is kept. Documents that a table forgets by their age are missing
 * in D and E: there D / E is an estimate.
 *
 * Near copies and prose that is held (counts.h) depend on the order of pages, and so does what is
 * credited to a path as repeated: to learn the pages of all tables in one table may give other
 * counts. keys_line.h is for those who need equal ones.
 */
#ifndef TMPL_TABLES_MERGE_H
#define TMPL_TABLES_MERGE_H

#include "table/export_file.h"

/* How many documents, of how many, were in two tables: E - D and E above. */
typedef struct {
    uint64_t documents, twice;
} tmpl_tables_overlap_t;

/*
 * Fills merged from n > 0 tables, whose keys must have been made with one seed: the caller checks
 * that. Memory is from pool, and of the tables. Of a document that two lists have, the one that was
 * seen or changed last counts.
 */
void tmpl_tables_merge(tmpl_export_file_t *merged, const tmpl_export_file_t *const *tables, int n,
                       uint32_t min_df, tmpl_tables_overlap_t *overlap, apr_pool_t *pool);

#endif
