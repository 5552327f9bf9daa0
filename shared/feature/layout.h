/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page -> layout paths: where in the tree each block is; and what its site's table is to learn of
 * it.
 */
#ifndef TMPL_LAYOUT_H
#define TMPL_LAYOUT_H

#include "feature/reading.h"
#include "table/counts.h"

/*
 * A layout path is a hash of the tags, classes and ids (digits taken for 0) from below body down to
 * an element. A block has three: of its own element, of its box, and of the box around that.
 */
typedef struct {
    const uint64_t *keys; /* each once; the same path on two levels is two keys */
    uint32_t n_keys;
    /* of each block; its paths are page->n_keys + indices in keys */
    const tmpl_block_paths_t *blocks;
} tmpl_layout_t;

/* Finds the layout of a page. Called once for a reading; all of it is from pool. */
void tmpl_layout_read(tmpl_layout_t *layout, tmpl_reading_t *reading, apr_pool_t *pool);

/*
 * Fills keys, those of the page's segments, and shares: which key each segment has, and how long it
 * is. Returns the room for more keys behind them, which are counted already. From pool.
 */
tmpl_key_t *tmpl_segments_observation(tmpl_observation_t *observation, const tmpl_page_t *page,
                                      uint32_t more, apr_pool_t *pool);

/*
 * The same, with the page's layout paths as further keys, and blocks, which are layout's. In the
 * store's answer, records[page->n_keys + i] is the record of layout->keys[i].
 */
void tmpl_layout_observation(tmpl_observation_t *observation, const tmpl_page_t *page,
                             const tmpl_layout_t *layout, apr_pool_t *pool);

#endif
