/* SPDX-License-Identifier: Apache-2.0 */
#include "sst.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "paper-words.h"

/* The damping factor for each level: g in sst.h. */
#define GAMMA 0.9

typedef struct style_t style_t;

/* A word of a leaf, on one page. */
typedef struct {
    uint64_t word;
    uint32_t page;
} feature_t;

typedef struct {
    uint32_t pages;      /* m */
    uint32_t n_styles;   /* l */
    style_t *styles;     /* a list */
    feature_t *features; /* in a leaf only */
    uint32_t n_features, room;
    double importance;
} element_t;

struct style_t {
    style_t *next;
    uint64_t sequence; /* hash of the children's tags and attributes */
    uint32_t pages;
    uint32_t n; /* children */
    element_t *children;
};

/* For each node and each segment of a page, its element in the tree. */
typedef struct {
    const tmpl_page_t *page;
    element_t **nodes;
    element_t **segments;
} mapped_t;

struct sst_t {
    element_t root;
    apr_array_header_t *pages; /* of mapped_t */
    apr_pool_t *pool;
};

sst_t *sst_create(apr_pool_t *pool)
{
    sst_t *sst = apr_pcalloc(pool, sizeof(*sst));
    sst->pool = pool;
    sst->pages = apr_array_make(pool, 32, sizeof(mapped_t));
    return sst;
}

/* ---- merging ---- */

/* A child: a node, or a segment directly in its parent. */
typedef struct {
    uint64_t look; /* hash of tag and presentation attributes */
    uint32_t node; /* TMPL_NONE for a segment */
    uint32_t segment;
} child_t;

static const char *const presentation[] = { "align",  "background", "bgcolor", "border", "color",
                                            "height", "size",       "valign",  "width" };

static uint64_t look_of(const tmpl_page_t *page, uint32_t index)
{
    const tmpl_node_t *node = &page->nodes[index];
    uint64_t hash = node->tag;
    tmpl_attr_t attr;
    /* a tag that is not in the table is identified by the path, for the parents are the same */
    hash = node->tag == TMPL_TAG_OTHER ? node->path : hash;
    for (unsigned i = 0; i < sizeof(presentation) / sizeof(presentation[0]); i++) {
        if (tmpl_span_len(node->open) > 0 &&
            tmpl_attr_find(&attr, page->src, node->open, presentation[i])) {
            hash = XXH3_64bits_withSeed(page->src + attr.value.start, tmpl_span_len(attr.value),
                                        hash + i + 1);
        }
    }
    return hash;
}

/* The children of a node that contain segments, and its own segments, in document order. */
static apr_array_header_t *children_of(const tmpl_page_t *page, uint32_t index, apr_pool_t *pool)
{
    const tmpl_node_t *node = &page->nodes[index];
    apr_array_header_t *children = apr_array_make(pool, 8, sizeof(child_t));
    uint32_t child = index + 1;
    for (uint32_t s = node->first_segment; s < node->after_segment;) {
        while (child < node->after && page->nodes[child].after_segment <= s) {
            child = page->nodes[child].after;
        }
        int inside = child < node->after && page->nodes[child].first_segment <= s;
        APR_ARRAY_PUSH(children, child_t) =
            inside ? (child_t){ look_of(page, child), child, 0 } : (child_t){ 1, TMPL_NONE, s };
        s = inside ? page->nodes[child].after_segment : s + 1;
    }
    return children;
}

static style_t *style_of(sst_t *sst, element_t *element, const apr_array_header_t *children)
{
    uint64_t sequence = 0;
    for (int i = 0; i < children->nelts; i++) {
        uint64_t look = APR_ARRAY_IDX(children, i, child_t).look;
        sequence = XXH3_64bits_withSeed(&look, sizeof(look), sequence);
    }
    style_t *style = element->styles;
    while (style != NULL &&
           (style->sequence != sequence || style->n != (uint32_t)children->nelts)) {
        style = style->next;
    }
    if (style == NULL) {
        style = apr_pcalloc(sst->pool, sizeof(*style));
        style->sequence = sequence;
        style->n = (uint32_t)children->nelts;
        style->children = apr_pcalloc(sst->pool, style->n * sizeof(*style->children));
        style->next = element->styles;
        element->styles = style;
        element->n_styles++;
    }
    style->pages++;
    return style;
}

static void add_features(sst_t *sst, element_t *leaf, const tmpl_page_t *page, uint32_t segment)
{
    paper_words_t scan = { .page = page, .segment = segment };
    uint64_t word;
    leaf->pages++;
    while (paper_word_next(&scan, &word)) {
        if (leaf->n_features == leaf->room) {
            uint32_t room = leaf->room < 4 ? 8 : leaf->room * 2;
            feature_t *more = apr_palloc(sst->pool, room * sizeof(*more));
            if (leaf->n_features > 0) {
                memcpy(more, leaf->features, leaf->n_features * sizeof(*more));
            }
            leaf->features = more;
            leaf->room = room;
        }
        leaf->features[leaf->n_features++] = (feature_t){ word, (uint32_t)sst->pages->nelts - 1 };
    }
}

static void merge(sst_t *sst, element_t *element, mapped_t *mapped, uint32_t node)
{
    element->pages++;
    mapped->nodes[node] = element;
    apr_array_header_t *children = children_of(mapped->page, node, sst->pool);
    style_t *style = style_of(sst, element, children);
    for (uint32_t i = 0; i < style->n; i++) {
        const child_t *child = &APR_ARRAY_IDX(children, i, child_t);
        if (child->node == TMPL_NONE) {
            mapped->segments[child->segment] = &style->children[i];
            add_features(sst, &style->children[i], mapped->page, child->segment);
        }
        else {
            merge(sst, &style->children[i], mapped, child->node);
        }
    }
}

void sst_add(sst_t *sst, const tmpl_page_t *page)
{
    mapped_t *mapped = &APR_ARRAY_PUSH(sst->pages, mapped_t);
    mapped->page = page;
    mapped->nodes = apr_pcalloc(sst->pool, page->n_nodes * sizeof(element_t *));
    mapped->segments = apr_pcalloc(sst->pool, page->n_segments * sizeof(element_t *));
    merge(sst, &sst->root, mapped, 0);
}

/* ---- weighing ---- */

double sst_entropy(const uint32_t *counts, uint32_t n, uint32_t total, uint32_t m)
{
    double sum = 0;
    for (uint32_t i = 0; i < n && m > 1; i++) {
        double p = (double)counts[i] / total;
        sum -= p * log(p) / log(m);
    }
    return sum;
}

static int by_word(const void *a, const void *b)
{
    const feature_t *x = a;
    const feature_t *y = b;
    if (x->word != y->word) {
        return x->word < y->word ? -1 : 1;
    }
    return x->page < y->page ? -1 : x->page > y->page;
}

/* H(a) of the n occurrences of one word, sorted by page. */
static double entropy_of(const feature_t *features, uint32_t n, uint32_t m)
{
    double sum = 0;
    for (uint32_t first = 0, after; first < n; first = after) {
        after = first + 1;
        while (after < n && features[after].page == features[first].page) {
            after++;
        }
        uint32_t count = after - first;
        sum += sst_entropy(&count, 1, n, m);
    }
    return sum;
}

static double content_importance(element_t *leaf)
{
    double sum = 0;
    uint32_t words = 0;
    if (leaf->pages == 1) {
        return 1;
    }
    qsort(leaf->features, leaf->n_features, sizeof(*leaf->features), by_word);
    for (uint32_t first = 0, after; first < leaf->n_features; first = after) {
        after = first + 1;
        while (after < leaf->n_features &&
               leaf->features[after].word == leaf->features[first].word) {
            after++;
        }
        sum += entropy_of(&leaf->features[first], after - first, leaf->pages);
        words++;
    }
    return words > 0 ? 1 - sum / words : 0;
}

static double node_importance(const element_t *element)
{
    double sum = 0;
    if (element->pages == 1) {
        return 1;
    }
    for (const style_t *style = element->styles; style != NULL; style = style->next) {
        sum += sst_entropy(&style->pages, 1, element->pages, element->pages);
    }
    return sum;
}

static void weigh(element_t *element)
{
    if (element->styles == NULL) {
        element->importance = content_importance(element);
        return;
    }
    double below = 0;
    for (style_t *style = element->styles; style != NULL; style = style->next) {
        double sum = 0;
        for (uint32_t i = 0; i < style->n; i++) {
            weigh(&style->children[i]);
            sum += style->children[i].importance;
        }
        below += style->n > 0 ? sum / style->n * style->pages / element->pages : 0;
    }
    double g = pow(GAMMA, element->n_styles);
    element->importance = (1 - g) * node_importance(element) + g * below;
}

void sst_weigh(sst_t *sst)
{
    weigh(&sst->root);
}

double sst_segment_importance(const sst_t *sst, uint32_t i, uint32_t segment)
{
    return APR_ARRAY_IDX(sst->pages, i, mapped_t).segments[segment]->importance;
}

double sst_node_importance(const sst_t *sst, uint32_t i, uint32_t node)
{
    return APR_ARRAY_IDX(sst->pages, i, mapped_t).nodes[node]->importance;
}

void sst_judge(tmpl_verdict_t *verdicts, const sst_t *sst, uint32_t i, double t, double ratio)
{
    const tmpl_page_t *page = APR_ARRAY_IDX(sst->pages, i, mapped_t).page;
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        const tmpl_block_t *block = &page->blocks[b];
        uint32_t noise = 0;
        for (uint32_t s = block->first_segment; s < block->after_segment; s++) {
            noise += sst_segment_importance(sst, i, s) < t ? page->segments[s].length : 0;
        }
        double share = block->length > 0 ? (double)noise / block->length : 0;
        verdicts[b].ratio = (float)share;
        verdicts[b].template = share > ratio;
    }
}
