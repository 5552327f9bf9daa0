/* SPDX-License-Identifier: Apache-2.0 */
/* tmplctl stats, forget and check. */
#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "ctl.h"
#include "interrupt.h"
#include "open_store.h"
#include "progress.h"
#include "text_table.h"

static const ctl_column_t columns[] = {
    { "site", 0 },     { "pages", 1 }, { "entries", 1 }, { "live", 1 },
    { "template", 1 }, { "bytes", 1 }, { "version", 1 },
};

#define N_COLUMNS ((int)(sizeof(columns) / sizeof(columns[0])))

static void add_row(ctl_text_table_t *table, const char *site, const tmpl_store_stats_t *stats,
                    apr_pool_t *pool)
{
    const char *cells[N_COLUMNS] = {
        site,
        ctl_number_cell(stats->pages, pool),
        ctl_number_cell(stats->entries, pool),
        ctl_number_cell(stats->live, pool),
        ctl_number_cell(stats->template, pool),
        ctl_number_cell(stats->bytes, pool),
        ctl_number_cell(stats->version, pool),
    };
    ctl_text_table_row(table, cells);
}

static apr_status_t add_site(void *baton, const char *site)
{
    apr_array_header_t *sites = baton;
    APR_ARRAY_PUSH(sites, const char *) = apr_pstrdup(sites->pool, site);
    return APR_SUCCESS;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The site of the command line, or all sites of the store by name. Prints what fails. */
static apr_status_t list_sites(apr_array_header_t **sites, ctl_t *ctl, tmpl_store_t *store)
{
    tmpl_error_t err;
    *sites = apr_array_make(ctl->pool, 16, sizeof(const char *));
    if (ctl->args->nelts > 0) {
        return add_site(*sites, APR_ARRAY_IDX(ctl->args, 0, const char *));
    }
    apr_status_t status = tmpl_store_sites(store, add_site, *sites, &err, ctl->pool);
    if (status != APR_SUCCESS) {
        ctl_say("stats: %s", err.text);
        return status;
    }
    qsort((*sites)->elts, (apr_size_t)(*sites)->nelts, sizeof(const char *), by_name);
    return APR_SUCCESS;
}

static int print_stats(ctl_t *ctl, tmpl_store_t *store)
{
    apr_array_header_t *sites;
    ctl_text_table_t *table = ctl_text_table_make(columns, N_COLUMNS, ctl->pool);
    int code = CTL_OK;
    if (list_sites(&sites, ctl, store) != APR_SUCCESS) {
        return CTL_FAILED;
    }
    for (int i = 0; i < sites->nelts; i++) {
        const char *site = APR_ARRAY_IDX(sites, i, const char *);
        tmpl_store_stats_t stats;
        tmpl_error_t err;
        apr_status_t status =
            tmpl_store_stats(store, site, &ctl->options.clean.policy, &stats, &err, ctl->pool);
        if (status == APR_SUCCESS) {
            add_row(table, site, &stats, ctl->pool);
            continue;
        }
        /* a listed site that is missing now was forgotten meanwhile: no failure */
        if (ctl->args->nelts > 0 || !APR_STATUS_IS_NOTFOUND(status)) {
            code = ctl_store_failed(ctl, site, status, &err);
        }
    }
    if (code == CTL_OK || ctl->args->nelts == 0) {
        ctl_text_table_print(table);
    }
    return code;
}

static int forget_site(ctl_t *ctl, tmpl_store_t *store)
{
    tmpl_error_t err;
    const char *site = APR_ARRAY_IDX(ctl->args, 0, const char *);
    ctl_interrupt_catch();
    apr_status_t status = tmpl_store_forget(store, site, &err, ctl->pool);
    if (status != APR_SUCCESS) {
        return ctl_store_failed(ctl, site, status, &err);
    }
    return CTL_OK;
}

int ctl_stats(ctl_t *ctl)
{
    return ctl_store_with(ctl, print_stats);
}

int ctl_forget(ctl_t *ctl)
{
    return ctl_store_with(ctl, forget_site);
}

int ctl_check(ctl_t *ctl)
{
    const char *uri;
    int code = ctl_store_uri(&uri, ctl);
    if (code == CTL_OK) {
        code = ctl_store_examine(uri, ctl);
    }
    if (code == CTL_OK) {
        printf("%s: no damage found\n", uri);
    }
    return code;
}
