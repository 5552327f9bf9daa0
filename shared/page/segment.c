/* SPDX-License-Identifier: Apache-2.0 */
#include "page/build.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "page/attr.h"
#include "slot.h"
#include "text/sixteen.h"

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
    build->text = apr_palloc(build->scratch, build->tokens->longest_text + TMPL_SIXTEEN);
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

static inline void add(tmpl_build_t *build, uint32_t node, tmpl_span_t span, uint64_t hash,
                       uint32_t length, uint32_t may)
{
    tmpl_page_t *page = build->page;
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
    segment->key = key_index(build, hash);
    segment->length = length;
    segment->may = may;
    block->after_segment = page->n_segments;
    block->length += length;
    page->length += length;
}

/* Which of the bytes are white space: 0xFF for those that are. */
static inline tmpl_sixteen_t blanks_of(tmpl_sixteen_t bytes)
{
    return (tmpl_sixteen_t)((bytes == ' ') | ((bytes - '\t' <= '\r' - '\t') & (bytes != '\v')));
}

/* How many bytes come before the first one that is blank behind a blank; TMPL_SIXTEEN if none is. */
static inline unsigned before_blanks(tmpl_sixteen_t blanks)
{
    unsigned bits = tmpl_sixteen_bits(blanks);
    bits &= bits << 1;
    return (unsigned)__builtin_ctz(bits | 1U << TMPL_SIXTEEN);
}

static inline const char *behind_blanks(const char *at, const char *end)
{
    while (at < end && tmpl_is_space(*at)) {
        at++;
    }
    return at;
}

/*
 * Copies the text from at to end, that begins and ends with what is no white space, with white space collapsed to
 * single spaces; returns its length. Up to TMPL_SIXTEEN bytes behind that may be written, too.
 */
static uint32_t collapse(char *to, const char *at, const char *end, const char *limit)
{
    char *start = to;
    while (at < end) {
        tmpl_sixteen_t bytes = tmpl_sixteen(at, limit);
        tmpl_sixteen_t blanks = blanks_of(bytes);
        unsigned n = before_blanks(blanks);
        n = end - at < n ? (unsigned)(end - at) : n;
        bytes = (bytes & ~blanks) | (blanks & ' ');
        memcpy(to, &bytes, TMPL_SIXTEEN);
        to += n;
        at += n;
        if (to[-1] == ' ') {
            at = behind_blanks(at, end);
        }
    }
    return (uint32_t)(to - start);
}

/* Bytes that are not what collapse leaves: white space but single spaces, and other controls. */
static inline tmpl_sixteen_t odd_at(const char *at)
{
    tmpl_sixteen_t bytes;
    tmpl_sixteen_t next;
    memcpy(&bytes, at, TMPL_SIXTEEN);
    memcpy(&next, at + 1, TMPL_SIXTEEN);
    return (tmpl_sixteen_t)((bytes < ' ') | ((bytes == ' ') & (next == ' ')));
}

/*
 * Whether the text from at to end, that begins and ends with what is no white space, is as collapse would leave it.
 * Behind it are TMPL_SIXTEEN readable bytes.
 */
static inline int is_collapsed(const char *at, const char *end)
{
    static const tmpl_sixteen_t places = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
    tmpl_sixteen_t odd = { 0 };
    for (; end - at >= TMPL_SIXTEEN; at += TMPL_SIXTEEN) {
        odd |= odd_at(at);
    }
    odd |= odd_at(at) & (tmpl_sixteen_t)(places < (unsigned char)(end - at));
    return tmpl_sixteen_bits(odd) == 0;
}

void tmpl_segment_text(tmpl_build_t *build, uint32_t node, tmpl_span_t span, int may_cut)
{
    const char *limit = build->page->src + build->page->len;
    const char *end = build->page->src + span.end;
    const char *text = behind_blanks(build->page->src + span.start, end);
    while (tmpl_is_space(end[-1])) {
        end--;
    }
    uint32_t length = (uint32_t)(end - text);
    if (limit - end <= TMPL_SIXTEEN || !is_collapsed(text, end)) {
        length = collapse(build->text, text, end, limit);
        text = build->text;
    }
    add(build, node, span, XXH3_64bits_withSeed(text, length, build->page->nodes[node].path),
        length, may_cut ? TMPL_NODE_CUT : 0);
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
        add(build, node, n->open, hash, TMPL_IMAGE_LENGTH, 0);
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

/* Some at a time: one at a time takes long, and all of them room. */
enum { KEYS_AT_ONCE = 128 };

void tmpl_segments_finish(tmpl_build_t *build)
{
    tmpl_page_t *page = build->page;
    uint64_t some[KEYS_AT_ONCE];
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    XXH3_64bits_reset_withSeed(&state, build->opts->seed);
    for (uint32_t from = 0, n; from < page->n_segments; from += n) {
        n = page->n_segments - from < KEYS_AT_ONCE ? page->n_segments - from : KEYS_AT_ONCE;
        for (uint32_t i = 0; i < n; i++) {
            some[i] = page->keys[page->segments[from + i].key];
        }
        XXH3_64bits_update(&state, some, n * sizeof(*some));
    }
    page->text = XXH3_64bits_digest(&state);
}
