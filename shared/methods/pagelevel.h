/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The detector "pagelevel": page-level template detection, Chakrabarti, Kumar and Punera (WWW
 * 2007). It judges each region of a page by that page alone:
 *   1. A logistic regression over the region's features, one for each size class, gives its
 *      templateness (section 4; methods/pagelevel_model.h).
 *   2. Smoothing makes the regions of a page agree: regularised isotonic regression on their tree
 *      (section 5; below).
 *   3. A block with more templateness than the threshold is template.
 */
#ifndef TMPL_PAGELEVEL_H
#define TMPL_PAGELEVEL_H

#include "detect/detector.h"
#include "methods/pagelevel_model.h"
#include "page/page.h"
#include "base/tmpl.h"

/*
 * The regions of a page, which the detector "pagelevel" judges, and their features: sums over
 * blocks (feature/tally.h), the place in the page, the tags and names around.
 */

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

/*
 * The separators to parse a page with, so that its blocks are leaves: a paragraph, a list item, a
 * cell. Every block-level element is one. br is no separator here, though it is one for auto: a
 * line of a paragraph is not a region. docs/lab/accuracy.md measures the difference.
 */
extern const tmpl_tag_set_t tmpl_separators_pagelevel;

/*
 * Fills verdicts, page->n_blocks of them. ratio is the block's templateness. A block with a ratio
 * above threshold is template; threshold < 0 stands for the model's own.
 */
void tmpl_detect_pagelevel(tmpl_verdict_t *verdicts, const tmpl_page_t *page,
                           const tmpl_model_t *model, tmpl_smoothing_e smoothing, double threshold,
                           apr_pool_t *pool);

/*
 * Smoothing of values over a tree, Chakrabarti, Kumar and Punera, "Page-level Template Detection
 * via Isotonic Smoothing" (WWW 2007): given x(i) in 0..1 for each node, find y with y(i) <= y(j)
 * for i = parent(j) that minimises
 *
 *     sum alpha(i) |x(i) - y(i)| + beta(i) |y(i) - agg y(j)|,  j the children of i
 *
 * A node without children has no second term. The dynamic program is exact over a grid of levels,
 * and takes O(n * levels) time: one sweep from the last node to the first, one back.
 */

/* What agg is. */
typedef enum {
    TMPL_ISOTONIC_MAX, /* the largest child, as the paper's slides print it: a convex problem */
    TMPL_ISOTONIC_MIN  /* the smallest, as the axiom reads: template iff all children are */
} tmpl_isotonic_e;

/* Nodes are in document order: the descendants of a node follow it directly. */
typedef struct {
    float x;         /* 0..1 */
    float alpha;     /* weight of staying near x, >= 0 */
    float beta;      /* weight of staying near agg, >= 0 */
    uint32_t parent; /* its index; ignored for the first node, the root */
} tmpl_isotonic_node_t;

#define TMPL_ISOTONIC_LEVELS 32 /* levels that the detector uses: steps of 1/31 */
#define TMPL_ISOTONIC_MOST   64

/*
 * Fills y (room for n >= 1) with values of the grid 0, 1/(levels-1), ..., 1 and returns the sum at
 * its minimum. levels is 2 to TMPL_ISOTONIC_MOST. Takes memory from pool: about 30 bytes a node for
 * MAX, 6 * levels a node for MIN, and 8 * levels for each level of depth.
 */
double tmpl_isotonic(float *y, const tmpl_isotonic_node_t *nodes, uint32_t n,
                     tmpl_isotonic_e reading, uint32_t levels, apr_pool_t *pool);

#endif
