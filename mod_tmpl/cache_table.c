/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include <apr_thread_mutex.h>

#include "cache_table.h"

#define PLACES     2048
#define BYTES_MOST (8 * 1024 * 1024)
#define ID_SIZE    16

typedef struct {
    unsigned char id[ID_SIZE];
    unsigned char *bytes; /* NULL: the place is free */
    unsigned len;
    apr_time_t expiry;
} kept_cell_t;

struct ap_socache_instance_t {
    apr_thread_mutex_t *lock; /* children inherit it, unlocked, as a copy */
    apr_size_t bytes;
    unsigned hand; /* the place that is freed next if there are too many bytes */
    kept_cell_t cells[PLACES];
};

static const char *table_create(ap_socache_instance_t **table, const char *arg, apr_pool_t *tmp,
                                apr_pool_t *pool)
{
    (void)arg;
    (void)tmp;
    *table = apr_pcalloc(pool, sizeof(**table));
    return NULL;
}

static apr_status_t table_init(ap_socache_instance_t *table, const char *name,
                               const struct ap_socache_hints *hints, server_rec *s,
                               apr_pool_t *pool)
{
    (void)name;
    (void)hints;
    (void)s;
    return apr_thread_mutex_create(&table->lock, APR_THREAD_MUTEX_DEFAULT, pool);
}

static void cell_free(ap_socache_instance_t *table, kept_cell_t *cell)
{
    if (cell->bytes != NULL) {
        free(cell->bytes);
        cell->bytes = NULL;
        table->bytes -= cell->len;
    }
}

static void table_destroy(ap_socache_instance_t *table, server_rec *s)
{
    (void)s;
    for (unsigned i = 0; i < PLACES; i++) {
        cell_free(table, &table->cells[i]);
    }
}

static kept_cell_t *cell_of(ap_socache_instance_t *table, const unsigned char *id)
{
    apr_uint32_t number;

    memcpy(&number, id, sizeof(number));
    return &table->cells[number % PLACES];
}

static apr_status_t table_store(ap_socache_instance_t *table, server_rec *s,
                                const unsigned char *id, unsigned id_len, apr_time_t expiry,
                                unsigned char *data, unsigned len, apr_pool_t *pool)
{
    kept_cell_t *cell = cell_of(table, id);
    unsigned char *copy = id_len == ID_SIZE ? malloc(len) : NULL;

    (void)s;
    (void)pool;
    if (copy == NULL) {
        return APR_ENOMEM;
    }
    memcpy(copy, data, len);
    apr_thread_mutex_lock(table->lock);
    while (table->bytes + len > BYTES_MOST) {
        cell_free(table, &table->cells[table->hand++ % PLACES]);
    }
    cell_free(table, cell);
    memcpy(cell->id, id, ID_SIZE);
    cell->bytes = copy;
    cell->len = len;
    cell->expiry = expiry;
    table->bytes += len;
    apr_thread_mutex_unlock(table->lock);
    return APR_SUCCESS;
}

static apr_status_t table_retrieve(ap_socache_instance_t *table, server_rec *s,
                                   const unsigned char *id, unsigned id_len, unsigned char *data,
                                   unsigned *len, apr_pool_t *pool)
{
    const kept_cell_t *cell = cell_of(table, id);
    int found;

    (void)s;
    (void)pool;
    apr_thread_mutex_lock(table->lock);
    found = cell->bytes != NULL && id_len == ID_SIZE && memcmp(cell->id, id, ID_SIZE) == 0 &&
            cell->len <= *len && cell->expiry > apr_time_now();
    if (found) {
        memcpy(data, cell->bytes, cell->len);
        *len = cell->len;
    }
    apr_thread_mutex_unlock(table->lock);
    return found ? APR_SUCCESS : APR_NOTFOUND;
}

/* Of a provider, cache.c needs no more than these. */
const ap_socache_provider_t tmpl_cache_table = { .name = "table",
                                                 .create = table_create,
                                                 .init = table_init,
                                                 .destroy = table_destroy,
                                                 .store = table_store,
                                                 .retrieve = table_retrieve };
