/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logistic regression: the probability of a label, given features that are standardised and then
 * clipped to -TMPL_LOGISTIC_CLIP..TMPL_LOGISTIC_CLIP. Fitted by Newton's method with an L2 penalty.
 * Equal samples in equal order give equal weights.
 */
#ifndef TMPL_LOGISTIC_H
#define TMPL_LOGISTIC_H

#include "base/tmpl.h"

#define TMPL_LOGISTIC_CLIP 4.0

/* The term of a feature: weight * clip((x - mean) / sd); 0 if sd is 0. */
typedef struct {
    double mean;
    double sd;
    double weight;
} tmpl_term_t;

typedef struct {
    double bias;
    uint32_t n; /* features */
    tmpl_term_t *terms;
} tmpl_logistic_t;

/* Samples: row i is features [i * n_features, (i + 1) * n_features). */
typedef struct {
    const float *features;
    const unsigned char *labels; /* 0 or 1 */
    const float *weights;        /* the weight of each sample, >= 0 */
    uint32_t n;
    uint32_t n_features;
} tmpl_samples_t;

/* The probability of label 1. */
double tmpl_logistic(const tmpl_logistic_t *model, const float *features);

/*
 * Fits model; its terms are from pool. l2 is the penalty on squared weights, added to the mean log
 * loss. Returns the mean log loss without the penalty, in nats.
 */
double tmpl_logistic_fit(tmpl_logistic_t *model, const tmpl_samples_t *samples, double l2,
                         apr_pool_t *pool);

#endif
