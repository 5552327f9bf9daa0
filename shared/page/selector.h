/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CSS selectors for TmplKeep and TmplDrop (Selectors Level 4): compounds of tag, #id, .class,
 * [attr] and [attr=value], as "div.note[role=doc]"; joined by the descendant combinator ("main p")
 * or the child combinator ("main > p"); and lists of those ("nav, footer").
 *
 * The outermost element of a page is body: html and head match nothing, nor does a body whose tag
 * is missing in the source.
 */
#ifndef TMPL_SELECTOR_H
#define TMPL_SELECTOR_H

#include <apr_tables.h>

#include "page/page.h"

typedef struct tmpl_selector_t tmpl_selector_t;

/* Parses text, which may be a list. APR_EINVAL with what is wrong and where. */
apr_status_t tmpl_selector_parse(const tmpl_selector_t **selector, const char *text,
                                 tmpl_error_t *err, apr_pool_t *pool);

/* Adds each selector of a parsed list, in their order, to list: const tmpl_selector_t *. */
void tmpl_selector_split(apr_array_header_t *list, const tmpl_selector_t *selector);

/* The text of the selector; of a list that of its last one. */
const char *tmpl_selector_text(const tmpl_selector_t *selector);

/*
 * Whether a selector of the list matches the node. Class, id and values compare by bytes, tag and
 * attribute names in any case. Takes at most one step for each ancestor and compound.
 */
int tmpl_selector_matches(const tmpl_selector_t *selector, const tmpl_page_t *page, uint32_t node);

/*
 * The same for many nodes of a page: memo, so many bytes, 0 at first, keeps which ancestors match.
 * Without it each element reads the tags of all its ancestors again, which is quadratic.
 */
size_t tmpl_selector_memo_size(const tmpl_selector_t *selector, const tmpl_page_t *page);
int tmpl_selector_matches_memo(const tmpl_selector_t *selector, const tmpl_page_t *page,
                               uint32_t node, unsigned char *memo);

#endif
