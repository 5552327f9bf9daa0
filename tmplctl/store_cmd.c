/* SPDX-License-Identifier: Apache-2.0 */
/* tmplctl stats, forget, check, export and import. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apr_fnmatch.h>
#include <apr_strings.h>

#include "ctl.h"
#include "file_io.h"
#include "interrupt.h"
#include "json.h"
#include "open_store.h"
#include "progress.h"
#include "table/export_file.h"
#include "text_table.h"

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

static int export_site(ctl_t *ctl, tmpl_store_t *store)
{
    const char *site = APR_ARRAY_IDX(ctl->args, 0, const char *);
    tmpl_error_t err;
    tmpl_export_file_t table;
    apr_status_t status =
        tmpl_export_file_fill(&table, store, site, CTL_STORE_TIMEOUT, &err, ctl->pool);
    if (status == APR_SUCCESS) {
        status = tmpl_export_file_write(stdout, site, &table, &err);
        if (APR_STATUS_IS_EPIPE(status)) {
            return CTL_FAILED; /* main ends without a message */
        }
    }
    return status == APR_SUCCESS ? CTL_OK : ctl_store_failed(ctl, site, status, &err);
}

/* Reads all input before it writes to the store: a bad line leaves the site unchanged. */
static int import_site(ctl_t *ctl, tmpl_store_t *store)
{
    const char *site = APR_ARRAY_IDX(ctl->args, 0, const char *);
    tmpl_error_t err;
    tmpl_export_file_t table;
    apr_status_t status = tmpl_export_file_read(&table, stdin, "standard input", &err, ctl->pool);
    /* with an operator's secret, the store's does not matter */
    if (status == APR_SUCCESS && ctl->options.clean.page.seed == 0) {
        status = tmpl_store_take_secret(store, table.secret, &err, ctl->pool);
    }
    if (status == APR_SUCCESS) {
        ctl_interrupt_catch();
        status = tmpl_export_file_import(&table, store, site, &err, ctl->pool);
    }
    return status == APR_SUCCESS ? CTL_OK : ctl_store_failed(ctl, site, status, &err);
}

int ctl_export(ctl_t *ctl)
{
    return ctl_store_with(ctl, export_site);
}

int ctl_import(ctl_t *ctl)
{
    return ctl_store_with(ctl, import_site);
}

/* --- stats: a row of figures for each site --- */

static const ctl_column_t columns[] = {
    { "site", 0 },     { "pages", 1 }, { "entries", 1 }, { "live", 1 },
    { "template", 1 }, { "bytes", 1 }, { "version", 1 }, { "listed", 1 },
};

#define N_COLUMNS ((int)(sizeof(columns) / sizeof(columns[0])))
#define N_NUMBERS (N_COLUMNS - 1)

typedef struct {
    const char *site;
    apr_uint64_t numbers[N_NUMBERS]; /* in the order of the columns */
} stats_cmd_row_t;

static stats_cmd_row_t row_of_site(const char *site, const tmpl_store_stats_t *stats)
{
    return (stats_cmd_row_t){ site,
                              { stats->pages, stats->entries, stats->live, stats->template,
                                stats->bytes, stats->version, stats->listed } };
}

/* Sites whose key matches --match, in an array of const char *. */
typedef struct {
    apr_array_header_t *sites;
    const char *match; /* NULL: all */
} stats_cmd_listing_t;

static apr_status_t add_site_row(void *baton, const char *site)
{
    stats_cmd_listing_t *listing = baton;
    if (listing->match == NULL || apr_fnmatch(listing->match, site, 0) == APR_SUCCESS) {
        APR_ARRAY_PUSH(listing->sites, const char *) = apr_pstrdup(listing->sites->pool, site);
    }
    return APR_SUCCESS;
}

/* Compares by the number in the column that baton points to, the largest first; else by name. */
static int compare(const void *a, const void *b, void *baton)
{
    const stats_cmd_row_t *x = a;
    const stats_cmd_row_t *y = b;
    int column = *(const int *)baton;
    apr_uint64_t m = column > 0 ? x->numbers[column - 1] : 0;
    apr_uint64_t n = column > 0 ? y->numbers[column - 1] : 0;
    return m != n ? (m < n) - (m > n) : strcmp(x->site, y->site);
}

/* The column that --sort names; -1, with the reason printed, if there is none. */
static int sort_column(const ctl_t *ctl)
{
    const char *name = ctl->options.sort;
    const char *names = "";
    for (int i = 0; i < N_COLUMNS; i++) {
        if (name == NULL || strcmp(name, columns[i].title) == 0) {
            return i;
        }
        names = apr_pstrcat(ctl->pool, names, i > 0 ? ", " : "", columns[i].title, NULL);
    }
    ctl_say("stats: --sort: \"%s\" is not one of %s", name, names);
    return -1;
}

static void print_table(const stats_cmd_row_t *rows, int n, apr_pool_t *pool)
{
    ctl_text_table_t *table = ctl_text_table_make(columns, N_COLUMNS, pool);
    for (int i = 0; i < n; i++) {
        const char *cells[N_COLUMNS] = { rows[i].site };
        for (int c = 0; c < N_NUMBERS; c++) {
            cells[c + 1] = ctl_number_cell(rows[i].numbers[c], pool);
        }
        ctl_text_table_row(table, cells);
    }
    ctl_text_table_print(table);
}

static int stats_cmd_print_json(const stats_cmd_row_t *rows, int n, apr_pool_t *pool)
{
    json_t *list = json_array();
    for (int i = 0; i < n; i++) {
        json_t *site = json_object();
        json_object_set_new(site, columns[0].title, ctl_json_text(rows[i].site, pool));
        for (int c = 0; c < N_NUMBERS; c++) {
            json_object_set_new(site, columns[c + 1].title,
                                json_integer((json_int_t)rows[i].numbers[c]));
        }
        json_array_append_new(list, site);
    }
    return ctl_json_print(list);
}

/* Fills rows with the figures of the sites; returns CTL_FAILED if one cannot be read. */
static int read_rows(apr_array_header_t *rows, ctl_t *ctl, const apr_array_header_t *sites,
                     tmpl_store_t *store)
{
    int code = CTL_OK;
    for (int i = 0; i < sites->nelts; i++) {
        const char *site = APR_ARRAY_IDX(sites, i, const char *);
        tmpl_store_stats_t stats;
        tmpl_error_t err;
        apr_status_t status =
            tmpl_store_stats(store, site, &ctl->options.clean.policy, &stats, &err, ctl->pool);
        if (status == APR_SUCCESS) {
            APR_ARRAY_PUSH(rows, stats_cmd_row_t) = row_of_site(site, &stats);
        }
        /* a listed site that is missing now was forgotten meanwhile: no failure */
        else if (ctl->args->nelts > 0 || !APR_STATUS_IS_NOTFOUND(status)) {
            code = ctl_store_failed(ctl, site, status, &err);
        }
    }
    return code;
}

/* Prints to standard error how many sites were evicted: scripts read standard output. */
static void print_evicted(tmpl_store_t *store)
{
    tmpl_store_usage_t usage;
    if (tmpl_store_usage(store, &usage, NULL) == APR_SUCCESS && usage.evicted > 0) {
        ctl_say("stats: sites that the store has forgotten for others: %" PRIu64, usage.evicted);
    }
}

static int print_stats(ctl_t *ctl, tmpl_store_t *store)
{
    tmpl_error_t err;
    int column = sort_column(ctl);
    apr_array_header_t *rows = apr_array_make(ctl->pool, 16, sizeof(stats_cmd_row_t));
    stats_cmd_listing_t listing = { apr_array_make(ctl->pool, 16, sizeof(const char *)),
                                    ctl->options.match };
    if (ctl->args->nelts > 0) {
        add_site_row(&listing, APR_ARRAY_IDX(ctl->args, 0, const char *));
    }
    else if (tmpl_store_sites(store, add_site_row, &listing, &err, ctl->pool) != APR_SUCCESS) {
        ctl_say("stats: %s", err.text);
        return CTL_FAILED;
    }
    int code = read_rows(rows, ctl, listing.sites, store);
    if (code != CTL_OK && ctl->args->nelts > 0) {
        return code;
    }
    qsort_r(rows->elts, (apr_size_t)rows->nelts, sizeof(stats_cmd_row_t), compare, &column);
    int n = rows->nelts < (int)ctl->options.top ? rows->nelts : (int)ctl->options.top;
    const stats_cmd_row_t *first = (const stats_cmd_row_t *)(const void *)rows->elts;
    if (ctl->options.json) {
        int printed = stats_cmd_print_json(first, n, ctl->pool);
        return code != CTL_OK ? code : printed;
    }
    print_table(first, n, ctl->pool);
    print_evicted(store);
    return code;
}

int ctl_stats(ctl_t *ctl)
{
    const ctl_options_t *options = &ctl->options;
    int selects = options->sort != NULL || options->match != NULL || options->top != CTL_TOP_MOST;
    if (ctl->args->nelts > 0 && selects) {
        ctl_say("stats: --sort, --match and --top are for all sites: name no SITE beside them");
        return CTL_USAGE;
    }
    if (sort_column(ctl) < 0) {
        return CTL_USAGE;
    }
    return ctl_store_with(ctl, print_stats);
}
