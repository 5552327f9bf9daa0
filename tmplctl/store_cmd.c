/* SPDX-License-Identifier: Apache-2.0 */
/* tmplctl stats, forget, check, export and import. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "ctl.h"
#include "render.h"
#include "table/export_file.h"

static int forget_site(ctl_t *ctl, tmpl_store_t *store)
{
    tmpl_error_t err;
    const char *site = APR_ARRAY_IDX(ctl->args, 0, const char *);
    ctl_interrupt_catch();
    apr_status_t status = tmpl_store_forget(store, site, &err, ctl->pool);
    if (status != APR_SUCCESS) {
        return ctl_store_failed(ctl, store, site, status, &err);
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
        ctl_progress("reading %s", uri);
        code = ctl_store_examine(uri, ctl);
        ctl_progress_end();
    }
    if (code == CTL_OK) {
        printf("%s: no damage found\n", uri);
    }
    return code;
}

static apr_status_t add_site(void *sites, const char *site)
{
    apr_array_header_t *names = sites;
    APR_ARRAY_PUSH(names, const char *) = apr_pstrdup(names->pool, site);
    return APR_SUCCESS;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The sites of the command line or, if it names none, all sites of the store, by name. */
static int find_sites(apr_array_header_t **sites, const ctl_t *ctl, tmpl_store_t *store)
{
    tmpl_error_t err;
    *sites = ctl->args;
    if (ctl->args->nelts > 0) {
        return CTL_OK;
    }
    *sites = apr_array_make(ctl->pool, 16, sizeof(const char *));
    if (tmpl_store_sites(store, add_site, *sites, &err, ctl->pool) != APR_SUCCESS) {
        ctl_say("%s: %s", ctl->command->name, err.text);
        return CTL_FAILED;
    }
    qsort((*sites)->elts, (size_t)(*sites)->nelts, sizeof(const char *), by_name);
    return CTL_OK;
}

static int export_site(ctl_t *ctl, tmpl_store_t *store, const char *site, apr_pool_t *pool)
{
    tmpl_error_t err;
    tmpl_export_file_t table;
    apr_status_t status = tmpl_export_file_fill(&table, store, site, CTL_STORE_TIMEOUT, &err, pool);
    if (APR_STATUS_IS_NOTFOUND(status) && ctl->options.all) {
        return CTL_OK; /* it was forgotten meanwhile */
    }
    if (status == APR_SUCCESS) {
        status = tmpl_export_file_write(stdout, site, &table, &err);
    }
    return status == APR_SUCCESS ? CTL_OK : ctl_store_failed(ctl, store, site, status, &err);
}

static int export_sites(ctl_t *ctl, tmpl_store_t *store)
{
    apr_array_header_t *sites;
    apr_pool_t *pool;
    int code = find_sites(&sites, ctl, store);
    apr_pool_create(&pool, ctl->pool);
    for (int i = 0; i < sites->nelts && !ferror(stdout); i++) {
        ctl_progress("exporting: %d/%d sites", i, sites->nelts);
        int failed = export_site(ctl, store, APR_ARRAY_IDX(sites, i, const char *), pool);
        code = failed != CTL_OK ? failed : code;
        apr_pool_clear(pool);
    }
    ctl_progress_end();
    return code;
}

/* Writes a table that was read; the site is that of the command line or, without one, its own. */
static apr_status_t import_table(ctl_t *ctl, tmpl_store_t *store, const tmpl_export_file_t *table,
                                 const char *site, tmpl_error_t *err, apr_pool_t *pool)
{
    apr_status_t status = APR_SUCCESS;
    /* with an operator's secret, the store's does not matter */
    if (ctl->options.clean.page.seed == 0) {
        status = tmpl_store_take_secret(store, table->secret, err, pool);
    }
    ctl_interrupt_catch();
    return status == APR_SUCCESS ? tmpl_export_file_import(table, store, site, err, pool) : status;
}

/* Reads all of a table before it writes to the store: a bad line leaves the site unchanged. */
static int import_sites(ctl_t *ctl, tmpl_store_t *store)
{
    const char *named = ctl->args->nelts > 0 ? APR_ARRAY_IDX(ctl->args, 0, const char *) : NULL;
    const char *site = named;
    tmpl_error_t err;
    tmpl_export_file_t table;
    unsigned lines = 0;
    int n = 0;
    apr_pool_t *pool;
    apr_status_t status = APR_SUCCESS;
    apr_pool_create(&pool, ctl->pool);
    for (; status == APR_SUCCESS && !ctl_interrupted(); n++) {
        apr_pool_clear(pool);
        ctl_progress("importing: %d sites", n);
        status = tmpl_export_file_read(&table, stdin, "standard input", &lines, &err, pool);
        if (named == NULL) {
            site = table.site != NULL && *table.site != '\0' ? table.site : "standard input";
        }
        if (status == APR_SUCCESS && named != NULL && getc(stdin) != EOF) {
            status = tmpl_fail(&err, APR_EINVAL,
                               "line %u: more entries than the first line announces, or another "
                               "site: without SITE all are imported",
                               lines + 1);
        }
        if (status == APR_SUCCESS) {
            status =
                import_table(ctl, store, &table, named != NULL ? named : table.site, &err, pool);
        }
    }
    ctl_progress_end();
    if (status == APR_SUCCESS) {
        ctl_say("import: interrupted, %d sites are imported", n);
        return CTL_FAILED;
    }
    return APR_STATUS_IS_EOF(status) ? CTL_OK : ctl_store_failed(ctl, store, site, status, &err);
}

int ctl_export(ctl_t *ctl)
{
    if (ctl->options.all == (ctl->args->nelts > 0)) {
        ctl_say("export: name a SITE, or give --all");
        return CTL_USAGE;
    }
    return ctl_store_with(ctl, export_sites);
}

int ctl_import(ctl_t *ctl)
{
    return ctl_store_with(ctl, import_sites);
}

/* --- stats: a row of figures for each site --- */

static const char *const columns[] = { "site",     "pages", "entries", "live",
                                       "template", "bytes", "version", "listed" };

#define N_COLUMNS ((int)(sizeof(columns) / sizeof(columns[0])))

typedef struct {
    const char *site;
    apr_uint64_t numbers[N_COLUMNS - 1]; /* in the order of the columns */
} stats_row_t;

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
            APR_ARRAY_PUSH(rows, stats_row_t) =
                (stats_row_t){ site,
                               { stats.pages, stats.entries, stats.live, stats.template,
                                 stats.bytes, stats.version, stats.listed } };
        }
        /* a listed site that is missing now was forgotten meanwhile: no failure */
        else if (ctl->args->nelts > 0 || !APR_STATUS_IS_NOTFOUND(status)) {
            code = ctl_store_failed(ctl, store, site, status, &err);
        }
    }
    return code;
}

/* Characters of a name in UTF-8. */
static int width_of(const char *name)
{
    int width = 0;
    for (; *name != '\0'; name++) {
        width += (*name & 0xC0) != 0x80;
    }
    return width;
}

static void print_table(const apr_array_header_t *rows, apr_pool_t *pool)
{
    int widest = width_of(columns[0]);
    for (int r = 0; r < rows->nelts; r++) {
        int width = width_of(ctl_printable(APR_ARRAY_IDX(rows, r, stats_row_t).site, pool));
        widest = width > widest ? width : widest;
    }
    printf("%-*s", widest, columns[0]);
    for (int c = 1; c < N_COLUMNS; c++) {
        printf("  %10s", columns[c]);
    }
    putchar('\n');
    for (int r = 0; r < rows->nelts; r++) {
        const stats_row_t *row = &APR_ARRAY_IDX(rows, r, stats_row_t);
        const char *name = ctl_printable(row->site, pool);
        printf("%s%*s", name, widest - width_of(name), "");
        for (int c = 1; c < N_COLUMNS; c++) {
            printf("  %10" APR_UINT64_T_FMT, row->numbers[c - 1]);
        }
        putchar('\n');
    }
}

static int print_json(const apr_array_header_t *rows, apr_pool_t *pool)
{
    json_t *list = json_array();
    for (int r = 0; r < rows->nelts; r++) {
        const stats_row_t *row = &APR_ARRAY_IDX(rows, r, stats_row_t);
        json_t *site = json_pack("{s:o}", columns[0], ctl_json_text(row->site, pool));
        for (int c = 1; c < N_COLUMNS; c++) {
            json_object_set_new(site, columns[c], json_integer((json_int_t)row->numbers[c - 1]));
        }
        json_array_append_new(list, site);
    }
    return ctl_json_print(list);
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
    apr_array_header_t *sites;
    apr_array_header_t *rows = apr_array_make(ctl->pool, 16, sizeof(stats_row_t));
    if (find_sites(&sites, ctl, store) != CTL_OK) {
        return CTL_FAILED;
    }
    int code = read_rows(rows, ctl, sites, store);
    if (code != CTL_OK && ctl->args->nelts > 0) {
        return code;
    }
    if (ctl->options.json) {
        int printed = print_json(rows, ctl->pool);
        return code != CTL_OK ? code : printed;
    }
    print_table(rows, ctl->pool);
    print_evicted(store);
    return code;
}

int ctl_stats(ctl_t *ctl)
{
    return ctl_store_with(ctl, print_stats);
}
