/* SPDX-License-Identifier: Apache-2.0 */
#include "feature/observation.h"

void tmpl_observation_shares(tmpl_observation_t *observation, const tmpl_page_t *page,
                             apr_pool_t *pool)
{
    tmpl_share_t *shares = apr_palloc(pool, page->n_segments * sizeof(*shares));
    for (uint32_t i = 0; i < page->n_segments; i++) {
        shares[i] = (tmpl_share_t){ page->segments[i].key, page->segments[i].length };
    }
    observation->shares = shares;
    observation->n_shares = page->n_segments;
}

void tmpl_layout_observation(tmpl_observation_t *observation, const tmpl_page_t *page,
                             const tmpl_layout_t *layout, apr_pool_t *pool)
{
    uint32_t n = page->n_keys + layout->n_keys;
    tmpl_key_t *keys = apr_palloc(pool, n * sizeof(*keys));
    tmpl_key_t *paths = tmpl_keys_fill(keys, page->keys, page->n_keys, TMPL_KIND_SEGMENT);
    tmpl_keys_fill(paths, layout->keys, layout->n_keys, TMPL_KIND_PATH);
    tmpl_observation_shares(observation, page, pool);
    observation->keys = keys;
    observation->n = n;
    observation->blocks = layout->blocks;
    observation->n_blocks = page->n_blocks;
}
