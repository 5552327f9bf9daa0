/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verdicts -> cuts: which bytes of the page are deleted (strip) or marked (annotate).
 *
 * An element is template if it holds a segment, and all blocks of its segments are template.
 *
 * What is cut, in document order:
 *   1. The topmost template elements, whole.
 *   2. In an element that is not template: runs of template siblings with text among them. Each run
 *      is one cut, with the bytes between its siblings, which hold no text.
 *   3. For strip, in a template element that holds code (script, style, link, meta, base,
 *      template): everything but the code, which stays where the element was. Such an element has
 *      several cuts.
 *
 * What is never cut:
 *   4. html, head and body.
 *   5. Elements and texts without the flag that allows the cut (TMPL_NODE_CUT, TMPL_NODE_MARK):
 *      without them the rest of the page would be parsed differently.
 *   6. A declarative shadow root without its host.
 *   7. An element that holds more than half of the page's expected content, which is the sum of
 *      (1 - ratio) * length over segments, without those that go by TmplParts; unless the element
 *      holds one segment only. An article of few words keeps its box.
 *   For strip only:
 *   8. A part of a form. A form is cut whole, or keeps all controls that it sends, and their texts
 *      (steps.h; for annotate, too, if the guards ask for it).
 *   9. Elements that scripts look up (steps.h).
 *  10. A cut that would join the text around it to something new.
 *
 * What is opened: a template element that may not be cut is replaced by its children, to which the
 * same rules apply. An element with code is opened, instead of rule 3, if its parent is a part of a
 * table (the parser would move some code out of the table), or if its code is a property (itemprop)
 * of an item that stays.
 *  11. For strip, everything in an element opened because of rule 3, 5 or 9 counts as template:
 *      elements without text and whole forms are cut, too. An exception is an element that holds a
 *      control which rule 5 keeps, because the control's form needs the other controls.
 *  12. In an opened element a br directly behind a text that stays is not cut: it ends a line, for
 *      instance of code.
 *
 * A page's confidence is the F1 that the detector expects of what it keeps. A block of length l is
 * content with the probability p = 1 - ratio. With K, the blocks that the detector calls content,
 *
 *     confidence = 2 * sum over K of l * p / (sum over K of l + sum over all blocks of l * p)
 *
 * This is F1 = 2 * found / (kept + content) with expected values for found and content. 0 if K is
 * empty. With incremental and style, 1 - ratio is a share of new text and says nothing about
 * template that is not repeated, so their confidence is about lost content only.
 */
#ifndef TMPL_CLOSURE_H
#define TMPL_CLOSURE_H

#include <apr_tables.h>

#include "detect/explain.h"
#include "page/selector.h"

/*
 * The operator's rules: TmplParts, TmplKeep and TmplDrop override verdicts, TmplMinKeep and
 * TmplMinConfidence decline a page. The arrays are of const tmpl_selector_t *, and must live as
 * long as the guards; NULL: none.
 */
typedef struct {
    const apr_array_header_t *keep; /* blocks in matching elements are content */
    const apr_array_header_t *drop; /* blocks in matching elements are template */
    double min_keep; /* decline a page of which less than this share of text is content, 0..1 */
    tmpl_part_set_t without; /* blocks of these parts are template, but for keep */
    int control_texts;       /* controls that stay keep their texts (steps.h) */
    double min_confidence;   /* decline a page with less confidence (closure.h), 0..1 */
} tmpl_guards_t;

/* One span to delete or mark: an element, a part of an element (rule 3), or a run (rule 2). */
typedef struct {
    tmpl_span_t span;
    uint32_t node; /* the element; TMPL_NONE for a run */
} tmpl_cut_t;

typedef struct {
    const tmpl_cut_t *cuts; /* in order of position, none inside another; from pool */
    uint32_t n_cuts;
    const tmpl_verdict_t *verdicts; /* the caller's, adjusted */
    uint32_t blocks;                /* number of blocks of the page */
    uint32_t template_blocks;       /* number of template blocks, after the guards */
    tmpl_part_set_t parts;          /* the parts of template blocks, without TEMPLATE */
    double ratio;                   /* bytes of template blocks over bytes of all blocks, 0..1 */
    double confidence;              /* 0..1, by the detector's own verdicts */
    const unsigned char *matched;   /* for each selector: what tmpl_guards_apply returned */
    tmpl_decline_e decline;         /* MIN_KEEP, MIN_CONFIDENCE or XPATH, without cuts; or NONE */
} tmpl_closure_t;

/*
 * Adjusts verdicts by guards->without, headings, links and the other guards, in this order: the
 * guards have the last word. Afterwards all blocks with part TEMPLATE are template, and each
 * template block of another part has one of guards->without. Then fills closure. need says what the
 * cuts are for: TMPL_NODE_CUT (strip) or TMPL_NODE_MARK (annotate). explain gets the reasons of
 * verdicts and cuts, and may be NULL.
 */
void tmpl_closure(tmpl_closure_t *closure, const tmpl_page_t *page, tmpl_verdict_t *verdicts,
                  const tmpl_guards_t *guards, unsigned need, tmpl_explain_t *explain,
                  apr_pool_t *pool);

#endif
