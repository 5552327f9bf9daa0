/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of tags that are not in the table of tag.h. Tokens know them by a hash, so that to compare two is
 * to compare two numbers; what is here sees to it that no two names of a page have the same one.
 */
#ifndef TMPL_TAG_NAMES_H
#define TMPL_TAG_NAMES_H

#include <apr_tables.h>

#include "base/map.h"
#include "base/tmpl.h"

/* The names of one page. All zero but src and pool: none yet. */
typedef struct {
    const char *src;
    apr_pool_t *pool;
    apr_array_header_t *spans; /* tmpl_span_t; NULL until there is one */
    tmpl_map_t map;            /* of numbers: 1 + index in spans */
} tmpl_names_t;

/*
 * The number of the name at span: equal for names equal in any case, never a tmpl_tag_e. 0 if it cannot
 * be told from another name of the page: their numbers are equal but not their bytes. That is
 * an accident, or bytes that browsers may read as the same character, of which the number says nothing:
 * NUL and those above 0x7f.
 */
uint32_t tmpl_name_add(tmpl_names_t *names, tmpl_span_t span);

#endif
