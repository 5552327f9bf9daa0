/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Heads and what they head: a heading and its section, a term and its descriptions, a caption and its table. A
 * detector judges each block for itself, and "Parameters" stands on all pages of a manual; but a head is of use as long
 * as what it heads is there, and of none without it.
 */
#ifndef TMPL_HEADS_H
#define TMPL_HEADS_H

#include "detect/verdict.h"

/*
 * Adjusts verdicts of heads that are blocks of their own. A template head becomes content if what it heads begins with
 * content and is content by more than half of its length, or, for parts of a table, figure, fieldset or details, if
 * anything else in that is content. A heading below h1 becomes template if its section is, and is nothing but links
 * and pictures: a title over a byline stays. Descriptions become content with their term, and cells that are a block each
 * with any other of their row.
 */
void tmpl_heads(tmpl_verdict_t *verdicts, const tmpl_page_t *page, apr_pool_t *pool);

#endif
