/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The judge of our trees and edits: Gumbo, an HTML5 parser that shares nothing with the one under test.
 *
 * For given verdicts on a page's blocks:
 * - the page with marks parses to the same tree as the page, but for the marks;
 * - the page with cuts parses to that tree without the marked elements and runs.
 */
#ifndef TMPL_ORACLE_H
#define TMPL_ORACLE_H

#include "detect/verdict.h"

typedef struct {
    const char *what; /* NULL if the trees agree, else which comparison failed */
    char *expected;   /* the two trees from just before where they part; malloc'd */
    char *found;
    uint32_t cuts;
} oracle_result_t;

/* Judges both edits of page under verdicts, which it may change. */
void oracle_judge(oracle_result_t *result, const tmpl_page_t *page, tmpl_verdict_t *verdicts,
                  apr_pool_t *pool);

/*
 * Whether Gumbo, which was last changed in 2016, reads the page as HTML does now. Not where it has elements that Gumbo
 * does not know or reads in a way of its own, or end tags that end svg or math. html ends in NUL.
 */
int oracle_knows(const char *html);

/*
 * Whether the nodes of the page that the bytes are read as are the elements of the oracle's tree, and each node and text
 * stands in the same one: NULL, or the bytes from the first on that does not. Elements that have no tag in the source
 * are looked through; what HTML5 moves out of a table, pages leave where it stands. NULL, too, where the oracle is known
 * not to read as HTML5 says.
 */
const char *oracle_tree(const char *bytes, size_t len, apr_pool_t *pool);

/* Verdicts drawn at random: each block is template with chance percent in a hundred. */
void oracle_draw(tmpl_verdict_t *verdicts, const tmpl_page_t *page, unsigned percent,
                 uint64_t *seed);

#endif
