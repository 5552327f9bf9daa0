/* SPDX-License-Identifier: Apache-2.0 */
#include "detect/pagelevel.h"

#include <math.h>

#include "model/isotonic.h"

/* Bytes of text from which a part is in the next class. */
static const uint32_t class_from[TMPL_SIZE_CLASSES] = { 0, 24, 96, 400 };

/* How a part's weight grows with its text, and what agreement weighs beside it: docs/accuracy.md. */
#define ALPHA_POWER 0.5
#define BETA        0.5

uint32_t tmpl_size_class(uint32_t length)
{
    uint32_t c = TMPL_SIZE_CLASSES - 1;
    while (length < class_from[c]) {
        c--;
    }
    return c;
}

void tmpl_detect_pagelevel(tmpl_verdict_t *verdicts, const tmpl_page_t *page,
                           const tmpl_model_t *model, int smoothing, double threshold,
                           apr_pool_t *pool)
{
    tmpl_regions_t parts;
    threshold = threshold < 0 ? model->threshold : threshold;
    tmpl_regions(&parts, page, pool);
    tmpl_isotonic_node_t *nodes = apr_palloc(pool, parts.n * sizeof(*nodes));
    float *y = apr_palloc(pool, parts.n * sizeof(*y));
    for (uint32_t i = 0; i < parts.n; i++) {
        const tmpl_region_t *part = &parts.parts[i];
        const tmpl_model_class_t *of_size = &model->classes[tmpl_size_class(part->length)];
        const float *features = &parts.features[(apr_size_t)i * TMPL_FEATURE_COUNT];
        float alpha = (float)pow(part->length + 1.0, ALPHA_POWER);
        y[i] = (float)tmpl_logistic(&of_size->logistic, features);
        nodes[i] = (tmpl_isotonic_node_t){ y[i], alpha, (float)BETA * alpha, part->parent };
    }
    if (smoothing != TMPL_SMOOTHING_OFF) {
        tmpl_isotonic(y, nodes, parts.n,
                      smoothing == TMPL_SMOOTHING_MAX ? TMPL_ISOTONIC_MAX : TMPL_ISOTONIC_MIN,
                      TMPL_ISOTONIC_LEVELS, pool);
    }
    for (uint32_t i = 0; i < parts.n; i++) {
        if (parts.parts[i].block != TMPL_NONE) {
            tmpl_verdict_t *verdict = &verdicts[parts.parts[i].block];
            verdict->ratio = y[i];
            verdict->template = (double)y[i] > threshold;
        }
    }
}
