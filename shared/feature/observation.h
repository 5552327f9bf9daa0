/* SPDX-License-Identifier: Apache-2.0 */
/* page -> what its site's table is to learn of it. */
#ifndef TMPL_OBSERVATION_H
#define TMPL_OBSERVATION_H

#include "feature/layout.h"

/* Fills shares: which key each segment has, and how long it is. From pool. */
void tmpl_observation_shares(tmpl_observation_t *observation, const tmpl_page_t *page,
                             apr_pool_t *pool);

/*
 * Fills keys (the page's segments, then its layout paths), shares and blocks. From pool, but for
 * the blocks, which are layout's. In the store's answer, records[page->n_keys + i] is the record
 * of layout->keys[i].
 */
void tmpl_layout_observation(tmpl_observation_t *observation, const tmpl_page_t *page,
                             const tmpl_layout_t *layout, apr_pool_t *pool);

#endif
