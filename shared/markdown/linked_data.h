/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a page says of its article in JSON-LD (https://schema.org/Article). The article is an object
 * whose @type is Report, or ends in "Article" or "Posting". It stands at the top, in a list at the
 * top, or in @graph, or is the mainEntity of an object there.
 */
#ifndef TMPL_LINKED_DATA_H
#define TMPL_LINKED_DATA_H

#include <apr_pools.h>

typedef enum {
    TMPL_LINKED_AUTHOR, /* the names of all authors, with commas */
    TMPL_LINKED_PUBLISHED,
    TMPL_LINKED_MODIFIED,
    TMPL_LINKED_COUNT
} tmpl_linked_e;

/* A value is "" if several articles differ in it: a list of articles has no author of its own. */
typedef struct {
    const char *values[TMPL_LINKED_COUNT]; /* UTF-8; NULL: nothing */
} tmpl_linked_data_t;

/* Adds the values of one script; nothing if the script is not JSON. */
void tmpl_linked_data_read(tmpl_linked_data_t *data, const char *json, apr_pool_t *pool);

#endif
