/* SPDX-License-Identifier: Apache-2.0 */
#include "feature/layout.h"

/* The index of a layout path in keys, where it is added if it is new. */
static uint32_t path_index(apr_array_header_t *keys, tmpl_context_t *context, uint32_t level)
{
    if (context->paths[level] == 0) {
        /* text directly in a box's element differs from text anywhere in the box */
        APR_ARRAY_PUSH(keys, uint64_t) = context->layout + level;
        context->paths[level] = (uint32_t)keys->nelts;
    }
    return context->paths[level] - 1;
}

void tmpl_layout_read(tmpl_layout_t *layout, tmpl_reading_t *reading, apr_pool_t *pool)
{
    const tmpl_page_t *page = reading->page;
    apr_array_header_t *keys = apr_array_make(pool, 64, sizeof(uint64_t));
    tmpl_block_paths_t *blocks = apr_palloc(pool, page->n_blocks * sizeof(*blocks));
    uint32_t boxes[TMPL_BOXES] = { TMPL_NONE };
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        const tmpl_block_t *block = &page->blocks[b];
        uint32_t box = tmpl_box_innermost(page, block->node);
        reading->boxes[b] = box;
        tmpl_climb(boxes, page, box);
        for (uint32_t level = 0; level < TMPL_PATH_LEVELS; level++) {
            uint32_t node = level == 0 ? block->node : boxes[level - 1];
            tmpl_context_t *context =
                tmpl_context_at(&reading->contexts, tmpl_context(reading, node)->first);
            blocks[b].paths[level] = page->n_keys + path_index(keys, context, level);
        }
        blocks[b].first = block->first_segment;
        blocks[b].after = block->after_segment;
    }
    layout->keys = (const uint64_t *)(const void *)keys->elts;
    layout->n_keys = (uint32_t)keys->nelts;
    layout->blocks = blocks;
}

/* Notes the shares in links. */
static void links_note(tmpl_share_t *shares, const tmpl_page_t *page)
{
    uint32_t next = 0; /* a link may be in another one, which has noted its shares */
    for (uint32_t i = 0; i < page->n_nodes; i++) {
        const tmpl_node_t *node = &page->nodes[i];
        next = next > node->first_segment ? next : node->first_segment;
        for (; node->tag == TMPL_TAG_A && next < node->after_segment; next++) {
            shares[next].linked = 1;
        }
    }
}

tmpl_key_t *tmpl_segments_observation(tmpl_observation_t *observation, const tmpl_page_t *page,
                                      uint32_t more, apr_pool_t *pool)
{
    tmpl_key_t *keys = apr_palloc(pool, (page->n_keys + more) * sizeof(*keys));
    tmpl_share_t *shares = apr_palloc(pool, page->n_segments * sizeof(*shares));
    for (uint32_t i = 0; i < page->n_segments; i++) {
        shares[i] =
            (tmpl_share_t){ page->segments[i].key, page->segments[i].length & INT32_MAX, 0 };
    }
    observation->keys = keys;
    observation->n = page->n_keys + more;
    observation->shares = shares;
    observation->n_shares = page->n_segments;
    links_note(shares, page);
    return tmpl_keys_fill(keys, page->keys, page->n_keys, TMPL_KIND_SEGMENT);
}

void tmpl_layout_observation(tmpl_observation_t *observation, const tmpl_page_t *page,
                             const tmpl_layout_t *layout, apr_pool_t *pool)
{
    tmpl_keys_fill(tmpl_segments_observation(observation, page, layout->n_keys, pool), layout->keys,
                   layout->n_keys, TMPL_KIND_PATH);
    observation->blocks = layout->blocks;
    observation->n_blocks = page->n_blocks;
}
