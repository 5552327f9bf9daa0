/* SPDX-License-Identifier: Apache-2.0 */
#include "paper-methods.h"

#include <apr_strings.h>

#include "clean.h"
#include "detect/detector.h"
#include "methods/style.h"
#include "sst.h"

/* sst: the paper does not fix t. Of .1, .2, .3, .4 and .6, .6 has the best F on dev. */
const paper_opts_t paper_opts_default = {
    .policy = { .min_df = 5, .lifetime_tb = 400, .lifetime_n = 20, .max_entries = 1000000 },
    .ratio = 0.7,
    .passes = 1,
    .shingle = { .window = 10, .least = 2 },
    .t = 0.6,
};

static const paper_page_t *page_of(const paper_site_t *site, int i)
{
    return &APR_ARRAY_IDX(site->pages, i, paper_page_t);
}

static void score(paper_result_t *result, const paper_site_t *site, int i,
                  const tmpl_verdict_t *verdicts)
{
    paper_score_add(&result->score, page_of(site, i), verdicts);
    paper_score_add(&result->pages[i], page_of(site, i), verdicts);
}

static void begin(paper_result_t *result, const paper_site_t *site, apr_pool_t *pool)
{
    memset(result, 0, sizeof(*result));
    result->pages =
        apr_pcalloc(pool, ((apr_size_t)site->pages->nelts + 1) * sizeof(*result->pages));
}

/* ---- methods that keep a table ---- */

/* A method: read gives the keys of a page; judge gives its verdicts when the keys are counted. */
typedef struct {
    const char *name;
    void (*read)(tmpl_style_t *style, const tmpl_page_t *page, apr_pool_t *pool);
    void (*judge)(tmpl_verdict_t *verdicts, const tmpl_page_t *page, const tmpl_style_t *style,
                  const tmpl_record_t *records, uint32_t min_df, double threshold);
} counted_t;

static void read_segments(tmpl_style_t *style, const tmpl_page_t *page, apr_pool_t *pool)
{
    (void)pool;
    style->keys = page->keys;
    style->n_keys = page->n_keys;
}

static void judge_segments(tmpl_verdict_t *verdicts, const tmpl_page_t *page,
                           const tmpl_style_t *style, const tmpl_record_t *records, uint32_t min_df,
                           double threshold)
{
    (void)style;
    tmpl_detect_incremental(verdicts, page, records, min_df, threshold);
}

/* The table of one run: a new site; with LMDB in a new store. */
typedef struct {
    tmpl_store_t *store;
    const char *site;
} sites_table_t;

static sites_table_t new_table(const paper_opts_t *opts, apr_pool_t *pool)
{
    static int tables;
    sites_table_t table;
    tmpl_error_t err;
    if (opts->store == NULL) {
        paper_die("store", "none was given");
    }
    table.site = apr_psprintf(pool, "%d", tables++);
    const char *uri = opts->store;
    if (strncmp(uri, "lmdb:", 5) == 0) {
        uri = apr_pstrcat(pool, uri, "/", table.site, NULL);
    }
    if (tmpl_store_open(&table.store, uri, NULL, &err, pool) != APR_SUCCESS) {
        paper_die(uri, err.text);
    }
    return table;
}

static void add_bytes(paper_result_t *result, const sites_table_t *table, const paper_opts_t *opts,
                      apr_pool_t *pool)
{
    tmpl_error_t err;
    if (tmpl_store_stats(table->store, table->site, &opts->policy, &result->end, &err, pool) !=
        APR_SUCCESS) {
        paper_die("store", err.text);
    }
    result->bytes += (double)result->end.bytes;
}

/* Looks a page up, counts it if learn is set, and fills verdicts. */
static void observe(tmpl_verdict_t *verdicts, paper_result_t *result, const counted_t *how,
                    const sites_table_t *table, const paper_page_t *page, const paper_opts_t *opts,
                    int learn, apr_pool_t *pool)
{
    tmpl_style_t style = { 0 };
    tmpl_counts_t counts;
    tmpl_error_t err;
    double start = paper_clock();
    how->read(&style, page->page, pool);
    tmpl_key_t *keys = apr_palloc(pool, (style.n_keys + 1) * sizeof(*keys));
    tmpl_keys_fill(keys, style.keys, style.n_keys, TMPL_KIND_SEGMENT);
    tmpl_observation_t observation = { .site = table->site,
                                       .document = &page->document,
                                       .keys = keys,
                                       .n = style.n_keys,
                                       .policy = &opts->policy,
                                       .learn = learn };
    if (tmpl_store_observe(table->store, &observation, apr_time_from_sec(30), &counts, &err,
                           pool) != APR_SUCCESS) {
        paper_die(how->name, err.text);
    }
    how->judge(verdicts, page->page, &style, counts.records, opts->policy.min_df, opts->ratio);
    result->seconds += paper_clock() - start;
    result->keys += learn ? style.n_keys : 0;
}

static void run_counted(paper_result_t *result, const paper_site_t *site, const paper_opts_t *opts,
                        const counted_t *how, apr_pool_t *pool)
{
    apr_pool_t *own;
    apr_pool_t *scratch;
    int n = site->pages->nelts;
    begin(result, site, pool);
    apr_pool_create(&own, pool);
    apr_pool_create(&scratch, own);
    sites_table_t table = new_table(opts, own);
    for (uint32_t pass = 1; pass <= opts->passes; pass++) {
        for (int i = 0; i < n; i++) {
            const paper_page_t *page = page_of(site, i);
            tmpl_verdict_t *verdicts =
                apr_palloc(scratch, (page->page->n_blocks + 1) * sizeof(*verdicts));
            observe(verdicts, result, how, &table, page, opts, pass == 1, scratch);
            if (pass == opts->passes) {
                score(result, site, i, verdicts);
            }
            if (pass == 1) {
                add_bytes(result, &table, opts, scratch);
            }
            apr_pool_clear(scratch);
        }
    }
    result->bytes /= n > 0 ? n : 1;
    result->keys /= n > 0 ? n : 1;
    apr_pool_destroy(own);
}

static void run_incremental(paper_result_t *result, const paper_site_t *site,
                            const paper_opts_t *opts, apr_pool_t *pool)
{
    static const counted_t how = { "incremental", read_segments, judge_segments };
    run_counted(result, site, opts, &how, pool);
}

static void run_style(paper_result_t *result, const paper_site_t *site, const paper_opts_t *opts,
                      apr_pool_t *pool)
{
    static const counted_t how = { "style", tmpl_style_read, tmpl_detect_style };
    run_counted(result, site, opts, &how, pool);
}

/* ---- methods that keep pages ---- */

typedef void judge_batch_t(tmpl_verdict_t *const *verdicts, const tmpl_page_t *const *pages,
                           uint32_t n, const paper_opts_t *opts, apr_pool_t *pool);

static void run_batches(paper_result_t *result, const paper_site_t *site, const paper_opts_t *opts,
                        judge_batch_t *judge, apr_pool_t *pool)
{
    apr_pool_t *scratch;
    int n = site->pages->nelts;
    int size = opts->batch > 0 && (int)opts->batch < n ? (int)opts->batch : n;
    int batches = 0;
    begin(result, site, pool);
    apr_pool_create(&scratch, pool);
    for (int first = 0; first < n; first += size, batches++) {
        int here = n - first < size ? n - first : size;
        const tmpl_page_t **pages = apr_palloc(scratch, (apr_size_t)here * sizeof(*pages));
        tmpl_verdict_t **verdicts = apr_palloc(scratch, (apr_size_t)here * sizeof(*verdicts));
        for (int i = 0; i < here; i++) {
            pages[i] = page_of(site, first + i)->page;
            verdicts[i] = apr_pcalloc(scratch, (pages[i]->n_blocks + 1) * sizeof(**verdicts));
            result->bytes += pages[i]->len;
        }
        double start = paper_clock();
        judge(verdicts, pages, (uint32_t)here, opts, scratch);
        result->seconds += paper_clock() - start;
        for (int i = 0; i < here; i++) {
            score(result, site, first + i, verdicts[i]);
        }
        apr_pool_clear(scratch);
    }
    result->bytes /= batches > 0 ? batches : 1;
    apr_pool_destroy(scratch);
}

static void judge_shingle(tmpl_verdict_t *const *verdicts, const tmpl_page_t *const *pages,
                          uint32_t n, const paper_opts_t *opts, apr_pool_t *pool)
{
    shingle_detect(verdicts, pages, n, &opts->shingle, pool);
}

static void run_shingle(paper_result_t *result, const paper_site_t *site, const paper_opts_t *opts,
                        apr_pool_t *pool)
{
    run_batches(result, site, opts, judge_shingle, pool);
}

static void judge_sst(tmpl_verdict_t *const *verdicts, const tmpl_page_t *const *pages, uint32_t n,
                      const paper_opts_t *opts, apr_pool_t *pool)
{
    sst_t *sst = sst_create(pool);
    for (uint32_t i = 0; i < n; i++) {
        sst_add(sst, pages[i]);
    }
    sst_weigh(sst);
    for (uint32_t i = 0; i < n; i++) {
        sst_judge(verdicts[i], sst, i, opts->t, opts->ratio);
    }
}

static void run_sst(paper_result_t *result, const paper_site_t *site, const paper_opts_t *opts,
                    apr_pool_t *pool)
{
    run_batches(result, site, opts, judge_sst, pool);
}

static void judge_pagelevel(tmpl_verdict_t *const *verdicts, const tmpl_page_t *const *pages,
                            uint32_t n, const paper_opts_t *opts, apr_pool_t *pool)
{
    for (uint32_t i = 0; i < n; i++) {
        tmpl_detect_pagelevel(verdicts[i], pages[i], opts->model, opts->smoothing, -1, pool);
    }
}

static void run_pagelevel(paper_result_t *result, const paper_site_t *site,
                          const paper_opts_t *opts, apr_pool_t *pool)
{
    paper_opts_t one = *opts;
    one.batch = 1;
    run_batches(result, site, &one, judge_pagelevel, pool);
}

const paper_method_t paper_methods[PAPER_METHODS] = {
    [PAPER_INCREMENTAL] = { "incremental", run_incremental, 0 },
    [PAPER_STYLE] = { "style", run_style, 0 },
    [PAPER_SHINGLE] = { "shingle", run_shingle, 1 },
    [PAPER_SST] = { "sst", run_sst, 1 },
    [PAPER_PAGELEVEL] = { "pagelevel", run_pagelevel, 0 },
};
