/* SPDX-License-Identifier: Apache-2.0 */
#include "page/build.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "page/attr.h"
#include "page/slot.h"

void tmpl_segments_init(tmpl_build_t *build)
{
    uint32_t room = build->tokens->n_segments + 1;
    uint32_t slots = 16;
    while (slots < room + room / 4) {
        slots *= 2;
    }
    build->page->segments = apr_palloc(build->pool, room * sizeof(*build->page->segments));
    build->page->blocks = apr_palloc(build->pool, room * sizeof(*build->page->blocks));
    build->page->keys = apr_palloc(build->pool, room * sizeof(*build->page->keys));
    build->slots = apr_pcalloc(build->scratch, slots * sizeof(*build->slots));
    build->n_slots = slots;
    build->text = apr_palloc(build->scratch, build->tokens->longest_text + 1);
    build->edge = 1;
}

/* The index of a key in page->keys, where it is added if it is new. */
static uint32_t key_index(tmpl_build_t *build, uint64_t hash)
{
    tmpl_page_t *page = build->page;
    uint32_t slot = tmpl_slot_of(hash, build->n_slots);
    while (build->slots[slot] != 0) {
        if (page->keys[build->slots[slot] - 1] == hash) {
            return build->slots[slot] - 1;
        }
        slot = (slot + 1) & (build->n_slots - 1);
    }
    page->keys[page->n_keys] = hash;
    build->slots[slot] = ++page->n_keys;
    return page->n_keys - 1;
}

/* The innermost separator around node, or the root. */
static uint32_t box_of(const tmpl_build_t *build, uint32_t node)
{
    const tmpl_node_t *nodes = build->page->nodes;
    while (node != 0 && !build->separators->has[nodes[node].tag]) {
        node = nodes[node].parent;
    }
    return node;
}

static void add(tmpl_build_t *build, uint32_t node, tmpl_span_t span, uint64_t hash,
                uint32_t length)
{
    tmpl_page_t *page = build->page;
    if (build->edge) {
        build->edge = 0;
        page->blocks[page->n_blocks++] =
            (tmpl_block_t){ .first_segment = page->n_segments, .node = box_of(build, node) };
    }
    tmpl_block_t *block = &page->blocks[page->n_blocks - 1];
    page->segments[page->n_segments++] = (tmpl_segment_t){ .span = span,
                                                           .node = node,
                                                           .block = page->n_blocks - 1,
                                                           .key = key_index(build, hash),
                                                           .length = length };
    block->after_segment = page->n_segments;
    block->length += length;
    page->length += length;
}

enum { STEP = 16 }; /* bytes of text that compilers can look at all at once */

/*
 * Whether none of STEP bytes is white space but single spaces. The byte behind them counts as their neighbour,
 * and other control characters for white space: most text has none.
 */
static int is_collapsed(const char *text)
{
    unsigned char odd = 0;
    for (unsigned i = 0; i < STEP; i++) {
        unsigned char is_low = (unsigned char)text[i] < ' ';
        unsigned char is_blank = (unsigned char)text[i] <= ' ';
        unsigned char next_is_blank = (unsigned char)text[i + 1] <= ' ';
        odd |= is_low | (is_blank & next_is_blank);
    }
    return !odd;
}

/* Copies text with white space collapsed to single spaces and none at the ends; returns its length. */
static uint32_t collapse(char *to, const char *src, tmpl_span_t span)
{
    uint32_t n = 0;
    uint32_t p = span.start;
    while (p < span.end) {
        int behind_blank = n == 0 || to[n - 1] == ' ';
        if (span.end - p > STEP && !(behind_blank && src[p] == ' ') && is_collapsed(src + p)) {
            memcpy(to + n, src + p, STEP);
            n += STEP;
            p += STEP;
            continue;
        }
        for (uint32_t end = span.end - p > STEP ? p + STEP : span.end; p < end; p++) {
            if (!tmpl_is_space(src[p])) {
                to[n++] = src[p];
            }
            else if (n > 0 && to[n - 1] != ' ') {
                to[n++] = ' ';
            }
        }
    }
    return n > 0 && to[n - 1] == ' ' ? n - 1 : n;
}

void tmpl_segment_text(tmpl_build_t *build, uint32_t node, tmpl_span_t span, int may_cut)
{
    uint32_t length = collapse(build->text, build->page->src, span);
    uint64_t path = build->page->nodes[node].path;
    add(build, node, span, XXH3_64bits_withSeed(build->text, length, path), length);
    build->page->segments[build->page->n_segments - 1].may = may_cut ? TMPL_NODE_CUT : 0;
}

/* A segment for an element known by the value of one attribute. */
static void add_address(tmpl_build_t *build, uint32_t node, const char *attribute)
{
    const tmpl_node_t *n = &build->page->nodes[node];
    tmpl_attr_t attr;
    if (tmpl_attr_find(&attr, build->page->src, n->open, attribute) &&
        tmpl_span_len(attr.value) > 0) {
        uint64_t hash = XXH3_64bits_withSeed(build->page->src + attr.value.start,
                                             tmpl_span_len(attr.value), n->path);
        add(build, node, n->open, hash, TMPL_IMAGE_LENGTH);
    }
}

void tmpl_segment_image(tmpl_build_t *build, uint32_t node)
{
    add_address(build, node, "src");
}

void tmpl_segment_link(tmpl_build_t *build, uint32_t node)
{
    if (build->page->nodes[node].first_segment == build->page->n_segments) {
        add_address(build, node, "href");
    }
}

void tmpl_segments_finish(tmpl_build_t *build)
{
    tmpl_page_t *page = build->page;
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    XXH3_64bits_reset_withSeed(&state, build->opts->seed);
    for (uint32_t i = 0; i < page->n_segments; i++) {
        XXH3_64bits_update(&state, &page->keys[page->segments[i].key], sizeof(*page->keys));
    }
    page->text = XXH3_64bits_digest(&state);
}
