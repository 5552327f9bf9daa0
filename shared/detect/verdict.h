/* SPDX-License-Identifier: Apache-2.0 */
/* What a detector says of a block. */
#ifndef TMPL_VERDICT_H
#define TMPL_VERDICT_H

#include "page/page.h"

typedef struct {
    float ratio;            /* 0..1, how much of the block is template */
    unsigned char template; /* the verdict */
} tmpl_verdict_t;

/* Sets the verdict of every block that has a segment in [first, after). */
static inline void tmpl_verdict_set(tmpl_verdict_t *verdicts, const tmpl_page_t *page,
                                    uint32_t first, uint32_t after, int template)
{
    for (uint32_t s = first; s < after; s++) {
        verdicts[page->segments[s].block].template = (unsigned char)template;
    }
}

#endif
