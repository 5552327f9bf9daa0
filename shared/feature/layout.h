/* SPDX-License-Identifier: Apache-2.0 */
/* page -> layout paths: where in the tree each block is. */
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

#endif
