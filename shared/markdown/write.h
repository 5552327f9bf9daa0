/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A finished leaf as Markdown or HTML. Whatever the leaf's text says, it is read as text again: the
 * signs that CommonMark and GFM would read as something else where they stand are escaped.
 */
#ifndef TMPL_WRITE_H
#define TMPL_WRITE_H

#include "markdown/leaf.h"
#include "markdown/flow.h"

/* What a text becomes: this decides what ends it, and what may stand in it. */
typedef enum {
    TMPL_WRITE_PARAGRAPH, /* may have several lines; the next border of blocks ends it */
    TMPL_WRITE_LINE,      /* a paragraph in which borders are spaces: a term or a summary */
    TMPL_WRITE_CARD,      /* the same; signs stand at borders */
    TMPL_WRITE_HEADING,   /* one line, behind its number signs */
    TMPL_WRITE_CELL       /* of a table: one line between bars */
} tmpl_write_e;

/* Writes the leaf's text as Markdown, without the end of its last line, and empties the leaf. */
void tmpl_write_markdown(tmpl_flow_t *flow, tmpl_leaf_t *leaf, tmpl_write_e where);

/* Writes the leaf's text as HTML in one line, and empties the leaf. */
void tmpl_write_html(tmpl_flow_t *flow, tmpl_leaf_t *leaf);

/*
 * Writes a block of code: its text as it is, between two fences longer than all runs of '`' in it.
 * language is one word without '`', or NULL.
 */
void tmpl_write_code(tmpl_flow_t *flow, const char *text, apr_size_t len, const char *language);

/* Writes a formula in TeX (formula.h) on lines of its own. */
void tmpl_write_formula(tmpl_flow_t *flow, const char *tex);

#endif
