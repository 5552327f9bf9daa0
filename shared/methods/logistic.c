/* SPDX-License-Identifier: Apache-2.0 */
#include "methods/pagelevel_model.h"

#include <math.h>
#include <string.h>

#define STEPS_MOST 25
#define SD_LEAST   1e-6

typedef struct {
    const tmpl_samples_t *samples;
    tmpl_logistic_t *model;
    uint32_t size; /* features, and the bias as the last one */
    double l2;
    double total;     /* sum of the samples' weights */
    double *z;        /* one standardised row, and 1 for the bias */
    double *gradient; /* [size] */
    double *hessian;  /* [size * size], lower triangle */
    double *kept;     /* weights before the step */
} fit_t;

static double standardised(const tmpl_term_t *term, float x)
{
    double z = term->sd > 0 ? ((double)x - term->mean) / term->sd : 0;
    return fmax(-TMPL_LOGISTIC_CLIP, fmin(TMPL_LOGISTIC_CLIP, z));
}

double tmpl_logistic(const tmpl_logistic_t *model, const float *features)
{
    double sum = model->bias;
    for (uint32_t i = 0; i < model->n; i++) {
        sum += model->terms[i].weight * standardised(&model->terms[i], features[i]);
    }
    return 1 / (1 + exp(-sum));
}

static void standardise(fit_t *fit)
{
    const tmpl_samples_t *s = fit->samples;
    for (uint32_t k = 0; k < s->n_features; k++) {
        double sum = 0;
        double squares = 0;
        for (uint32_t i = 0; i < s->n; i++) {
            double x = (double)s->features[(apr_size_t)i * s->n_features + k];
            sum += (double)s->weights[i] * x;
            squares += (double)s->weights[i] * x * x;
        }
        double mean = fit->total > 0 ? sum / fit->total : 0;
        double variance = fit->total > 0 ? squares / fit->total - mean * mean : 0;
        double sd = variance > SD_LEAST * SD_LEAST ? sqrt(variance) : 0;
        fit->model->terms[k] = (tmpl_term_t){ .mean = mean, .sd = sd };
    }
}

static double weight_at(const fit_t *fit, uint32_t k)
{
    return k + 1 < fit->size ? fit->model->terms[k].weight : fit->model->bias;
}

static void set_weight(fit_t *fit, uint32_t k, double weight)
{
    *(k + 1 < fit->size ? &fit->model->terms[k].weight : &fit->model->bias) = weight;
}

/* Puts row i in z and returns its log odds. */
static double read_row(fit_t *fit, uint32_t i)
{
    const tmpl_samples_t *s = fit->samples;
    const float *row = &s->features[(apr_size_t)i * s->n_features];
    double sum = fit->model->bias;
    for (uint32_t k = 0; k < s->n_features; k++) {
        fit->z[k] = standardised(&fit->model->terms[k], row[k]);
        sum += fit->z[k] * fit->model->terms[k].weight;
    }
    fit->z[s->n_features] = 1;
    return sum;
}

static void add_row(fit_t *fit, double slope, double curve)
{
    for (uint32_t r = 0; r < fit->size; r++) {
        double *row = &fit->hessian[(apr_size_t)r * fit->size];
        double z = fit->z[r] * curve;
        fit->gradient[r] += fit->z[r] * slope;
        for (uint32_t c = 0; z != 0 && c <= r; c++) {
            row[c] += z * fit->z[c];
        }
    }
}

/*
 * -log p, where p is the predicted probability of the true label; odds are the log odds of that
 * label.
 */
static double loss_of(double odds)
{
    return odds > 0 ? log1p(exp(-odds)) : log1p(exp(odds)) - odds;
}

/* Computes the mean log loss with the penalty, its gradient and its Hessian. */
static double measure_fit(fit_t *fit)
{
    const tmpl_samples_t *s = fit->samples;
    double loss = 0;
    memset(fit->gradient, 0, fit->size * sizeof(*fit->gradient));
    memset(fit->hessian, 0, (apr_size_t)fit->size * fit->size * sizeof(*fit->hessian));
    for (uint32_t i = 0; i < s->n; i++) {
        double odds = read_row(fit, i);
        double p = 1 / (1 + exp(-odds));
        double share = (double)s->weights[i] / fit->total;
        loss += share * loss_of(s->labels[i] ? odds : -odds);
        add_row(fit, share * (p - s->labels[i]), share * p * (1 - p));
    }
    for (uint32_t k = 0; k < fit->size; k++) {
        double l2 = k + 1 < fit->size ? fit->l2 : 0;
        fit->gradient[k] += 2 * l2 * weight_at(fit, k);
        fit->hessian[(apr_size_t)k * fit->size + k] += 2 * l2 + 1e-9;
    }
    return loss;
}

static double penalty(const fit_t *fit)
{
    double sum = 0;
    for (uint32_t k = 0; k + 1 < fit->size; k++) {
        sum += weight_at(fit, k) * weight_at(fit, k);
    }
    return fit->l2 * sum;
}

/*
 * Solves Hessian * x = gradient by Cholesky's decomposition; x replaces gradient. The penalty keeps
 * the Hessian positive definite.
 */
static void solve(fit_t *fit)
{
    uint32_t n = fit->size;
    double *h = fit->hessian;
    double *g = fit->gradient;
    for (uint32_t r = 0; r < n; r++) {
        for (uint32_t c = 0; c <= r; c++) {
            double sum = h[r * n + c];
            for (uint32_t k = 0; k < c; k++) {
                sum -= h[r * n + k] * h[c * n + k];
            }
            h[r * n + c] = r == c ? sqrt(fmax(sum, 1e-12)) : sum / h[c * n + c];
        }
        for (uint32_t k = 0; k < r; k++) {
            g[r] -= h[r * n + k] * g[k];
        }
        g[r] /= h[r * n + r];
    }
    for (uint32_t r = n; r-- > 0;) {
        for (uint32_t k = r + 1; k < n; k++) {
            g[r] -= h[k * n + r] * g[k];
        }
        g[r] /= h[r * n + r];
    }
}

static void step(fit_t *fit)
{
    for (uint32_t k = 0; k < fit->size; k++) {
        fit->kept[k] = weight_at(fit, k);
        set_weight(fit, k, fit->kept[k] - fit->gradient[k]);
    }
}

/* Halves the step. */
static void step_back(fit_t *fit)
{
    for (uint32_t k = 0; k < fit->size; k++) {
        set_weight(fit, k, (weight_at(fit, k) + fit->kept[k]) / 2);
    }
}

double tmpl_logistic_fit(tmpl_logistic_t *model, const tmpl_samples_t *samples, double l2,
                         apr_pool_t *pool)
{
    fit_t fit = { .samples = samples, .model = model, .size = samples->n_features + 1, .l2 = l2 };
    apr_size_t size = fit.size;
    *model = (tmpl_logistic_t){ .n = samples->n_features };
    model->terms = apr_pcalloc(pool, size * sizeof(*model->terms));
    fit.z = apr_pcalloc(pool, size * sizeof(double));
    fit.gradient = apr_pcalloc(pool, size * sizeof(double));
    fit.hessian = apr_pcalloc(pool, size * size * sizeof(double));
    fit.kept = apr_pcalloc(pool, size * sizeof(double));
    for (uint32_t i = 0; i < samples->n; i++) {
        fit.total += (double)samples->weights[i];
    }
    if (fit.total <= 0) {
        return 0;
    }
    standardise(&fit);
    double loss = measure_fit(&fit);
    double before = loss + penalty(&fit);
    for (int i = 0; i < STEPS_MOST; i++) {
        solve(&fit);
        step(&fit);
        loss = measure_fit(&fit);
        for (int halves = 0; halves < 20 && loss + penalty(&fit) > before; halves++) {
            step_back(&fit);
            loss = measure_fit(&fit);
        }
        if (before - loss - penalty(&fit) < 1e-7) {
            break;
        }
        before = loss + penalty(&fit);
    }
    return loss;
}
