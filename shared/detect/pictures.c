/* SPDX-License-Identifier: Apache-2.0 */
#include "detect/pictures.h"

#include "html/attr.h"

/* How many elements upwards a block's figcaption is looked for. */
#define CAPTION_UP 3

typedef enum { SMALL, UNKNOWN, LARGE } size_e;

/* The size by an attribute in pixels. */
static size_e side(const tmpl_page_t *page, tmpl_span_t tag, const char *name)
{
    tmpl_attr_t attr;
    uint32_t pixels = 0;
    if (!tmpl_attr_find(&attr, page->src, tag, name) || tmpl_span_len(attr.value) == 0) {
        return UNKNOWN;
    }
    for (uint32_t at = attr.value.start; at < attr.value.end; at++) {
        if (page->src[at] < '0' || page->src[at] > '9' || pixels > TMPL_PICTURES_SIDE) {
            break;
        }
        pixels = 10 * pixels + (uint32_t)(page->src[at] - '0');
    }
    return pixels < TMPL_PICTURES_SIDE ? SMALL : LARGE;
}

static size_e size_of(const tmpl_page_t *page, tmpl_span_t tag)
{
    size_e width = side(page, tag, "width");
    size_e height = side(page, tag, "height");
    return width < height ? width : height;
}

/* A figcaption, or an element close below one. */
static int is_caption(const tmpl_page_t *page, const tmpl_block_t *block)
{
    uint32_t node = block->node;
    for (int up = 0; up < CAPTION_UP && page->nodes[node].tag != TMPL_TAG_FIGCAPTION; up++) {
        node = node > 0 ? page->nodes[node].parent : 0;
    }
    return page->nodes[node].tag == TMPL_TAG_FIGCAPTION;
}

/* Rule 1 of pictures.h. */
static int is_text_beside(const tmpl_page_t *page, const tmpl_verdict_t *verdicts, uint32_t block)
{
    const tmpl_block_t *b = &page->blocks[block];
    if (is_caption(page, b)) {
        return 0;
    }
    if (b->length >= TMPL_PICTURES_TEXT) {
        return page->nodes[page->segments[b->first_segment].node].tag != TMPL_TAG_IMG;
    }
    return !verdicts[block].template &&
           (tmpl_tag_flags(page->nodes[b->node].tag) & TMPL_IS_HEADING);
}

/*
 * Whether rules 2 and 3 hold for a block that is an image or a caption. known: the site has min_df
 * pages.
 */
static int may_stay(const tmpl_page_t *page, const tmpl_block_t *block,
                    const tmpl_record_t *records, int known)
{
    int caption = is_caption(page, block);
    for (uint32_t s = block->first_segment; s < block->after_segment; s++) {
        const tmpl_segment_t *segment = &page->segments[s];
        const tmpl_node_t *node = &page->nodes[segment->node];
        int shared = records != NULL && records[segment->key].df > 1;
        int small = !caption && (node->tag != TMPL_TAG_IMG ||
                                 size_of(page, node->open) < (known ? UNKNOWN : LARGE));
        if (shared || small) {
            return 0;
        }
    }
    return 1;
}

void tmpl_pictures(tmpl_verdict_t *verdicts, const tmpl_page_t *page, const tmpl_record_t *records,
                   uint64_t pages, uint32_t min_df)
{
    uint32_t text = TMPL_NONE; /* the last block of text; TMPL_NONE if it is template */
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        if (!is_text_beside(page, verdicts, b)) {
            continue;
        }
        int between = text != TMPL_NONE && !verdicts[b].template;
        for (uint32_t i = between ? text + 1 : b; i < b; i++) {
            if (verdicts[i].template &&
                may_stay(page, &page->blocks[i], records, pages >= min_df)) {
                verdicts[i].template = 0;
            }
        }
        text = verdicts[b].template ? TMPL_NONE : b;
    }
}
