/* SPDX-License-Identifier: Apache-2.0 */
/*
 * XPath 1.0 for TmplKeep and TmplDrop: "//div[contains(@class, 'promo')]". Names of elements and
 * attributes are in lower case. Not in the tree are elements without a tag in the source (a tbody,
 * a p), and the content of svg and of other elements whose text is not displayed.
 */
#ifndef TMPL_XPATH_H
#define TMPL_XPATH_H

#include "dom/dom.h"

/*
 * APR_EINVAL, with what is wrong, if text is not an XPath expression, or does not select elements.
 */
apr_status_t tmpl_xpath_check(const char *text, tmpl_error_t *err);

/*
 * Finds the page's nodes that a valid expression selects: an element, or the element of an
 * attribute or a text. *nodes gets *n indices, from pool. Returns 0 if the expression takes too
 * many of libxml2's steps: 5,000,000, fewer on large pages.
 */
int tmpl_xpath_select(uint32_t **nodes, uint32_t *n, const char *text, xmlDoc *doc,
                      apr_pool_t *pool);

#endif
