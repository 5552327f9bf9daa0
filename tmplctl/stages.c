/* SPDX-License-Identifier: Apache-2.0 */
#include "stages.h"

#include <string.h>

#include <apr_atomic.h>
#include <apr_thread_proc.h>

#include "files.h"

/* Pages that a store learns at once. */
#define BATCH 32

/* Items of a part: enough that threads do not wait for long for the last one. */
#define PART_MOST(jobs) (4 * (jobs) + 32)

/* The part of the items that is in flight, and what threads do with it. */
typedef struct {
    ctl_run_t *run;
    ctl_stage_f *stage;
    ctl_item_t **items;
    uint32_t n;
    volatile apr_uint32_t next; /* the item that the next idle thread takes */
} stages_part_t;

/* --- what is done with a page --- */

static void item_read(ctl_run_t *run, ctl_item_t *item)
{
    run->stages->read(run, item);
    if (!item->is_page) {
        return;
    }
    item->input.learn = run->learns ? TMPL_LEARNING_NOW : TMPL_LEARNING_OFF;
    item->parsed = tmpl_clean_read(&item->outcome, &item->input, &run->opts, item->pool);
    if (item->parsed) {
        tmpl_clean_observe(&item->outcome, &item->input, &run->opts, item->pool);
    }
    item->outcome.store_error = run->store.failed;
    /* look-ups may happen in any order: only learning changes what others see */
    if (item->parsed && !run->learns && run->opts.mode != TMPL_MODE_LEARN &&
        run->store.failed.status == APR_SUCCESS) {
        tmpl_clean_count(&item->outcome, run->store.store, CTL_STORE_TIMEOUT, item->pool);
    }
}

static void item_write(ctl_run_t *run, ctl_item_t *item)
{
    if (item->parsed && run->opts.mode != TMPL_MODE_LEARN) {
        tmpl_clean_decide(&item->outcome, &run->opts, item->pool);
    }
    if (item->is_page && run->judges) {
        item->page.input = &item->input;
        item->page.outcome = &item->outcome;
        item->page.opts = &run->opts;
        run->mode->render(&item->rendered, &item->page, item->pool);
    }
    run->stages->write(run, item);
}

static void item_report(ctl_run_t *run, ctl_item_t *item)
{
    const tmpl_error_t *err = &item->outcome.store_error;
    /* the first failure only: a store that is down fails for every page */
    if (err->status != APR_SUCCESS && run->counts.store_failures++ == 0) {
        ctl_say("%s: store: %s", item->page.path, err->text);
    }
    run->counts.learnt += !run->judges && item->parsed && err->status == APR_SUCCESS &&
                          item->outcome.decline == TMPL_DECLINE_NONE;
    run->stages->report(run, item);
}

/* Learns pages of any sites, of which nothing else is asked. */
static void outcomes_learn(const ctl_run_t *run, tmpl_outcome_t **outcomes, uint32_t n,
                           apr_pool_t *pool)
{
    const tmpl_observation_t *pages[BATCH];
    tmpl_error_t err;
    for (uint32_t i = 0; i < n; i++) {
        pages[i] = &outcomes[i]->observation;
    }
    if (tmpl_store_learn(run->store.store, pages, n, CTL_STORE_TIMEOUT, NULL, &err, pool) !=
        APR_SUCCESS) {
        for (uint32_t i = 0; i < n; i++) {
            outcomes[i]->store_error = err;
        }
    }
}

/* Learns pages, those of one site that follow each other at once. */
static void items_learn(const ctl_run_t *run, ctl_item_t *const *items, uint32_t n)
{
    tmpl_outcome_t *outcomes[BATCH];
    uint32_t n_parsed = 0, begin = 0;
    /* items are reported in order: the last one's pool outlives the others */
    apr_pool_t *pool = items[n - 1]->pool;
    for (uint32_t i = 0; i < n; i++) {
        if (items[i]->parsed && items[i]->outcome.decline == TMPL_DECLINE_NONE) {
            outcomes[n_parsed++] = &items[i]->outcome;
        }
    }
    if (n_parsed > 0 && run->opts.mode == TMPL_MODE_LEARN) {
        outcomes_learn(run, outcomes, n_parsed, pool);
        return;
    }
    for (uint32_t i = 1; i <= n_parsed; i++) {
        if (i == n_parsed ||
            strcmp(outcomes[i]->observation.site, outcomes[begin]->observation.site) != 0) {
            tmpl_clean_count_many(outcomes + begin, i - begin, run->store.store, CTL_STORE_TIMEOUT,
                                  pool);
            begin = i;
        }
    }
}

/* --- parts --- */

/* Does the stage for items until there are no more. */
static void *APR_THREAD_FUNC do_items(apr_thread_t *thread, void *data)
{
    stages_part_t *part = data;
    (void)thread;
    for (uint32_t i; (i = apr_atomic_inc32(&part->next)) < part->n;) {
        part->stage(part->run, part->items[i]);
    }
    return NULL;
}

/* Does a stage for all items of the part; if the system has no more threads, with fewer of them. */
static void do_stage(stages_part_t *part, apr_pool_t *pool)
{
    apr_thread_t *threads[CTL_JOBS_MOST];
    int n = 0;
    apr_status_t status;
    apr_atomic_set32(&part->next, 0);
    while (n + 1 < (int)part->run->ctl->options.jobs && n + 1 < (int)part->n &&
           apr_thread_create(&threads[n], NULL, do_items, part, pool) == APR_SUCCESS) {
        n++;
    }
    do_items(NULL, part);
    while (n > 0) {
        apr_thread_join(&status, threads[--n]);
    }
}

/* Each item's pool has an allocator of its own, because threads use pools at the same time. */
static apr_status_t make_items(stages_part_t *part, uint32_t most, apr_pool_t *pool)
{
    part->items = apr_palloc(pool, most * sizeof(*part->items));
    for (uint32_t i = 0; i < most; i++) {
        ctl_item_t *item = apr_palloc(pool, part->run->stages->size);
        apr_allocator_t *allocator;
        apr_status_t status = apr_allocator_create(&allocator);
        if (status == APR_SUCCESS) {
            apr_allocator_max_free_set(allocator, CTL_POOL_KEEPS);
            status = apr_pool_create_ex(&item->pool, pool, NULL, allocator);
        }
        if (status != APR_SUCCESS) {
            return status;
        }
        apr_allocator_owner_set(allocator, item->pool);
        part->items[i] = item;
    }
    return APR_SUCCESS;
}

/* Fills the next part with items from first up to n. Returns 0 if it is the last part. */
static int fill_part(stages_part_t *part, uint32_t most, int *first, int n)
{
    const ctl_stages_t *stages = part->run->stages;
    for (part->n = 0; part->n < most && *first < n;) {
        ctl_item_t *item = part->items[part->n];
        apr_pool_t *pool = item->pool;
        memset(item, 0, stages->size);
        item->index = *first;
        item->pool = pool;
        int took = stages->take != NULL ? stages->take(part->run, item) : CTL_TAKE_ITEM;
        if (took == CTL_TAKE_NONE || took == CTL_TAKE_STOP) {
            return took == CTL_TAKE_STOP;
        }
        part->n++;
        (*first)++;
        if (took == CTL_TAKE_LAST) {
            break;
        }
    }
    return *first < n;
}

static void do_part(stages_part_t *part, apr_pool_t *pool)
{
    ctl_run_t *run = part->run;
    part->stage = item_read;
    do_stage(part, pool);
    if (run->learns && run->store.failed.status == APR_SUCCESS) {
        for (uint32_t i = 0; i < part->n; i += BATCH) {
            items_learn(run, part->items + i, part->n - i < BATCH ? part->n - i : BATCH);
        }
    }
    part->stage = item_write;
    do_stage(part, pool);
    for (uint32_t i = 0; i < part->n; i++) {
        item_report(run, part->items[i]);
        apr_pool_clear(part->items[i]->pool);
    }
}

/* --- passes --- */

static int goes_on(ctl_run_t *run)
{
    return !ctl_interrupted() && (run->stages->more == NULL || run->stages->more(run));
}

apr_status_t ctl_run_pass(ctl_run_t *run, int learns, int judges, int n)
{
    stages_part_t part = { .run = run };
    int jobs = (int)run->ctl->options.jobs;
    uint32_t most = (uint32_t)(jobs > 1 ? PART_MOST(jobs) : 1);
    apr_pool_t *own, *scratch;
    run->learns = learns;
    run->judges = judges;
    run->opts = run->ctl->options.clean;
    run->opts.mode = judges ? run->mode->mode : TMPL_MODE_LEARN;
    most = learns && most < BATCH ? BATCH : most;
    apr_pool_create(&own, run->ctl->pool);
    apr_pool_create(&scratch, own);
    apr_status_t status = make_items(&part, most, own);
    int are_more = n > 0;
    for (int first = 0; status == APR_SUCCESS && are_more && goes_on(run);) {
        are_more = fill_part(&part, most, &first, n);
        do_part(&part, scratch);
        apr_pool_clear(scratch);
    }
    ctl_progress_end();
    if (status != APR_SUCCESS) {
        ctl_say("%s: --jobs %d: %s", run->ctl->command->name, jobs,
                ctl_error_text(status, run->ctl->pool));
    }
    apr_pool_destroy(own);
    return status;
}

void ctl_run_count(ctl_run_t *run, const ctl_item_t *item)
{
    ctl_counts_t *counts = &run->counts;
    counts->pages++;
    counts->edited += item->rendered.edited;
    counts->lost += item->rendered.lost != NULL;
    counts->declined[item->outcome.decline]++;
    counts->bytes_in += (long long)item->input.len;
    counts->bytes_out += item->rendered.lost == NULL ? (long long)item->rendered.len : 0;
}
