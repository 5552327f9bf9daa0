/* SPDX-License-Identifier: Apache-2.0 */
#include "rewrite/findings.h"

#include <apr_strings.h>

/* Whether a span is in a cut: cuts are in order, and none is inside another. */
static int is_cut(const tmpl_closure_t *closure, tmpl_span_t span)
{
    uint32_t first = 0; /* the first cut that may end behind the span's start */
    for (uint32_t n = closure->n_cuts; n > 0; n /= 2) {
        uint32_t middle = first + n / 2;
        if (closure->cuts[middle].span.end <= span.start) {
            first = middle + 1;
            n -= 1;
        }
    }
    return first < closure->n_cuts && closure->cuts[first].span.start <= span.start &&
           span.end <= closure->cuts[first].span.end;
}

tmpl_covered_e tmpl_findings_covered(const tmpl_closure_t *closure, const tmpl_page_t *page,
                                     uint32_t block, uint32_t *uncut)
{
    const tmpl_block_t *b = &page->blocks[block];
    uint32_t n = 0;
    uint32_t first = TMPL_NONE;
    for (uint32_t s = b->first_segment; s < b->after_segment; s++) {
        int is = is_cut(closure, page->segments[s].span);
        first = !is && first == TMPL_NONE ? s : first;
        n += is ? 1 : 0;
    }
    if (uncut != NULL) {
        *uncut = first;
    }
    return n == 0 ? TMPL_CUT_NONE : first == TMPL_NONE ? TMPL_CUT_ALL : TMPL_CUT_PART;
}

tmpl_span_t tmpl_findings_df(const tmpl_findings_t *findings, uint32_t block)
{
    const tmpl_page_t *page = findings->page;
    const tmpl_block_t *b = &page->blocks[block];
    tmpl_span_t df = { UINT32_MAX, 0 };
    for (uint32_t s = b->first_segment; s < b->after_segment; s++) {
        uint32_t n = findings->counts->records[page->segments[s].key].df;
        df.start = n < df.start ? n : df.start;
        df.end = n > df.end ? n : df.end;
    }
    return df;
}

double tmpl_findings_threshold(const tmpl_findings_t *findings)
{
    return findings->why->threshold;
}

int tmpl_findings_stays(const tmpl_findings_t *findings, uint32_t block, tmpl_uncut_e *reason)
{
    uint32_t segment;
    if (findings->closure->decline != TMPL_DECLINE_NONE || !findings->verdicts[block].template ||
        tmpl_findings_covered(findings->closure, findings->page, block, &segment) == TMPL_CUT_ALL) {
        return 0;
    }
    *reason = tmpl_uncut_reason(&findings->uncut, segment);
    return 1;
}

const char *tmpl_findings_part(const tmpl_findings_t *findings, uint32_t block)
{
    tmpl_part_e part = (tmpl_part_e)findings->verdicts[block].part;
    int is_told = findings->detector == tmpl_detector(TMPL_DETECTOR_AUTO);
    return is_told && part != TMPL_PART_TEMPLATE ? tmpl_part_name(part) : NULL;
}

int tmpl_findings_against(const tmpl_findings_t *findings, uint32_t block)
{
    tmpl_rule_e rule = findings->why->blocks[block].rule;
    /* TmplParts also judges parts that the detector calls template */
    int agrees = rule == TMPL_RULE_PARTS &&
                 (double)findings->verdicts[block].ratio > tmpl_findings_threshold(findings);
    return rule != TMPL_RULE_DETECTOR && !agrees;
}

const char *tmpl_findings_rule(const tmpl_findings_t *findings, uint32_t block, apr_pool_t *pool)
{
    const tmpl_why_block_t *why = &findings->why->blocks[block];
    const char *text = tmpl_rule_text(why->rule);
    if (why->selector == NULL) {
        return text;
    }
    if (why->rule == TMPL_RULE_KEEP || why->rule == TMPL_RULE_DROP) {
        return apr_pstrcat(pool, text, " ", tmpl_selector_text(why->selector), NULL);
    }
    return apr_pstrcat(pool, text, ", as ",
                       findings->verdicts[block].template ? "TmplDrop " : "TmplKeep ",
                       tmpl_selector_text(why->selector), " says, too", NULL);
}

const char *tmpl_findings_evidence(const tmpl_findings_t *findings, uint32_t block,
                                   apr_pool_t *pool)
{
    static const char *const rests_on[TMPL_DETECTOR_COUNT] = {
        [TMPL_DETECTOR_INCREMENTAL] = "of its text in segments with DF >= MinDF",
        [TMPL_DETECTOR_STYLE] = "of its text, or of its words at their places, with DF >= MinDF",
        [TMPL_DETECTOR_PAGELEVEL] = "probability by what it looks like",
    };
    if (findings->why->trees == NULL) {
        return apr_psprintf(pool, "%.3f %s", (double)findings->verdicts[block].ratio,
                            rests_on[findings->detector - tmpl_detector(0)]);
    }
    const tmpl_contributions_t *of = &findings->why->trees[block];
    const char *text = "";
    for (unsigned k = 0; k < TMPL_CONTRIBUTIONS; k++) {
        text = apr_psprintf(pool, "%s%s%s %.2f (%+.2f)", text, k > 0 ? ", " : "",
                            tmpl_block_feature_name(of->most[k].feature), (double)of->most[k].value,
                            of->most[k].by);
    }
    return text;
}
