/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings: why each block stays or goes, for the readers of tmplctl explain and mode highlight.
 * Texts are from pool.
 */
#ifndef TMPL_FINDINGS_H
#define TMPL_FINDINGS_H

#include "cut/closure.h"
#include "cut/uncut.h"
#include "detect/detector.h"

/*
 * A judged page, its closure for strip, and the reasons. All that the pointers lead to must live as
 * long as the findings.
 */
typedef struct {
    const tmpl_page_t *page;
    const tmpl_detector_t *detector;
    const tmpl_counts_t *counts; /* records may be NULL: no store has answered */
    const tmpl_verdict_t *verdicts;
    const tmpl_closure_t *closure;
    const tmpl_why_t *why;
    tmpl_uncut_t uncut;
} tmpl_findings_t;

/* How many of a block's segments are in cuts. */
typedef enum { TMPL_CUT_NONE, TMPL_CUT_PART, TMPL_CUT_ALL } tmpl_covered_e;

/* uncut, if not NULL, gets the first segment of the block that is in no cut, or TMPL_NONE. */
tmpl_covered_e tmpl_findings_covered(const tmpl_closure_t *closure, const tmpl_page_t *page,
                                     uint32_t block, uint32_t *uncut);

/* The least and the largest DF of a block's segments, as start and end. Needs records. */
tmpl_span_t tmpl_findings_df(const tmpl_findings_t *findings, uint32_t block);

/* The detector calls a block template above this templateness or template ratio. */
double tmpl_findings_threshold(const tmpl_findings_t *findings);

/*
 * Whether strip leaves a template block, or a part of it, in a page that is not declined. If so,
 * *reason says why.
 */
int tmpl_findings_stays(const tmpl_findings_t *findings, uint32_t block, tmpl_uncut_e *reason);

/* The block's part; NULL: template, or the detector tells no parts apart. */
const char *tmpl_findings_part(const tmpl_findings_t *findings, uint32_t block);

/* Whether a rule gave the block another verdict than the detector did. */
int tmpl_findings_against(const tmpl_findings_t *findings, uint32_t block);

/*
 * The rule that gave a block its verdict, as a text to go on behind "it is template":
 * tmpl_rule_text(), with the selector if one of TmplKeep or TmplDrop matches the block.
 */
const char *tmpl_findings_rule(const tmpl_findings_t *findings, uint32_t block, apr_pool_t *pool);

/*
 * What the detector's verdict rests on. For trees: the features that weigh most, with their values
 * and contributions. For other detectors: the ratio, and what it means.
 */
const char *tmpl_findings_evidence(const tmpl_findings_t *findings, uint32_t block,
                                   apr_pool_t *pool);

#endif
