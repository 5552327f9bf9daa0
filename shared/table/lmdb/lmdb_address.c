/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <apr_strings.h>

#include "base/number.h"
#include "table/lmdb/lmdb_env.h"

static const struct {
    const char *name;
    const tmpl_unit_t *units;
    const char *least, *most;
} limits[] = {
    { "size", tmpl_units_bytes, "1M", sizeof(void *) > 4 ? "1024G" : "1G" },
    { "sites", tmpl_units_none, "1", "100000000" },
};

#define N_LIMITS (sizeof(limits) / sizeof(limits[0]))

/* Reads NAME=VALUE into the number of its limit. */
static apr_status_t limit_parse(int64_t numbers[N_LIMITS], char *pair, tmpl_error_t *err)
{
    char *value = strchr(pair, '=');
    if (value != NULL) {
        *value++ = '\0';
    }
    for (size_t i = 0; i < N_LIMITS; i++) {
        if (strcmp(pair, limits[i].name) == 0) {
            return value != NULL && tmpl_number_between(&numbers[i], value, limits[i].units,
                                                        limits[i].least, limits[i].most)
                       ? APR_SUCCESS
                       : tmpl_fail(err, APR_EINVAL, "lmdb: %s must be a whole number from %s to %s",
                                   pair, limits[i].least, limits[i].most);
        }
    }
    return tmpl_fail(err, APR_EINVAL, "lmdb: \"%s\" is not size or sites", pair);
}

apr_status_t tmpl_lmdb_address_parse(const char *uri, tmpl_store_opts_t *opts, tmpl_error_t *err,
                                     apr_pool_t *pool)
{
    int64_t numbers[N_LIMITS] = { (int64_t)opts->map_size, opts->max_sites };
    char *state, *query = apr_pstrdup(pool, uri + strcspn(uri, "?"));
    apr_status_t rv = APR_SUCCESS;
    if (tmpl_store_directory(uri, pool)[0] == '\0') {
        return tmpl_fail(err, APR_EINVAL, "lmdb: lacks a directory, as in lmdb:/var/lib/tmpl");
    }
    for (char *pair = apr_strtok(query, "?&", &state); rv == APR_SUCCESS && pair != NULL;
         pair = apr_strtok(NULL, "?&", &state)) {
        rv = limit_parse(numbers, pair, err);
    }
    opts->map_size = (apr_size_t)numbers[0];
    opts->max_sites = (uint32_t)numbers[1];
    return rv;
}
