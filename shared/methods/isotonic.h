/* SPDX-License-Identifier: Apache-2.0 */
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
#ifndef TMPL_ISOTONIC_H
#define TMPL_ISOTONIC_H

#include "base/tmpl.h"

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
