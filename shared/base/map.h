/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hash table in memory: 64-bit keys, mostly hashes themselves, to numbers other than 0. Entries
 * are never removed.
 */
#ifndef TMPL_MAP_H
#define TMPL_MAP_H

#include "base/slot.h"

typedef struct {
    uint64_t key;
    uint32_t value; /* 0: the cell is free */
} tmpl_map_cell_t;

typedef struct {
    tmpl_map_cell_t *cells;
    uint32_t n_cells; /* a power of two */
    uint32_t n;       /* keys that were added */
    apr_pool_t *pool;
} tmpl_map_t;

/* An empty map in pool, with room for n keys. It grows beyond by itself. */
void tmpl_map_init(tmpl_map_t *map, uint32_t n, apr_pool_t *pool);

/* Doubles the cells. */
void tmpl_map_grow(tmpl_map_t *map);

/* The cell of the key, or the free one for it. */
static inline tmpl_map_cell_t *tmpl_map_find(const tmpl_map_t *map, uint64_t key)
{
    uint32_t i = tmpl_slot_of(key, map->n_cells);
    while (map->cells[i].value != 0 && map->cells[i].key != key) {
        i = (i + 1) & (map->n_cells - 1);
    }
    return &map->cells[i];
}

/*
 * The value of the key; value, which is added with the key, if it has none. So a caller that passes
 * 1 + the number of keys sees by the result whether the key is new.
 */
static inline uint32_t tmpl_map_add(tmpl_map_t *map, uint64_t key, uint32_t value)
{
    tmpl_map_cell_t *cell = tmpl_map_find(map, key);
    if (cell->value != 0) {
        return cell->value;
    }
    *cell = (tmpl_map_cell_t){ key, value };
    if (++map->n > map->n_cells - map->n_cells / 4) {
        tmpl_map_grow(map);
    }
    return value;
}

#endif
