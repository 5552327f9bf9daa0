/* SPDX-License-Identifier: Apache-2.0 */
/* Text that the page has said before. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/numbering.h"
#include "detect/parts_page.h"

/* Text of so many words that was said before is not said again. */
#define SAID_WORDS 6
#define SAID_LEAST 0.1F

#define SAID_LONG       30
#define SAID_LEAST_LONG 0.3F
#define SAID_SHARE      5

static uint64_t hash_of(const tmpl_page_t *page, const tmpl_block_t *block)
{
    uint64_t hash = 0;
    for (uint32_t s = block->first_segment; s < block->after_segment; s++) {
        tmpl_span_t span = page->segments[s].span;
        while (span.start < span.end && tmpl_is_space(page->src[span.start])) {
            span.start++;
        }
        while (span.start < span.end && tmpl_is_space(page->src[span.end - 1])) {
            span.end--;
        }
        hash = XXH3_64bits_withSeed(page->src + span.start, tmpl_span_len(span), hash);
    }
    return hash;
}

/*
 * Whether a block may be a copy: of long texts the trees must be less sure that they are
 * content.
 */
static int may_be_copy(const tmpl_parts_page_t *p, uint32_t b)
{
    const unsigned own = TMPL_IN_TABLE | TMPL_IN_VERBATIM | TMPL_IN_TERM | TMPL_IN_QUOTE;
    float least = tmpl_part_words(p, b, b + 1) > SAID_LONG ? SAID_LEAST_LONG : SAID_LEAST;
    return p->verdicts[b].ratio > least && !(tmpl_part_context(p, b)->in & own);
}

/* A page of which more was said before is made so: an index and what it lists. */
void tmpl_parts_said(tmpl_parts_page_t *p)
{
    const tmpl_page_t *page = p->page;
    uint32_t *copies = apr_palloc(p->pool, page->n_blocks * sizeof(*copies));
    uint32_t n_copies = 0;
    uint32_t words = 0;
    tmpl_numbering_t said;
    tmpl_numbering_init(&said, 64, p->pool, p->pool);
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        uint32_t own = p->words[b + 1] - p->words[b];
        if (own < 2 * SAID_WORDS || p->verdicts[b].template) {
            continue;
        }
        uint32_t n = said.n;
        uint32_t number = tmpl_numbering_add(&said, hash_of(page, &page->blocks[b]));
        words += number < n ? own : 0;
        if (number < n && may_be_copy(p, b)) {
            copies[n_copies++] = b;
        }
    }
    for (uint32_t i = 0; words * SAID_SHARE <= (uint64_t)p->kept[page->n_blocks] && i < n_copies;
         i++) {
        p->verdicts[copies[i]].part = TMPL_PART_HIDDEN;
    }
}
