/* SPDX-License-Identifier: Apache-2.0 */
#include "content/alike.h"

void tmpl_alike_init(tmpl_alike_t *alike, apr_pool_t *pool)
{
    tmpl_numbering_init(&alike->names, 256, pool, pool);
    alike->first = apr_array_make(pool, 256, sizeof(uint32_t));
    alike->last = apr_array_make(pool, 256, sizeof(uint32_t));
    alike->elements = apr_array_make(pool, 1024, sizeof(tmpl_alike_element_t));
}

static void add_alike_name(tmpl_alike_t *alike, uint64_t name, uint32_t node)
{
    uint32_t n = tmpl_numbering_add(&alike->names, name);
    uint32_t at = (uint32_t)alike->elements->nelts;
    APR_ARRAY_PUSH(alike->elements, tmpl_alike_element_t) =
        (tmpl_alike_element_t){ node, TMPL_NONE };
    if (n == (uint32_t)alike->first->nelts) {
        APR_ARRAY_PUSH(alike->first, uint32_t) = at;
        APR_ARRAY_PUSH(alike->last, uint32_t) = at;
        return;
    }
    uint32_t *last = &APR_ARRAY_IDX(alike->last, (int)n, uint32_t);
    tmpl_alike_element_t *before =
        &APR_ARRAY_IDX(alike->elements, (int)*last, tmpl_alike_element_t);
    if (before->node != node) { /* a word stands twice in a class */
        before->next = at;
        *last = at;
    }
}

/* A hash of the bytes of a word, by FNV-1a. as: what a digit counts as; '\0': it does not count. */
static uint64_t alike_name_of(uint64_t kind, const char *src, tmpl_span_t word, char as)
{
    uint64_t hash = 0xCBF29CE484222325u ^ kind;
    for (uint32_t at = word.start; at < word.end; at++) {
        char c = tmpl_is_digit(src[at]) ? as : src[at];
        hash = c != '\0' ? (hash ^ (unsigned char)c) * 0x100000001B3u : hash;
    }
    return hash;
}

void tmpl_alike_add(tmpl_alike_t *alike, const tmpl_page_t *page, uint32_t node)
{
    /* tags of records that need no name */
    static const unsigned char tags[TMPL_TAG_COUNT] = {
        [TMPL_TAG_ARTICLE] = 1, [TMPL_TAG_LI] = 1, [TMPL_TAG_SECTION] = 1,
        [TMPL_TAG_TR] = 1,      [TMPL_TAG_DD] = 1,
    };
    const tmpl_node_t *n = &page->nodes[node];
    uint64_t kind = (uint64_t)n->tag << 8;
    const tmpl_known_attr_t *class = tmpl_node_attr(page, n, TMPL_ATTR_CLASS);
    const tmpl_known_attr_t *id = tmpl_node_attr(page, n, TMPL_ATTR_ID);
    uint32_t names = 0;
    if (tags[n->tag]) {
        add_alike_name(alike, kind, node);
    }
    else if (n->tag == TMPL_TAG_OTHER) {
        tmpl_span_t name = { n->open.start + 1,
                             tmpl_tag_name_end(page->src, page->len, n->open.start + 1) };
        add_alike_name(alike, alike_name_of(kind | 1, page->src, name, '0'), node);
    }
    if (id != NULL && tmpl_span_len(id->value) < 100) {
        add_alike_name(alike, alike_name_of(kind | 2, page->src, id->value, '\0'), node);
    }
    tmpl_span_t word = { 0, 0 };
    if (class != NULL) {
        word.start = word.end = class->value.start;
    }
    while (class != NULL && names++ < TMPL_ALIKE_NAMES &&
           tmpl_word_next(&word, page->src, class->value)) {
        add_alike_name(alike, alike_name_of(kind | 3, page->src, word, '0'), node);
    }
}
