/* SPDX-License-Identifier: Apache-2.0 */
/* verdicts -> cuts: which bytes of the page are deleted or marked. */
#ifndef TMPL_CLOSURE_H
#define TMPL_CLOSURE_H

#include <apr_tables.h>

#include "detect/verdict.h"
#include "page/selector.h"

/*
 * A piece of the page that is template as a whole: an element, or a run of sibling text and
 * elements inside an element that is not. An element of which the code stays has several pieces, around that.
 */
typedef struct {
    tmpl_span_t span; /* what is to be cut or marked */
    uint32_t node;    /* the element, or TMPL_NONE for a run */
} tmpl_cut_t;

/* What the reader asked for, whatever the detector says. Arrays of const tmpl_selector_t *. */
typedef struct {
    const apr_array_header_t *keep; /* blocks in elements that match are content; may be NULL */
    const apr_array_header_t *drop; /* blocks in elements that match are template; may be NULL */
    double min_keep; /* decline if less than this share of the page's text would be left, 0..1 */
} tmpl_guards_t;

typedef struct {
    const tmpl_cut_t *cuts; /* in order, none inside another */
    uint32_t n_cuts;
    uint32_t blocks;          /* of the page */
    uint32_t template_blocks; /* after the guards */
    double ratio;             /* length of template blocks over length of all blocks */
    tmpl_decline_e decline;   /* TMPL_DECLINE_MIN_KEEP, with no cuts, or TMPL_DECLINE_NONE */
} tmpl_closure_t;

/*
 * The closure: an element is template if and only if all blocks in it are; the cuts are the topmost
 * such elements whose source bytes carry need (TMPL_NODE_MARK or TMPL_NODE_CUT), and runs of what is
 * left. Never html, head, body. Of an element that holds code all is cut but that. Never cut, but opened instead, is one that holds
 * what a form outside of it sends, what scripts ask for (places.h), or more than half of the text not known as template. A
 * declarative shadow root goes with its host alone. What is opened and is
 * template has all cut that may be, what holds no text, too. A cut that would join the text around it to something new is
 * left out. Adjusts verdicts to heads.h and refs.h, and then to the guards.
 */
void tmpl_closure(tmpl_closure_t *closure, const tmpl_page_t *page, tmpl_verdict_t *verdicts,
                  const tmpl_guards_t *guards, unsigned need, apr_pool_t *pool);

#endif
