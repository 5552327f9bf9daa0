/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page-level detection, Chakrabarti, Kumar and Punera (WWW 2007): whether a part of a page is template, from
 * that page alone. Each part has features, mostly sums of what feature/reading.h counts in blocks; a logistic
 * regression, one for each size class, gives its templateness; smoothing (isotonic.h) makes the parts of a page agree.
 * Nothing is known of the site.
 *
 * The page should be parsed with tmpl_separators_pagelevel, so that its blocks are leaves: a paragraph, a
 * list item, a cell.
 */
#ifndef TMPL_PAGELEVEL_H
#define TMPL_PAGELEVEL_H

#include "detect/verdict.h"
#include "model/lines.h"
#include "model/logistic.h"

/* X(id, name, group): lengths and counts as log(1 + n), shares and flags as 0..1. */
#define TMPL_FEATURES(X)                                                                           \
    X(START, "start", PLACE)   /* share of the page's text before it */                            \
    X(END, "end", PLACE)       /* and after it */                                                  \
    X(EDGE, "edge", PLACE)     /* distance of its middle from the page's, 0..1 */                  \
    X(BEFORE, "before", PLACE) /* bytes of text before it */                                       \
    X(AFTER, "after", PLACE)   /* and after it */                                                  \
    X(ORDER, "order", PLACE)   /* share of the parts before it */                                  \
    X(LENGTH, "length", SIZE)  /* bytes of text */                                                 \
    X(SHARE, "share", SIZE)    /* of the page's text */                                            \
    X(SEGMENTS, "segments", SIZE)                                                                  \
    X(PAGE, "page", SIZE) /* bytes of the page's text */                                           \
    X(DEPTH, "depth", TREE)                                                                        \
    X(RANK, "rank", TREE) /* siblings before it */                                                 \
    X(SIBLINGS, "siblings", TREE)                                                                  \
    X(BOX, "box", TREE)             /* bytes of its parent's text */                               \
    X(BOX_SHARE, "box-share", TREE) /* its share of them */                                        \
    X(TAG_LIST, "tag-list", TAG)    /* ul ol dl menu */                                            \
    X(TAG_ITEM, "tag-item", TAG)    /* li dt dd */                                                 \
    X(TAG_HEADING, "tag-heading", TAG)                                                             \
    X(TAG_P, "tag-p", TAG)       /* p blockquote pre */                                            \
    X(TAG_CELL, "tag-cell", TAG) /* table and its parts */                                         \
    X(IN_LIST, "in-list", TAG)                                                                     \
    X(IN_CELL, "in-cell", TAG)                                                                     \
    X(IN_FORM, "in-form", TAG)                                                                     \
    X(IN_EDGE, "in-edge", MARK)             /* nav header footer aside */                          \
    X(IN_MAIN, "in-main", MARK)             /* main article */                                     \
    X(WORD_TEMPLATE, "word-template", WORD) /* class or id says so */                              \
    X(WORD_CONTENT, "word-content", WORD)                                                          \
    X(IN_WORD_TEMPLATE, "in-word-template", WORD) /* an ancestor's does */                         \
    X(IN_WORD_CONTENT, "in-word-content", WORD)                                                    \
    X(LINK, "link", LINK) /* share of its words in links */                                        \
    X(LINKS, "links", LINK)                                                                        \
    X(BOX_LINK, "box-link", LINK)       /* link of its parent */                                   \
    X(PAGE_LINK, "page-link", LINK)     /* link of the page */                                     \
    X(SENTENCE, "sentence", TEXT)       /* words a sentence */                                     \
    X(STOPS, "stops", TEXT)             /* ends of sentences */                                    \
    X(COMMAS, "commas", TEXT)           /* per 100 words */                                        \
    X(DIGITS, "digits", TEXT)           /* share of its characters */                              \
    X(NEAR_LENGTH, "near-length", NEAR) /* bytes of text of the two parts before and after */      \
    X(NEAR_LINK, "near-link", NEAR)     /* link of them */                                         \
    X(REPEAT, "repeat", REPEAT)         /* share of its text that stands elsewhere on the page */  \
    X(WIDTH, "width", ATTRIBUTE)        /* has a width below 300, or 30% */                        \
    X(HEIGHT, "height", ATTRIBUTE)                                                                 \
    X(COLOUR, "colour", ATTRIBUTE) /* has a bgcolor */

/* X(id, name) */
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

/* Sets without[f] for every feature of the group of that name; APR_EINVAL if there is none. */
apr_status_t tmpl_feature_group(unsigned char without[TMPL_FEATURE_COUNT], const char *name,
                                tmpl_error_t *err);

/* A leaf block, or an element that holds whole blocks; in document order, the root first. */
typedef struct {
    uint32_t first_segment;
    uint32_t after_segment;
    uint32_t node;   /* the element; of a block the innermost separator around it */
    uint32_t parent; /* index of the part around it; TMPL_NONE for the first */
    uint32_t block;  /* TMPL_NONE for an element */
    uint32_t length; /* bytes of text */
} tmpl_region_t;

typedef struct {
    tmpl_region_t *parts;
    uint32_t n;
    float *features; /* [n * TMPL_FEATURE_COUNT] */
} tmpl_regions_t;

/* The parts of a page, with their features; all from pool. */
void tmpl_regions(tmpl_regions_t *parts, const tmpl_page_t *page, apr_pool_t *pool);

/*
 * Every block-level element begins and ends a block; br does not, as it does for auto: a line of a paragraph is no
 * part of a page. docs/design.md has what that is worth.
 */
extern const tmpl_tag_set_t tmpl_separators_pagelevel;

#define TMPL_SIZE_CLASSES 4

/* The class of a part with so many bytes of text. */
uint32_t tmpl_size_class(uint32_t length);

/* One size class of a model, and what it was fitted to. */
typedef struct {
    tmpl_logistic_t logistic;
    uint32_t nodes;
    uint32_t template_nodes;
    double loss; /* mean log loss over them, in nats */
} tmpl_model_class_t;

typedef struct {
    uint64_t id;      /* hash of its text; 0: it was not read from one */
    double threshold; /* a block with more templateness is template, 0..1 */
    tmpl_model_class_t classes[TMPL_SIZE_CLASSES];
} tmpl_model_t;

/* The first line of its text that is no comment. */
#define TMPL_MODEL_HEAD "tmpl-pagelevel 2"

/* Reads a model. APR_EINVAL, with file, line and what is wrong there; all of it is from pool. */
apr_status_t tmpl_model_parse(tmpl_model_t **model, const tmpl_model_text_t *text,
                              tmpl_error_t *err, apr_pool_t *pool);

/* The same from a file, or the error of the file. */
apr_status_t tmpl_model_load(tmpl_model_t **model, const char *path, tmpl_error_t *err,
                             apr_pool_t *pool);

/* The model as text; provenance is put in as comment lines, each ended by \n. */
const char *tmpl_model_text(const tmpl_model_t *model, const char *provenance, apr_pool_t *pool);

typedef enum { TMPL_SMOOTHING_OFF, TMPL_SMOOTHING_MAX, TMPL_SMOOTHING_MIN } tmpl_smoothing_e;

/*
 * Fills verdicts (room for page->n_blocks): ratio is the templateness, and a block with more than threshold is
 * template; below 0 the model's own counts. smoothing: tmpl_smoothing_e.
 */
void tmpl_detect_pagelevel(tmpl_verdict_t *verdicts, const tmpl_page_t *page,
                           const tmpl_model_t *model, int smoothing, double threshold,
                           apr_pool_t *pool);

#endif
