/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model of the detector "pagelevel" (methods/pagelevel.h): which features a region of a page
 * has, and a logistic regression over them for each size class.
 *
 * As text, lines of words divided by blanks; lines that begin with # are comments:
 *     tmpl-pagelevel 2
 *     threshold T                       a block with more templateness is template, 0..1
 * and then for each size class, 0 first:
 *     class N nodes N template N loss L     what the class was fitted to, see tmpl_model_class_t
 *     bias B
 *     FEATURE MEAN DEVIATION WEIGHT     one line for each feature, in the order of TMPL_FEATURES
 */
#ifndef TMPL_PAGELEVEL_MODEL_H
#define TMPL_PAGELEVEL_MODEL_H

#include "model/lines.h"
#include "base/tmpl.h"

/*
 * Logistic regression: the probability of a label, given features that are standardised and then
 * clipped to -TMPL_LOGISTIC_CLIP..TMPL_LOGISTIC_CLIP. Fitted by Newton's method with an L2 penalty.
 * Equal samples in equal order give equal weights.
 */

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

/* X(id, name): lengths and counts are log(1 + n), shares and flags 0..1. */
#define TMPL_FEATURES(X)                                                                           \
    X(START, "start")   /* share of the page's text before the region */                           \
    X(END, "end")       /* and after it */                                                         \
    X(EDGE, "edge")     /* distance of the region's middle from the page's, 0..1 */                \
    X(BEFORE, "before") /* bytes of text before the region */                                      \
    X(AFTER, "after")   /* and after it */                                                         \
    X(ORDER, "order")   /* share of the regions before it */                                       \
    X(LENGTH, "length") /* bytes of text */                                                        \
    X(SHARE, "share")   /* the region's share of the page's text */                                \
    X(SEGMENTS, "segments")                                                                        \
    X(PAGE, "page") /* bytes of the page's text */                                                 \
    X(DEPTH, "depth")                                                                              \
    X(RANK, "rank") /* siblings before it */                                                       \
    X(SIBLINGS, "siblings")                                                                        \
    X(BOX, "box")             /* bytes of its parent's text */                                     \
    X(BOX_SHARE, "box-share") /* the region's share of its parent's text */                        \
    X(TAG_LIST, "tag-list")   /* ul ol dl menu */                                                  \
    X(TAG_ITEM, "tag-item")   /* li dt dd */                                                       \
    X(TAG_HEADING, "tag-heading")                                                                  \
    X(TAG_P, "tag-p")       /* p blockquote pre */                                                 \
    X(TAG_CELL, "tag-cell") /* table and its parts */                                              \
    X(IN_LIST, "in-list")                                                                          \
    X(IN_CELL, "in-cell")                                                                          \
    X(IN_FORM, "in-form")                                                                          \
    X(IN_EDGE, "in-edge")             /* in nav header footer aside */                             \
    X(IN_MAIN, "in-main")             /* in main article */                                        \
    X(WORD_TEMPLATE, "word-template") /* its class or id names a template */                       \
    X(WORD_CONTENT, "word-content")                                                                \
    X(IN_WORD_TEMPLATE, "in-word-template") /* an ancestor's class or id does */                   \
    X(IN_WORD_CONTENT, "in-word-content")                                                          \
    X(LINK, "link") /* share of its words in links */                                              \
    X(LINKS, "links")                                                                              \
    X(BOX_LINK, "box-link")       /* link of its parent */                                         \
    X(PAGE_LINK, "page-link")     /* link of the page */                                           \
    X(SENTENCE, "sentence")       /* words per sentence */                                         \
    X(STOPS, "stops")             /* ends of sentences */                                          \
    X(COMMAS, "commas")           /* commas per 100 words */                                       \
    X(DIGITS, "digits")           /* share of its characters */                                    \
    X(NEAR_LENGTH, "near-length") /* bytes of text of two blocks before it, two behind */          \
    X(NEAR_LINK, "near-link")     /* link of these blocks */                                       \
    X(REPEAT, "repeat")           /* share of its text that the page has more than once */         \
    X(WIDTH, "width")             /* has a width below 300, or 30% */                              \
    X(HEIGHT, "height")                                                                            \
    X(COLOUR, "colour") /* has a bgcolor */

typedef enum {
#define TMPL_FEATURE_ID(id, name) TMPL_FEATURE_##id,
    TMPL_FEATURES(TMPL_FEATURE_ID)
#undef TMPL_FEATURE_ID
        TMPL_FEATURE_COUNT
} tmpl_feature_e;

/* Regions are divided into classes by their bytes of text; each class has its own regression. */
#define TMPL_SIZE_CLASSES 4

/* The class of a region with length bytes of text. */
uint32_t tmpl_size_class(uint32_t length);

/* One size class of a model, and what it was fitted to. */
typedef struct {
    tmpl_logistic_t logistic; /* TMPL_FEATURE_COUNT terms */
    uint32_t nodes;           /* regions that it was fitted to */
    uint32_t template_nodes;  /* the regions among these that are labelled template */
    double loss;              /* mean log loss over them, in nats */
} tmpl_model_class_t;

typedef struct tmpl_model_t {
    uint64_t id;      /* hash of the text it was read from; 0: it was not read from a text */
    double threshold; /* a block with more templateness is template, 0..1 */
    tmpl_model_class_t classes[TMPL_SIZE_CLASSES];
} tmpl_model_t;

/* The first line of a model's text that is not a comment. */
#define TMPL_MODEL_HEAD "tmpl-pagelevel 2"

/*
 * Reads a model; everything is allocated from pool. APR_EINVAL if the text is not a model: err then
 * names the file, the line and the fault, and *model is NULL.
 */
apr_status_t tmpl_model_parse(const tmpl_model_t **model, const tmpl_model_text_t *text,
                              tmpl_error_t *err, apr_pool_t *pool);

/*
 * The model as text, from pool. provenance is inserted behind the first line: comment lines, each
 * ended by \n.
 */
const char *tmpl_model_text(const tmpl_model_t *model, const char *provenance, apr_pool_t *pool);

#endif
