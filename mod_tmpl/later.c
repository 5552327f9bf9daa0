/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The queue of pages that wait to be learnt. A page is judged while its client waits; the store is
 * updated afterwards. Until then a copy of its keys waits here: about 10 KB for a usual page.
 *
 * If more pages come than a store can learn, requests are slowed down to the pace of learning, so
 * that no page is lost. Requests are slowed down one by one before the queue is full, at the pace
 * at which pages were learnt last. Otherwise all requests would run until the queue is full, and a
 * few would then wait some 30 ms, until the next pages are learnt.
 */
#include <stdlib.h>

#include <apr_hash.h>
#include <apr_thread_cond.h>
#include <apr_thread_mutex.h>

#include "later.h"

/*
 * The bounds of the queue: what a child may hold, and loses if it is killed. Pages that are being
 * learnt count. A page that is larger than the bound is not learnt.
 */
#define PAGES_MOST 1024
#define BYTES_MOST ((apr_size_t)16 << 20)
/* Failed attempts after which a page is given up. */
#define TRIES_MOST 5
/* After so long without room the store is assumed not to learn: callers do not wait any more. */
#define STUCK_AFTER apr_time_from_sec(1)
/*
 * How full the queue is, in 256ths: from FILLED_DUE on all pages are due, from FILLED_SLOWED on
 * callers wait.
 */
#define FILLED_PARTS  256
#define FILLED_DUE    128
#define FILLED_SLOWED 192

struct tmpl_later_t {
    apr_thread_mutex_t *lock; /* held for short times only */
    apr_thread_cond_t *room;  /* signals that there is room, or stuck was set */
    tmpl_waiting_t pages[PAGES_MOST];
    unsigned n;
    apr_size_t size; /* the bytes of these pages */
    /* pages that were taken, and neither freed nor put back, and room that callers have reserved */
    unsigned out;
    apr_size_t out_size;
    unsigned waiting;      /* threads that wait for room */
    int stuck;             /* no room is to be expected */
    apr_time_t full_since; /* when a thread began to wait for room; 0: none since the last take */
    /* when pages were taken last, and how many; 0 if the pages left then were not all due */
    apr_time_t taken_at;
    unsigned taken;
    apr_interval_time_t pace; /* the time that learning one page took, measured at the last take */
    apr_time_t next;          /* when the next caller that is slowed down may add its page */
};

static apr_status_t later_cleanup(void *data)
{
    const tmpl_later_t *later = data;
    unsigned i;

    for (i = 0; i < later->n; i++) {
        free(later->pages[i].page);
    }
    return APR_SUCCESS;
}

tmpl_later_t *tmpl_later_create(apr_pool_t *pool, apr_pool_t *process)
{
    tmpl_later_t *later = apr_pcalloc(process, sizeof(*later));

    apr_thread_mutex_create(&later->lock, APR_THREAD_MUTEX_DEFAULT, process);
    apr_thread_cond_create(&later->room, process);
    apr_pool_cleanup_register(pool, later, later_cleanup, apr_pool_cleanup_null);
    return later;
}

/* Compares names only where the hashes are equal: each name is in other memory. */
static int is_same_site(const tmpl_waiting_t *one, const tmpl_waiting_t *other)
{
    return one->site == other->site && strcmp(one->page->site, other->page->site) == 0;
}

/* Whether the same page waits already; learning it twice would change nothing. */
static int queue_knows(const tmpl_later_t *later, const tmpl_waiting_t *waiting)
{
    unsigned i;

    for (i = 0; i < later->n; i++) {
        const tmpl_waiting_t *other = &later->pages[i];

        if (other->document.id == waiting->document.id &&
            other->document.text == waiting->document.text && is_same_site(other, waiting)) {
            return 1;
        }
    }
    return 0;
}

/* Pages that were taken still need their memory, so they count. */
static int queue_has_room(const tmpl_later_t *later, const tmpl_waiting_t *waiting)
{
    apr_size_t used = later->size + later->out_size;

    return later->n + later->out < PAGES_MOST && used <= BYTES_MOST &&
           waiting->size <= BYTES_MOST - used;
}

/* Adds pages to the count of pages outside of the queue, or, if are_out is 0, subtracts them. */
static void count_out(tmpl_later_t *later, const tmpl_waiting_t *pages, unsigned n, int are_out)
{
    unsigned i;

    for (i = 0; i < n; i++) {
        later->out += are_out ? 1 : -1U;
        later->out_size += are_out ? pages[i].size : -pages[i].size;
    }
}

/* Appends a page. Unless it is added, the caller still owns waiting->page. */
static tmpl_later_e queue_push(tmpl_later_t *later, const tmpl_waiting_t *waiting)
{
    if (queue_knows(later, waiting)) {
        return TMPL_LATER_KNOWN;
    }
    if (!queue_has_room(later, waiting)) {
        return TMPL_LATER_FULL;
    }
    later->pages[later->n++] = *waiting;
    later->size += waiting->size;
    return TMPL_LATER_ADDED;
}

static unsigned filled(const tmpl_later_t *later)
{
    unsigned pages = later->n * FILLED_PARTS / PAGES_MOST;
    unsigned bytes = (unsigned)(later->size * FILLED_PARTS / BYTES_MOST);

    return pages > bytes ? pages : bytes;
}

/*
 * How long the caller has to wait before it adds a page, timeout at most. Up to FILLED_SLOWED no
 * caller waits. Above it, each caller waits longer than the caller before: by up to twice the pace
 * if the queue is nearly full. So the queue settles in between.
 */
static apr_interval_time_t slow_down(tmpl_later_t *later, apr_time_t now,
                                     apr_interval_time_t timeout)
{
    unsigned full = filled(later);

    if (full < FILLED_SLOWED || later->stuck) {
        return 0;
    }
    if (later->next < now) {
        later->next = now;
    }
    later->next += later->pace * 2 * (full - FILLED_SLOWED) / (FILLED_PARTS - FILLED_SLOWED);
    /* no caller waits longer than its timeout, so the next ones need not either */
    if (later->next > now + timeout) {
        later->next = now + timeout;
    }
    return later->next - now;
}

/*
 * Waits for room until end at most. On a busy machine a step of learning may take longer than one
 * caller may wait, so a wait in vain sets stuck only after STUCK_AFTER: slow pages are better than
 * lost ones.
 */
static void wait_for_room(tmpl_later_t *later, const tmpl_waiting_t *waiting, apr_time_t end)
{
    apr_time_t now = tmpl_clock();
    int in_vain = 0;

    later->waiting++;
    while (!in_vain && !later->stuck && !queue_has_room(later, waiting)) {
        later->full_since = later->full_since != 0 ? later->full_since : now;
        in_vain = now >= end ||
                  apr_thread_cond_timedwait(later->room, later->lock, end - now) != APR_SUCCESS;
        now = tmpl_clock();
        later->stuck |= in_vain && now - later->full_since >= STUCK_AFTER;
    }
    later->waiting--;
}

/*
 * Appends a copy of waiting->page. The copy is made without the lock; its room is reserved before,
 * so that no waiting caller takes it.
 */
static tmpl_later_e copy_and_push(tmpl_later_t *later, const tmpl_waiting_t *waiting)
{
    tmpl_waiting_t copied = *waiting;
    tmpl_later_e added = TMPL_LATER_FULL;

    count_out(later, waiting, 1, 1);
    apr_thread_mutex_unlock(later->lock);
    copied.page = tmpl_observation_copy(waiting->page);
    apr_thread_mutex_lock(later->lock);
    count_out(later, waiting, 1, 0);
    if (copied.page != NULL) {
        added = queue_push(later, &copied);
    }
    if (added != TMPL_LATER_ADDED) {
        free(copied.page);
    }
    return added;
}

tmpl_later_e tmpl_later_add(tmpl_later_t *later, const tmpl_observation_t *page, apr_time_t due,
                            apr_interval_time_t timeout)
{
    tmpl_waiting_t waiting = { .size = tmpl_observation_size(page),
                               .document = *page->document,
                               .due = due };
    apr_ssize_t len = APR_HASH_KEY_STRING;
    apr_time_t now = tmpl_clock();
    apr_interval_time_t pause;
    tmpl_later_e added;

    waiting.site = apr_hashfunc_default(page->site, &len);
    waiting.page = (tmpl_observation_t *)page; /* only its site's name is read until it is copied */
    apr_thread_mutex_lock(later->lock);
    pause = timeout == 0 || queue_knows(later, &waiting) ? 0 : slow_down(later, now, timeout);
    if (pause > 0) {
        apr_thread_mutex_unlock(later->lock);
        apr_sleep(pause);
        apr_thread_mutex_lock(later->lock);
    }
    if (timeout > 0 && waiting.size <= BYTES_MOST && !queue_knows(later, &waiting)) {
        wait_for_room(later, &waiting, now + timeout);
    }
    added = queue_knows(later, &waiting)      ? TMPL_LATER_KNOWN
            : queue_has_room(later, &waiting) ? copy_and_push(later, &waiting)
                                              : TMPL_LATER_FULL;
    apr_thread_mutex_unlock(later->lock);
    return added;
}

unsigned tmpl_later_waiting(tmpl_later_t *later, apr_size_t *bytes)
{
    unsigned n;

    apr_thread_mutex_lock(later->lock);
    n = later->n + later->out;
    *bytes = later->size + later->out_size;
    apr_thread_mutex_unlock(later->lock);
    return n;
}

int tmpl_later_is_due(tmpl_later_t *later, apr_time_t now)
{
    unsigned i;
    int due;

    apr_thread_mutex_lock(later->lock);
    due = filled(later) >= FILLED_DUE;
    for (i = 0; i < later->n && !due; i++) {
        due = later->pages[i].due <= now;
    }
    apr_thread_mutex_unlock(later->lock);
    return due;
}

/*
 * Copies to taken the oldest page and the other pages of its site, then those of the oldest page
 * that is left, and so on; most pages at most. Returns their number.
 */
static unsigned choose(tmpl_later_t *later, tmpl_waiting_t *taken, unsigned most)
{
    unsigned n = 0, oldest, i;

    for (oldest = 0; oldest < later->n && n < most; oldest++) {
        const tmpl_waiting_t first = later->pages[oldest];

        if (first.page == NULL) {
            continue;
        }
        for (i = oldest; i < later->n && n < most; i++) {
            tmpl_waiting_t *waiting = &later->pages[i];

            if (waiting->page != NULL && is_same_site(waiting, &first)) {
                taken[n++] = *waiting;
                waiting->page = NULL;
            }
        }
    }
    return n;
}

/* Closes the gaps that choose() has left. */
static void close_gaps(tmpl_later_t *later)
{
    unsigned n = later->n, i;

    later->n = 0;
    later->size = 0;
    for (i = 0; i < n; i++) {
        if (later->pages[i].page != NULL) {
            later->size += later->pages[i].size;
            later->pages[later->n++] = later->pages[i];
        }
    }
}

/* Measures the pace of learning, if all pages were still due after pages were taken last. */
static void keep_pace(tmpl_later_t *later, unsigned n, apr_time_t now)
{
    if (later->taken > 0) {
        later->pace = (now - later->taken_at) / later->taken;
    }
    later->taken = filled(later) >= FILLED_DUE ? n : 0;
    later->taken_at = now;
}

unsigned tmpl_later_take(tmpl_later_t *later, tmpl_waiting_t *taken, unsigned most)
{
    unsigned n;

    apr_thread_mutex_lock(later->lock);
    n = choose(later, taken, most);
    close_gaps(later);
    count_out(later, taken, n, 1);
    keep_pace(later, n, tmpl_clock());
    later->stuck = 0;
    later->full_since = 0;
    apr_thread_mutex_unlock(later->lock);
    return n;
}

unsigned tmpl_later_put_back(tmpl_later_t *later, const tmpl_waiting_t *taken, unsigned n,
                             int tried)
{
    unsigned lost = 0, i;

    apr_thread_mutex_lock(later->lock);
    count_out(later, taken, n, 0);
    for (i = 0; i < n; i++) {
        tmpl_waiting_t waiting = taken[i];
        tmpl_later_e added = TMPL_LATER_FULL;

        waiting.tries += tried != 0;
        if (waiting.tries < TRIES_MOST) {
            added = queue_push(later, &waiting);
        }
        if (added != TMPL_LATER_ADDED) {
            free(waiting.page);
        }
        lost += added == TMPL_LATER_FULL;
    }
    later->stuck |= n > 0 && tried;
    apr_thread_cond_broadcast(later->room);
    apr_thread_mutex_unlock(later->lock);
    return lost;
}

void tmpl_later_free(tmpl_later_t *later, const tmpl_waiting_t *taken, unsigned n)
{
    unsigned i;

    for (i = 0; i < n; i++) {
        free(taken[i].page);
    }
    apr_thread_mutex_lock(later->lock);
    count_out(later, taken, n, 0);
    apr_thread_cond_broadcast(later->room);
    apr_thread_mutex_unlock(later->lock);
}

unsigned tmpl_later_abandon(tmpl_later_t *later)
{
    return __atomic_exchange_n(&later->n, 0, __ATOMIC_RELAXED);
}
