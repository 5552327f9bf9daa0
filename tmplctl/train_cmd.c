/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tmplctl train: a model for page-level detection, without people. Each directory is a site; what
 * incremental detection says of its pages, once it has seen all of them, is what the model learns.
 */
#include <fts.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <apr_cstr.h>
#include <apr_strings.h>

#include "ctl.h"
#include "detect/incremental.h"
#include "detect/pagelevel.h"
#include "files.h"
#include "interrupt.h"
#include "open_store.h"
#include "plain.h"
#include "progress.h"

/* Per sample and weight: keeps weights small where features say the same. */
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
    const char *dir, *name; /* what is written: DIR/NAME */
    apr_finfo_t out;        /* the file that is there now; all 0: none */
} train_t;

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int is_page(const FTSENT *entry)
{
    const char *dot = strrchr(entry->fts_name, '.');
    return entry->fts_info == FTS_F && dot != NULL &&
           (apr_cstr_casecmp(dot, ".html") == 0 || apr_cstr_casecmp(dot, ".htm") == 0);
}

/* Whether the model would be written over that page. */
static int is_out(const train_t *t, const FTSENT *page)
{
    return page->fts_statp->st_dev == t->out.device && page->fts_statp->st_ino == t->out.inode;
}

/* The pages below dir, in the order of their names; NULL, and has said why, if there are none. */
static apr_array_header_t *find_pages(const train_t *t, const char *dir, apr_pool_t *pool)
{
    const char *over = NULL;
    char *const roots[] = { apr_pstrdup(pool, dir), NULL };
    apr_array_header_t *files = apr_array_make(pool, 64, sizeof(const char *));
    FTS *tree = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, by_name);
    FTSENT *entry;
    while (tree != NULL && (entry = fts_read(tree)) != NULL) {
        if (is_page(entry)) {
            APR_ARRAY_PUSH(files, const char *) = apr_pstrdup(pool, entry->fts_path);
            over = is_out(t, entry) ? APR_ARRAY_IDX(files, files->nelts - 1, const char *) : over;
        }
    }
    if (tree != NULL) {
        fts_close(tree);
    }
    if (files->nelts == 0) {
        ctl_say("train: %s: no directory with pages (.html, .htm) in it", dir);
        return NULL;
    }
    if (over != NULL) {
        ctl_say("train: --out %s would be written over the page %s: choose another name",
                t->ctl->options.out, over);
        return NULL;
    }
    return files;
}

/* At most so many, evenly spread. */
static void thin_out(apr_array_header_t *files, uint32_t most)
{
    uint32_t n = (uint32_t)files->nelts;
    for (uint32_t i = 0; n > most && i < most; i++) {
        APR_ARRAY_IDX(files, i, const char *) =
            APR_ARRAY_IDX(files, (apr_uint64_t)i * n / most, const char *);
    }
    files->nelts = (int)(n > most ? most : n);
}

/*
 * Whether what counts call content may be learnt as content: not inside what authors mark as the edge of a
 * page. Pages have navigation of their own, which stands on one page only.
 */
static int is_trusted(const float *features)
{
    return features[TMPL_FEATURE_IN_EDGE] <= 0 &&
           !(features[TMPL_FEATURE_LINK] > 0.8F && features[TMPL_FEATURE_IN_LIST] > 0 &&
             features[TMPL_FEATURE_IN_MAIN] <= 0);
}

static void add_sample(train_t *t, const tmpl_region_t *part, const float *features, int template)
{
    samples_t *s = &t->classes[tmpl_size_class(part->length)];
    if (!template && t->ctl->options.trust && !is_trusted(features)) {
        t->distrusted++;
        return;
    }
    memcpy(apr_array_push(s->rows), features, TMPL_FEATURE_COUNT * sizeof(float));
    APR_ARRAY_PUSH(s->labels, unsigned char) = (unsigned char)template;
    APR_ARRAY_PUSH(s->weights, float) = sqrtf((float)part->length + 1);
    s->template_nodes += (uint32_t) template;
    t->nodes++;
}

/* A node is template if and only if all its blocks are. */
static void add_page(train_t *t, const tmpl_page_t *page, const tmpl_verdict_t *verdicts,
                     apr_pool_t *pool)
{
    tmpl_regions_t parts;
    uint32_t *content = apr_palloc(pool, (page->n_segments + 1) * sizeof(*content));
    tmpl_regions(&parts, page, pool);
    content[0] = 0;
    for (uint32_t s = 0; s < page->n_segments; s++) {
        content[s + 1] = content[s] + !verdicts[page->segments[s].block].template;
    }
    for (uint32_t i = 0; i < parts.n; i++) {
        const tmpl_region_t *part = &parts.parts[i];
        add_sample(t, part, &parts.features[(apr_size_t)i * TMPL_FEATURE_COUNT],
                   content[part->after_segment] == content[part->first_segment]);
    }
}

static void one_page(train_t *t, const char *site, const char *path, int learn, apr_pool_t *pool)
{
    tmpl_outcome_t outcome;
    tmpl_error_t err;
    tmpl_clean_opts_t opts = t->ctl->options.clean;
    tmpl_input_t input = { .site = site, .uri = apr_pstrcat(pool, "/", path, NULL) };
    input.page_key = path;
    input.learn = learn;
    opts.mode = TMPL_MODE_LEARN;
    opts.detector = TMPL_DETECTOR_INCREMENTAL; /* what labels */
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
    add_page(t, outcome.page, verdicts, pool);
    t->pages++;
}

/* Sites count alike, however large they are. */
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

static int one_site(train_t *t, const char *dir)
{
    apr_pool_t *pool;
    apr_pool_t *scratch;
    apr_pool_create(&pool, t->ctl->pool);
    apr_pool_create(&scratch, pool);
    apr_array_header_t *files = find_pages(t, dir, pool);
    if (files != NULL) {
        thin_out(files, t->ctl->options.pages);
        ctl_progress_start(dir, 2 * files->nelts);
        for (int i = 0; i < 2 * files->nelts && !ctl_interrupted(); i++) {
            int learn = i < files->nelts;
            one_page(t, dir, APR_ARRAY_IDX(files, i % files->nelts, const char *), learn, scratch);
            apr_pool_clear(scratch);
            ctl_progress_step(i + 1);
        }
        ctl_progress_end();
        weigh_site(t);
    }
    apr_pool_destroy(pool);
    return files != NULL && !ctl_interrupted();
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
        class->loss = tmpl_logistic_fit(&class->logistic, &samples, t->ctl->options.without, L2,
                                        t->ctl->pool);
    }
}

static const char *provenance(const train_t *t)
{
    const ctl_t *ctl = t->ctl;
    const char *text = apr_psprintf(
        ctl->pool, "# tmplctl train, %s: %d sites, %u pages, %u nodes; min-df %u; content %s\n",
        ctl->options.date != NULL ? ctl_plain(ctl->options.date, ctl->pool) : "no date",
        ctl->args->nelts, t->pages, t->nodes, ctl->options.clean.policy.min_df,
        ctl->options.trust ? apr_psprintf(ctl->pool, "distrusted at %u nodes", t->distrusted)
                           : "as counted");
    for (int i = 0; i < ctl->args->nelts; i++) {
        const char *dir = APR_ARRAY_IDX(ctl->args, i, const char *);
        text = apr_pstrcat(ctl->pool, text, "# site ", ctl_plain(dir, ctl->pool), "\n", NULL);
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
    if (ctl_file_write(t->dir, t->name, text, strlen(text), &err, pool) != APR_SUCCESS) {
        ctl_say("train: not written: %s", err.text);
        return CTL_FAILED;
    }
    printf("%d site%s, %u pages, %u nodes; %u declined, %u failed\n", t->ctl->args->nelts,
           t->ctl->args->nelts == 1 ? "" : "s", t->pages, t->nodes, t->declined, t->failed);
    return t->failed > 0 ? CTL_FAILED : CTL_OK;
}

/* Where the model goes, before hours go into it. */
static apr_status_t find_place(train_t *t)
{
    tmpl_error_t err;
    apr_pool_t *pool = t->ctl->pool;
    const char *out = t->ctl->options.out;
    const char *slash = strrchr(out, '/');
    t->dir = slash == NULL  ? "."
             : slash == out ? "/"
                            : apr_pstrmemdup(pool, out, (apr_size_t)(slash - out));
    t->name = slash == NULL ? out : slash + 1;
    if (apr_stat(&t->out, out, APR_FINFO_DEV | APR_FINFO_INODE, pool) != APR_SUCCESS) {
        memset(&t->out, 0, sizeof(t->out));
    }
    if (ctl_file_may_write(t->dir, t->name, &err, pool) != APR_SUCCESS) {
        ctl_say("train: not written: %s", err.text);
        return err.status;
    }
    return APR_SUCCESS;
}

int ctl_train(ctl_t *ctl)
{
    train_t t = { .ctl = ctl };
    int good = 1;
    for (int c = 0; c < TMPL_SIZE_CLASSES; c++) {
        t.classes[c].rows = apr_array_make(ctl->pool, 4096, TMPL_FEATURE_COUNT * sizeof(float));
        t.classes[c].labels = apr_array_make(ctl->pool, 4096, sizeof(unsigned char));
        t.classes[c].weights = apr_array_make(ctl->pool, 4096, sizeof(float));
    }
    ctl_interrupt_catch();
    if (find_place(&t) != APR_SUCCESS) {
        return CTL_FAILED;
    }
    if (ctl_store_open(&t.store, ctl) != APR_SUCCESS) {
        return CTL_FAILED;
    }
    for (int i = 0; good && i < ctl->args->nelts; i++) {
        good = one_site(&t, APR_ARRAY_IDX(ctl->args, i, const char *));
    }
    ctl_store_close(&t.store);
    if (!good) {
        return CTL_FAILED;
    }
    if (t.nodes == 0) {
        ctl_say("train: no page could be read: nothing to learn from");
        return CTL_FAILED;
    }
    return write_model(&t);
}
