/* SPDX-License-Identifier: Apache-2.0 */
#include "cache_table.h"

#include <stdlib.h>
#include <string.h>

#include <apr_thread_mutex.h>

#define PLACES     4096
#define SIMILAR    4 /* places for each id */
#define BYTES_MOST (8 * 1024 * 1024)

typedef struct {
    tmpl_decision_key_t id;
    unsigned char *bytes; /* NULL: the place is free */
    unsigned len;
    apr_time_t expiry;
} kept_cell_t;

static struct {
    apr_thread_mutex_t *lock; /* NULL: there is no table */
    kept_cell_t *cells;
    apr_size_t bytes, entries;
    unsigned hand; /* the place that is freed next if there are too many bytes */
} table;

apr_status_t tmpl_cache_table_open(apr_pool_t *pchild)
{
    table.cells = apr_pcalloc(pchild, PLACES * sizeof(*table.cells));
    return apr_thread_mutex_create(&table.lock, APR_THREAD_MUTEX_DEFAULT, pchild);
}

static void cell_free(kept_cell_t *cell)
{
    if (cell->bytes != NULL) {
        free(cell->bytes);
        cell->bytes = NULL;
        cell->expiry = 0;
        table.bytes -= cell->len;
        table.entries--;
    }
}

/* The place of an id; if it has none, the oldest of those where it may be. */
static kept_cell_t *cell_of(const tmpl_decision_key_t *id)
{
    apr_uint32_t number;
    kept_cell_t *cells, *oldest;

    memcpy(&number, id->bytes, sizeof(number));
    oldest = cells = &table.cells[number % (PLACES / SIMILAR) * SIMILAR];
    for (int i = 0; i < SIMILAR; i++) {
        if (memcmp(&cells[i].id, id, sizeof(*id)) == 0) {
            return &cells[i];
        }
        oldest = cells[i].expiry < oldest->expiry ? &cells[i] : oldest;
    }
    return oldest;
}

void tmpl_cache_table_store(const tmpl_decision_key_t *id, const unsigned char *value, unsigned len,
                            apr_time_t expiry)
{
    unsigned char *copy = table.lock != NULL ? malloc(len) : NULL;
    kept_cell_t *cell;

    if (copy == NULL) {
        return;
    }
    memcpy(copy, value, len);
    apr_thread_mutex_lock(table.lock);
    while (table.bytes + len > BYTES_MOST) {
        cell_free(&table.cells[table.hand++ % PLACES]);
    }
    cell = cell_of(id);
    cell_free(cell);
    *cell = (kept_cell_t){ *id, copy, len, expiry };
    table.bytes += len;
    table.entries++;
    apr_thread_mutex_unlock(table.lock);
}

unsigned tmpl_cache_table_find(const tmpl_decision_key_t *id, unsigned char *value, unsigned most)
{
    const kept_cell_t *cell;
    unsigned len = 0;

    if (table.lock == NULL) {
        return 0;
    }
    apr_thread_mutex_lock(table.lock);
    cell = cell_of(id);
    if (cell->bytes != NULL && memcmp(&cell->id, id, sizeof(*id)) == 0 && cell->len <= most &&
        cell->expiry > apr_time_now()) {
        len = cell->len;
        memcpy(value, cell->bytes, len);
    }
    apr_thread_mutex_unlock(table.lock);
    return len;
}

void tmpl_cache_table_usage(apr_int64_t *entries, apr_int64_t *bytes, apr_int64_t *max_bytes)
{
    *entries += (apr_int64_t)table.entries;
    *bytes += (apr_int64_t)table.bytes;
    *max_bytes += BYTES_MOST;
}
