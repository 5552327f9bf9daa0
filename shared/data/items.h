/* SPDX-License-Identifier: Apache-2.0 */
/* The records of a page (content/groups.h) as members of its JSON. */
#ifndef TMPL_ITEMS_H
#define TMPL_ITEMS_H

#include "content/groups.h"
#include "markdown/fragments.h"

/*
 * The place of each segment for tmpl_fragments_t, from pool: twice the index of the innermost
 * record around it, and 1 in the record's text. NULL if the page has no records.
 */
uint32_t *tmpl_items_places(const tmpl_groups_t *groups, const tmpl_page_t *page, apr_pool_t *pool);

/* Adds the list "records". fragments are those of the page with the places of groups. */
void tmpl_items_add(tmpl_buf_t *out, const tmpl_groups_t *groups, const tmpl_content_t *content,
                    const tmpl_fragments_t *fragments, apr_pool_t *pool);

#endif
