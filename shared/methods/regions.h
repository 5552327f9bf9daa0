/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The regions of a page, which the detector "pagelevel" judges, and their features: sums over
 * blocks (feature/tally.h), the place in the page, the tags and names around.
 */
#ifndef TMPL_REGIONS_H
#define TMPL_REGIONS_H

#include "methods/pagelevel_model.h"
#include "page/page.h"

/* A block, or an element that holds two or more whole blocks. */
typedef struct {
    uint32_t first_segment;
    uint32_t after_segment;
    uint32_t node;   /* the element; for a block the innermost separator around it */
    uint32_t parent; /* index of the smallest region around it; TMPL_NONE for the first */
    uint32_t block;  /* TMPL_NONE for an element */
    uint32_t length; /* bytes of text */
} tmpl_region_t;

typedef struct {
    tmpl_region_t *all; /* in document order; the first is the root and always an element */
    uint32_t n;
    float
        *features; /* [n * TMPL_FEATURE_COUNT], those of region i from i * TMPL_FEATURE_COUNT on */
} tmpl_regions_t;

/* Finds the regions of a page and computes their features. Everything is allocated from pool. */
void tmpl_regions(tmpl_regions_t *regions, const tmpl_page_t *page, apr_pool_t *pool);

#endif
