/* SPDX-License-Identifier: Apache-2.0 */
#include "cache_table.h"

#include <stdlib.h>
#include <string.h>

#include <apr_thread_mutex.h>

#define PLACES     16384
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
    /* not of the pool: places that are not used take no memory */
    table.cells = calloc(PLACES, sizeof(*table.cells));
    return table.cells == NULL
               ? APR_ENOMEM
               : apr_thread_mutex_create(&table.lock, APR_THREAD_MUTEX_DEFAULT, pchild);
}

static void cell_free(kept_cell_t *cell)
{
    if (cell->bytes != NULL) {
        free(cell->bytes);
        cell->bytes = NULL;
        table.bytes -= cell->len;
        table.entries--;
    }
}

static kept_cell_t *cell_of(const tmpl_decision_key_t *id)
{
    apr_uint32_t number;
    memcpy(&number, id->bytes, sizeof(number));
    return &table.cells[number % PLACES];
}

void tmpl_cache_table_store(const tmpl_decision_key_t *id, const unsigned char *value, unsigned len,
                            apr_time_t expiry)
{
    unsigned char *copy = table.lock != NULL ? malloc(len) : NULL;
    if (copy == NULL) {
        return;
    }
    memcpy(copy, value, len);
    kept_cell_t *cell = cell_of(id);
    apr_thread_mutex_lock(table.lock);
    while (table.bytes + len > BYTES_MOST) {
        cell_free(&table.cells[table.hand++ % PLACES]);
    }
    cell_free(cell);
    *cell = (kept_cell_t){ *id, copy, len, expiry };
    table.bytes += len;
    table.entries++;
    apr_thread_mutex_unlock(table.lock);
}

unsigned tmpl_cache_table_find(const tmpl_decision_key_t *id, unsigned char *value, unsigned most)
{
    unsigned len = 0;
    if (table.lock == NULL) {
        return 0;
    }
    const kept_cell_t *cell = cell_of(id);
    apr_thread_mutex_lock(table.lock);
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
    if (table.lock == NULL) {
        return;
    }
    apr_thread_mutex_lock(table.lock);
    *entries += (apr_int64_t)table.entries;
    *bytes += (apr_int64_t)table.bytes;
    *max_bytes += BYTES_MOST;
    apr_thread_mutex_unlock(table.lock);
}
