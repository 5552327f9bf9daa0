/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The detectors, in one table that configuration, tool, response fields, counters and docs read. To add one:
 * a row here, and the two functions that it names in detector.c.
 */
#ifndef TMPL_DETECTOR_H
#define TMPL_DETECTOR_H

#include "detect/pagelevel.h"
#include "detect/verdict.h"
#include "model/trees.h"

/*
 * X(id, name, need, separators, read, judge, explanation): the values of TmplDetector. The columns are
 * the fields of tmpl_detector_t below.
 */
#define TMPL_DETECTORS(X)                                                                          \
    X(INCREMENTAL, "incremental", TMPL_NEED_COUNTS, NULL, read_segments, judge_incremental,        \
      "template is what stands on other pages of the site, too")                                   \
    X(STYLE, "style", TMPL_NEED_COUNTS, NULL, read_style, judge_style,                             \
      "the same by words and their places: text may change a little from page to page")            \
    X(PAGELEVEL, "pagelevel", TMPL_NEED_NOTHING, &tmpl_separators_pagelevel, read_segments,        \
      judge_pagelevel, "template is what looks like it, whatever other pages have")                \
    X(AUTO, "auto", TMPL_NEED_PAGE, &tmpl_separators_leaf, read_auto, judge_auto,                  \
      "both: what a block looks like, and where its text and its place were seen")

/* What a verdict rests on. */
typedef enum {
    TMPL_NEED_COUNTS,  /* the site's table: without it there are no verdicts */
    TMPL_NEED_NOTHING, /* the page: the same page has the same verdicts, always */
    TMPL_NEED_PAGE     /* the page, and more can be said of it with the site's table */
} tmpl_need_e;

typedef enum {
#define TMPL_DETECTOR_ID(id, name, need, separators, read, judge, explanation) TMPL_DETECTOR_##id,
    TMPL_DETECTORS(TMPL_DETECTOR_ID)
#undef TMPL_DETECTOR_ID
        TMPL_DETECTOR_COUNT
} tmpl_detector_e;

/* Their names with a blank before each, as a literal. */
#define TMPL_DETECTOR_NAME(id, name, need, separators, read, judge, explanation) " " name
#define TMPL_DETECTOR_NAMES                                                      TMPL_DETECTORS(TMPL_DETECTOR_NAME)

/* What the detectors that are trained judge by. NULL: that one is not to be used. */
typedef struct {
    const tmpl_model_t *pagelevel;
    const tmpl_trees_t *trees; /* of auto */
} tmpl_models_t;

/* What tells models from others, by their text: after a restart, too, and at whatever address they are. */
typedef struct {
    uint64_t pagelevel; /* 0: there is none */
    uint64_t trees;
} tmpl_models_id_t;

tmpl_models_id_t tmpl_models_id(const tmpl_models_t *models);

/* Those that are built in: models/pagelevel.model, models/auto.model. From pool; takes milliseconds. */
apr_status_t tmpl_models_builtin(tmpl_models_t *models, tmpl_error_t *err, apr_pool_t *pool);

/*
 * Reads a model and puts it where its first line says that it belongs; the other one stays. APR_EINVAL,
 * with file, line and what is wrong there, or the error of the file. From pool. detector is whose it is.
 */
apr_status_t tmpl_models_load(tmpl_models_t *models, tmpl_detector_e *detector, const char *path,
                              tmpl_error_t *err, apr_pool_t *pool);

/* What detectors are told beside the page and its counts. */
typedef struct {
    tmpl_models_t models;
    tmpl_smoothing_e smoothing; /* of pagelevel */
    uint32_t min_df;
    double ratio;     /* incremental, style: a block with a larger template ratio is template */
    double threshold; /* pagelevel, auto: one with more templateness; below 0: the model's own */
} tmpl_detect_opts_t;

/* A page that is to be judged. */
typedef struct {
    const tmpl_page_t *page;
    const tmpl_observation_t *observation; /* as read() filled it */
    void *reading;                         /* what read() returned */
    /* Of the store. Without NEED_COUNTS records may be NULL: no answer; all other fields are 0 then. */
    const tmpl_counts_t *counts;
    const tmpl_detect_opts_t *opts;
} tmpl_case_t;

typedef struct {
    const char *name;
    tmpl_need_e need;
    const tmpl_tag_set_t *separators; /* what the page must be parsed with; NULL: any */
    const char *explanation;
    /*
     * Fills what the store is to be told of the page: keys, n, shares, n_shares, parts, n_parts.
     * Returns what judge wants to know again.
     */
    void *(*read)(tmpl_observation_t *observation, const tmpl_page_t *page, apr_pool_t *pool);
    /* Fills verdicts, one for each block. */
    void (*judge)(tmpl_verdict_t *verdicts, const tmpl_case_t *of, apr_pool_t *pool);
} tmpl_detector_t;

const tmpl_detector_t *tmpl_detector(tmpl_detector_e id);

/* The one of that name, in any case; APR_EINVAL, with the valid names, if there is none. */
apr_status_t tmpl_detector_parse(tmpl_detector_e *id, const char *name, tmpl_error_t *err);

/* off, max, min, or on, which is the better of the two (docs/accuracy.md); else APR_EINVAL. */
apr_status_t tmpl_smoothing_parse(tmpl_smoothing_e *smoothing, const char *name, tmpl_error_t *err);

#endif
