/* SPDX-License-Identifier: Apache-2.0 */
#include "feature/layout.h"

#include "feature/box.h"

static unsigned char nodes_back(uint32_t node, uint32_t box)
{
    return (unsigned char)(node - box < TMPL_BOX_FAR ? node - box : TMPL_BOX_FAR);
}

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
        reading->boxes[b] = nodes_back(block->node, box);
        tmpl_climb(boxes, page, box);
        for (uint32_t level = 0; level < TMPL_PATH_LEVELS; level++) {
            uint32_t node = level == 0 ? block->node : boxes[level - 1];
            tmpl_context_t *context = tmpl_context_at(reading, tmpl_context(reading, node)->first);
            blocks[b].paths[level] = page->n_keys + path_index(keys, context, level);
        }
        blocks[b].first = block->first_segment;
        blocks[b].after = block->after_segment;
    }
    layout->keys = (const uint64_t *)(const void *)keys->elts;
    layout->n_keys = (uint32_t)keys->nelts;
    layout->blocks = blocks;
}
