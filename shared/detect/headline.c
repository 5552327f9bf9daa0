/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <stdlib.h>

#include "detect/protect.h"
#include "html/attr.h"

static int bit(unsigned b)
{
    const char *e = getenv("PROTECT");
    return e == NULL || (strtoul(e, NULL, 16) >> b & 1);
}

static int is_of_site(const tmpl_judged_t *judged, const tmpl_block_t *block)
{
    for (uint32_t s = block->first_segment; s < block->after_segment; s++) {
        if (!tmpl_is_of_site(judged, s)) {
            return 0;
        }
    }
    return 1;
}

typedef struct {
    uint32_t first, after; /* blocks */
    float score;
} head_t;

static int read_heading(head_t *head, const tmpl_judged_t *judged, uint32_t node, int only)
{
    const tmpl_reading_t *r = judged->reading;
    const tmpl_page_t *page = r->page;
    head->first = tmpl_first_block(page, node);
    head->after = tmpl_after_block(page, node);
    uint32_t words = 0;
    uint32_t titled = 0;
    for (uint32_t b = head->first; b < head->after; b++) {
        tmpl_tally_t tally = tmpl_tally_of(r, b);
        if (is_of_site(judged, &page->blocks[b])) {
            return 0;
        }
        words += tally.words;
        titled += tally.titled;
    }
    head->score = (r->title > 0 ? (titled < r->title ? (float)titled / (float)r->title : 1) : 0) + (page->nodes[node].tag == TMPL_TAG_H1 ? .5F : 0);
    return words > 0 && (only || (float)titled >= 0.7F * (float)words);
}

/* The first block of the best element: the content begins there at the latest. */
static uint32_t begin_of_content(const tmpl_judged_t *judged, uint32_t from)
{
    const tmpl_page_t *page = judged->reading->page;
    uint32_t b = from;
    while (b < page->n_blocks && (judged->verdicts[b].template || page->blocks[b].length < 80)) {
        b++;
    }
    return b;
}

static void keep(const tmpl_judged_t *judged, uint32_t first, uint32_t after)
{
    for (uint32_t b = first; b < after; b++) {
        judged->verdicts[b].template = 0;
    }
}

static int has_property(const tmpl_page_t *page, const tmpl_node_t *node)
{
    static const char *const names[] = { "itemprop", "rel" };
    static const char *const values[] = { "author", "datepublished", "datemodified", "datecreated" };
    tmpl_attr_t attr;
    for (unsigned i = 0; i < 2; i++) {
        if (tmpl_attr_find(&attr, page->src, node->open, names[i])) {
            for (unsigned k = 0; k < 4; k++) {
                tmpl_span_t word = { attr.value.start, attr.value.start };
                while (tmpl_word_next(&word, page->src, attr.value)) {
                    if (tmpl_span_is(page->src, word, values[k])) {
                        return 1;
                    }
                }
            }
        }
    }
    return 0;
}

/* Whether a block names the author or the date by its markup */
static int is_byline(const tmpl_judged_t *judged, uint32_t b)
{
    const tmpl_page_t *page = judged->reading->page;
    const tmpl_block_t *block = &page->blocks[b];
    for (uint32_t s = block->first_segment; s < block->after_segment; s++) {
        uint32_t node = page->segments[s].node;
        const tmpl_context_t *context = tmpl_context(judged->reading, node);
        unsigned about = context->near.steps[TMPL_NAME_ABOUT];
        if (about > 0 && about <= 3) {
            return 1;
        }
        for (int up = 0; up < 4 && node != TMPL_NONE && node != 0; up++) {
            if (page->nodes[node].tag == TMPL_TAG_TIME || has_property(page, &page->nodes[node])) {
                return 1;
            }
            node = page->nodes[node].parent;
        }
    }
    return 0;
}

#define BYLINE_BLOCKS 12

static void keep_byline(const tmpl_judged_t *judged, uint32_t first, uint32_t after)
{
    const tmpl_page_t *page = judged->reading->page;
    for (uint32_t b = first; b < after && b < page->n_blocks; b++) {
        tmpl_tally_t tally = tmpl_tally_of(judged->reading, b);
        if (judged->verdicts[b].template && tally.words > 0 && tally.words <= 30 && !is_of_site(judged, &page->blocks[b]) && is_byline(judged, b)) {
            judged->verdicts[b].template = 0;
        }
    }
}

void tmpl_headline(const tmpl_judged_t *judged)
{
    const tmpl_page_t *page = judged->reading->page;
    head_t best = { 0 };
    uint32_t least = TMPL_NONE;
    uint32_t n_h1 = 0;
    for (uint32_t i = 1; i < page->n_nodes; i++) {
        n_h1 += page->nodes[i].tag == TMPL_TAG_H1 && page->nodes[i].first_segment < page->nodes[i].after_segment;
    }
    for (uint32_t i = 1; i < page->n_nodes; i++) {
        const tmpl_node_t *node = &page->nodes[i];
        head_t head;
        if (!(tmpl_tag_flags((tmpl_tag_e)node->tag) & TMPL_IS_HEADING) || node->first_segment == node->after_segment ||
            !read_heading(&head, judged, i, n_h1 == 1 && node->tag == TMPL_TAG_H1 && bit(4))) {
            continue;
        }
        uint32_t far = begin_of_content(judged, head.after) - head.after;
        if (best.after == 0 || head.score > best.score || (head.score == best.score && far < least)) {
            best = head;
            least = far;
        }
    }
    if (best.after == 0) {
        return;
    }
    if (bit(0)) {
        keep(judged, best.first, best.after);
    }
    if (bit(1)) {
        uint32_t content = begin_of_content(judged, best.after);
        keep_byline(judged, best.first > 4 ? best.first - 4 : 0, content - best.after > BYLINE_BLOCKS ? best.after + BYLINE_BLOCKS : content);
    }
}
