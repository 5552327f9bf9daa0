/* SPDX-License-Identifier: Apache-2.0 */
#include "stages.h"

#include <string.h>

#include <apr_atomic.h>
#include <apr_thread_proc.h>

#include "ctl.h"

/* The part of the items that is in flight, and what threads do with it. */
typedef struct {
    const ctl_work_t *work;
    ctl_stage_f *stage;
    ctl_item_t *items;
    const ctl_item_t **order; /* pointers to them, for count */
    uint32_t n;
    volatile apr_uint32_t next; /* the item that the next idle thread takes */
} stages_part_t;

/* Does the stage for items until there are no more. */
static void *APR_THREAD_FUNC do_items(apr_thread_t *thread, void *data)
{
    stages_part_t *part = data;
    (void)thread;
    for (uint32_t i; (i = apr_atomic_inc32(&part->next)) < part->n;) {
        part->stage(part->work->baton, &part->items[i]);
    }
    return NULL;
}

/* Does a stage for all items of the part; if the system has no more threads, with fewer of them. */
static void do_stage(stages_part_t *part, ctl_stage_f *stage, apr_pool_t *pool)
{
    apr_thread_t *threads[CTL_JOBS_MOST];
    int n = 0;
    apr_status_t status;
    part->stage = stage;
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
static apr_status_t make_items(stages_part_t *part, uint32_t most, apr_size_t size,
                               apr_pool_t *pool)
{
    part->items = apr_pcalloc(pool, most * sizeof(*part->items));
    part->order = apr_palloc(pool, most * sizeof(const ctl_item_t *));
    for (uint32_t i = 0; i < most; i++) {
        ctl_item_t *item = &part->items[i];
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
        item->state = apr_palloc(pool, size);
        part->order[i] = item;
    }
    return APR_SUCCESS;
}

/*
 * Fills the next part with items from first up to n. Returns 0 if it is the last part. A state
 * is zero before anybody sees it.
 */
static int fill_part(stages_part_t *part, const ctl_stages_t *stages, uint32_t most, int *first,
                     int n)
{
    for (part->n = 0; part->n < most && *first < n;) {
        ctl_item_t *item = &part->items[part->n];
        item->index = *first;
        memset(item->state, 0, stages->size);
        int took = stages->take != NULL ? stages->take(part->work->baton, item) : CTL_TAKE_ITEM;
        if (took == CTL_TAKE_NONE) {
            return 0;
        }
        part->n++;
        (*first)++;
        if (took == CTL_TAKE_LAST) {
            break;
        }
    }
    return *first < n;
}

apr_status_t ctl_stages_run(const ctl_stages_t *stages, const ctl_work_t *work, int n,
                            apr_pool_t *pool)
{
    stages_part_t part = { .work = work };
    uint32_t most = (uint32_t)(work->jobs > 1 ? CTL_PART_MOST(work->jobs) : 1);
    apr_pool_t *own, *scratch;
    most = most > (uint32_t)work->batch ? most : (uint32_t)work->batch;
    apr_pool_create(&own, pool);
    apr_pool_create(&scratch, own);
    apr_status_t status = make_items(&part, most, stages->size, own);
    int are_more = n > 0;
    for (int first = 0; status == APR_SUCCESS && are_more && work->more(work->baton);) {
        are_more = fill_part(&part, stages, most, &first, n);
        do_stage(&part, stages->prepare, scratch);
        for (uint32_t i = 0; i < part.n; i += (uint32_t)work->batch) {
            int left = (int)(part.n - i);
            stages->count(work->baton, &part.order[i], left < work->batch ? left : work->batch);
        }
        do_stage(&part, stages->finish, scratch);
        for (uint32_t i = 0; i < part.n; i++) {
            stages->report(work->baton, &part.items[i]);
            apr_pool_clear(part.items[i].pool);
        }
        apr_pool_clear(scratch);
    }
    apr_pool_destroy(own);
    return status;
}
