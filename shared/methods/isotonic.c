/* SPDX-License-Identifier: Apache-2.0 */
#include "methods/pagelevel.h"

#include <math.h>
#include <string.h>

/*
 * f(v) is the least cost of a node's subtree if its y is v. A sweep backwards through the document
 * visits the children of one node at a time on each level of depth, so their sums are kept by
 * depth.
 */
typedef struct {
    uint32_t n;                   /* children so far */
    float up[TMPL_ISOTONIC_MOST]; /* MAX, MIN: sum over children of min f(w), w >= v */
    /* MAX: sum of min f(w), w <= v. MIN: the least extra cost of one child being v exactly. */
    float other[TMPL_ISOTONIC_MOST];
    uint32_t tight[TMPL_ISOTONIC_MOST]; /* MIN: that child */
} sum_t;

typedef struct {
    const tmpl_isotonic_node_t *nodes;
    uint32_t levels;
    float step;
    uint16_t *depth;
    sum_t *sums;
    unsigned char *best; /* MAX: argmin f */
    unsigned char *most; /* MAX: the cheapest level of the largest child */
    unsigned char *pick; /* MIN: [node][m]: its best level >= m */
    unsigned char *low;  /* MIN: [node][v]: the smallest child's level */
    uint32_t *tight;     /* MIN: [node][m]: the child that is m exactly */
    double total;        /* subtracted from the f of nodes, so that sums stay small */
} sweep_t;

static void set_up_sweep(sweep_t *s, uint32_t n, tmpl_isotonic_e reading, apr_pool_t *pool)
{
    uint32_t deepest = 0;
    apr_size_t cells = (apr_size_t)n * s->levels;
    s->depth = apr_palloc(pool, n * sizeof(*s->depth));
    s->depth[0] = 0;
    for (uint32_t i = 1; i < n; i++) {
        s->depth[i] = (uint16_t)(s->depth[s->nodes[i].parent] + 1);
        deepest = s->depth[i] > deepest ? s->depth[i] : deepest;
    }
    s->sums = apr_palloc(pool, (deepest + 2) * sizeof(*s->sums));
    for (uint32_t d = 0; d < deepest + 2; d++) {
        s->sums[d].n = 0;
    }
    if (reading == TMPL_ISOTONIC_MAX) {
        s->best = apr_palloc(pool, n);
        s->most = apr_palloc(pool, n);
    }
    else {
        s->pick = apr_palloc(pool, cells);
        s->low = apr_palloc(pool, cells);
        s->tight = apr_palloc(pool, cells * sizeof(*s->tight));
    }
}

/* The sums at depth; set to 0 before the first child is added. */
static sum_t *sum_at(sweep_t *s, uint32_t depth)
{
    sum_t *sum = &s->sums[depth];
    if (sum->n++ == 0) {
        for (uint32_t v = 0; v < s->levels; v++) {
            sum->up[v] = 0;
            sum->other[v] = 0;
        }
    }
    return sum;
}

static void own_cost(float *f, const sweep_t *s, uint32_t i)
{
    const tmpl_isotonic_node_t *node = &s->nodes[i];
    for (uint32_t v = 0; v < s->levels; v++) {
        f[v] = node->alpha * fabsf(node->x - (float)v * s->step);
    }
}

static uint32_t least_level(const float *f, uint32_t levels)
{
    uint32_t best = 0;
    for (uint32_t v = 1; v < levels; v++) {
        best = f[v] < f[best] ? v : best;
    }
    return best;
}

/*
 * MAX. With M the largest child, all children are in v..M. f is convex in v, so the best level of a
 * child in v..M is its best level overall, clamped to v..M: its cost is one part that depends on v
 * alone and one that depends on M alone. The best M for v is the best M overall, or v if that is
 * larger.
 */
static void visit_max(sweep_t *s, uint32_t i)
{
    float f[TMPL_ISOTONIC_MOST] = { 0 };
    sum_t *children = &s->sums[s->depth[i] + 1];
    own_cost(f, s, i);
    s->most[i] = 0;
    if (children->n > 0) {
        float slope = s->nodes[i].beta * s->step;
        for (uint32_t m = 0; m < s->levels; m++) {
            children->other[m] += slope * (float)m;
        }
        uint32_t most = least_level(children->other, s->levels);
        for (uint32_t v = 0; v < s->levels; v++) {
            f[v] += children->up[v] - slope * (float)v + children->other[v > most ? v : most];
        }
        s->most[i] = (unsigned char)most;
        children->n = 0;
    }
    uint32_t best = least_level(f, s->levels);
    float floor = f[best];
    sum_t *siblings = sum_at(s, s->depth[i]);
    for (uint32_t v = 0; v < best; v++) {
        siblings->other[v] += f[v] - floor;
    }
    for (uint32_t v = best; v < s->levels; v++) {
        siblings->up[v] += f[v] - floor;
    }
    s->best[i] = (unsigned char)best;
    s->total += (double)floor;
}

/* MIN: adds the cost of the children at v, where m >= v is the smallest of them. */
static void add_children_min(float *f, sweep_t *s, uint32_t i, sum_t *children)
{
    unsigned char *low = &s->low[(apr_size_t)i * s->levels];
    float slope = s->nodes[i].beta * s->step;
    float cost = INFINITY;
    uint32_t m = s->levels - 1;
    for (uint32_t v = s->levels; v-- > 0;) {
        float here = children->up[v] + children->other[v];
        cost += slope;
        if (here <= cost) {
            cost = here;
            m = v;
        }
        f[v] += cost;
        low[v] = (unsigned char)m;
    }
    memcpy(&s->tight[(apr_size_t)i * s->levels], children->tight, s->levels * sizeof(*s->tight));
}

/* MIN. All children are at m or above, each at its best level there, and one exactly at m. */
static void visit_min(sweep_t *s, uint32_t i)
{
    float f[TMPL_ISOTONIC_MOST] = { 0 };
    sum_t *children = &s->sums[s->depth[i] + 1];
    own_cost(f, s, i);
    if (children->n > 0) {
        add_children_min(f, s, i, children);
        children->n = 0;
    }
    float floor = f[least_level(f, s->levels)];
    sum_t *siblings = sum_at(s, s->depth[i]);
    unsigned char *pick = &s->pick[(apr_size_t)i * s->levels];
    uint32_t best = s->levels - 1;
    for (uint32_t m = s->levels; m-- > 0;) {
        best = f[m] <= f[best] ? m : best;
        pick[m] = (unsigned char)best;
        siblings->up[m] += f[best] - floor;
        float extra = f[m] - f[best];
        if (siblings->n == 1 || extra < siblings->other[m]) {
            siblings->other[m] = extra;
            siblings->tight[m] = i;
        }
    }
    s->total += (double)floor;
}

static uint32_t level_max(const sweep_t *s, uint32_t i, uint32_t above)
{
    uint32_t most = s->most[s->nodes[i].parent];
    uint32_t level = s->best[i] < most ? s->best[i] : most;
    return level > above ? level : above;
}

static uint32_t level_min(const sweep_t *s, uint32_t i, uint32_t above)
{
    apr_size_t row = (apr_size_t)s->nodes[i].parent * s->levels;
    uint32_t m = s->low[row + above];
    return s->tight[row + m] == i ? m : s->pick[(apr_size_t)i * s->levels + m];
}

double tmpl_isotonic(float *y, const tmpl_isotonic_node_t *nodes, uint32_t n,
                     tmpl_isotonic_e reading, uint32_t levels, apr_pool_t *pool)
{
    sweep_t s = { .nodes = nodes, .levels = levels, .step = 1.0F / (float)(levels - 1) };
    int is_max = reading == TMPL_ISOTONIC_MAX;
    set_up_sweep(&s, n, reading, pool);
    for (uint32_t i = n; i-- > 0;) {
        if (is_max) {
            visit_max(&s, i);
        }
        else {
            visit_min(&s, i);
        }
    }
    uint32_t *level = apr_palloc(pool, n * sizeof(*level));
    level[0] = is_max ? s.best[0] : s.pick[0];
    y[0] = (float)level[0] * s.step;
    for (uint32_t i = 1; i < n; i++) {
        uint32_t above = level[nodes[i].parent];
        level[i] = is_max ? level_max(&s, i, above) : level_min(&s, i, above);
        y[i] = (float)level[i] * s.step;
    }
    return s.total;
}
