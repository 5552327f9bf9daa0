/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of rules in the comments below are from closure.h. */
#include "cut/steps.h"

/* The page's confidence, as closure.h defines it. */
static double confidence_of(const tmpl_page_t *page, const tmpl_verdict_t *verdicts)
{
    double kept = 0, found = 0, content = 0;
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        double length = page->blocks[b].length;
        double expected = length * (1.0 - (double)verdicts[b].ratio);
        content += expected;
        if (!verdicts[b].template) {
            kept += length;
            found += expected;
        }
    }
    return kept > 0 ? 2 * found / (kept + content) : 0.0;
}

/* Fills the page's totals, and declines it if the guards ask for it. */
static void measure(tmpl_closure_t *out, const tmpl_page_t *page, const tmpl_verdict_t *verdicts,
                    const tmpl_guards_t *guards)
{
    uint64_t length = 0;
    out->blocks = page->n_blocks;
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        if (verdicts[b].template) {
            out->template_blocks++;
            length += page->blocks[b].length;
        }
    }
    out->ratio = page->length > 0 ? (double)length / page->length : 0.0;
    if (out->decline == TMPL_DECLINE_NONE && out->template_blocks > 0) {
        out->decline = 1.0 - out->ratio < guards->min_keep        ? TMPL_DECLINE_MIN_KEEP
                       : out->confidence < guards->min_confidence ? TMPL_DECLINE_MIN_CONFIDENCE
                                                                  : TMPL_DECLINE_NONE;
    }
}

/*
 * The verdicts by which strip cuts: template controls of panels that stay are content (steps.h).
 * Returns a copy from pool, or verdicts if there are no such controls. verdicts does not change:
 * for annotate and for the fingerprint the controls are template.
 */
static const tmpl_verdict_t *cut_by(tmpl_verdict_t *verdicts, const tmpl_page_t *page,
                                    const tmpl_guards_t *guards, apr_pool_t *pool)
{
    tmpl_verdict_t *with_controls = tmpl_refs_controls(verdicts, page, pool);
    if (with_controls != verdicts) {
        tmpl_guards_apply(with_controls, page, guards, NULL, NULL, pool);
    }
    return with_controls;
}

/* Content that a rule has rescued from the template is BODY. */
static void drop_parts(tmpl_verdict_t *verdicts, const tmpl_page_t *page, tmpl_part_set_t without)
{
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        tmpl_verdict_t *verdict = &verdicts[b];
        if (!verdict->template && verdict->part == TMPL_PART_TEMPLATE) {
            verdict->part = TMPL_PART_BODY;
        }
        verdict->template = verdict->template || (without & TMPL_PART_BIT(verdict->part)) != 0;
    }
}

/* Makes each block's part agree with its verdict. Returns the parts that go beside template. */
static tmpl_part_set_t settle_parts(tmpl_verdict_t *verdicts, const tmpl_page_t *page,
                                    tmpl_part_set_t without)
{
    tmpl_part_set_t parts = 0;
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        unsigned char *part = &verdicts[b].part;
        if (!verdicts[b].template) {
            *part = *part == TMPL_PART_TEMPLATE ? TMPL_PART_BODY : *part;
        }
        else if (without & TMPL_PART_BIT(*part)) {
            parts |= TMPL_PART_BIT(*part);
        }
        else {
            *part = TMPL_PART_TEMPLATE;
        }
    }
    return parts;
}

/*
 * Why a segment that is in no cut stays. Strip cuts each template segment that no rule keeps, so
 * what may be cut and has no other reason is kept by rule 10. verdicts are those of the closure,
 * with_controls those of cut_by.
 */
static tmpl_uncut_e reason_of(const tmpl_cuts_t *c, const tmpl_segment_t *segment,
                              const tmpl_verdict_t *verdicts, const tmpl_verdict_t *with_controls)
{
    uint32_t block = segment->block;
    return !verdicts[block].template        ? TMPL_UNCUT_NONE
           : !with_controls[block].template ? TMPL_UNCUT_CONTROL
           : !c->verdicts[block].template   ? TMPL_UNCUT_FORM
           : (segment->may & TMPL_NODE_CUT) ? TMPL_UNCUT_JOINED
           : c->opened[segment->node] != 0  ? (tmpl_uncut_e)c->opened[segment->node]
                                            : TMPL_UNCUT_UNSAFE;
}

/* Writes down how much of each block is cut, and why the rest stays. */
static void explain_cuts(tmpl_explain_t *explain, const tmpl_cuts_t *c,
                         const tmpl_verdict_t *verdicts, const tmpl_verdict_t *with_controls)
{
    const tmpl_page_t *page = c->page;
    uint32_t cut = 0; /* the first one that may end behind the segment's start */
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        tmpl_explain_block_t *block = &explain->blocks[b];
        uint32_t first = TMPL_NONE; /* the first segment that is in no cut */
        uint32_t n = 0;
        for (uint32_t s = page->blocks[b].first_segment; s < page->blocks[b].after_segment; s++) {
            tmpl_span_t span = page->segments[s].span;
            while (cut < c->n_cuts && c->cuts[cut].span.end <= span.start) {
                cut++;
            }
            int is_cut = cut < c->n_cuts && c->cuts[cut].span.start <= span.start;
            first = !is_cut && first == TMPL_NONE ? s : first;
            n += is_cut ? 1 : 0;
        }
        block->covered = n == 0 ? TMPL_CUT_NONE : first == TMPL_NONE ? TMPL_CUT_ALL : TMPL_CUT_PART;
        block->uncut = first == TMPL_NONE
                           ? TMPL_UNCUT_NONE
                           : reason_of(c, &page->segments[first], verdicts, with_controls);
    }
}

/* Texts that stay may keep their boxes, and controls in these: few pages need two tries. */
#define MOST_TRIES 3

/*
 * What strip leaves says which controls stay: their texts become content. Returns whether the cuts
 * are those of strip.
 */
static int keep_control_texts(tmpl_cuts_t *c, const tmpl_guards_t *guards, apr_pool_t *scratch)
{
    for (int i = 0; i < MOST_TRIES; i++) {
        tmpl_cuts_find(c, TMPL_NODE_CUT);
        tmpl_verdict_t *with_texts =
            tmpl_control_texts(c->verdicts, c->page, c->cuts, c->n_cuts, scratch);
        if (with_texts == NULL) {
            return 1;
        }
        tmpl_guards_apply(with_texts, c->page, guards, NULL, NULL, scratch);
        c->verdicts = with_texts;
    }
    return 0;
}

/* Fills the closure's cuts. */
static void cut(tmpl_closure_t *closure, const tmpl_page_t *page, tmpl_verdict_t *verdicts,
                const tmpl_guards_t *guards, unsigned need, tmpl_explain_t *explain,
                apr_pool_t *pool)
{
    tmpl_cuts_t c;
    /* scratch is freed before the edits are made */
    apr_pool_t *scratch;
    apr_pool_create(&scratch, pool);
    tmpl_cuts_init(&c, page, verdicts, pool, scratch);
    if (need == TMPL_NODE_CUT) {
        c.verdicts = cut_by(verdicts, page, guards, scratch);
        c.script_refs = tmpl_script_refs(page, scratch);
    }
    const tmpl_verdict_t *with_controls = c.verdicts;
    int are_strips = guards->control_texts && keep_control_texts(&c, guards, scratch);
    if (explain != NULL) {
        c.opened = apr_pcalloc(scratch, page->n_nodes * sizeof(*c.opened));
    }
    if (!are_strips || need != TMPL_NODE_CUT || explain != NULL) {
        tmpl_cuts_find(&c, need);
    }
    if (explain != NULL) {
        explain_cuts(explain, &c, verdicts, with_controls);
    }
    apr_pool_destroy(scratch);
    closure->cuts = c.cuts;
    closure->n_cuts = c.n_cuts;
}

void tmpl_closure(tmpl_closure_t *closure, const tmpl_page_t *page, tmpl_verdict_t *verdicts,
                  const tmpl_guards_t *guards, unsigned need, tmpl_explain_t *explain,
                  apr_pool_t *pool)
{
    *closure = (tmpl_closure_t){ .verdicts = verdicts, .decline = TMPL_DECLINE_NONE };
    closure->confidence = confidence_of(page, verdicts);
    tmpl_explain_note(explain, page, verdicts, TMPL_RULE_DETECTOR);
    drop_parts(verdicts, page, guards->without);
    tmpl_explain_note(explain, page, verdicts, TMPL_RULE_PARTS);
    tmpl_headings(verdicts, page, pool);
    tmpl_explain_note(explain, page, verdicts, TMPL_RULE_HEADING);
    tmpl_refs_links(verdicts, page, pool);
    tmpl_explain_note(explain, page, verdicts, TMPL_RULE_LINKS);
    drop_parts(verdicts, page, guards->without);
    tmpl_explain_note(explain, page, verdicts, TMPL_RULE_PARTS);
    closure->matched = tmpl_guards_apply(verdicts, page, guards, &closure->decline, explain, pool);
    closure->parts = settle_parts(verdicts, page, guards->without);
    tmpl_explain_note(explain, page, verdicts, TMPL_RULE_PARTS); /* verdicts are as they were */
    measure(closure, page, verdicts, guards);
    if (closure->decline == TMPL_DECLINE_NONE && closure->template_blocks > 0) {
        cut(closure, page, verdicts, guards, need, explain, pool);
    }
}
