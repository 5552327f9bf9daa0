/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The judge of our trees and edits: Gumbo, an HTML5 parser that has no code in common with ours.
 *
 * For given verdicts on a page's blocks:
 * - the page with marks parses to the same tree as the page, except for the marks; so does the page
 *   with marks of all presets, whose comments are flat and closed;
 * - the page with cuts parses to that tree without the marked elements and runs.
 */
#ifndef TMPL_ORACLE_H
#define TMPL_ORACLE_H

#include "detect/verdict.h"
#include "rewrite/rewrite.h"

typedef struct {
    const char *what; /* NULL if the trees agree, else the comparison that failed */
    char *expected;   /* the two trees from just before the first difference; malloc'd */
    char *found;
    uint32_t cuts;
} oracle_result_t;

/* Judges both edits of page under verdicts, which it may change. */
void oracle_judge(oracle_result_t *result, const tmpl_page_t *page, tmpl_verdict_t *verdicts,
                  apr_pool_t *pool);

/* All presets, and marks of one's own. */
const tmpl_marks_t *oracle_all_marks(apr_pool_t *pool);

/*
 * Whether Gumbo, which was last changed in 2016, parses the page as HTML is defined now. 0 for a
 * page with elements that Gumbo does not know or parses differently, or with end tags that end svg
 * or math. html ends in NUL.
 */
int oracle_knows(const char *html);

/*
 * Compares the page's nodes with the elements of the oracle's tree, and the parent of each node and
 * text. Returns NULL if they agree, else the bytes from the first difference on. Elements without a
 * tag in the source count as transparent; what HTML5 moves out of a table stays in our tree. Also
 * NULL where Gumbo is known to differ from HTML5.
 */
const char *oracle_tree(const char *bytes, size_t len, apr_pool_t *pool);

/* Verdicts drawn at random: each block is template with chance percent in a hundred. */
void oracle_draw(tmpl_verdict_t *verdicts, const tmpl_page_t *page, unsigned percent,
                 uint64_t *seed);

#endif
