/* SPDX-License-Identifier: Apache-2.0 */
#include "stages.h"

#include <string.h>

#include <apr_queue.h>
#include <apr_thread_cond.h>
#include <apr_thread_mutex.h>
#include <apr_thread_proc.h>

#include "ctl.h"

typedef struct run_t run_t;

/* An item and what a thread is to do with it. A finished item's task is used again. */
typedef struct {
    run_t *run;
    ctl_stage_f *stage;
    int idle; /* neither queued nor running; guarded by the run's lock */
    ctl_item_t item;
} task_t;

struct run_t {
    const ctl_stages_t *stages;
    const ctl_work_t *work;
    task_t *tasks; /* item i uses tasks[i % n_tasks] */
    int n_tasks;
    const ctl_item_t **batch;
    apr_queue_t *queue; /* task_t; NULL: the caller's thread does all */
    apr_thread_t **threads;
    int n_threads;
    apr_thread_mutex_t *lock;
    apr_thread_cond_t *idled; /* the awaited task has become idle */
    const task_t *awaited;    /* by the caller's thread; guarded by lock */
};

static task_t *task_of(run_t *run, int index)
{
    return &run->tasks[index % run->n_tasks];
}

static void do_task(task_t *task)
{
    run_t *run = task->run;
    task->stage(run->work->baton, &task->item);
    apr_thread_mutex_lock(run->lock);
    task->idle = 1;
    if (run->awaited == task) {
        apr_thread_cond_signal(run->idled);
    }
    apr_thread_mutex_unlock(run->lock);
}

/* Runs until the queue is closed. apr_queue_pop returns APR_EINTR for spurious wake-ups, too. */
static void *APR_THREAD_FUNC do_tasks(apr_thread_t *thread, void *data)
{
    const run_t *run = data;
    apr_status_t status;
    (void)thread;
    do {
        void *task;
        status = apr_queue_pop(run->queue, &task);
        if (status == APR_SUCCESS) {
            do_task(task);
        }
    } while (status == APR_SUCCESS || status == APR_EINTR);
    return NULL;
}

static void start(task_t *task, ctl_stage_f *stage)
{
    apr_queue_t *queue = task->run->queue;
    apr_status_t status;
    task->stage = stage;
    task->idle = 0;
    do {
        status = queue != NULL ? apr_queue_push(queue, task) : APR_ENOTIMPL;
    } while (status == APR_EINTR);
    if (status != APR_SUCCESS) {
        do_task(task);
    }
}

static int is_idle(run_t *run, int index)
{
    apr_thread_mutex_lock(run->lock);
    int idle = task_of(run, index)->idle;
    apr_thread_mutex_unlock(run->lock);
    return idle;
}

static void wait_for(run_t *run, int index)
{
    const task_t *task = task_of(run, index);
    apr_thread_mutex_lock(run->lock);
    run->awaited = task;
    while (!task->idle) {
        apr_thread_cond_wait(run->idled, run->lock);
    }
    run->awaited = NULL;
    apr_thread_mutex_unlock(run->lock);
}

static void begin(run_t *run, int index)
{
    task_t *task = task_of(run, index);
    task->item.index = index;
    memset(task->item.state, 0, run->stages->size);
    start(task, run->stages->prepare);
}

/* Counts prepared items of [first, end) in their order, at least one. Returns their number. */
static int count(run_t *run, int first, int end)
{
    int n = 0;
    wait_for(run, first);
    do {
        run->batch[n] = &task_of(run, first + n)->item;
        n++;
    } while (first + n < end && n < run->work->batch && is_idle(run, first + n));
    run->stages->count(run->work->baton, run->batch, n);
    for (int i = 0; i < n; i++) {
        start(task_of(run, first + i), run->stages->finish);
    }
    return n;
}

static void report(run_t *run, int index)
{
    task_t *task = task_of(run, index);
    run->stages->report(run->work->baton, &task->item);
    apr_pool_clear(task->item.pool);
}

static void run_all(run_t *run, int n)
{
    int begun = 0, counted = 0, reported = 0;
    for (;;) {
        while (begun < n && begun - reported < run->n_tasks && run->work->more(run->work->baton)) {
            begin(run, begun++);
        }
        if (counted < begun) {
            counted += count(run, counted, begun);
        }
        if (reported == begun) {
            return;
        }
        /* counting comes first: idle threads wait for counted items */
        if (counted == begun) {
            wait_for(run, reported);
        }
        while (reported < counted && is_idle(run, reported)) {
            report(run, reported++);
        }
    }
}

/* Each task's pool has an allocator of its own, because threads use pools at the same time. */
static apr_status_t make_tasks(run_t *run, apr_pool_t *pool)
{
    run->tasks = apr_pcalloc(pool, (apr_size_t)run->n_tasks * sizeof(*run->tasks));
    run->batch = apr_palloc(pool, (apr_size_t)run->work->batch * sizeof(const ctl_item_t *));
    for (int i = 0; i < run->n_tasks; i++) {
        task_t *task = &run->tasks[i];
        apr_allocator_t *allocator;
        apr_status_t status = apr_allocator_create(&allocator);
        if (status == APR_SUCCESS) {
            apr_allocator_max_free_set(allocator, CTL_POOL_KEEPS);
            status = apr_pool_create_ex(&task->item.pool, pool, NULL, allocator);
        }
        if (status != APR_SUCCESS) {
            return status;
        }
        apr_allocator_owner_set(allocator, task->item.pool);
        task->run = run;
        task->idle = 1;
        task->item.state = apr_palloc(pool, run->stages->size);
    }
    return APR_SUCCESS;
}

static apr_status_t start_threads(run_t *run, apr_pool_t *pool)
{
    int n = run->work->jobs;
    apr_status_t status = apr_queue_create(&run->queue, (unsigned)run->n_tasks, pool);
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
    if (run->queue != NULL) {
        apr_queue_term(run->queue);
    }
    for (int i = 0; i < run->n_threads; i++) {
        apr_thread_join(&status, run->threads[i]);
    }
}

apr_status_t ctl_stages_run(const ctl_stages_t *stages, const ctl_work_t *work, int n,
                            apr_pool_t *pool)
{
    int ahead = work->jobs > 1 ? 2 * work->jobs : 0;
    run_t run = { .stages = stages, .work = work, .n_tasks = ahead + work->batch };
    apr_pool_t *own;
    apr_pool_create(&own, pool);
    apr_status_t status = make_tasks(&run, own);
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
