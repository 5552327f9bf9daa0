/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements that have a name in common: their tag, if it is one that records have, a word of their
 * class, or the letters of their id. Digits of words count as 0, those of ids as nothing.
 */
#ifndef TMPL_ALIKE_H
#define TMPL_ALIKE_H

#include "base/hash.h"
#include "page/page.h"

typedef struct {
    uint32_t node;
    uint32_t next; /* index of the name's next element; TMPL_NONE */
} tmpl_alike_element_t;

typedef struct {
    tmpl_numbering_t names;
    apr_array_header_t *first;    /* of each name: uint32_t, index in elements */
    apr_array_header_t *last;     /* the same */
    apr_array_header_t *elements; /* tmpl_alike_element_t */
} tmpl_alike_t;

/* Names of an element at most. */
#define TMPL_ALIKE_NAMES 8

void tmpl_alike_init(tmpl_alike_t *alike, apr_pool_t *pool);

/* Adds an element, to each of its names. Elements come in document order. */
void tmpl_alike_add(tmpl_alike_t *alike, const tmpl_page_t *page, uint32_t node);

/* The first element of a name, and the next one of its name; NULL at the end. */
static inline const tmpl_alike_element_t *tmpl_alike_at(const tmpl_alike_t *alike, uint32_t i)
{
    return i != TMPL_NONE ? &APR_ARRAY_IDX(alike->elements, (int)i, tmpl_alike_element_t) : NULL;
}

static inline const tmpl_alike_element_t *tmpl_alike_first(const tmpl_alike_t *alike, uint32_t name)
{
    return tmpl_alike_at(alike, APR_ARRAY_IDX(alike->first, (int)name, uint32_t));
}

#endif
