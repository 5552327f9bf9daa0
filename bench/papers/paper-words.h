/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a segment, for the batch methods: the strings between white space. */
#ifndef TMPL_PAPER_WORDS_H
#define TMPL_PAPER_WORDS_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "html/attr.h"
#include "page/page.h"

typedef struct {
    const tmpl_page_t *page;
    uint32_t segment;
    uint32_t at; /* 0: before the first word */
} paper_words_t;

/*
 * Sets the next word's hash and returns 1; returns 0 at the segment's end. An image or a link
 * without text is one word.
 */
static inline int paper_word_next(paper_words_t *words, uint64_t *hash)
{
    const tmpl_page_t *page = words->page;
    const tmpl_segment_t *segment = &page->segments[words->segment];
    uint32_t end = segment->span.end;
    tmpl_span_t tag = page->nodes[segment->node].open;
    if (tmpl_span_len(tag) > 0 && segment->span.start == tag.start) {
        *hash = page->keys[segment->key];
        return words->at++ == 0;
    }
    uint32_t start = words->at == 0 ? segment->span.start : words->at;
    while (start < end && tmpl_is_space(page->src[start])) {
        start++;
    }
    words->at = start;
    while (words->at < end && !tmpl_is_space(page->src[words->at])) {
        words->at++;
    }
    *hash = XXH3_64bits(page->src + start, words->at - start);
    return words->at > start;
}

#endif
