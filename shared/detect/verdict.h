/* SPDX-License-Identifier: Apache-2.0 */
/* What a detector says about a block. */
#ifndef TMPL_VERDICT_H
#define TMPL_VERDICT_H

#include "detect/parts.h"
#include "page/page.h"

/*
 * The verdict on one block. ratio is the detector's evidence, 0..1, and template follows from it: a
 * block is template if ratio is larger than a threshold, which is ratio (incremental, style) or
 * threshold (pagelevel, auto) of tmpl_detect_opts_t; TmplRatio sets both. What ratio measures
 * depends on the detector:
 *
 *   detector     ratio
 *   incremental  template ratio: share of the block's bytes in segments with DF >= MinDF
 *   style        the same, or the share of template words among the words sampled from the block,
 *                whichever is larger
 *   pagelevel    templateness: the probability, by the model, that the block is template
 *   auto         templateness, by trees over the page and the site's counts
 *
 * Later steps change template (pictures.h, and the guards and rules of cut/) but never ratio. In
 * every detector 1 - ratio is the expected share of content in the block, which rule 7 of
 * cut/closure.h sums up.
 */
typedef struct {
    float ratio;
    unsigned char template; /* 1: template, 0: content */
    unsigned char part;     /* a tmpl_part_e */
} tmpl_verdict_t;

/* Below the one and above the other ratio, what stands beside a block does not overrule it. */
#define TMPL_SURE_CONTENT  0.3F
#define TMPL_SURE_TEMPLATE 0.9F

/* Sets template in the verdict of every block that has a segment in [first, after). */
static inline void tmpl_verdict_set(tmpl_verdict_t *verdicts, const tmpl_page_t *page,
                                    uint32_t first, uint32_t after, int template)
{
    for (uint32_t s = first; s < after; s++) {
        verdicts[page->segments[s].block].template = (unsigned char)template;
    }
}

#endif
