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
#include "methods/logistic.h"

/* X(id, name, group): lengths and counts are log(1 + n), shares and flags 0..1. */
#define TMPL_FEATURES(X)                                                                           \
    X(START, "start", PLACE)   /* share of the page's text before the region */                    \
    X(END, "end", PLACE)       /* and after it */                                                  \
    X(EDGE, "edge", PLACE)     /* distance of the region's middle from the page's, 0..1 */         \
    X(BEFORE, "before", PLACE) /* bytes of text before the region */                               \
    X(AFTER, "after", PLACE)   /* and after it */                                                  \
    X(ORDER, "order", PLACE)   /* share of the regions before it */                                \
    X(LENGTH, "length", SIZE)  /* bytes of text */                                                 \
    X(SHARE, "share", SIZE)    /* the region's share of the page's text */                         \
    X(SEGMENTS, "segments", SIZE)                                                                  \
    X(PAGE, "page", SIZE) /* bytes of the page's text */                                           \
    X(DEPTH, "depth", TREE)                                                                        \
    X(RANK, "rank", TREE) /* siblings before it */                                                 \
    X(SIBLINGS, "siblings", TREE)                                                                  \
    X(BOX, "box", TREE)             /* bytes of its parent's text */                               \
    X(BOX_SHARE, "box-share", TREE) /* the region's share of its parent's text */                  \
    X(TAG_LIST, "tag-list", TAG)    /* ul ol dl menu */                                            \
    X(TAG_ITEM, "tag-item", TAG)    /* li dt dd */                                                 \
    X(TAG_HEADING, "tag-heading", TAG)                                                             \
    X(TAG_P, "tag-p", TAG)       /* p blockquote pre */                                            \
    X(TAG_CELL, "tag-cell", TAG) /* table and its parts */                                         \
    X(IN_LIST, "in-list", TAG)                                                                     \
    X(IN_CELL, "in-cell", TAG)                                                                     \
    X(IN_FORM, "in-form", TAG)                                                                     \
    X(IN_EDGE, "in-edge", MARK)             /* in nav header footer aside */                       \
    X(IN_MAIN, "in-main", MARK)             /* in main article */                                  \
    X(WORD_TEMPLATE, "word-template", WORD) /* its class or id names a template */                 \
    X(WORD_CONTENT, "word-content", WORD)                                                          \
    X(IN_WORD_TEMPLATE, "in-word-template", WORD) /* an ancestor's class or id does */             \
    X(IN_WORD_CONTENT, "in-word-content", WORD)                                                    \
    X(LINK, "link", LINK) /* share of its words in links */                                        \
    X(LINKS, "links", LINK)                                                                        \
    X(BOX_LINK, "box-link", LINK)       /* link of its parent */                                   \
    X(PAGE_LINK, "page-link", LINK)     /* link of the page */                                     \
    X(SENTENCE, "sentence", TEXT)       /* words per sentence */                                   \
    X(STOPS, "stops", TEXT)             /* ends of sentences */                                    \
    X(COMMAS, "commas", TEXT)           /* commas per 100 words */                                 \
    X(DIGITS, "digits", TEXT)           /* share of its characters */                              \
    X(NEAR_LENGTH, "near-length", NEAR) /* bytes of text of two blocks before it, two behind */    \
    X(NEAR_LINK, "near-link", NEAR)     /* link of these blocks */                                 \
    X(REPEAT, "repeat", REPEAT)         /* share of its text that the page has more than once */   \
    X(WIDTH, "width", ATTRIBUTE)        /* has a width below 300, or 30% */                        \
    X(HEIGHT, "height", ATTRIBUTE)                                                                 \
    X(COLOUR, "colour", ATTRIBUTE) /* has a bgcolor */

/* X(id, name): groups of features, for training without one (tmplctl train --without). */
#define TMPL_FEATURE_GROUPS(X)                                                                     \
    X(PLACE, "place")                                                                              \
    X(SIZE, "size")                                                                                \
    X(TREE, "tree")                                                                                \
    X(TAG, "tag")                                                                                  \
    X(MARK, "mark")                                                                                \
    X(WORD, "word")                                                                                \
    X(LINK, "link")                                                                                \
    X(TEXT, "text")                                                                                \
    X(NEAR, "near")                                                                                \
    X(REPEAT, "repeat")                                                                            \
    X(ATTRIBUTE, "attribute")

typedef enum {
#define TMPL_FEATURE_ID(id, name, group) TMPL_FEATURE_##id,
    TMPL_FEATURES(TMPL_FEATURE_ID)
#undef TMPL_FEATURE_ID
        TMPL_FEATURE_COUNT
} tmpl_feature_e;

/*
 * Sets without[f] for every feature f of the group with that name, in any case. APR_EINVAL, with
 * the valid names, if there is no such group.
 */
apr_status_t tmpl_feature_group(unsigned char without[TMPL_FEATURE_COUNT], const char *name,
                                tmpl_error_t *err);

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
