/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of tags that are not in the table of tag.h. A token holds the hash of the name, so names
 * are compared as numbers; tmpl_name_add ensures that no two names of a page share a number.
 */
#ifndef TMPL_TAG_NAMES_H
#define TMPL_TAG_NAMES_H

#include <apr_tables.h>

#include "base/hash.h"
#include "base/tmpl.h"

/* The names of one page. Initialise it with src and pool, and all else 0. */
typedef struct {
    const char *src;
    apr_pool_t *pool;
    apr_array_header_t *spans; /* tmpl_span_t; NULL until there is a name */
    tmpl_numbering_t hashes;   /* hashes of the names at spans */
} tmpl_names_t;

/*
 * The number of the name at span: equal for names equal in any case, and never a tmpl_tag_e.
 * Returns 0 if another name of the page has the same number but other bytes: by accident, or
 * because the number ignores NUL and bytes above 0x7F, which browsers may read as equal characters.
 */
uint32_t tmpl_name_add(tmpl_names_t *names, tmpl_span_t span);

#endif
