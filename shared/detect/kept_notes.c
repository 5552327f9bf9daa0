/* SPDX-License-Identifier: Apache-2.0 */
#include "detect/kept_notes.h"

#include <string.h>

#include "base/hash.h"

/* Segments of a label, and their bytes; elements between a fragment's and its note's. */
#define LABEL_SEGMENTS 3
#define LABEL_BYTES    8
#define ANCHOR_UP      4

const unsigned char tmpl_note_tags[TMPL_TAG_COUNT] = {
    [TMPL_TAG_LI] = 1,    [TMPL_TAG_P] = 1,  [TMPL_TAG_DIV] = 1,
    [TMPL_TAG_ASIDE] = 1, [TMPL_TAG_DD] = 1,
};

/* Whether the text of an element is a label. */
static int is_note_label(const tmpl_page_t *page, const tmpl_node_t *node)
{
    uint32_t bytes = 0, letters = 0, n_digits = 0;
    for (uint32_t s = node->first_segment; s < node->after_segment; s++) {
        tmpl_span_t span = page->segments[s].span;
        bytes += tmpl_span_len(span);
        if (s >= node->first_segment + LABEL_SEGMENTS || bytes > LABEL_BYTES) {
            return 0;
        }
        for (uint32_t i = span.start; i < span.end; i++) {
            letters += (uint32_t)tmpl_is_alpha(page->src[i]);
            n_digits += (uint32_t)tmpl_is_digit(page->src[i]);
        }
    }
    return tmpl_is_note_label(bytes, letters, n_digits);
}

static int is_content(const tmpl_ruled_t *judged, const tmpl_node_t *node)
{
    uint32_t s = node->first_segment;
    return s < node->after_segment &&
           !judged->verdicts[judged->reading->page->segments[s].block].template;
}

/* Whether a link with a label looks like a reference. */
static int is_marked(const tmpl_page_t *page, uint32_t link)
{
    const tmpl_node_t *nodes = page->nodes, *node = &nodes[link];
    uint32_t up = node->parent;
    int has_sup = link + 1 < node->after && nodes[link + 1].tag == TMPL_TAG_SUP;
    for (int i = 0; i < 3 && up != TMPL_NONE; i++, up = nodes[up].parent) {
        has_sup |= nodes[up].tag == TMPL_TAG_SUP;
    }
    return has_sup || page->src[page->segments[node->first_segment].span.start] == '[' ||
           tmpl_node_says(page, node, TMPL_ATTR_CLASS, "footnote") ||
           tmpl_node_says(page, node, TMPL_ATTR_CLASS, "noteref") ||
           tmpl_node_says(page, node, TMPL_ATTR_ROLE, "noteref");
}

/* The fragment of an address on the page: behind "#", or behind the canonical address and "#". */
static tmpl_span_t fragment_of(const tmpl_page_t *page, tmpl_span_t href)
{
    uint32_t own = tmpl_span_len(page->canonical);
    if (own > 0 && tmpl_span_len(href) > own &&
        memcmp(page->src + href.start, page->src + page->canonical.start, own) == 0) {
        href.start += own;
    }
    int is = tmpl_span_len(href) > 1 && page->src[href.start] == '#';
    return is ? (tmpl_span_t){ href.start + 1, href.end } : (tmpl_span_t){ 0, 0 };
}

/* The id that a reference in content names; empty if the element is no such reference. */
static tmpl_span_t referred_id(const tmpl_ruled_t *judged, uint32_t link)
{
    const tmpl_page_t *page = judged->reading->page;
    const tmpl_node_t *node = &page->nodes[link];
    const tmpl_known_attr_t *href = tmpl_node_attr(page, node, TMPL_ATTR_HREF);
    tmpl_span_t id = href != NULL ? fragment_of(page, href->value) : (tmpl_span_t){ 0, 0 };
    int is = tmpl_span_len(id) > 0 && is_content(judged, node) && is_note_label(page, node) &&
             is_marked(page, link);
    return is ? id : (tmpl_span_t){ 0, 0 };
}

static void keep(const tmpl_ruled_t *judged, const tmpl_node_t *node)
{
    const tmpl_page_t *page = judged->reading->page;
    if (node->after_segment - node->first_segment > TMPL_NOTE_SEGMENTS ||
        (tmpl_context(judged->reading, (uint32_t)(node - page->nodes))->in &
         (TMPL_IN_NAV | TMPL_IN_FOOTER))) {
        return;
    }
    for (uint32_t s = node->first_segment; s < node->after_segment; s++) {
        uint32_t block = page->segments[s].block;
        if (!tmpl_is_of_site(judged, block)) {
            judged->verdicts[block].template = 0;
        }
    }
}

/* Keeps the note of the element that a fragment names. */
static void keep_note(const tmpl_ruled_t *judged, uint32_t anchor)
{
    const tmpl_page_t *page = judged->reading->page;
    const tmpl_node_t *nodes = page->nodes;
    uint32_t at = anchor;
    for (int i = 0; i < ANCHOR_UP && at != 0; i++, at = nodes[at].parent) {
        const tmpl_node_t *node = &nodes[at];
        if (node->first_segment != nodes[anchor].first_segment) {
            return; /* the anchor is in the middle of a text */
        }
        if (tmpl_note_tags[node->tag]) {
            keep(judged, nodes[node->parent].tag == TMPL_TAG_LI ? &nodes[node->parent] : node);
            return;
        }
        int is_heading = (tmpl_tag_flags((tmpl_tag_e)node->tag) & TMPL_IS_HEADING) != 0;
        if (is_heading && is_note_label(page, node) && node->after < page->n_nodes &&
            nodes[node->after].parent == node->parent) {
            keep(judged, node);
            keep(judged, &nodes[node->after]);
            return;
        }
    }
}

void tmpl_kept_notes(const tmpl_ruled_t *judged, apr_pool_t *pool)
{
    const tmpl_page_t *page = judged->reading->page;
    apr_hash_t *ids = NULL;
    for (uint32_t i = 1; i < page->n_nodes; i++) {
        const tmpl_node_t *node = &page->nodes[i];
        const tmpl_known_attr_t *id = ids != NULL && node->flags & TMPL_NODE_NAMED
                                          ? tmpl_node_attr(page, node, TMPL_ATTR_ID)
                                          : NULL;
        if (id != NULL &&
            apr_hash_get(ids, page->src + id->value.start, tmpl_span_len(id->value)) != NULL) {
            apr_hash_set(ids, page->src + id->value.start, tmpl_span_len(id->value), NULL);
            keep_note(judged, i);
        }
        if (node->tag == TMPL_TAG_A) {
            tmpl_span_t to = referred_id(judged, i);
            if (tmpl_span_len(to) > 0) {
                ids = ids != NULL ? ids : tmpl_hash_make(pool);
                apr_hash_set(ids, page->src + to.start, tmpl_span_len(to), node);
            }
        }
    }
}
