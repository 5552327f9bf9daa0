/* SPDX-License-Identifier: Apache-2.0 */
/* page -> what its site's table is to learn of it. */
#ifndef TMPL_OBSERVATION_H
#define TMPL_OBSERVATION_H

#include "feature/layout.h"

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
