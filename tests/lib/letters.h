/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts by letters in a page's text. */
#ifndef TMPL_LETTERS_H
#define TMPL_LETTERS_H

#include "check.h"

#include "detect/verdict.h"

/*
 * Verdicts of a page: a block is template if one of its segments has one of the letters. Blocks
 * begin and end at separators: at div, not at p.
 */
static inline tmpl_verdict_t *letters_verdicts(const tmpl_page_t *page, const char *letters,
                                               apr_pool_t *pool)
{
    tmpl_verdict_t *v = apr_pcalloc(pool, (page->n_blocks + 1) * sizeof(*v));
    for (uint32_t i = 0; i < page->n_segments; i++) {
        const tmpl_segment_t *s = &page->segments[i];
        if (strpbrk(check_bytes(page, s->span, pool), letters) != NULL) {
            v[s->block].template = 1;
            v[s->block].ratio = 1.0F;
        }
    }
    return v;
}

/* Gives a part to each block that has one of the letters. */
static inline void letters_part(tmpl_verdict_t *v, const tmpl_page_t *page, const char *letters,
                                tmpl_part_e part, apr_pool_t *pool)
{
    for (uint32_t i = 0; i < page->n_segments; i++) {
        const tmpl_segment_t *s = &page->segments[i];
        if (strpbrk(check_bytes(page, s->span, pool), letters) != NULL) {
            v[s->block].part = (unsigned char)part;
        }
    }
}

#endif
