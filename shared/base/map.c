/* SPDX-License-Identifier: Apache-2.0 */
#include "base/map.h"

static void make_cells(tmpl_map_t *map, uint32_t n)
{
    map->cells = apr_pcalloc(map->pool, n * sizeof(*map->cells));
    map->n_cells = n;
}

void tmpl_map_init(tmpl_map_t *map, uint32_t n, apr_pool_t *pool)
{
    uint32_t cells = 16;
    while (cells - cells / 4 < n) {
        cells *= 2;
    }
    *map = (tmpl_map_t){ .pool = pool };
    make_cells(map, cells);
}

void tmpl_map_grow(tmpl_map_t *map)
{
    const tmpl_map_cell_t *old = map->cells;
    uint32_t n = map->n_cells;
    make_cells(map, 2 * n);
    for (uint32_t i = 0; i < n; i++) {
        if (old[i].value != 0) {
            *tmpl_map_find(map, old[i].key) = old[i];
        }
    }
}
