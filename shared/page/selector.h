/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Simple selectors for TmplKeep and TmplDrop: tag, #id, .class, [attr] and [attr=value], alone or
 * joined to one compound ("div.note[role=doc]"). No combinators, no lists: a list is several.
 */
#ifndef TMPL_SELECTOR_H
#define TMPL_SELECTOR_H

#include "page/page.h"

typedef struct tmpl_selector_t tmpl_selector_t;

/* Parses text. APR_EINVAL with what is wrong and where. */
apr_status_t tmpl_selector_parse(const tmpl_selector_t **selector, const char *text,
                                 tmpl_error_t *err, apr_pool_t *pool);

/* Whether the selector matches the node. Class and id compare by bytes, tag and attribute names in any case. */
int tmpl_selector_matches(const tmpl_selector_t *selector, const tmpl_page_t *page, uint32_t node);

#endif
