/* SPDX-License-Identifier: Apache-2.0 */
#include "feature/observation.h"

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
