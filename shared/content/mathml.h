/* SPDX-License-Identifier: Apache-2.0 */
/* Formulas in MathML (https://www.w3.org/TR/mathml-core/) as TeX, for pages that have no TeX. */
#ifndef TMPL_MATHML_H
#define TMPL_MATHML_H

#include "base/buf.h"
#include "dom/dom.h"

/*
 * Adds the TeX of a math element, or of an mjx-math, which MathJax makes of MathML. Characters and
 * elements that have no name in TeX here are written as they are, or as their content.
 */
void tmpl_mathml_write(tmpl_buf_t *tex, const xmlNode *math);

#endif
