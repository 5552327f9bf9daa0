/* SPDX-License-Identifier: Apache-2.0 */
#include "feature/feature.h"

#include <string.h>

#include <apr_tables.h>

#include "feature/reading.h"

static const struct {
    const char *name;
    const char *group;
} features[] = {
#define TMPL_BLOCK_FEATURE_ROW(id, name, group) { name, #group },
    TMPL_BLOCK_FEATURES(TMPL_BLOCK_FEATURE_ROW)
#undef TMPL_BLOCK_FEATURE_ROW
};

const char *tmpl_block_feature_name(tmpl_block_feature_e feature)
{
    return features[feature].name;
}

const char *tmpl_block_feature_group(tmpl_block_feature_e feature)
{
    return features[feature].group;
}

tmpl_block_feature_e tmpl_block_feature_find(const char *name)
{
    unsigned feature = 0;
    while (feature < TMPL_BLOCK_FEATURE_COUNT && strcmp(features[feature].name, name) != 0) {
        feature++;
    }
    return (tmpl_block_feature_e)feature;
}

/*
 * The nearest element around node that holds more blocks; the root if there is none. Where an element holds
 * the same segments it holds the same blocks.
 */
uint32_t tmpl_box_around(const tmpl_page_t *page, uint32_t node)
{
    const tmpl_node_t *inner = &page->nodes[node];
    uint32_t first = tmpl_first_block(page, node);
    uint32_t after = tmpl_after_block(page, node);
    while (node != 0) {
        node = page->nodes[node].parent;
        const tmpl_node_t *outer = &page->nodes[node];
        if ((outer->first_segment < inner->first_segment && tmpl_first_block(page, node) < first) ||
            (outer->after_segment > inner->after_segment && tmpl_after_block(page, node) > after)) {
            break;
        }
    }
    return node;
}

/* A leaf that holds other blocks as well is a box. */
uint32_t tmpl_box_innermost(const tmpl_page_t *page, uint32_t leaf)
{
    return tmpl_after_block(page, leaf) - tmpl_first_block(page, leaf) > 1
               ? leaf
               : tmpl_box_around(page, leaf);
}

static unsigned char nodes_back(uint32_t node, uint32_t box)
{
    return (unsigned char)(node - box < TMPL_BOX_FAR ? node - box : TMPL_BOX_FAR);
}

void tmpl_climb(uint32_t boxes[TMPL_BOXES], const tmpl_page_t *page, uint32_t innermost)
{
    if (boxes[0] == innermost) {
        return;
    }
    boxes[0] = innermost;
    for (int i = 1; i < TMPL_BOXES; i++) {
        boxes[i] = tmpl_box_around(page, boxes[i - 1]);
    }
}

/* The index of a layout path in keys, where it is added if it is new. */
static uint32_t path_index(apr_array_header_t *keys, tmpl_place_t *place, uint32_t level)
{
    if (place->paths[level] == 0) {
        /* text in a box's own element is another thing than text in the box */
        APR_ARRAY_PUSH(keys, uint64_t) = place->layout + level;
        place->paths[level] = (uint32_t)keys->nelts;
    }
    return place->paths[level] - 1;
}

void tmpl_layout_read(tmpl_layout_t *layout, tmpl_reading_t *reading, apr_pool_t *pool)
{
    const tmpl_page_t *page = reading->page;
    apr_array_header_t *keys = apr_array_make(pool, 64, sizeof(uint64_t));
    tmpl_part_t *parts = apr_palloc(pool, page->n_blocks * sizeof(*parts));
    uint32_t boxes[TMPL_BOXES] = { TMPL_NONE };
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        const tmpl_block_t *block = &page->blocks[b];
        uint32_t box = tmpl_box_innermost(page, block->node);
        reading->boxes[b] = nodes_back(block->node, box);
        tmpl_climb(boxes, page, box);
        for (uint32_t level = 0; level < TMPL_PATH_LEVELS; level++) {
            uint32_t node = level == 0 ? block->node : boxes[level - 1];
            tmpl_place_t *place = tmpl_place_at(reading, tmpl_place(reading, node)->first);
            parts[b].paths[level] = page->n_keys + path_index(keys, place, level);
        }
        parts[b].first = block->first_segment;
        parts[b].after = block->after_segment;
    }
    layout->keys = (const uint64_t *)(const void *)keys->elts;
    layout->n_keys = (uint32_t)keys->nelts;
    layout->parts = parts;
}

/* Takes so many numbers of room. */
static uint32_t *take(uint32_t **room, size_t n)
{
    uint32_t *taken = *room;
    *room += n;
    return taken;
}

static unsigned char *take_bytes(unsigned char **room, size_t n)
{
    unsigned char *taken = *room;
    *room += n;
    return taken;
}

/*
 * Room for what is kept of each block, node and key, in one piece: what comes after judging can have that again, and
 * would be too large for pieces.
 */
static void make_room(tmpl_reading_t *reading, apr_pool_t *pool)
{
    const tmpl_page_t *page = reading->page;
    size_t sums = page->n_blocks + 1 + 2 * TMPL_BEYOND;
    size_t small = TMPL_SMALL_COLUMNS * page->n_blocks;
    size_t n = sizeof(tmpl_before_t) / sizeof(uint32_t *) * sums + page->n_nodes;
    uint32_t *room = apr_palloc(pool, n * sizeof(*room) + small + page->n_blocks + page->n_keys);
#define TMPL_SUM(name) reading->before.name = take(&room, sums) + TMPL_BEYOND;
    TMPL_SUMS(TMPL_SUM)
#undef TMPL_SUM
    reading->place = take(&room, page->n_nodes);
    unsigned char *bytes = (unsigned char *)room;
#define TMPL_TALLY(name) reading->small.name = take_bytes(&bytes, page->n_blocks);
    TMPL_TALLIES(TMPL_TALLY)
#undef TMPL_TALLY
    reading->small.marks = take_bytes(&bytes, page->n_blocks);
    reading->boxes = bytes;
    reading->again = reading->boxes + page->n_blocks;
}

tmpl_reading_t *tmpl_read_blocks(const tmpl_page_t *page, apr_pool_t *pool)
{
    tmpl_reading_t *reading = apr_pcalloc(pool, sizeof(*reading));
    reading->page = page;
    make_room(reading, pool);
    tmpl_read_around(reading, pool);
    return reading;
}
