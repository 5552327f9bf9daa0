/* SPDX-License-Identifier: Apache-2.0 */
#include "page/build.h"

#include <endian.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/bytes.h"
#include "html/attr.h"

/*
 * Copies the text with white space collapsed; returns its length. May write up to TMPL_BYTES16
 * bytes more.
 */
static inline uint32_t copy_collapsed(char *to, const char *at, const char *end, const char *limit)
{
    char *start = to;
    while (at < end) {
        tmpl_bytes16_t bytes = tmpl_bytes16(at, limit);
        tmpl_bytes16_t blanks = tmpl_bytes16_spaces(bytes);
        uint32_t bits = tmpl_bytes16_bits(blanks);
        /* up to the first blank behind a blank */
        long n = __builtin_ctzll((bits & bits << 1) | (uint64_t)1 << TMPL_BYTES16);
        n = end - at < n ? end - at : n;
        bytes = (bytes & ~blanks) | (blanks & ' ');
        memcpy(to, &bytes, TMPL_BYTES16);
        to += n;
        at += n;
        if (to[-1] == ' ') {
            at += tmpl_behind_space(at, 0, (uint32_t)(end - at));
        }
    }
    return (uint32_t)(to - start);
}

/* Marks bytes that may change: white space other than single spaces, and other controls. */
static inline tmpl_bytes16_t odd_at(const char *at)
{
    tmpl_bytes16_t bytes;
    tmpl_bytes16_t next;
    memcpy(&bytes, at, TMPL_BYTES16);
    memcpy(&next, at + 1, TMPL_BYTES16);
    return (tmpl_bytes16_t)((bytes < ' ') | ((bytes == ' ') & (next == ' ')));
}

/* Whether the text is collapsed already. TMPL_BYTES16 bytes behind it must be readable. */
static inline int is_collapsed(const char *at, const char *end)
{
    tmpl_bytes16_t odd = { 0 };
    for (; end - at >= TMPL_BYTES16; at += TMPL_BYTES16) {
        odd |= odd_at(at);
    }
    uint64_t last = tmpl_bytes16_bits(odd_at(at)) & (((uint64_t)1 << (end - at)) - 1);
    return (tmpl_bytes16_bits(odd) | last) == 0;
}

tmpl_collapsed_t tmpl_collapse(char *room, const char *at, const char *end, const char *limit)
{
    if (limit - end > TMPL_BYTES16 && is_collapsed(at, end)) {
        return (tmpl_collapsed_t){ at, (uint32_t)(end - at) };
    }
    return (tmpl_collapsed_t){ room, copy_collapsed(room, at, end, limit) };
}

void tmpl_segments_init(tmpl_build_t *build)
{
    uint32_t room = build->tokens->n_segments + 1;
    build->page->segments = apr_palloc(build->pool, room * sizeof(*build->page->segments));
    build->page->blocks = apr_palloc(build->pool, room * sizeof(*build->page->blocks));
    tmpl_numbering_init(&build->keys, room, build->pool, build->scratch);
    build->text = apr_palloc(build->scratch, build->tokens->longest_text + TMPL_COLLAPSE_ROOM);
    build->edge = 1;
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

static inline void add_segment_key(tmpl_build_t *build, uint32_t node, tmpl_span_t span,
                                   const char *text, uint32_t bytes, uint32_t length, uint32_t may)
{
    tmpl_page_t *page = build->page;
    uint64_t hash = XXH3_64bits_withSeed(text, bytes, build->opts->seed);
    if (build->edge) {
        build->edge = 0;
        page->blocks[page->n_blocks++] =
            (tmpl_block_t){ .first_segment = page->n_segments, .node = box_of(build, node) };
    }
    tmpl_block_t *block = &page->blocks[page->n_blocks - 1];
    tmpl_segment_t *segment = &page->segments[page->n_segments++];
    segment->span = span;
    segment->node = node;
    segment->block = page->n_blocks - 1;
    segment->key = tmpl_numbering_add(&build->keys, tmpl_path_mix(page->nodes[node].path, hash));
    segment->text = (uint32_t)hash;
    segment->length = length;
    segment->may = (uint16_t)may;
    segment->apart = build->apart != 0;
    segment->boxed = 0;
    block->after_segment = page->n_segments;
    block->length += length;
    page->length += length;
}

void tmpl_segment_text(tmpl_build_t *build, uint32_t node, tmpl_span_t span, int may_cut)
{
    const char *limit = build->page->src + build->page->len;
    const char *end = build->page->src + span.end;
    const char *text = build->page->src +
                       tmpl_behind_spaces(build->page->src, span.start, span.end, build->page->len);
    while (tmpl_is_space(end[-1])) {
        end--;
    }
    tmpl_collapsed_t collapsed = tmpl_collapse(build->text, text, end, limit);
    add_segment_key(build, node, span, collapsed.text, collapsed.length, collapsed.length,
                    may_cut ? TMPL_NODE_CUT : 0);
    tmpl_segment_t *segment = &build->page->segments[build->page->n_segments - 1];
    segment->boxed = !segment->apart && segment > build->page->segments &&
                     tmpl_boxes_are_apart(build->page, segment - 1, node, span);
    build->apart = 0;
}

/* Adds a segment for an image or a link: its key is a hash of the address in the start tag. */
static void add_address(tmpl_build_t *build, uint32_t node, tmpl_span_t address)
{
    add_segment_key(build, node, build->page->nodes[node].open, build->page->src + address.start,
                    tmpl_span_len(address), TMPL_IMAGE_LENGTH, 0);
}

/* Whether the image at that address is a placeholder for an image that a script loads later. */
static int is_stand_in(const tmpl_page_t *page, const tmpl_node_t *image, tmpl_span_t address)
{
    static const char data[] = "data:";
    return (tmpl_span_len(address) > sizeof(data) &&
            memcmp(page->src + address.start, data, sizeof(data) - 1) == 0) ||
           tmpl_node_attr(page, image, TMPL_ATTR_DATA_SRC) != NULL;
}

int tmpl_image_is_tiny(const char *src, tmpl_span_t tag)
{
    static const char *const sides[] = { "width", "height" };
    for (int i = 0; i < 2; i++) {
        tmpl_attr_t attr;
        if (!tmpl_attr_find(&attr, src, tag, sides[i]) || tmpl_span_len(attr.value) != 1 ||
            src[attr.value.start] < '0' || src[attr.value.start] > '2') {
            return 0;
        }
    }
    return 1;
}

void tmpl_segment_image(tmpl_build_t *build, uint32_t node)
{
    const tmpl_node_t *image = &build->page->nodes[node];
    if (tmpl_image_is_tiny(build->page->src, image->open)) {
        return;
    }
    const tmpl_known_attr_t *src = tmpl_node_attr(build->page, image, TMPL_ATTR_SRC);
    if (src != NULL && tmpl_span_len(src->value) > 0) {
        int is_other = is_stand_in(build->page, image, src->value);
        add_address(build, node, is_other ? image->open : src->value);
    }
}

void tmpl_segment_link(tmpl_build_t *build, uint32_t node)
{
    const tmpl_node_t *link = &build->page->nodes[node];
    if (link->first_segment != build->page->n_segments) {
        return;
    }
    const tmpl_known_attr_t *href = tmpl_node_attr(build->page, link, TMPL_ATTR_HREF);
    if (href != NULL && tmpl_span_len(href->value) > 0) {
        add_address(build, node, href->value);
    }
}

/* keys are hashed in chunks: one by one is slow, and a copy of all takes memory */
enum { KEYS_AT_ONCE = 128 };

void tmpl_segments_finish(tmpl_build_t *build)
{
    tmpl_page_t *page = build->page;
    uint64_t some[KEYS_AT_ONCE];
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    XXH3_64bits_reset_withSeed(&state, build->opts->seed);
    page->keys = build->keys.keys;
    page->n_keys = build->keys.n;
    for (uint32_t from = 0, n; from < page->n_segments; from += n) {
        n = page->n_segments - from < KEYS_AT_ONCE ? page->n_segments - from : KEYS_AT_ONCE;
        for (uint32_t i = 0; i < n; i++) {
            some[i] = htole64(page->keys[page->segments[from + i].key]);
        }
        XXH3_64bits_update(&state, some, n * sizeof(*some));
    }
    page->text = XXH3_64bits_digest(&state);
}
