/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include <apr_thread_mutex.h>

#include "learn_queue.h"

/*
 * The bounds of the queue: what a child may hold, and loses if it is killed. Pages that are being
 * learnt count. A page that is larger than the bound is not learnt.
 */
#define PAGES_MOST 1024
#define BYTES_MOST ((apr_size_t)16 << 20)
/* Failed attempts after which a page is given up. */
#define TRIES_MOST 5

struct tmpl_queue_t {
    apr_thread_mutex_t *lock; /* held for short times only */
    tmpl_queued_t pages[PAGES_MOST];
    unsigned n;
    apr_size_t size; /* the bytes of these pages */
    unsigned out;    /* pages that were taken, and neither freed nor put back */
    apr_size_t out_size;
};

static apr_status_t queue_cleanup(void *data)
{
    const tmpl_queue_t *queue = data;
    for (unsigned i = 0; i < queue->n; i++) {
        free(queue->pages[i].page);
    }
    return APR_SUCCESS;
}

tmpl_queue_t *tmpl_queue_create(apr_pool_t *pool, apr_pool_t *process)
{
    tmpl_queue_t *queue = apr_pcalloc(process, sizeof(*queue));
    apr_thread_mutex_create(&queue->lock, APR_THREAD_MUTEX_DEFAULT, process);
    apr_pool_cleanup_register(pool, queue, queue_cleanup, apr_pool_cleanup_null);
    return queue;
}

/* Whether the same page waits already; learning it twice would change nothing. */
static int queue_knows(const tmpl_queue_t *queue, const tmpl_queued_t *page)
{
    for (unsigned i = 0; i < queue->n; i++) {
        const tmpl_queued_t *other = &queue->pages[i];
        if (other->document.id == page->document.id &&
            other->document.text == page->document.text &&
            strcmp(other->page->site, page->page->site) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Pages that were taken still need their memory, so they count. */
static int queue_has_room(const tmpl_queue_t *queue, const tmpl_queued_t *page)
{
    return queue->n + queue->out < PAGES_MOST &&
           queue->size + queue->out_size + page->size <= BYTES_MOST;
}

/* Appends a page. Unless it is added, the caller still owns page->page. */
static tmpl_queue_e queue_push(tmpl_queue_t *queue, const tmpl_queued_t *page)
{
    if (queue_knows(queue, page)) {
        return TMPL_QUEUE_KNOWN;
    }
    if (!queue_has_room(queue, page)) {
        return TMPL_QUEUE_FULL;
    }
    queue->pages[queue->n++] = *page;
    queue->size += page->size;
    return TMPL_QUEUE_ADDED;
}

tmpl_queue_e tmpl_queue_add(tmpl_queue_t *queue, const tmpl_observation_t *page, apr_time_t due)
{
    tmpl_queued_t copy = { .page = tmpl_observation_copy(page),
                           .size = tmpl_observation_size(page),
                           .document = *page->document,
                           .due = due };
    if (copy.page == NULL) {
        return TMPL_QUEUE_FULL;
    }
    apr_thread_mutex_lock(queue->lock);
    tmpl_queue_e added = queue_push(queue, &copy);
    apr_thread_mutex_unlock(queue->lock);
    if (added != TMPL_QUEUE_ADDED) {
        free(copy.page);
    }
    return added;
}

unsigned tmpl_queue_waiting(tmpl_queue_t *queue, apr_size_t *bytes)
{
    apr_thread_mutex_lock(queue->lock);
    unsigned n = queue->n + queue->out;
    *bytes = queue->size + queue->out_size;
    apr_thread_mutex_unlock(queue->lock);
    return n;
}

int tmpl_queue_is_due(tmpl_queue_t *queue, apr_time_t now)
{
    apr_thread_mutex_lock(queue->lock);
    int due = queue->n >= PAGES_MOST / 2 || queue->size >= BYTES_MOST / 2;
    for (unsigned i = 0; i < queue->n && !due; i++) {
        due = queue->pages[i].due <= now;
    }
    apr_thread_mutex_unlock(queue->lock);
    return due;
}

static int by_site(const void *a, const void *b)
{
    const tmpl_queued_t *one = a, *other = b;
    int order = strcmp(one->page->site, other->page->site);
    return order != 0 ? order : (one->due > other->due) - (one->due < other->due);
}

unsigned tmpl_queue_take(tmpl_queue_t *queue, tmpl_queued_t *taken, unsigned most)
{
    apr_thread_mutex_lock(queue->lock);
    unsigned n = queue->n < most ? queue->n : most;
    memcpy(taken, queue->pages, n * sizeof(*taken));
    queue->n -= n;
    memmove(queue->pages, queue->pages + n, queue->n * sizeof(*taken));
    for (unsigned i = 0; i < n; i++) {
        queue->size -= taken[i].size;
        queue->out_size += taken[i].size;
    }
    queue->out += n;
    apr_thread_mutex_unlock(queue->lock);
    qsort(taken, n, sizeof(*taken), by_site);
    return n;
}

/* Ends what tmpl_queue_take() has begun with a page. */
static void end_taken(tmpl_queue_t *queue, const tmpl_queued_t *page)
{
    queue->out--;
    queue->out_size -= page->size;
}

unsigned tmpl_queue_put_back(tmpl_queue_t *queue, const tmpl_queued_t *taken, unsigned n, int tried)
{
    unsigned lost = 0;
    apr_thread_mutex_lock(queue->lock);
    for (unsigned i = 0; i < n; i++) {
        tmpl_queued_t page = taken[i];
        tmpl_queue_e added = TMPL_QUEUE_FULL;
        end_taken(queue, &page);
        page.tries += tried != 0;
        if (page.tries < TRIES_MOST) {
            added = queue_push(queue, &page);
        }
        if (added != TMPL_QUEUE_ADDED) {
            free(page.page);
        }
        lost += added == TMPL_QUEUE_FULL;
    }
    apr_thread_mutex_unlock(queue->lock);
    return lost;
}

void tmpl_queue_free(tmpl_queue_t *queue, const tmpl_queued_t *taken, unsigned n)
{
    apr_thread_mutex_lock(queue->lock);
    for (unsigned i = 0; i < n; i++) {
        end_taken(queue, &taken[i]);
        free(taken[i].page);
    }
    apr_thread_mutex_unlock(queue->lock);
}

unsigned tmpl_queue_abandon(tmpl_queue_t *queue)
{
    return __atomic_exchange_n(&queue->n, 0, __ATOMIC_RELAXED);
}
