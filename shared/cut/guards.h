/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operator's rules: TmplParts, TmplKeep and TmplDrop override verdicts, TmplMinKeep and
 * TmplMinConfidence decline a page.
 */
#ifndef TMPL_GUARDS_H
#define TMPL_GUARDS_H

#include <apr_tables.h>

#include "detect/explain.h"
#include "page/selector.h"

/* The arrays are of const tmpl_selector_t *; NULL: none. They must live as long as the guards. */
typedef struct {
    const apr_array_header_t *keep; /* blocks in matching elements are content */
    const apr_array_header_t *drop; /* blocks in matching elements are template */
    double min_keep; /* decline a page of which less than this share of text is content, 0..1 */
    tmpl_part_set_t without; /* blocks of these parts are template, but for keep */
    int control_texts;       /* controls that stay keep their texts (rules.h) */
    double min_confidence;   /* decline a page with less confidence (closure.h), 0..1 */
} tmpl_guards_t;

/*
 * Sets the verdicts of blocks in elements that match drop or keep; keep wins over drop. explain
 * gets the reasons; it may be NULL. Returns a byte for each selector of keep, then of drop, from
 * pool: 1 if the selector matches an element with text. Returns NULL without selectors. If an XPath
 * expression takes too many steps for the page, it matches nothing, and *decline is XPATH; decline
 * may be NULL.
 */
const unsigned char *tmpl_guards_apply(tmpl_verdict_t *verdicts, const tmpl_page_t *page,
                                       const tmpl_guards_t *guards, tmpl_decline_e *decline,
                                       tmpl_explain_t *explain, apr_pool_t *pool);

#endif
