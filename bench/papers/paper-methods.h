/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The methods of the papers. Experiments compare them on the pages of a site in the same order.
 * Incremental methods use a store, each run with its own table; batch methods collect the pages of
 * a batch and judge them when the batch is full.
 */
#ifndef TMPL_PAPER_METHODS_H
#define TMPL_PAPER_METHODS_H

#include "methods/pagelevel.h"
#include "paper-pages.h"
#include "shingle.h"

typedef struct {
    tmpl_policy_t policy; /* of incremental methods */
    double ratio;         /* a block is template if more than this share of its text is template */
    uint32_t passes;      /* 2: incremental methods see all pages before they judge any */
    uint32_t batch;       /* pages of a batch; 0: all */
    shingle_opts_t shingle;
    double t;                  /* sst: importance below which a node is noise */
    const tmpl_model_t *model; /* pagelevel */
    int smoothing;
    const char *store; /* URI; for LMDB a directory for several stores */
} paper_opts_t;

/* Defaults of every method; no model, no store. */
extern const paper_opts_t paper_opts_default;

typedef struct {
    paper_score_t score;
    paper_score_t *pages; /* one for each page */
    double seconds;       /* of CPU, without parsing */
    double bytes; /* average storage: the table after every page, or the cached pages of a batch */
    double keys;  /* keys passed to the table: mean over the pages */
    tmpl_store_stats_t end; /* the table at the end */
} paper_result_t;

typedef struct {
    const char *name;
    void (*run)(paper_result_t *result, const paper_site_t *site, const paper_opts_t *opts,
                apr_pool_t *pool);
    int is_batch;
} paper_method_t;

enum { PAPER_INCREMENTAL, PAPER_STYLE, PAPER_SHINGLE, PAPER_SST, PAPER_PAGELEVEL, PAPER_METHODS };

extern const paper_method_t paper_methods[PAPER_METHODS];

#endif
