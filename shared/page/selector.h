/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CSS selectors for TmplKeep and TmplDrop (Selectors Level 4): compounds of tag, #id, .class,
 * [attr] and [attr=value], as "div.note[role=doc]"; joined by the descendant combinator ("main p")
 * or the child combinator ("main > p"); and lists of such selectors ("nav, footer").
 *
 * The outermost element of a page is body: html and head match nothing. A body without a tag in the
 * source matches nothing, either.
 */
#ifndef TMPL_SELECTOR_H
#define TMPL_SELECTOR_H

#include <apr_tables.h>

#include "page/page.h"

typedef struct tmpl_selector_t tmpl_selector_t;

/* The prefix of an XPath selector, which dom/xpath.h reads. All other selectors are CSS. */
#define TMPL_SELECTOR_XPATH "xpath:"

/* The XPath expression of a selector; NULL for a selector of CSS. */
const char *tmpl_selector_xpath(const tmpl_selector_t *selector);

/*
 * Adds the selectors of text, which may be a list of CSS, to list: const tmpl_selector_t *, from
 * list's pool. An XPath expression is not checked. APR_EINVAL with what is wrong and where.
 */
apr_status_t tmpl_selector_parse(apr_array_header_t *list, const char *text, tmpl_error_t *err);

/* The text of the selector. */
const char *tmpl_selector_text(const tmpl_selector_t *selector);

/*
 * Whether the selector of CSS matches the node. Classes, ids and values must be
 * equal in their bytes; tag and attribute names match in any case. Takes at most one step for each
 * ancestor and compound.
 *
 * memo keeps which ancestors match, for calls for other nodes of the page: it has memo_size bytes,
 * all 0 at first. With NULL the tags of all ancestors are read again for each node, which is
 * quadratic.
 */
size_t tmpl_selector_memo_size(const tmpl_selector_t *selector, const tmpl_page_t *page);
int tmpl_selector_matches(const tmpl_selector_t *selector, const tmpl_page_t *page, uint32_t node,
                          unsigned char *memo);

#endif
