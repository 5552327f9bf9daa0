/* SPDX-License-Identifier: Apache-2.0 */
#include "stages.h"

#include <string.h>

#include <apr_atomic.h>
#include <apr_thread_proc.h>

/* Pages that a store learns at once. */
#define BATCH 32

/* Items of a part: enough that threads do not wait for long for the last one. */
#define PART_MOST(jobs) (4 * (jobs) + 32)

/* The part of the items that is in flight, and what threads do with it. */
typedef struct {
    const ctl_stages_t *stages;
    const ctl_work_t *work;
    void (*stage)(const ctl_stages_t *stages, const ctl_work_t *work, ctl_item_t *item);
    ctl_item_t **items;
    uint32_t n;
    volatile apr_uint32_t next; /* the item that the next idle thread takes */
} stages_part_t;

/* --- what is done with a page --- */

static void item_read(const ctl_stages_t *stages, const ctl_work_t *work, ctl_item_t *item)
{
    const tmpl_clean_opts_t *opts = work->opts;
    stages->read(work->baton, item);
    if (!item->is_page) {
        return;
    }
    item->input.learn = work->learns ? TMPL_LEARNING_NOW : TMPL_LEARNING_OFF;
    item->parsed = tmpl_clean_read(&item->outcome, &item->input, opts, item->pool);
    if (item->parsed) {
        tmpl_clean_observe(&item->outcome, &item->input, opts, item->pool);
    }
    item->outcome.store_error = work->store->failed;
    /* look-ups may happen in any order: only learning changes what others see */
    if (item->parsed && !work->learns && opts->mode != TMPL_MODE_LEARN &&
        work->store->failed.status == APR_SUCCESS) {
        tmpl_clean_count(&item->outcome, work->store->store, CTL_STORE_TIMEOUT, item->pool);
    }
}

static void item_write(const ctl_stages_t *stages, const ctl_work_t *work, ctl_item_t *item)
{
    if (item->parsed && work->opts->mode != TMPL_MODE_LEARN) {
        tmpl_clean_decide(&item->outcome, work->opts, item->pool);
    }
    stages->write(work->baton, item);
}

/* Learns pages of any sites, of which nothing else is asked. */
static void outcomes_learn(const ctl_work_t *work, tmpl_outcome_t **outcomes, uint32_t n,
                           apr_pool_t *pool)
{
    const tmpl_observation_t *pages[BATCH];
    tmpl_error_t err;
    for (uint32_t i = 0; i < n; i++) {
        pages[i] = &outcomes[i]->observation;
    }
    if (tmpl_store_learn(work->store->store, pages, n, CTL_STORE_TIMEOUT, NULL, &err, pool) !=
        APR_SUCCESS) {
        for (uint32_t i = 0; i < n; i++) {
            outcomes[i]->store_error = err;
        }
    }
}

/* Learns pages, those of one site that follow each other at once. */
static void items_learn(const ctl_work_t *work, ctl_item_t *const *items, uint32_t n)
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
    if (n_parsed > 0 && work->opts->mode == TMPL_MODE_LEARN) {
        outcomes_learn(work, outcomes, n_parsed, pool);
        return;
    }
    for (uint32_t i = 1; i <= n_parsed; i++) {
        if (i == n_parsed ||
            strcmp(outcomes[i]->observation.site, outcomes[begin]->observation.site) != 0) {
            tmpl_clean_count_many(outcomes + begin, i - begin, work->store->store,
                                  CTL_STORE_TIMEOUT, pool);
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
        part->stage(part->stages, part->work, part->items[i]);
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
    while (n + 1 < part->work->jobs && n + 1 < (int)part->n &&
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
        ctl_item_t *item = apr_palloc(pool, part->stages->size);
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
    const ctl_stages_t *stages = part->stages;
    for (part->n = 0; part->n < most && *first < n;) {
        ctl_item_t *item = part->items[part->n];
        apr_pool_t *pool = item->pool;
        memset(item, 0, stages->size);
        item->index = *first;
        item->pool = pool;
        int took = stages->take != NULL ? stages->take(part->work->baton, item) : CTL_TAKE_ITEM;
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
    const ctl_work_t *work = part->work;
    part->stage = item_read;
    do_stage(part, pool);
    if (work->learns && work->store->failed.status == APR_SUCCESS) {
        for (uint32_t i = 0; i < part->n; i += BATCH) {
            items_learn(work, part->items + i, part->n - i < BATCH ? part->n - i : BATCH);
        }
    }
    part->stage = item_write;
    do_stage(part, pool);
    for (uint32_t i = 0; i < part->n; i++) {
        part->stages->report(work->baton, part->items[i]);
        apr_pool_clear(part->items[i]->pool);
    }
}

apr_status_t ctl_stages_run(const ctl_stages_t *stages, const ctl_work_t *work, int n,
                            apr_pool_t *pool)
{
    stages_part_t part = { .stages = stages, .work = work };
    uint32_t most = (uint32_t)(work->jobs > 1 ? PART_MOST(work->jobs) : 1);
    apr_pool_t *own, *scratch;
    most = work->learns && most < BATCH ? BATCH : most;
    apr_pool_create(&own, pool);
    apr_pool_create(&scratch, own);
    apr_status_t status = make_items(&part, most, own);
    int are_more = n > 0;
    for (int first = 0; status == APR_SUCCESS && are_more && work->more(work->baton);) {
        are_more = fill_part(&part, most, &first, n);
        do_part(&part, scratch);
        apr_pool_clear(scratch);
    }
    apr_pool_destroy(own);
    return status;
}
