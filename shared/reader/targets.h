/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Links into the page itself, as of footnotes and tables of contents, and the elements they lead
 * to.
 */
#ifndef TMPL_TARGETS_H
#define TMPL_TARGETS_H

#include <apr_hash.h>

#include "content/content.h"

typedef struct {
    const tmpl_content_t *content;
    apr_hash_t *ids; /* of elements to which links lead; NULL: there are none */
    tmpl_buf_t address;
    apr_pool_t *pool;
} tmpl_targets_t;

/* Finds the links and the elements in a content. Takes linear time. */
void tmpl_targets_find(tmpl_targets_t *targets, const tmpl_content_t *content, apr_pool_t *pool);

/* The fragment in href, without '#', if an element of the content has that id; else NULL. */
const char *tmpl_targets_of(tmpl_targets_t *targets, const char *href);

/* The id of an element if a link leads to it, once for each id; else NULL. */
const char *tmpl_targets_id(tmpl_targets_t *targets, const xmlNode *element);

#endif
