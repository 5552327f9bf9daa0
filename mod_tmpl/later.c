/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page is judged while its client waits; that it has been there is written down afterwards. Until then a
 * copy of what the store is to be told waits here: about 10 KB of a usual page.
 */
#include <stdlib.h>

#include <apr_thread_mutex.h>

#include "mod_tmpl.h"

/* More do not wait: what a child may hold, and lose should it be killed. */
#define PAGES_MOST 1024
#define BYTES_MOST ((apr_size_t)16 << 20)
/* How often a store may fail with its site before a page is given up. */
#define TRIES_MOST 5

struct tmpl_later_t {
    apr_thread_mutex_t *lock; /* held for a few copies of words */
    tmpl_waiting_t pages[PAGES_MOST];
    unsigned n;
    apr_size_t size;
    int full; /* one has found no room since the others were taken */
};

void tmpl_later_free(const tmpl_waiting_t *taken, unsigned n)
{
    unsigned i;

    for (i = 0; i < n; i++) {
        free(taken[i].page);
    }
}

static apr_status_t later_cleanup(void *data)
{
    const tmpl_later_t *later = data;

    tmpl_later_free(later->pages, later->n);
    return APR_SUCCESS;
}

tmpl_later_t *tmpl_later_create(apr_pool_t *pool)
{
    tmpl_later_t *later = apr_pcalloc(pool, sizeof(*later));

    apr_thread_mutex_create(&later->lock, APR_THREAD_MUTEX_DEFAULT, pool);
    apr_pool_cleanup_register(pool, later, later_cleanup, apr_pool_cleanup_null);
    return later;
}

/* Whether the same page waits: to learn it a second time would change nothing. */
static int waits(const tmpl_later_t *later, const tmpl_waiting_t *waiting)
{
    unsigned i;

    for (i = 0; i < later->n; i++) {
        const tmpl_waiting_t *other = &later->pages[i];

        if (other->document.id == waiting->document.id &&
            other->document.text == waiting->document.text &&
            strcmp(other->page->site, waiting->page->site) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Puts a page behind the others; who has not put it there frees it. */
static tmpl_later_e push(tmpl_later_t *later, const tmpl_waiting_t *waiting)
{
    if (waits(later, waiting)) {
        return TMPL_LATER_KNOWN;
    }
    if (later->n == PAGES_MOST || waiting->size > BYTES_MOST - later->size) {
        later->full = 1;
        return TMPL_LATER_FULL;
    }
    later->pages[later->n++] = *waiting;
    later->size += waiting->size;
    return TMPL_LATER_ADDED;
}

tmpl_later_e tmpl_later_add(tmpl_later_t *later, const tmpl_observation_t *page, apr_time_t due)
{
    tmpl_waiting_t waiting = { .size = tmpl_observation_size(page),
                               .document = *page->document,
                               .due = due };
    tmpl_later_e added;

    if (waiting.size > BYTES_MOST) {
        return TMPL_LATER_FULL;
    }
    waiting.page = tmpl_observation_copy(page);
    if (waiting.page == NULL) {
        return TMPL_LATER_FULL;
    }
    apr_thread_mutex_lock(later->lock);
    added = push(later, &waiting);
    apr_thread_mutex_unlock(later->lock);
    if (added != TMPL_LATER_ADDED) {
        free(waiting.page);
    }
    return added;
}

int tmpl_later_is_due(tmpl_later_t *later, apr_time_t now)
{
    unsigned i;
    int due;

    apr_thread_mutex_lock(later->lock);
    due = later->full;
    for (i = 0; i < later->n && !due; i++) {
        due = later->pages[i].due <= now;
    }
    apr_thread_mutex_unlock(later->lock);
    return due;
}

unsigned tmpl_later_take(tmpl_later_t *later, tmpl_waiting_t **taken, apr_pool_t *pool)
{
    unsigned n;

    apr_thread_mutex_lock(later->lock);
    n = later->n;
    *taken = apr_pmemdup(pool, later->pages, n * sizeof(**taken));
    later->n = 0;
    later->size = 0;
    later->full = 0;
    apr_thread_mutex_unlock(later->lock);
    return n;
}

unsigned tmpl_later_put_back(tmpl_later_t *later, const tmpl_waiting_t *taken, unsigned n,
                             int tried)
{
    unsigned lost = 0, i;

    apr_thread_mutex_lock(later->lock);
    for (i = 0; i < n; i++) {
        tmpl_waiting_t waiting = taken[i];
        tmpl_later_e added = TMPL_LATER_FULL;

        waiting.tries += tried != 0;
        if (waiting.tries < TRIES_MOST) {
            added = push(later, &waiting);
        }
        if (added != TMPL_LATER_ADDED) {
            free(waiting.page);
        }
        lost += added == TMPL_LATER_FULL;
    }
    apr_thread_mutex_unlock(later->lock);
    return lost;
}

unsigned tmpl_later_abandon(tmpl_later_t *later)
{
    return __atomic_exchange_n(&later->n, 0, __ATOMIC_RELAXED);
}
