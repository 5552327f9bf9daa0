/* SPDX-License-Identifier: Apache-2.0 */
/* Smoothing over trees, against all possible solutions. */
#include "check.h"

#include <math.h>
#include <stdlib.h>

#include "methods/pagelevel.h"

#define NODES_MOST 7
#define TREES      1500
#define FORBIDDEN  1e9 /* cmocka takes infinity for equal to anything */

static uint32_t drawn;

/* The same numbers in every run. */
static uint32_t draw(uint32_t below)
{
    drawn = drawn * 1664525u + 1013904223u;
    return (drawn >> 10) % below;
}

/* The sum as the header prints it; FORBIDDEN where a child is below its parent. */
static double cost_of(const float *y, const tmpl_isotonic_node_t *nodes, uint32_t n,
                      tmpl_isotonic_e reading)
{
    double cost = 0;
    for (uint32_t i = 0; i < n; i++) {
        double agg = -1;
        for (uint32_t j = i + 1; j < n; j++) {
            if (nodes[j].parent != i) {
                continue;
            }
            if (y[j] < y[i]) {
                return FORBIDDEN;
            }
            int better = reading == TMPL_ISOTONIC_MAX ? (double)y[j] > agg : (double)y[j] < agg;
            agg = agg < 0 || better ? (double)y[j] : agg;
        }
        cost += (double)nodes[i].alpha * fabs((double)nodes[i].x - (double)y[i]);
        cost += agg < 0 ? 0 : (double)nodes[i].beta * fabs((double)y[i] - agg);
    }
    return cost;
}

/* Every y on the grid. */
static double cheapest(const tmpl_isotonic_node_t *nodes, uint32_t n, tmpl_isotonic_e reading,
                       uint32_t levels)
{
    uint32_t level[NODES_MOST] = { 0 };
    float y[NODES_MOST] = { 0 };
    double best = FORBIDDEN;
    uint32_t i = 0;
    while (i < n) {
        double cost = cost_of(y, nodes, n, reading);
        best = cost < best ? cost : best;
        for (i = 0; i < n && level[i] == levels - 1; i++) {
            level[i] = 0;
            y[i] = 0;
        }
        if (i < n) {
            y[i] = (float)++level[i] / (float)(levels - 1);
        }
    }
    return best;
}

typedef uint32_t parent_f(uint32_t i, const tmpl_isotonic_node_t *nodes);

static uint32_t any_parent(uint32_t i, const tmpl_isotonic_node_t *nodes)
{
    uint32_t parent = i - 1; /* document order: the node before, or one of its ancestors */
    while (parent != 0 && draw(2) == 0) {
        parent = nodes[parent].parent;
    }
    return parent;
}

static uint32_t chain(uint32_t i, const tmpl_isotonic_node_t *nodes)
{
    (void)nodes;
    return i - 1;
}

static uint32_t star(uint32_t i, const tmpl_isotonic_node_t *nodes)
{
    (void)i;
    (void)nodes;
    return 0;
}

static void fill(tmpl_isotonic_node_t *nodes, uint32_t n, uint32_t levels, parent_f *parent)
{
    for (uint32_t i = 0; i < n; i++) {
        nodes[i].x = draw(2) ? (float)draw(levels) / (float)(levels - 1) : (float)draw(1000) / 999;
        nodes[i].alpha = draw(4) == 0 ? 0 : (float)draw(9) / 4;
        nodes[i].beta = draw(4) == 0 ? 0 : (float)draw(9) / 4;
        nodes[i].parent = i == 0 ? TMPL_NONE : parent(i, nodes);
    }
}

static void compare(apr_pool_t *pool, tmpl_isotonic_e reading, parent_f *parent, uint32_t trees)
{
    tmpl_isotonic_node_t nodes[NODES_MOST];
    float y[NODES_MOST];
    apr_pool_t *scratch;
    apr_pool_create(&scratch, pool);
    drawn = 7;
    for (uint32_t t = 0; t < trees; t++) {
        uint32_t n = 1 + draw(NODES_MOST);
        uint32_t levels = 2 + draw(n < 6 ? 4 : 2);
        fill(nodes, n, levels, parent);
        double got = tmpl_isotonic(y, nodes, n, reading, levels, scratch);
        assert_float_equal(got, cheapest(nodes, n, reading, levels), 1e-4);
        assert_float_equal(got, cost_of(y, nodes, n, reading), 1e-4);
        apr_pool_clear(scratch);
    }
}

static void max_costs_what_the_cheapest_costs(void **state)
{
    compare(*state, TMPL_ISOTONIC_MAX, any_parent, TREES);
}

static void min_costs_what_the_cheapest_costs(void **state)
{
    compare(*state, TMPL_ISOTONIC_MIN, any_parent, TREES);
}

static void chains_and_stars_too(void **state)
{
    compare(*state, TMPL_ISOTONIC_MAX, chain, TREES / 5);
    compare(*state, TMPL_ISOTONIC_MIN, chain, TREES / 5);
    compare(*state, TMPL_ISOTONIC_MAX, star, TREES / 5);
    compare(*state, TMPL_ISOTONIC_MIN, star, TREES / 5);
}

/* Three children are template, the root was taken for content: the two versions of agg differ. */
static void the_readings_differ(void **state)
{
    static const tmpl_isotonic_node_t nodes[] = {
        { 0, 1, 2, TMPL_NONE }, { 1, 10, 0, 0 }, { 1, 10, 0, 0 }, { 0.2F, 10, 0, 0 }
    };
    float y[4];
    double max = tmpl_isotonic(y, nodes, 4, TMPL_ISOTONIC_MAX, 6, *state);
    assert_float_equal(y[0], 0.2, 1e-6); /* as near to the largest as the smallest lets it */
    assert_float_equal(max, 0.2 + 2 * 0.8, 1e-4);
    double min = tmpl_isotonic(y, nodes, 4, TMPL_ISOTONIC_MIN, 6, *state);
    assert_float_equal(y[0], 0.2, 1e-6);
    assert_float_equal(min, 0.2, 1e-4);
}

/* A tree of a large page: no y is below the parent's, and the cost is the one returned. */
static void large_trees_keep_the_order(void **state)
{
    enum { N = 8000 };
    tmpl_isotonic_node_t *nodes = apr_palloc(*state, N * sizeof(*nodes));
    float *y = apr_palloc(*state, N * sizeof(*y));
    drawn = 11;
    fill(nodes, N, TMPL_ISOTONIC_LEVELS, any_parent);
    for (int reading = TMPL_ISOTONIC_MAX; reading <= TMPL_ISOTONIC_MIN; reading++) {
        double cost =
            tmpl_isotonic(y, nodes, N, (tmpl_isotonic_e)reading, TMPL_ISOTONIC_LEVELS, *state);
        assert_float_equal(cost, cost_of(y, nodes, N, (tmpl_isotonic_e)reading), cost * 1e-4);
    }
}

static const struct CMUnitTest tests[] = {
    CHECK(max_costs_what_the_cheapest_costs),
    CHECK(min_costs_what_the_cheapest_costs),
    CHECK(chains_and_stars_too),
    CHECK(the_readings_differ),
    CHECK(large_trees_keep_the_order),
};

TAP_MAIN(tests)
