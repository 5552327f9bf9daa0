/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why each block of a page has its verdict, for tmplctl explain. The steps from the detector to the
 * cuts note here which verdicts they have changed, if the caller has set why in tmpl_detect_opts_t.
 * In the request path it is NULL.
 */
#ifndef TMPL_WHY_H
#define TMPL_WHY_H

#include "detect/verdict.h"
#include "model/contributions.h"
#include "page/selector.h"

/* X(id, name, explanation): the rules that give verdicts, in the order in which they judge. */
#define TMPL_RULES(X)                                                                              \
    X(DETECTOR, "detector", "by the detector")                                                     \
    X(RECORDS, "records", "as the blocks at the same place in records like its own")               \
    X(HEADLINE, "headline", "as the page's headline")                                              \
    X(BYLINE, "byline", "as a byline: who, when, or a price beside the headline")                  \
    X(PICTURE, "picture", "as a picture, or its caption, between content")                         \
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

typedef struct {
    tmpl_verdict_t verdict;          /* as of the last rule that was noted */
    tmpl_rule_e rule;                /* the last one that changed it */
    const tmpl_selector_t *selector; /* selector of TmplKeep or TmplDrop that decided; or NULL */
} tmpl_why_block_t;

/* The caller sets pool, from which all memory comes, and the rest to 0. */
typedef struct {
    apr_pool_t *pool;
    const tmpl_page_t *page;     /* NULL: the page was not judged */
    tmpl_why_block_t *blocks;    /* one for each block of page */
    tmpl_contributions_t *trees; /* auto: one for each block; NULL with other detectors */
    double threshold;            /* a block with a larger ratio was template */
} tmpl_why_t;

/* Notes rule as the reason of each verdict that differs from the one noted before. */
void tmpl_why_changed(tmpl_why_t *why, const tmpl_page_t *page, const tmpl_verdict_t *verdicts,
                      tmpl_rule_e rule);

/* The same, but why may be NULL: then nothing is noted. */
static inline void tmpl_why_note(tmpl_why_t *why, const tmpl_page_t *page,
                                 const tmpl_verdict_t *verdicts, tmpl_rule_e rule)
{
    if (why != NULL) {
        tmpl_why_changed(why, page, verdicts, rule);
    }
}

#endif
