/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of detectors: trees from text, stores, and pages through tmpl_clean. */
#ifndef TMPL_DETECTOR_FIXTURE_H
#define TMPL_DETECTOR_FIXTURE_H

#include "check.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

#include "clean.h"

#define TIMEOUT apr_time_from_sec(60)

static inline const tmpl_trees_t *trees_of(const char *text, apr_pool_t *pool)
{
    const tmpl_trees_t *trees;
    tmpl_error_t err = { 0 };
    tmpl_model_text_t model = { "test", text, strlen(text) };
    if (tmpl_trees_parse(&trees, &model, &err, pool) != APR_SUCCESS) {
        fail_msg("%s", err.text);
    }
    return trees;
}

static inline int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

static inline apr_status_t remove_dir(void *dir)
{
    return nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS) == 0 ? APR_SUCCESS : APR_EGENERAL;
}

/* An LMDB store that is removed with pool. */
static inline char *empty_store_uri(apr_pool_t *pool)
{
    char *dir = apr_pstrdup(pool, "/tmp/tmpl-test-detector-XXXXXX");
    assert_non_null(mkdtemp(dir));
    apr_pool_cleanup_register(pool, dir, remove_dir, apr_pool_cleanup_null);
    return apr_pstrcat(pool, "lmdb:", dir, NULL);
}

static inline tmpl_store_t *open_store(const char *uri, const tmpl_store_opts_t *opts,
                                       apr_pool_t *pool)
{
    tmpl_store_t *store;
    tmpl_error_t err;
    if (tmpl_store_open(&store, uri, opts, &err, pool) != APR_SUCCESS) {
        fail_msg("%s", err.text);
    }
    return store;
}

static inline tmpl_clean_opts_t opts_of(tmpl_detector_e detector, const tmpl_trees_t *trees,
                                        apr_pool_t *pool)
{
    tmpl_clean_opts_t opts = tmpl_clean_opts_default();
    tmpl_models_builtin(&opts.detect.models, pool);
    opts.detect.models.trees = trees != NULL ? trees : opts.detect.models.trees;
    opts.mode = TMPL_MODE_STRIP;
    opts.detector = detector;
    return opts;
}

static inline tmpl_outcome_t clean_at(const char *body, const char *site, const char *uri,
                                      const tmpl_clean_opts_t *opts, tmpl_store_t *store,
                                      tmpl_learning_e learn, apr_pool_t *pool)
{
    tmpl_outcome_t outcome;
    tmpl_input_t input = {
        .body = body, .len = strlen(body), .site = site, .uri = uri, .learn = learn
    };
    tmpl_clean(&outcome, &input, opts, store, TIMEOUT, pool);
    return outcome;
}

static inline tmpl_outcome_t clean(const char *body, const char *uri, const tmpl_clean_opts_t *opts,
                                   tmpl_store_t *store, tmpl_learning_e learn, apr_pool_t *pool)
{
    return clean_at(body, "site", uri, opts, store, learn, pool);
}

static inline const char *stripped(const char *body, const tmpl_outcome_t *outcome,
                                   apr_pool_t *pool)
{
    apr_size_t len;
    return tmpl_edits_apply(&len, &outcome->edits, body, strlen(body), pool);
}

#endif
