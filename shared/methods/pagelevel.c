/* SPDX-License-Identifier: Apache-2.0 */
#include "methods/pagelevel.h"

#include <math.h>

#include "methods/regions.h"
#include "methods/isotonic.h"

/*
 * The weights of smoothing: a region of n bytes of text has alpha (n + 1)^ALPHA_POWER, and beta,
 * the price of disagreeing with its parent, BETA * alpha. docs/lab/accuracy.md says where they come
 * from.
 */
#define ALPHA_POWER 0.5
#define BETA        0.5

void tmpl_detect_pagelevel(tmpl_verdict_t *verdicts, const tmpl_page_t *page,
                           const tmpl_model_t *model, tmpl_smoothing_e smoothing, double threshold,
                           apr_pool_t *pool)
{
    tmpl_regions_t regions;
    threshold = threshold < 0 ? model->threshold : threshold;
    tmpl_regions(&regions, page, pool);
    tmpl_isotonic_node_t *nodes = apr_palloc(pool, regions.n * sizeof(*nodes));
    float *y = apr_palloc(pool, regions.n * sizeof(*y));
    for (uint32_t i = 0; i < regions.n; i++) {
        const tmpl_region_t *region = &regions.all[i];
        const tmpl_model_class_t *of_size = &model->classes[tmpl_size_class(region->length)];
        const float *features = &regions.features[(apr_size_t)i * TMPL_FEATURE_COUNT];
        float alpha = (float)pow(region->length + 1.0, ALPHA_POWER);
        y[i] = (float)tmpl_logistic(&of_size->logistic, features);
        nodes[i] = (tmpl_isotonic_node_t){ y[i], alpha, (float)BETA * alpha, region->parent };
    }
    if (smoothing != TMPL_SMOOTHING_OFF) {
        tmpl_isotonic(y, nodes, regions.n,
                      smoothing == TMPL_SMOOTHING_MAX ? TMPL_ISOTONIC_MAX : TMPL_ISOTONIC_MIN,
                      TMPL_ISOTONIC_LEVELS, pool);
    }
    for (uint32_t i = 0; i < regions.n; i++) {
        if (regions.all[i].block != TMPL_NONE) {
            tmpl_verdict_t *verdict = &verdicts[regions.all[i].block];
            verdict->ratio = y[i];
            verdict->template = (double)y[i] > threshold;
        }
    }
}
