/* SPDX-License-Identifier: Apache-2.0 */
/* The records of a page (content/groups.h) as members of its JSON. */
#ifndef TMPL_ITEMS_H
#define TMPL_ITEMS_H

#include "content/content.h"
#include "markdown/fragments.h"

/* Sets fragments apart by the innermost record around them, and the record's text in it. */
void tmpl_items_part(tmpl_fragments_t *fragments, const tmpl_groups_t *groups);

/* Adds the list "records"; fragments are the page's, set apart by its records. */
void tmpl_items_add(tmpl_buf_t *out, const tmpl_content_t *content,
                    const tmpl_fragments_t *fragments, apr_pool_t *pool);

#endif
