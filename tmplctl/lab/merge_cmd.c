/* SPDX-License-Identifier: Apache-2.0 */
/* tmplctl merge: a file of keys becomes the tables of a store, site by site. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "ctl.h"
#include "table/export_file.h"
#include "table/keys_line.h"

#define BATCH 128 /* pages that are counted at once */

typedef struct {
    ctl_t *ctl;
    const char *name; /* of the file of keys */
    FILE *file;
    char *line, *before; /* the line at which it stands, and the one before */
    size_t line_room, before_room;
    apr_uint64_t number; /* of line */
    int ended;           /* there is no line any more */
    ctl_store_t out;
    const char *secret; /* that of the keys, without --secret; NULL: no line was read yet */
    int secret_taken;   /* the output has it */
    int n_sites;
} merge_t;

/* Prints that an input, a site or the output cannot be used. */
static apr_status_t merge_failed(const char *name, apr_status_t status, const char *text)
{
    ctl_say("merge: %s: %s", name, text);
    return status;
}

/* Prints what is wrong with the line. */
static apr_status_t line_failed(const merge_t *merge, const char *text)
{
    ctl_say("merge: %s: line %" APR_UINT64_T_FMT "%s", merge->name, merge->number, text);
    return APR_EINVAL;
}

/* Steps to the next line. Lines must ascend, because pages are counted in their order. */
static apr_status_t line_step(merge_t *merge)
{
    char *line = merge->before;
    size_t room = merge->before_room;
    merge->before = merge->line;
    merge->before_room = merge->line_room;
    merge->ended = getline(&line, &room, merge->file) < 0;
    merge->line = line;
    merge->line_room = room;
    if (merge->ended) {
        return ferror(merge->file) ? merge_failed(merge->name, APR_EGENERAL, strerror(errno))
                                   : APR_SUCCESS;
    }
    merge->number++;
    line[strcspn(line, "\n")] = '\0';
    return merge->number > 1 && strcmp(merge->before, line) > 0
               ? line_failed(merge, " is not in order: LC_ALL=C sort -u the file")
               : APR_SUCCESS;
}

/* Whether a page of the site is next: lines begin with the site. */
static int is_of_site(const merge_t *merge, const char *site)
{
    size_t len = strlen(site);
    return !merge->ended && strncmp(merge->line, site, len) == 0 && merge->line[len] == '\t';
}

/*
 * The store's secret seeded the keys, or --secret did, or none: check tells. Then the output must
 * have that secret, too.
 */
static apr_status_t check_seed(merge_t *merge, uint32_t check)
{
    tmpl_error_t err;
    const ctl_t *ctl = merge->ctl;
    uint64_t seed = ctl->options.clean.page.seed;
    char is[TMPL_SECRET_SIZE];
    if (seed == 0 && merge->secret == NULL) {
        apr_status_t status =
            tmpl_store_secret(merge->out.store, is, CTL_STORE_TIMEOUT, &err, ctl->pool);
        if (status != APR_SUCCESS) {
            return merge_failed(ctl->options.store, status, err.text);
        }
        int fits = tmpl_keys_check(tmpl_seed(is)) == check;
        merge->secret = fits ? apr_pstrdup(ctl->pool, is) : "";
    }
    if (tmpl_keys_check(seed != 0 ? seed : tmpl_seed(merge->secret)) == check) {
        return APR_SUCCESS;
    }
    return line_failed(merge,
                       apr_pstrcat(ctl->pool, ": the keys were made with another secret",
                                   seed == 0 ? " than the table of " : "",
                                   seed == 0 ? ctl->options.store : "",
                                   ": name it by --secret, or make the keys with --store", NULL));
}

/* Takes the pages of one site, BATCH at most; equal lines are one page. */
static apr_status_t lines_take(merge_t *merge, const char *site, const tmpl_policy_t *policy,
                               const tmpl_observation_t **pages, uint32_t *n, apr_pool_t *pool)
{
    const char *before = NULL;
    tmpl_error_t err;
    apr_status_t status = APR_SUCCESS;
    for (*n = 0; status == APR_SUCCESS && *n < BATCH && is_of_site(merge, site);) {
        if (before == NULL || strcmp(merge->line, before) != 0) {
            tmpl_keys_page_t *page = apr_palloc(pool, sizeof(*page));
            before = apr_pstrdup(pool, merge->line);
            if (tmpl_keys_line_read(page, before, &err, pool) != APR_SUCCESS) {
                return line_failed(merge, apr_pstrcat(pool, ": ", err.text, NULL));
            }
            status = check_seed(merge, page->check);
            page->page.policy = policy;
            pages[(*n)++] = &page->page;
        }
        status = status == APR_SUCCESS ? line_step(merge) : status;
    }
    return status;
}

/* Counts all pages of a site in a store of their own. */
static apr_status_t pages_learn(merge_t *merge, tmpl_store_t *store, const char *site,
                                apr_pool_t *pool)
{
    /* nothing ages: the order is none of time */
    tmpl_policy_t policy = merge->ctl->options.clean.policy;
    const tmpl_observation_t *pages[BATCH];
    tmpl_error_t err;
    uint32_t n = BATCH;
    apr_pool_t *batch;
    apr_status_t status = APR_SUCCESS;
    policy.lifetime_tb = UINT32_MAX;
    apr_pool_create(&batch, pool);
    while (status == APR_SUCCESS && n == BATCH && !ctl_interrupted()) {
        apr_pool_clear(batch);
        status = lines_take(merge, site, &policy, pages, &n, batch);
        if (status == APR_SUCCESS && n > 0) {
            status = tmpl_store_learn(store, pages, n, CTL_STORE_TIMEOUT, NULL, &err, batch);
            status = status == APR_SUCCESS ? status : merge_failed(site, status, err.text);
        }
    }
    apr_pool_destroy(batch);
    return status;
}

/* The table of all pages of a site. */
static apr_status_t site_count(merge_t *merge, const char *site, tmpl_export_file_t *table,
                               apr_pool_t *pool)
{
    tmpl_store_t *store;
    tmpl_error_t err;
    apr_status_t status = tmpl_store_open(&store, "memory:", NULL, &err, pool);
    if (status == APR_SUCCESS) {
        status = pages_learn(merge, store, site, pool);
        if (status != APR_SUCCESS) {
            return status;
        }
        status = tmpl_export_file_fill(table, store, site, CTL_STORE_TIMEOUT, &err, pool);
    }
    if (status != APR_SUCCESS) {
        return merge_failed(site, status, err.text);
    }
    for (int i = 0; i < table->entries->nelts; i++) {
        APR_ARRAY_IDX(table->entries, i, tmpl_entry_t).value->last = table->head.pages;
    }
    return APR_SUCCESS;
}

/*
 * Drops what only learning needs: documents, and segments of one document. A frozen site's pages
 * get the same verdicts: a segment that is not known counts as one of the page's own.
 */
static void table_shrink(tmpl_export_file_t *table)
{
    tmpl_entry_t *entries = (tmpl_entry_t *)table->entries->elts;
    int kept = 0;
    for (int i = 0; i < table->entries->nelts; i++) {
        tmpl_kind_e kind = entries[i].key.kind;
        if (kind == TMPL_KIND_PATH || (kind == TMPL_KIND_SEGMENT && entries[i].value->df > 1)) {
            entries[kept++] = entries[i];
        }
    }
    table->entries->nelts = kept;
}

/* Writes the table of a site. */
static apr_status_t site_write(merge_t *merge, const char *site, const tmpl_export_file_t *table,
                               apr_pool_t *pool)
{
    tmpl_error_t err;
    tmpl_store_t *out = merge->out.store;
    apr_status_t status = APR_SUCCESS;
    if (!merge->secret_taken && merge->ctl->options.clean.page.seed == 0) {
        status = tmpl_store_take_secret(out, merge->secret, &err, pool);
        merge->secret_taken = status == APR_SUCCESS;
    }
    if (status == APR_SUCCESS) {
        status = tmpl_export_file_import(table, out, site, &err, pool);
    }
    if (status == APR_SUCCESS && (merge->ctl->options.freeze || merge->ctl->options.lean)) {
        status = tmpl_store_freeze(out, site, 1, &err, pool);
    }
    merge->n_sites += status == APR_SUCCESS;
    return status == APR_SUCCESS ? status
                                 : merge_failed(merge->ctl->options.store, status, err.text);
}

static apr_status_t site_merge(merge_t *merge, const char *site, apr_pool_t *pool)
{
    tmpl_export_file_t table = { 0 };
    apr_status_t status = site_count(merge, site, &table, pool);
    if (status != APR_SUCCESS || ctl_interrupted()) {
        return status != APR_SUCCESS ? status : APR_EINTR;
    }
    if (merge->ctl->options.lean) {
        table_shrink(&table);
    }
    return site_write(merge, site, &table, pool);
}

/* Merges all sites, in the order of lines, so that the file is read once. */
static apr_status_t sites_merge(merge_t *merge)
{
    apr_pool_t *pool;
    apr_status_t status = APR_SUCCESS;
    apr_pool_create(&pool, merge->ctl->pool);
    while (status == APR_SUCCESS && !ctl_interrupted() && !merge->ended) {
        size_t len = strcspn(merge->line, "\t");
        ctl_progress("merging: %d sites, %" APR_UINT64_T_FMT " lines", merge->n_sites,
                     merge->number);
        status = merge->line[len] == '\0'
                     ? line_failed(merge, ": no keys of a page")
                     : site_merge(merge, apr_pstrmemdup(pool, merge->line, len), pool);
        apr_pool_clear(pool);
    }
    ctl_progress_end();
    apr_pool_destroy(pool);
    return status;
}

int ctl_merge(ctl_t *ctl)
{
    merge_t merge = { .ctl = ctl, .name = APR_ARRAY_IDX(ctl->args, 0, const char *) };
    int code = ctl_store_uri(&ctl->options.store, ctl);
    if (code != CTL_OK) {
        return code;
    }
    ctl_interrupt_catch();
    merge.file = merge.name == CTL_STDIN ? stdin : fopen(merge.name, "re");
    if (merge.file == NULL) {
        merge_failed(merge.name, APR_EGENERAL, strerror(errno));
        return CTL_FAILED;
    }
    apr_status_t status = line_step(&merge);
    if (status == APR_SUCCESS) {
        status = ctl_store_open(&merge.out, ctl);
    }
    if (status == APR_SUCCESS) {
        status = sites_merge(&merge);
        ctl_store_close(&merge.out);
    }
    fclose(merge.file);
    free(merge.line);
    free(merge.before);
    if (status == APR_SUCCESS && !ctl_interrupted()) {
        printf("%d site%s merged\n", merge.n_sites, merge.n_sites == 1 ? "" : "s");
        return CTL_OK;
    }
    return CTL_FAILED;
}
