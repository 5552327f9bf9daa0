/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hash.h"
#include "content/record_page.h"

/* Words of an element's class that are read, and bytes of an id, at most. */
#define WORDS_MOST 8
#define ID_MOST    100

/* A name of a node. */
typedef struct {
    uint32_t name, node;
} named_t;

typedef struct {
    const tmpl_page_t *page;
    tmpl_numbering_t numbers; /* of names */
    apr_array_header_t *all;  /* named_t */
} names_reader_t;

/*
 * Adds a name: a hash of its kind and the bytes of a word, by FNV-1a. as: what a digit counts as;
 * '\0': it does not count.
 */
static void add_name(names_reader_t *r, uint32_t node, uint64_t kind, tmpl_span_t word, char as)
{
    uint64_t hash = 0xCBF29CE484222325u ^ kind;
    for (uint32_t at = word.start; at < word.end; at++) {
        char c = tmpl_is_digit(r->page->src[at]) ? as : r->page->src[at];
        hash = c != '\0' ? (hash ^ (unsigned char)c) * 0x100000001B3u : hash;
    }
    APR_ARRAY_PUSH(r->all, named_t) = (named_t){ tmpl_numbering_add(&r->numbers, hash), node };
}

static void add_names(names_reader_t *r, uint32_t node)
{
    /* tags of records that need no name */
    static const unsigned char tags[TMPL_TAG_COUNT] = {
        [TMPL_TAG_ARTICLE] = 1, [TMPL_TAG_LI] = 1, [TMPL_TAG_SECTION] = 1,
        [TMPL_TAG_TR] = 1,      [TMPL_TAG_DD] = 1,
    };
    const tmpl_page_t *page = r->page;
    const tmpl_node_t *n = &page->nodes[node];
    uint64_t kind = (uint64_t)n->tag << 8;
    const tmpl_known_attr_t *class = tmpl_node_attr(page, n, TMPL_ATTR_CLASS);
    const tmpl_known_attr_t *id = tmpl_node_attr(page, n, TMPL_ATTR_ID);
    if (tags[n->tag]) {
        add_name(r, node, kind, (tmpl_span_t){ 0, 0 }, '0');
    }
    else if (n->tag == TMPL_TAG_OTHER) {
        uint32_t name = n->open.start + 1;
        uint32_t end = tmpl_tag_name_end(page->src, page->len, name);
        add_name(r, node, kind | 1, (tmpl_span_t){ name, end }, '0');
    }
    if (id != NULL && tmpl_span_len(id->value) < ID_MOST) {
        add_name(r, node, kind | 2, id->value, '\0');
    }
    tmpl_span_t word = { 0, 0 };
    if (class != NULL) {
        word.start = word.end = class->value.start;
    }
    for (int i = 0;
         class != NULL && i < WORDS_MOST && tmpl_word_next(&word, page->src, class->value); i++) {
        add_name(r, node, kind | 3, word, '0');
    }
}

void tmpl_record_names_read(tmpl_record_names_t *names, const tmpl_page_t *page,
                            const unsigned char *wanted, apr_pool_t *pool)
{
    names_reader_t r = { .page = page, .all = apr_array_make(pool, 1024, sizeof(named_t)) };
    tmpl_numbering_init(&r.numbers, 256, pool, pool);
    for (uint32_t i = 1; i < page->n_nodes; i++) {
        if (wanted[i]) {
            add_names(&r, i);
        }
    }
    uint32_t n = r.numbers.n, sum = 0;
    uint32_t *first = apr_pcalloc(pool, 2 * (n + 1) * sizeof(*first)), *after = first + n + 1;
    uint32_t *nodes = apr_palloc(pool, ((apr_size_t)r.all->nelts + 1) * sizeof(*nodes));
    for (int i = 0; i < r.all->nelts; i++) {
        first[APR_ARRAY_IDX(r.all, i, named_t).name]++;
    }
    for (uint32_t i = 0; i < n; i++) {
        sum += first[i];
        after[i] = first[i] = sum - first[i];
    }
    for (int i = 0; i < r.all->nelts; i++) {
        named_t it = APR_ARRAY_IDX(r.all, i, named_t);
        uint32_t *at = &after[it.name];
        if (*at == first[it.name] || nodes[*at - 1] != it.node) { /* else a class says it twice */
            nodes[(*at)++] = it.node;
        }
    }
    *names = (tmpl_record_names_t){ n, nodes, first, after };
}
