/* SPDX-License-Identifier: Apache-2.0 */
#include "feature/feature.h"

void tmpl_layout_observation(tmpl_observation_t *observation, const tmpl_page_t *page,
                             const tmpl_layout_t *layout, apr_pool_t *pool)
{
    uint32_t n = page->n_keys + layout->n_keys;
    tmpl_key_t *keys = apr_palloc(pool, n * sizeof(*keys));
    tmpl_share_t *shares = apr_palloc(pool, page->n_segments * sizeof(*shares));
    tmpl_part_t *parts = apr_palloc(pool, page->n_blocks * sizeof(*parts));
    tmpl_key_t *paths = tmpl_keys_fill(keys, page->keys, page->n_keys, TMPL_KIND_SEGMENT);
    tmpl_keys_fill(paths, layout->keys, layout->n_keys, TMPL_KIND_PATH);
    for (uint32_t i = 0; i < page->n_segments; i++) {
        shares[i] = (tmpl_share_t){ page->segments[i].key, page->segments[i].length };
    }
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        parts[b].first = page->blocks[b].first_segment;
        parts[b].after = page->blocks[b].after_segment;
        for (uint32_t level = 0; level < TMPL_PATH_LEVELS; level++) {
            parts[b].paths[level] = page->n_keys + layout->paths[b][level];
        }
    }
    observation->keys = keys;
    observation->n = n;
    observation->shares = shares;
    observation->n_shares = page->n_segments;
    observation->parts = parts;
    observation->n_parts = page->n_blocks;
}
