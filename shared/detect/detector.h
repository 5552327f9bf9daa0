/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The detectors, in one table from which configuration, tool, response fields, counters and tests
 * are generated. To add one: a row here, and the two functions that it names in detector.c;
 * docs/lab/detector.md walks through it.
 */
#ifndef TMPL_DETECTOR_H
#define TMPL_DETECTOR_H

#include "detect/explain.h"
#include "table/counts.h"
#include "model/trees.h"

/*
 * The models of the detectors that are trained. The first line of a model's text says which
 * detector it is for. To add a kind of model: a field here, a case in detector.c and, if it is to
 * be built in, its arrays by models/arrays (docs/lab/detector.md).
 */

/* One model for each trained detector; NULL: that detector cannot be used. */
typedef struct {
    const struct tmpl_model_t *pagelevel; /* methods/pagelevel_model.h */
    const tmpl_trees_t *trees;            /* for auto */
} tmpl_models_t;

/* Hashes of the models' texts: equal models have equal ids, in every process. 0: no model. */
typedef struct {
    uint64_t pagelevel;
    uint64_t trees;
} tmpl_models_id_t;

tmpl_models_id_t tmpl_models_id(const tmpl_models_t *models);

/*
 * The models of models/, built in, so that libtmpl works without any file. models/arrays writes
 * them as constants when libtmpl is built: reading the texts took most of the tool's start.
 */
extern const struct tmpl_model_t tmpl_builtin_pagelevel;
extern const tmpl_trees_source_t tmpl_builtin_auto;

/* Makes the models that are built in. They are valid while pool lives. */
void tmpl_models_builtin(tmpl_models_t *models, apr_pool_t *pool);

/*
 * Reads a model from a file into the field for its kind; the other fields stay. *detector becomes
 * the name of the detector that the model is for. APR_EINVAL if it is not a model: err then names
 * the file, the line and the fault. Else the error of the file. The model is allocated from pool.
 */
apr_status_t tmpl_models_load(tmpl_models_t *models, const char **detector, const char *path,
                              tmpl_error_t *err, apr_pool_t *pool);

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

/* How pagelevel makes an element agree with those inside it (methods/pagelevel.h). */
typedef enum { TMPL_SMOOTHING_OFF, TMPL_SMOOTHING_MAX, TMPL_SMOOTHING_MIN } tmpl_smoothing_e;

/* The settings of detectors. */
typedef struct {
    tmpl_models_t models;
    tmpl_smoothing_e smoothing; /* pagelevel */
    double ratio;     /* incremental, style: a block with a larger template ratio is template */
    double threshold; /* pagelevel, auto: the same for templateness; below 0: the model's */
    tmpl_explain_t *explain; /* gets the reasons of the verdicts; NULL: they are not needed */
} tmpl_detect_opts_t;

struct tmpl_auto_t;
struct tmpl_style_t;

/* What a detector's read() leaves for its judge(), from the pool of read(). */
typedef union {
    struct tmpl_auto_t *page; /* auto */
    struct tmpl_style_t *style;
} tmpl_read_t;

/* A page to judge, with all that a detector may use. */
typedef struct {
    const tmpl_page_t *page;
    const tmpl_observation_t *observation; /* as read() filled it */
    tmpl_read_t reading;                   /* what read() returned */
    /*
     * The store's answer to observation. Unless need is TMPL_NEED_COUNTS, records may be NULL:
     * there is no answer, and all other fields are 0.
     */
    const tmpl_counts_t *counts;
    uint32_t min_df; /* the DF from which a segment is template */
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
     * a site's table. Returns what judge needs again.
     */
    tmpl_read_t (*read)(tmpl_observation_t *observation, const tmpl_page_t *page, apr_pool_t *pool);
    /* After the store has answered: fills verdicts, one for each block of the page. Called once. */
    void (*judge)(tmpl_verdict_t *verdicts, const tmpl_case_t *of, apr_pool_t *pool);
} tmpl_detector_t;

/* The row of a detector; constant. */
const tmpl_detector_t *tmpl_detector(tmpl_detector_e id);

/* Bytes that a detector takes for a page at most. */
typedef struct {
    uint64_t early;   /* while the store is asked */
    uint64_t judging; /* while it judges, those of early among them */
} tmpl_detector_memory_t;

tmpl_detector_memory_t tmpl_detector_memory(tmpl_detector_e id, const tmpl_page_t *page);

/* The detector with that name, in any case; -1: there is none. */
int tmpl_detector_find(const char *name);

/*
 * The tmpl_smoothing_e with that name, in any case: off, max, min, or on, which is min, the better
 * one (docs/lab/accuracy.md). -1: there is none.
 */
int tmpl_smoothing_find(const char *name);

/*
 * The detector "incremental", Wang et al. (WWW 2008), section 2.3: the template ratio of a block is
 * the length of its segments with DF >= MinDF over the length of all its segments. A block is
 * template if its ratio is larger than threshold. Fills verdicts, page->n_blocks of them. records
 * has one record for each of page->keys.
 */
void tmpl_detect_incremental(tmpl_verdict_t *verdicts, const tmpl_page_t *page,
                             const tmpl_record_t *records, uint32_t min_df, double threshold);

#endif
