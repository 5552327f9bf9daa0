/* SPDX-License-Identifier: Apache-2.0 */
/*
 * smoothing_cost: the time of smoothing on random trees of 300 and 8,000 nodes, in document order.
 * Prints medians of ROUNDS rounds. Memory is from a pool that is cleared after each round.
 */
#include <stdio.h>

#include <apr_general.h>

#include "methods/isotonic.h"
#include "measure.h"

#define ROUNDS 101

static const uint32_t sizes[] = { 300, 8000 };

static uint32_t draw(uint32_t below)
{
    static uint32_t drawn = 1;
    drawn = drawn * 1664525u + 1013904223u;
    return (drawn >> 10) % below;
}

static tmpl_isotonic_node_t *tree(uint32_t n, apr_pool_t *pool)
{
    tmpl_isotonic_node_t *nodes = apr_palloc(pool, n * sizeof(*nodes));
    for (uint32_t i = 0; i < n; i++) {
        uint32_t parent = i == 0 ? TMPL_NONE : i - 1;
        while (i > 0 && parent != 0 && draw(2) == 0) {
            parent = nodes[parent].parent;
        }
        nodes[i] = (tmpl_isotonic_node_t){ (float)draw(1000) / 999, (float)(1 + draw(20)),
                                           (float)(1 + draw(20)), parent };
    }
    return nodes;
}

/* Milliseconds. */
static double measure(const tmpl_isotonic_node_t *nodes, uint32_t n, tmpl_isotonic_e reading,
                      apr_pool_t *pool)
{
    double took[ROUNDS];
    for (int r = 0; r < ROUNDS; r++) {
        float *y = apr_palloc(pool, n * sizeof(*y));
        double begin = seconds_of(CLOCK_MONOTONIC);
        tmpl_isotonic(y, nodes, n, reading, TMPL_ISOTONIC_LEVELS, pool);
        took[r] = (seconds_of(CLOCK_MONOTONIC) - begin) * 1e3;
        apr_pool_clear(pool);
    }
    return median_of(took, ROUNDS);
}

int main(void)
{
    static const char *const names[] = { "max", "min" };
    apr_pool_t *pool;
    apr_pool_t *scratch;
    apr_initialize();
    apr_pool_create(&pool, NULL);
    apr_pool_create(&scratch, pool);
    const tmpl_isotonic_node_t *small = tree(sizes[0], pool);
    const tmpl_isotonic_node_t *large = tree(sizes[1], pool);
    printf("%d levels, medians of %d\n", TMPL_ISOTONIC_LEVELS, ROUNDS);
    printf("        %u nodes  %u nodes   times   nodes: times\n", sizes[0], sizes[1]);
    for (int reading = 0; reading < 2; reading++) {
        double a = measure(small, sizes[0], (tmpl_isotonic_e)reading, scratch);
        double b = measure(large, sizes[1], (tmpl_isotonic_e)reading, scratch);
        printf("  %s  %6.4f ms  %7.4f ms  %6.1f  %12.1f\n", names[reading], a, b, b / a,
               (double)sizes[1] / sizes[0]);
    }
    return 0;
}
