/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The detectors, in one table from which configuration, tool, response fields, counters and tests
 * are generated. To add one: a row here, and the two functions that it names in detector.c;
 * docs/contributing.md walks through it.
 */
#ifndef TMPL_DETECTOR_H
#define TMPL_DETECTOR_H

#include "detect/pagelevel.h"
#include "detect/why.h"
#include "model/models.h"
#include "table/store.h"

/*
 * X(id, name, need, separators, read, judge, explanation): the values of TmplDetector. The columns
 * are the fields of tmpl_detector_t below.
 */
#define TMPL_DETECTORS(X)                                                                          \
    X(INCREMENTAL, "incremental", TMPL_NEED_COUNTS, NULL, read_segments, judge_incremental,        \
      "template is text that is repeated on pages of the site")                                    \
    X(STYLE, "style", TMPL_NEED_COUNTS, NULL, read_style, judge_style,                             \
      "the same, or words repeated at similar offsets; some of them may change")                   \
    X(PAGELEVEL, "pagelevel", TMPL_NEED_NOTHING, &tmpl_separators_pagelevel, read_segments,        \
      judge_pagelevel, "template is what looks like it, by this page alone")                       \
    X(AUTO, "auto", TMPL_NEED_PAGE, &tmpl_separators_leaf, read_auto, judge_auto,                  \
      "both: what a block looks like, and what the site repeats")

/* What a detector's verdicts depend on. */
typedef enum {
    TMPL_NEED_COUNTS,  /* the site's counts: without them there are no verdicts */
    TMPL_NEED_NOTHING, /* the page alone: equal pages have equal verdicts */
    TMPL_NEED_PAGE     /* the page, and the site's counts if there are any */
} tmpl_need_e;

typedef enum {
#define TMPL_DETECTOR_ID(id, name, need, separators, read, judge, explanation) TMPL_DETECTOR_##id,
    TMPL_DETECTORS(TMPL_DETECTOR_ID)
#undef TMPL_DETECTOR_ID
        TMPL_DETECTOR_COUNT
} tmpl_detector_e;

/* The names with a blank before each, as a literal for messages. */
#define TMPL_DETECTOR_NAME(id, name, need, separators, read, judge, explanation) " " name
#define TMPL_DETECTOR_NAMES                                                      TMPL_DETECTORS(TMPL_DETECTOR_NAME)

/* The settings of detectors. */
typedef struct {
    tmpl_models_t models;
    tmpl_smoothing_e smoothing; /* pagelevel */
    uint32_t min_df;
    double ratio;     /* incremental, style: a block with a larger template ratio is template */
    double threshold; /* pagelevel, auto: the same for templateness; below 0: the model's */
    tmpl_why_t *why;  /* gets the reasons of the verdicts; NULL: they are not needed */
} tmpl_detect_opts_t;

/* A page to judge, with all that a detector may use. */
typedef struct {
    const tmpl_page_t *page;
    const tmpl_observation_t *observation; /* as read() filled it */
    void *reading;                         /* what read() returned */
    /*
     * The store's answer to observation. Unless need is TMPL_NEED_COUNTS, records may be NULL:
     * there is no answer, and all other fields are 0.
     */
    const tmpl_counts_t *counts;
    const tmpl_detect_opts_t *opts;
} tmpl_case_t;

typedef struct {
    const char *name;
    tmpl_need_e need;
    const tmpl_tag_set_t *separators; /* the page must be parsed with these; NULL: with any */
    const char *explanation;
    /*
     * Before the store is asked: fills keys, n, shares, n_shares, blocks and n_blocks of
     * observation, from pool. The keys must begin with the page's own, so that detectors can share
     * a site's table. Returns what judge needs again, from pool, or NULL.
     */
    void *(*read)(tmpl_observation_t *observation, const tmpl_page_t *page, apr_pool_t *pool);
    /* After the store has answered: fills verdicts, one for each block of the page. Called once. */
    void (*judge)(tmpl_verdict_t *verdicts, const tmpl_case_t *of, apr_pool_t *pool);
} tmpl_detector_t;

/* The row of a detector; constant. */
const tmpl_detector_t *tmpl_detector(tmpl_detector_e id);

/* The detector with that name, in any case. APR_EINVAL, with the valid names, if there is none. */
apr_status_t tmpl_detector_parse(tmpl_detector_e *id, const char *name, tmpl_error_t *err);

/*
 * off, max, min, or on, in any case; on is min, the better one (docs/lab/accuracy.md). APR_EINVAL,
 * with the valid names, for any other name.
 */
apr_status_t tmpl_smoothing_parse(tmpl_smoothing_e *smoothing, const char *name, tmpl_error_t *err);

#endif
