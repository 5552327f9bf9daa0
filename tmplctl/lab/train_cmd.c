/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tmplctl train: fits a model of detector pagelevel to pages without labels. Each directory is a
 * site; the verdicts of detector incremental, with the counts of all pages of the site, are the
 * labels.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <apr_strings.h>

#include "ctl.h"
#include "detect/detector.h"
#include "methods/pagelevel.h"
#include "files.h"

/* Ridge penalty, per sample and weight: keeps the weights of correlated features small. */
#define L2 1e-4

/* The nodes of one size class. */
typedef struct {
    apr_array_header_t *rows;    /* float [TMPL_FEATURE_COUNT] */
    apr_array_header_t *labels;  /* unsigned char */
    apr_array_header_t *weights; /* float */
    uint32_t template_nodes;
} samples_t;

typedef struct {
    ctl_t *ctl;
    ctl_store_t store;
    samples_t classes[TMPL_SIZE_CLASSES];
    int first_of_site[TMPL_SIZE_CLASSES];
    uint32_t pages, declined, failed, nodes, distrusted;
} train_t;

/*
 * Whether a node that the counts call content may be learnt as content. Navigation that only one
 * page has looks like content to the counts: so nodes in nav, header, footer or aside, and lists of
 * links outside main and article, are not trusted.
 */
static int is_trusted(const float *features)
{
    return features[TMPL_FEATURE_IN_EDGE] <= 0 &&
           !(features[TMPL_FEATURE_LINK] > 0.8F && features[TMPL_FEATURE_IN_LIST] > 0 &&
             features[TMPL_FEATURE_IN_MAIN] <= 0);
}

static void add_sample(train_t *t, const tmpl_region_t *region, const float *features, int template)
{
    samples_t *s = &t->classes[tmpl_size_class(region->length)];
    if (!template && t->ctl->options.trust && !is_trusted(features)) {
        t->distrusted++;
        return;
    }
    memcpy(apr_array_push(s->rows), features, TMPL_FEATURE_COUNT * sizeof(float));
    APR_ARRAY_PUSH(s->labels, unsigned char) = (unsigned char)template;
    APR_ARRAY_PUSH(s->weights, float) = sqrtf((float)region->length + 1);
    s->template_nodes += (uint32_t) template;
    t->nodes++;
}

/* Adds all nodes of a page; a node is template if all its blocks are. */
static void train_cmd_add_page(train_t *t, const tmpl_page_t *page, const tmpl_verdict_t *verdicts,
                               apr_pool_t *pool)
{
    tmpl_regions_t regions;
    uint32_t *content = apr_palloc(pool, (page->n_segments + 1) * sizeof(*content));
    tmpl_regions(&regions, page, pool);
    content[0] = 0;
    for (uint32_t s = 0; s < page->n_segments; s++) {
        content[s + 1] = content[s] + !verdicts[page->segments[s].block].template;
    }
    for (uint32_t i = 0; i < regions.n; i++) {
        const tmpl_region_t *region = &regions.all[i];
        add_sample(t, region, &regions.features[(apr_size_t)i * TMPL_FEATURE_COUNT],
                   content[region->after_segment] == content[region->first_segment]);
    }
}

/* Counts a page (learn), or takes samples of it once all pages of its site have been counted. */
static void see_page(train_t *t, const char *site, const char *path, int learn, apr_pool_t *pool)
{
    tmpl_outcome_t outcome;
    tmpl_error_t err;
    tmpl_clean_opts_t opts = t->ctl->options.clean;
    tmpl_input_t input = { .site = site, .uri = apr_pstrcat(pool, "/", path, NULL) };
    input.page_key = path;
    input.learn = learn ? TMPL_LEARNING_NOW : TMPL_LEARNING_OFF;
    opts.mode = TMPL_MODE_LEARN;
    opts.detector = TMPL_DETECTOR_INCREMENTAL;
    opts.page.separators = &tmpl_separators_pagelevel;
    if (ctl_file_read(&input.body, &input.len, path, &err, pool) != APR_SUCCESS) {
        t->failed += (uint32_t)learn;
        if (learn) {
            ctl_say("%s: %s", path, err.text);
        }
        return;
    }
    tmpl_clean(&outcome, &input, &opts, t->store.store, CTL_STORE_TIMEOUT, pool);
    if (learn) {
        return;
    }
    if (outcome.page == NULL || outcome.counts.records == NULL) {
        t->declined++;
        return;
    }
    tmpl_verdict_t *verdicts = apr_palloc(pool, outcome.page->n_blocks * sizeof(*verdicts));
    tmpl_detect_incremental(verdicts, outcome.page, outcome.counts.records, opts.policy.min_df,
                            opts.detect.ratio);
    train_cmd_add_page(t, outcome.page, verdicts, pool);
    t->pages++;
}

/* Scales the weights of the current site's samples: every site weighs the same. */
static void weigh_site(train_t *t)
{
    double total = 0;
    for (int c = 0; c < TMPL_SIZE_CLASSES; c++) {
        for (int i = t->first_of_site[c]; i < t->classes[c].weights->nelts; i++) {
            total += (double)APR_ARRAY_IDX(t->classes[c].weights, i, float);
        }
    }
    for (int c = 0; c < TMPL_SIZE_CLASSES; c++) {
        for (int i = t->first_of_site[c]; i < t->classes[c].weights->nelts; i++) {
            APR_ARRAY_IDX(t->classes[c].weights, i, float) *= (float)(1000 / total);
        }
        t->first_of_site[c] = t->classes[c].weights->nelts;
    }
}

/* The file at place i, of as many as --pages allows, which are evenly spread. */
static const char *path_at(const apr_array_header_t *files, int i, int n)
{
    return APR_ARRAY_IDX(files, (apr_int64_t)i * files->nelts / n, ctl_file_t).path;
}

/* Takes samples of a site; 0, and prints the reason, if it has no pages or a signal came. */
static int see_site(train_t *t, const char *dir)
{
    apr_pool_t *pool;
    apr_pool_create(&pool, t->ctl->pool);
    apr_array_header_t *files = apr_array_make(t->ctl->pool, 64, sizeof(ctl_file_t));
    if (ctl_files_below(files, dir, NULL, t->ctl) != APR_SUCCESS) {
        return 0;
    }
    int most = (int)t->ctl->options.pages, n = files->nelts < most ? files->nelts : most;
    for (int learn = 1; learn >= 0; learn--) {
        for (int i = 0; i < n && !ctl_interrupted(); i++) {
            ctl_progress("%s: %d/%d", learn ? "counting" : "learning", i, n);
            see_page(t, dir, path_at(files, i, n), learn, pool);
            apr_pool_clear(pool);
        }
    }
    ctl_progress_end();
    weigh_site(t);
    apr_pool_destroy(pool);
    return !ctl_interrupted();
}

static void fit(tmpl_model_t *model, train_t *t)
{
    model->threshold = 0.5;
    for (int c = 0; c < TMPL_SIZE_CLASSES; c++) {
        const samples_t *s = &t->classes[c];
        tmpl_samples_t samples = { .features = (const float *)s->rows->elts,
                                   .labels = (const unsigned char *)s->labels->elts,
                                   .weights = (const float *)s->weights->elts,
                                   .n = (uint32_t)s->labels->nelts,
                                   .n_features = TMPL_FEATURE_COUNT };
        tmpl_model_class_t *class = &model->classes[c];
        class->nodes = samples.n;
        class->template_nodes = s->template_nodes;
        class->loss = tmpl_logistic_fit(&class->logistic, &samples, L2, t->ctl->pool);
    }
}

static const char *provenance(const train_t *t)
{
    const ctl_t *ctl = t->ctl;
    const char *text = apr_psprintf(
        ctl->pool, "# tmplctl train: %d sites, %u pages, %u nodes; min-df %u; content %s\n",
        ctl->args->nelts, t->pages, t->nodes, ctl->options.clean.policy.min_df,
        ctl->options.trust ? apr_psprintf(ctl->pool, "distrusted at %u nodes", t->distrusted)
                           : "as counted");
    for (int i = 0; i < ctl->args->nelts; i++) {
        const char *dir = APR_ARRAY_IDX(ctl->args, i, const char *);
        text = apr_pstrcat(ctl->pool, text, "# site ", ctl_printable(dir, ctl->pool), "\n", NULL);
    }
    return apr_pstrcat(ctl->pool, text, "# feature mean sd weight\n", NULL);
}

static int write_model(train_t *t)
{
    tmpl_model_t model;
    tmpl_error_t err;
    apr_pool_t *pool = t->ctl->pool;
    fit(&model, t);
    const char *text = tmpl_model_text(&model, provenance(t), pool);
    if (ctl_file_write(t->ctl->options.out, text, strlen(text), &err, pool) != APR_SUCCESS) {
        ctl_say("train: cannot write %s: %s", t->ctl->options.out, err.text);
        return CTL_FAILED;
    }
    printf("%d site%s, %u pages, %u nodes; %u declined, %u failed\n", t->ctl->args->nelts,
           t->ctl->args->nelts == 1 ? "" : "s", t->pages, t->nodes, t->declined, t->failed);
    return t->failed > 0 ? CTL_FAILED : CTL_OK;
}

int ctl_train(ctl_t *ctl)
{
    train_t t = { .ctl = ctl };
    tmpl_error_t err;
    int good = 1;
    for (int c = 0; c < TMPL_SIZE_CLASSES; c++) {
        t.classes[c].rows = apr_array_make(ctl->pool, 4096, TMPL_FEATURE_COUNT * sizeof(float));
        t.classes[c].labels = apr_array_make(ctl->pool, 4096, sizeof(unsigned char));
        t.classes[c].weights = apr_array_make(ctl->pool, 4096, sizeof(float));
    }
    ctl_interrupt_catch();
    /* before hours of work */
    if (ctl_file_check_writable(ctl->options.out, &err, ctl->pool) != APR_SUCCESS) {
        ctl_say("train: cannot write %s: %s", ctl->options.out, err.text);
        return CTL_FAILED;
    }
    if (ctl_store_open(&t.store, ctl) != APR_SUCCESS) {
        return CTL_FAILED;
    }
    for (int i = 0; good && i < ctl->args->nelts; i++) {
        good = see_site(&t, APR_ARRAY_IDX(ctl->args, i, const char *));
    }
    ctl_store_close(&t.store);
    if (!good) {
        return CTL_FAILED;
    }
    if (t.nodes == 0) {
        ctl_say("train: no page could be used: no model is written");
        return CTL_FAILED;
    }
    return write_model(&t);
}
