/* SPDX-License-Identifier: Apache-2.0 */
#include "detect/explain.h"

#include <apr_strings.h>

#include "base/names.h"
#include "feature/feature.h"

TMPL_ENUM_COLUMN(tmpl_rule_name, tmpl_rule_e, TMPL_RULES, TMPL_COLUMN_2)
TMPL_ENUM_COLUMN(tmpl_rule_text, tmpl_rule_e, TMPL_RULES, TMPL_COLUMN_3)
TMPL_ENUM_COLUMN(tmpl_uncut_name, tmpl_uncut_e, TMPL_UNCUTS, TMPL_COLUMN_2)
TMPL_ENUM_COLUMN(tmpl_uncut_text, tmpl_uncut_e, TMPL_UNCUTS, TMPL_COLUMN_3)

void tmpl_explain_note(tmpl_explain_t *explain, const tmpl_page_t *page,
                       const tmpl_verdict_t *verdicts, tmpl_rule_e rule)
{
    if (explain == NULL) {
        return;
    }
    if (explain->page == NULL) {
        explain->page = page;
        explain->blocks = apr_pcalloc(explain->pool, page->n_blocks * sizeof(*explain->blocks));
    }
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        tmpl_explain_block_t *block = &explain->blocks[b];
        if (block->verdict.template != verdicts[b].template) {
            block->rule = rule;
        }
        block->verdict = verdicts[b];
    }
}

tmpl_span_t tmpl_explain_df(const tmpl_explain_t *explain, uint32_t block)
{
    const tmpl_page_t *page = explain->page;
    const tmpl_block_t *b = &page->blocks[block];
    tmpl_span_t df = { UINT32_MAX, 0 };
    for (uint32_t s = b->first_segment; s < b->after_segment; s++) {
        uint32_t n = explain->counts->records[page->segments[s].key].df;
        df.start = n < df.start ? n : df.start;
        df.end = n > df.end ? n : df.end;
    }
    return df;
}

/* The rule's text, and the selector that agrees with it. */
static const char *text_of_rule(const tmpl_explain_block_t *of, apr_pool_t *pool)
{
    const char *text = tmpl_rule_text(of->rule);
    if (of->selector == NULL) {
        return text;
    }
    if (of->rule == TMPL_RULE_KEEP || of->rule == TMPL_RULE_DROP) {
        return apr_pstrcat(pool, text, " ", tmpl_selector_text(of->selector), NULL);
    }
    return apr_pstrcat(pool, text, ", as ", of->verdict.template ? "TmplDrop " : "TmplKeep ",
                       tmpl_selector_text(of->selector), " says, too", NULL);
}

/* A feature's value: "yes", "no" or how far up, for those that ask. */
static const char *answer_of(const char *text, double value, apr_pool_t *pool)
{
    if (text[strlen(text) - 1] != '?') {
        return apr_psprintf(pool, ": %.2f", value);
    }
    if (value <= 0) {
        return " no";
    }
    return value == 1 ? " yes" : apr_psprintf(pool, " yes, %.0f up", 1 / value - 1);
}

static const char *text_of_trees(const tmpl_contributions_t *of, apr_pool_t *pool)
{
    const char *text = "";
    for (unsigned k = 0; k < TMPL_CONTRIBUTIONS; k++) {
        const char *what = tmpl_block_feature_text(of->most[k].feature);
        text = apr_psprintf(pool, "%s%s%s%s (%+.2f)", text, k > 0 ? "; " : "", what,
                            answer_of(what, (double)of->most[k].value, pool), of->most[k].by);
    }
    return text;
}

tmpl_explain_why_t tmpl_explain_why(const tmpl_explain_t *explain, uint32_t block, apr_pool_t *pool)
{
    const tmpl_explain_block_t *of = &explain->blocks[block];
    const tmpl_verdict_t *verdict = &of->verdict;
    int has_trees = explain->trees != NULL;
    /* TmplParts also judges parts that the detector calls template */
    int agrees = of->rule == TMPL_RULE_DETECTOR ||
                 (of->rule == TMPL_RULE_PARTS && (double)verdict->ratio > explain->threshold);
    tmpl_explain_why_t why = { .rule = text_of_rule(of, pool) };
    if (!agrees) {
        why.rule = apr_pstrcat(pool, why.rule, ", against the detector", NULL);
    }
    if (has_trees && verdict->part != TMPL_PART_TEMPLATE) {
        why.part = tmpl_part_name((tmpl_part_e)verdict->part);
    }
    why.evidence = has_trees
                       ? text_of_trees(&explain->trees[block], pool)
                       : apr_psprintf(pool, "%.3f %s", (double)verdict->ratio, explain->rests_on);
    return why;
}
