/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formulas of a page as TeX, from where pages have them: annotations of MathML, as KaTeX writes
 * them; its attribute alttext; MathML itself (mathml.h); MathJax's scripts and elements; images
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

#endif
