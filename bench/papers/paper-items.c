/* SPDX-License-Identifier: Apache-2.0 */
#include "paper-items.h"

double paper_f(const paper_counts_t *counts)
{
    double both = counts->called + counts->template;
    return both > 0 ? 2 * counts->found / both : 1;
}

static void count(paper_counts_t *counts, double weight, int called, int template)
{
    counts->called += called ? weight : 0;
    counts->template += template ? weight : 0;
    counts->found += called && template ? weight : 0;
}

/* For each node, the innermost link that is the node or is around it; 0 (the root): no link. */
static uint32_t *find_links(const tmpl_page_t *page, apr_pool_t *pool)
{
    uint32_t *links = apr_pcalloc(pool, page->n_nodes * sizeof(*links));
    for (uint32_t i = 1; i < page->n_nodes; i++) {
        links[i] = page->nodes[i].tag == TMPL_TAG_A ? i : links[page->nodes[i].parent];
    }
    return links;
}

/* Bytes of a link's text: by label, and called template. */
typedef struct {
    double template, content, called;
} link_t;

void paper_counts_add(paper_counts_t counts[PAPER_ITEMS], const paper_page_t *page,
                      const tmpl_verdict_t *verdicts, apr_pool_t *pool)
{
    const tmpl_page_t *p = page->page;
    uint32_t *links = find_links(p, pool);
    link_t *sums = apr_pcalloc(pool, p->n_nodes * sizeof(*sums));
    for (uint32_t s = 0; s < p->n_segments; s++) {
        const tmpl_segment_t *segment = &p->segments[s];
        int called = verdicts[segment->block].template != 0;
        int is_template = page->labels[s] == 'T';
        link_t *link = &sums[links[segment->node]];
        if (page->labels[s] == ' ') {
            continue;
        }
        count(&counts[PAPER_TEXT], segment->length, called, is_template);
        if (links[segment->node] != 0) {
            count(&counts[PAPER_ANCHOR_TEXT], segment->length, called, is_template);
            link->template += is_template ? segment->length : 0;
            link->content += is_template ? 0 : segment->length;
            link->called += called ? segment->length : 0;
        }
    }
    for (uint32_t i = 1; i < p->n_nodes; i++) {
        double all = sums[i].template + sums[i].content;
        if (all > 0) {
            count(&counts[PAPER_LINKS], 1, 2 * sums[i].called > all, 2 * sums[i].template > all);
        }
    }
}
