/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formulas of a page as TeX, from where pages have them: annotations of MathML, as KaTeX writes
 * them; its attribute alttext; MathML itself (https://www.w3.org/TR/mathml-core/); MathJax's scripts and elements; images
 * with the TeX in alt, or in their address. A formula is often there twice, for eyes and for screen
 * readers: then it is read once.
 */
#ifndef TMPL_FORMULA_H
#define TMPL_FORMULA_H

#include "base/buf.h"
#include "dom/dom.h"

typedef struct {
    /*
     * One line, safe to stand between $, until the next element is asked for; NULL: a formula that
     * is elsewhere, too.
     */
    const char *tex;
    int display; /* it stands on a line of its own */
} tmpl_formula_t;

/* What was found out about a page on the walk over its tree. */
typedef struct {
    const xmlNode
        *without;     /* the last element that looked like a formula's, but holds none; NULL */
    apr_pool_t *pool; /* the caller's, for the last formula alone: it is cleared */
} tmpl_formulas_t;

/*
 * Whether an element is a formula, with all that is in it. Elements are asked in order of the
 * document, and not in a formula.
 */
int tmpl_formula_is(tmpl_formula_t *formula, tmpl_formulas_t *formulas, const tmpl_page_t *page,
                    const xmlNode *element);

/* --- mathml.c --- */

/*
 * Adds the TeX of a math element, or of an mjx-math, which MathJax makes of MathML. Characters and
 * elements that have no name in TeX here are written as they are, or as their content.
 */
void tmpl_mathml_write(tmpl_buf_t *tex, const xmlNode *math);

#endif
