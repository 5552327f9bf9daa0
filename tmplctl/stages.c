/* SPDX-License-Identifier: Apache-2.0 */
#include "stages.h"

#include <string.h>

#include <apr_queue.h>
#include <apr_thread_cond.h>
#include <apr_thread_mutex.h>
#include <apr_thread_proc.h>

#include "ctl.h"

typedef struct run_t run_t;

/* A place that one item after the other takes. */
typedef struct {
    run_t *run;
    ctl_stage_f *stage; /* what the next task does */
    int idle;           /* no task has it; the run's lock guards it */
    ctl_item_t item;
} place_t;

struct run_t {
    const ctl_stages_t *stages;
    const ctl_work_t *work;
    place_t *places;
    int n_places;
    const ctl_item_t **batch;
    apr_queue_t *tasks; /* place_t; NULL: the caller's thread does all */
    apr_thread_t **threads;
    int n_threads;
    apr_thread_mutex_t *lock;
    apr_thread_cond_t *idled; /* the place awaited has become idle */
    const place_t *awaited;   /* by the caller's thread, under lock */
};

static place_t *place_of(run_t *run, int index)
{
    return &run->places[index % run->n_places];
}

static void do_task(place_t *place)
{
    run_t *run = place->run;
    place->stage(run->work->baton, &place->item);
    apr_thread_mutex_lock(run->lock);
    place->idle = 1;
    if (run->awaited == place) {
        apr_thread_cond_signal(run->idled);
    }
    apr_thread_mutex_unlock(run->lock);
}

/* Until the queue is closed. A queue may say EINTR when nothing has happened. */
static void *APR_THREAD_FUNC do_tasks(apr_thread_t *thread, void *data)
{
    const run_t *run = data;
    apr_status_t status;
    (void)thread;
    do {
        void *place;
        status = apr_queue_pop(run->tasks, &place);
        if (status == APR_SUCCESS) {
            do_task(place);
        }
    } while (status == APR_SUCCESS || status == APR_EINTR);
    return NULL;
}

static void start(place_t *place, ctl_stage_f *stage)
{
    apr_queue_t *tasks = place->run->tasks;
    apr_status_t status;
    place->stage = stage;
    place->idle = 0;
    do {
        status = tasks != NULL ? apr_queue_push(tasks, place) : APR_ENOTIMPL;
    } while (status == APR_EINTR);
    if (status != APR_SUCCESS) {
        do_task(place);
    }
}

static int is_idle(run_t *run, int index)
{
    apr_thread_mutex_lock(run->lock);
    int idle = place_of(run, index)->idle;
    apr_thread_mutex_unlock(run->lock);
    return idle;
}

static void wait_for(run_t *run, int index)
{
    const place_t *place = place_of(run, index);
    apr_thread_mutex_lock(run->lock);
    run->awaited = place;
    while (!place->idle) {
        apr_thread_cond_wait(run->idled, run->lock);
    }
    run->awaited = NULL;
    apr_thread_mutex_unlock(run->lock);
}

static void begin(run_t *run, int index)
{
    place_t *place = place_of(run, index);
    place->item.index = index;
    memset(place->item.state, 0, run->stages->size);
    start(place, run->stages->prepare);
}

/* Counts the items from the first up to before, as many as are ready and at least one; returns how many. */
static int count(run_t *run, int first, int before)
{
    int n = 0;
    wait_for(run, first);
    do {
        run->batch[n] = &place_of(run, first + n)->item;
        n++;
    } while (first + n < before && n < run->work->batch && is_idle(run, first + n));
    run->stages->count(run->work->baton, run->batch, n);
    for (int i = 0; i < n; i++) {
        start(place_of(run, first + i), run->stages->finish);
    }
    return n;
}

static void report(run_t *run, int index)
{
    place_t *place = place_of(run, index);
    run->stages->report(run->work->baton, &place->item);
    apr_pool_clear(place->item.pool);
}

static void run_all(run_t *run, int n)
{
    int begun = 0, counted = 0, reported = 0;
    for (;;) {
        while (begun < n && begun - reported < run->n_places && run->work->more(run->work->baton)) {
            begin(run, begun++);
        }
        if (counted < begun) {
            counted += count(run, counted, begun);
        }
        if (reported == begun) {
            return;
        }
        /* waits only if there is nothing to count, which is what threads without work wait for */
        if (counted == begun) {
            wait_for(run, reported);
        }
        while (reported < counted && is_idle(run, reported)) {
            report(run, reported++);
        }
    }
}

/* Pools of their own, for several threads fill them at once. */
static apr_status_t make_places(run_t *run, apr_pool_t *pool)
{
    run->places = apr_pcalloc(pool, (apr_size_t)run->n_places * sizeof(*run->places));
    run->batch = apr_palloc(pool, (apr_size_t)run->work->batch * sizeof(const ctl_item_t *));
    for (int i = 0; i < run->n_places; i++) {
        apr_allocator_t *allocator;
        apr_status_t status = apr_allocator_create(&allocator);
        if (status == APR_SUCCESS) {
            apr_allocator_max_free_set(allocator, CTL_POOL_KEEPS);
            status = apr_pool_create_ex(&run->places[i].item.pool, pool, NULL, allocator);
        }
        if (status != APR_SUCCESS) {
            return status;
        }
        apr_allocator_owner_set(allocator, run->places[i].item.pool);
        run->places[i].run = run;
        run->places[i].idle = 1;
        run->places[i].item.state = apr_palloc(pool, run->stages->size);
    }
    return APR_SUCCESS;
}

static apr_status_t start_threads(run_t *run, apr_pool_t *pool)
{
    int n = run->work->jobs;
    apr_status_t status = apr_queue_create(&run->tasks, (unsigned)run->n_places, pool);
    run->threads = apr_palloc(pool, (apr_size_t)n * sizeof(apr_thread_t *));
    while (status == APR_SUCCESS && run->n_threads < n) {
        status = apr_thread_create(&run->threads[run->n_threads], NULL, do_tasks, run, pool);
        run->n_threads += status == APR_SUCCESS;
    }
    return status;
}

static void end_threads(run_t *run)
{
    apr_status_t status;
    if (run->tasks != NULL) {
        apr_queue_term(run->tasks);
    }
    for (int i = 0; i < run->n_threads; i++) {
        apr_thread_join(&status, run->threads[i]);
    }
}

apr_status_t ctl_stages_run(const ctl_stages_t *stages, const ctl_work_t *work, int n,
                            apr_pool_t *pool)
{
    int ahead = work->jobs > 1 ? 2 * work->jobs : 0;
    run_t run = { .stages = stages, .work = work, .n_places = ahead + work->batch };
    apr_pool_t *own;
    apr_pool_create(&own, pool);
    apr_status_t status = make_places(&run, own);
    if (status == APR_SUCCESS) {
        status = apr_thread_mutex_create(&run.lock, APR_THREAD_MUTEX_DEFAULT, own);
    }
    if (status == APR_SUCCESS) {
        status = apr_thread_cond_create(&run.idled, own);
    }
    if (status == APR_SUCCESS && work->jobs > 1) {
        status = start_threads(&run, own);
    }
    if (status == APR_SUCCESS) {
        run_all(&run, n);
    }
    end_threads(&run);
    apr_pool_destroy(own);
    return status;
}
