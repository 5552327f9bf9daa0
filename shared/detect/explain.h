/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why each block of a page stays or goes, for tmplctl explain and mode highlight. The steps from
 * the detector to the cuts write down here what they decide, if the caller has set explain in
 * tmpl_detect_opts_t. In the request path it is NULL.
 */
#ifndef TMPL_EXPLAIN_H
#define TMPL_EXPLAIN_H

#include "detect/verdict.h"
#include "model/contributions.h"
#include "page/selector.h"
#include "table/counts.h"

/* X(id, name, explanation): the rules that give verdicts, in the order in which they judge. */
#define TMPL_RULES(X)                                                                              \
    X(DETECTOR, "detector", "by the detector")                                                     \
    X(FIRST_LOOK, "first look", "as it is content in the page's records or main text")             \
    X(RECORDS, "records", "as the blocks at the same place in records like its own")               \
    X(HEADLINE, "headline", "as the page's headline")                                              \
    X(BYLINE, "byline", "as beside the headline: who, when, a price, a lead")                      \
    X(NOTE, "note", "as a footnote that content refers to")                                        \
    X(PICTURE, "picture", "as a picture, or its caption, between content")                         \
    X(BESIDE, "beside", "as what stands beside it is content, and needs it")                       \
    X(PARTS, "parts", "by TmplParts, as it is of a part that goes")                                \
    X(HEADING, "heading", "as the section it heads, or the row or list it is in")                  \
    X(LINKS, "links", "as it only links to parts of the page that are template")                   \
    X(DROP, "drop", "by TmplDrop")                                                                 \
    X(KEEP, "keep", "by TmplKeep")

typedef enum {
#define TMPL_RULE_ID(id, name, explanation) TMPL_RULE_##id,
    TMPL_RULES(TMPL_RULE_ID)
#undef TMPL_RULE_ID
        TMPL_RULE_COUNT
} tmpl_rule_e;

/* The rule's name, and a line for people that continues "it is content" or "it is template". */
const char *tmpl_rule_name(tmpl_rule_e rule);
const char *tmpl_rule_text(tmpl_rule_e rule);

/* X(id, name, explanation): why an element or text that is template stays, by cut/closure.h. */
#define TMPL_UNCUTS(X)                                                                             \
    X(NONE, "none", "")                                                                            \
    X(CONTROL, "control", "it opens a panel that stays")                                           \
    X(HALF, "half", "its element holds more than half of the page's expected content")             \
    X(FORM, "form", "it is a part of a form that stays")                                           \
    X(SCRIPT, "script", "a script of the page looks its element up")                               \
    X(UNSAFE, "unsafe", "the page would be read differently without it")                           \
    X(CODE, "code", "code in its element would be read differently without it")                    \
    X(JOINED, "joined", "the text around it would become one")

typedef enum {
#define TMPL_UNCUT_ID(id, name, explanation) TMPL_UNCUT_##id,
    TMPL_UNCUTS(TMPL_UNCUT_ID)
#undef TMPL_UNCUT_ID
        TMPL_UNCUT_COUNT
} tmpl_uncut_e;

const char *tmpl_uncut_name(tmpl_uncut_e reason);
const char *tmpl_uncut_text(tmpl_uncut_e reason);

/* How many of a block's segments are in cuts. */
typedef enum { TMPL_CUT_NONE, TMPL_CUT_PART, TMPL_CUT_ALL } tmpl_covered_e;

typedef struct {
    tmpl_verdict_t verdict;          /* as of the last rule that was noted */
    tmpl_rule_e rule;                /* the last one that changed it */
    const tmpl_selector_t *selector; /* selector of TmplKeep or TmplDrop that decided; or NULL */
    tmpl_covered_e covered;
    tmpl_uncut_e uncut; /* why its first segment in no cut stays; NONE: it is content, or cut */
} tmpl_explain_block_t;

/* The caller sets pool, from which all memory comes, and the rest to 0. */
typedef struct {
    apr_pool_t *pool;
    const tmpl_page_t *page;      /* NULL: the page was not judged */
    const char *detector;         /* its name */
    const tmpl_counts_t *counts;  /* the outcome's; records may be NULL: no store has answered */
    tmpl_explain_block_t *blocks; /* one for each block of page */
    tmpl_contributions_t *trees;  /* auto: one for each block; NULL with other detectors */
    double threshold;             /* a block with a larger ratio was template */
    const char *rests_on;         /* what ratio means; NULL with auto */
} tmpl_explain_t;

/*
 * Notes rule as the reason of each verdict that differs from the one noted before. explain may be
 * NULL: then nothing is noted.
 */
void tmpl_explain_note(tmpl_explain_t *explain, const tmpl_page_t *page,
                       const tmpl_verdict_t *verdicts, tmpl_rule_e rule);

/* The least and the largest DF of a block's segments, as start and end. Needs records. */
tmpl_span_t tmpl_explain_df(const tmpl_explain_t *explain, uint32_t block);

/* Why a block has its verdict, in words for people. */
typedef struct {
    const char *part; /* NULL: template, or the detector tells no parts apart */
    /*
     * The rule that gave the verdict, to go on behind "it is template": tmpl_rule_text(), with the
     * selector if one of TmplKeep or TmplDrop matches the block, and whether the rule gave another
     * verdict than the detector did.
     */
    const char *rule;
    /*
     * What the detector's verdict rests on. For trees: the features that weigh most, with their
     * values and contributions. For other detectors: the ratio, and what it means.
     */
    const char *evidence;
} tmpl_explain_why_t;

tmpl_explain_why_t tmpl_explain_why(const tmpl_explain_t *explain, uint32_t block,
                                    apr_pool_t *pool);

#endif
