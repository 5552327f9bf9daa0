/* SPDX-License-Identifier: Apache-2.0 */
/* tmplctl merge: files of keys become the tables of a store, site by site. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <apr_strings.h>

#include "ctl.h"
#include "interrupt.h"
#include "open_store.h"
#include "progress.h"
#include "table/export_file.h"
#include "table/keys_line.h"

#define BATCH 128 /* pages that are counted at once */

#define NO_TABLES                                                                                  \
    "a table: merge takes files of keys (clean -m keys); import replaces a table by an export"

/* A file of keys. */
typedef struct {
    const char *name;
    FILE *file;
    char *line, *before; /* the line at which it stands, and the one before */
    size_t line_room, before_room;
    apr_uint64_t number; /* of line */
    int ended;           /* there is no line any more */
} merge_input_t;

typedef struct {
    ctl_t *ctl;
    merge_input_t *inputs;
    int n;
    ctl_store_t out;
    const char *secret; /* that of the keys, without --secret; NULL: no line was read yet */
    int secret_taken;   /* the output has it */
    int n_sites;
} merge_t;

/* Prints that an input cannot be used. */
static apr_status_t input_failed(const char *name, apr_status_t status, const char *text)
{
    ctl_say("merge: %s: %s", name, text);
    return status;
}

/* Steps to the next line. Lines must ascend, because pages are counted in their order. */
static apr_status_t keys_step(merge_input_t *input)
{
    char *line = input->before;
    size_t room = input->before_room;
    input->before = input->line;
    input->before_room = input->line_room;
    errno = 0;
    ssize_t len = getline(&line, &room, input->file);
    input->line = line;
    input->line_room = room;
    input->ended = len < 0;
    if (input->ended) {
        return ferror(input->file) ? input_failed(input->name, APR_EGENERAL,
                                                  errno != 0 ? strerror(errno) : "cannot read")
                                   : APR_SUCCESS;
    }
    input->number++;
    line[strcspn(line, "\n")] = '\0';
    if (input->number > 1 && strcmp(input->before, line) > 0) {
        ctl_say("merge: %s: line %" APR_UINT64_T_FMT " is not in order: LC_ALL=C sort -u the file",
                input->name, input->number);
        return APR_EINVAL;
    }
    return APR_SUCCESS;
}

/* The file of keys whose line is the first in order; NULL: all have ended. */
static merge_input_t *keys_least(const merge_t *merge)
{
    merge_input_t *least = NULL;
    for (int i = 0; i < merge->n; i++) {
        merge_input_t *input = &merge->inputs[i];
        if (!input->ended && (least == NULL || strcmp(input->line, least->line) < 0)) {
            least = input;
        }
    }
    return least;
}

/* Compares the site of a line with a name, in the order of lines. */
static int line_order(const char *line, const char *site)
{
    size_t len = strcspn(line, "\t"), other = strlen(site);
    int order = memcmp(line, site, len < other ? len : other);
    return order != 0 ? order : (len > other) - (len < other);
}

/*
 * The store's secret seeded the keys, or --secret did, or none: check tells. Then the output must
 * have that secret, too.
 */
static apr_status_t check_seed(merge_t *merge, const merge_input_t *input, uint32_t check)
{
    tmpl_error_t err;
    uint64_t seed = merge->ctl->options.clean.page.seed;
    char is[TMPL_SECRET_SIZE];
    if (seed == 0 && merge->secret == NULL) {
        apr_status_t status =
            tmpl_store_secret(merge->out.store, is, CTL_STORE_TIMEOUT, &err, merge->ctl->pool);
        if (status != APR_SUCCESS) {
            return input_failed(merge->ctl->options.out, status, err.text);
        }
        int fits = tmpl_keys_check(tmpl_seed(is)) == check;
        merge->secret = fits ? apr_pstrdup(merge->ctl->pool, is) : "";
    }
    if (tmpl_keys_check(seed != 0 ? seed : tmpl_seed(merge->secret)) == check) {
        return APR_SUCCESS;
    }
    ctl_say("merge: %s: line %" APR_UINT64_T_FMT
            ": the keys were made with another secret%s%s: name it by --secret, or make the keys "
            "with --store",
            input->name, input->number, seed == 0 ? " than the table of " : "",
            seed == 0 ? merge->ctl->options.out : "");
    return APR_EINVAL;
}

/* Takes the pages of one site, BATCH at most; equal lines are one page. */
static apr_status_t lines_take(merge_t *merge, const char *site, const tmpl_policy_t *policy,
                               const tmpl_observation_t **pages, uint32_t *n, apr_pool_t *pool)
{
    const char *before = NULL;
    tmpl_error_t err;
    for (*n = 0; *n < BATCH;) {
        merge_input_t *input = keys_least(merge);
        if (input == NULL || line_order(input->line, site) != 0) {
            return APR_SUCCESS;
        }
        if (before == NULL || strcmp(input->line, before) != 0) {
            tmpl_keys_page_t *page = apr_palloc(pool, sizeof(*page));
            before = apr_pstrdup(pool, input->line);
            if (tmpl_keys_line_read(page, before, &err, pool) != APR_SUCCESS) {
                ctl_say("merge: %s: line %" APR_UINT64_T_FMT ": %s", input->name, input->number,
                        err.text);
                return err.status;
            }
            apr_status_t status = check_seed(merge, input, page->check);
            if (status != APR_SUCCESS) {
                return status;
            }
            page->page.policy = policy;
            pages[(*n)++] = &page->page;
        }
        apr_status_t status = keys_step(input);
        if (status != APR_SUCCESS) {
            return status;
        }
    }
    return APR_SUCCESS;
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
            status = status == APR_SUCCESS ? status : input_failed(site, status, err.text);
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
        return input_failed(site, status, err.text);
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
    return status == APR_SUCCESS ? status : input_failed(merge->ctl->options.out, status, err.text);
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

/* Merges all sites, in the order of lines, so that files are read once. */
static apr_status_t sites_merge(merge_t *merge)
{
    apr_pool_t *pool;
    apr_status_t status = APR_SUCCESS;
    const merge_input_t *keys;
    apr_pool_create(&pool, merge->ctl->pool);
    while (status == APR_SUCCESS && !ctl_interrupted() && (keys = keys_least(merge)) != NULL) {
        status =
            site_merge(merge, apr_pstrmemdup(pool, keys->line, strcspn(keys->line, "\t")), pool);
        apr_pool_clear(pool);
    }
    apr_pool_destroy(pool);
    return status;
}

/* Opens a file, and reads its first line. An export is JSON; keys begin with the name of a site. */
static apr_status_t input_take(merge_input_t *input, apr_pool_t *pool)
{
    tmpl_error_t err;
    if (tmpl_store_check_uri(input->name, &err, pool) == APR_SUCCESS) {
        return input_failed(input->name, APR_EINVAL, NO_TABLES);
    }
    input->file = input->name == CTL_STDIN ? stdin : fopen(input->name, "re");
    if (input->file == NULL) {
        return input_failed(input->name, APR_FROM_OS_ERROR(errno), strerror(errno));
    }
    int first = getc(input->file);
    ungetc(first, input->file);
    return first == '{' ? input_failed(input->name, APR_EINVAL, NO_TABLES) : keys_step(input);
}

static apr_status_t inputs_take(merge_t *merge)
{
    apr_status_t status = APR_SUCCESS;
    for (int i = 0; status == APR_SUCCESS && i < merge->ctl->args->nelts; i++) {
        merge_input_t *input = &merge->inputs[merge->n++];
        input->name = APR_ARRAY_IDX(merge->ctl->args, i, const char *);
        status = input_take(input, merge->ctl->pool);
    }
    return status;
}

static void inputs_close(merge_t *merge)
{
    for (int i = 0; i < merge->n; i++) {
        if (merge->inputs[i].file != NULL) {
            fclose(merge->inputs[i].file);
        }
        free(merge->inputs[i].line);
        free(merge->inputs[i].before);
    }
}

/* All inputs are open at once: as many files as the system allows. */
static void allow_files(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

int ctl_merge(ctl_t *ctl)
{
    merge_t merge = { .ctl = ctl };
    apr_size_t n = (apr_size_t)ctl->args->nelts;
    merge.inputs = apr_pcalloc(ctl->pool, n * sizeof(*merge.inputs));
    ctl_interrupt_catch();
    allow_files();
    apr_status_t status = inputs_take(&merge);
    if (status == APR_SUCCESS) {
        status = ctl_store_open_at(&merge.out, ctl->options.out, ctl);
    }
    if (status == APR_SUCCESS) {
        status = sites_merge(&merge);
        ctl_store_close(&merge.out);
    }
    inputs_close(&merge);
    if (status == APR_SUCCESS && !ctl_interrupted()) {
        printf("%d site%s merged\n", merge.n_sites, merge.n_sites == 1 ? "" : "s");
        return CTL_OK;
    }
    return CTL_FAILED;
}
