/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page is judged while its client waits; that it has been there is written down afterwards. Until then a
 * copy of what the store is to be told waits here: about 10 KB of a usual page.
 *
 * Where more pages come than a store can learn, requests become as slow as learning, and no page is lost. They are
 * slowed down one by one before there is no room, at the pace at which pages were learnt last; if all of them ran on
 * and then waited for the next pages to be learnt, some 30 ms, a few would pay for all.
 */
#include <stdlib.h>

#include <apr_hash.h>
#include <apr_thread_cond.h>
#include <apr_thread_mutex.h>

#include "base/slot.h"
#include "mod_tmpl.h"

/* More do not wait: what a child may hold, and lose should it be killed. */
#define PAGES_MOST 1024
#define BYTES_MOST ((apr_size_t)16 << 20)
/* How often a store may fail with its site before a page is given up. */
#define TRIES_MOST 5
/* Who finds no room for so long waits for who does not learn: others need not. */
#define STUCK_AFTER apr_time_from_sec(1)
/* What is filled, in parts of so many; pages are due, be they ever so new, and slowed down from these on. */
#define FILLED_PARTS  256
#define FILLED_DUE    128
#define FILLED_SLOWED 192
/* Places for documents, a power of two. */
#define PLACES 4096

struct tmpl_later_t {
    apr_thread_mutex_t *lock; /* held for a few copies of words */
    apr_thread_cond_t *room;  /* some have been taken, or will not be */
    tmpl_waiting_t pages[PAGES_MOST];
    unsigned n;
    apr_size_t size;
    uint16_t places[PLACES]; /* by document: the page's index + 1 */
    unsigned waiting;        /* who waits for room */
    int stuck;               /* no room is to be expected */
    apr_time_t full_since;   /* when somebody began to wait for room; 0: there was some since */
    /* when some were taken last, and how many, if others were due: 0, if none were */
    apr_time_t taken_at;
    unsigned taken;
    apr_interval_time_t pace; /* what a page has taken since the time before */
    apr_time_t next;          /* when the next one may come that is slowed down */
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

tmpl_later_t *tmpl_later_create(apr_pool_t *pool, apr_pool_t *process)
{
    tmpl_later_t *later = apr_pcalloc(pool, sizeof(*later));

    apr_thread_mutex_create(&later->lock, APR_THREAD_MUTEX_DEFAULT, process);
    apr_thread_cond_create(&later->room, process);
    apr_pool_cleanup_register(pool, later, later_cleanup, apr_pool_cleanup_null);
    return later;
}

/* Names are looked at where they are nearly sure to be the same: each stands in memory of its own. */
static int is_same_site(const tmpl_waiting_t *one, const tmpl_waiting_t *other)
{
    return one->site == other->site && strcmp(one->page->site, other->page->site) == 0;
}

static int is_same(const tmpl_waiting_t *one, const tmpl_waiting_t *other)
{
    return one->document.id == other->document.id && one->document.text == other->document.text &&
           is_same_site(one, other);
}

/* The place of the same page, or a free one: there are more than pages. */
static uint16_t *place_of(tmpl_later_t *later, const tmpl_waiting_t *waiting)
{
    uint64_t hash = waiting->document.id + 3 * waiting->document.text;
    uint32_t at = tmpl_slot_of(hash, PLACES);

    while (later->places[at] != 0 && !is_same(&later->pages[later->places[at] - 1], waiting)) {
        at = (at + 1) % PLACES;
    }
    return &later->places[at];
}

/* Whether the same page waits: to learn it a second time would change nothing. */
static int is_known(tmpl_later_t *later, const tmpl_waiting_t *waiting)
{
    return *place_of(later, waiting) != 0;
}

/* One that is too large for the others stands alone. */
static int has_room(const tmpl_later_t *later, const tmpl_waiting_t *waiting)
{
    return later->n == 0 || (later->n < PAGES_MOST && later->size < BYTES_MOST &&
                             waiting->size <= BYTES_MOST - later->size);
}

/* Puts a page behind the others; who has not put it there frees it. */
static tmpl_later_e push(tmpl_later_t *later, const tmpl_waiting_t *waiting)
{
    if (is_known(later, waiting)) {
        return TMPL_LATER_KNOWN;
    }
    if (!has_room(later, waiting)) {
        return TMPL_LATER_FULL;
    }
    *place_of(later, waiting) = (uint16_t)(later->n + 1);
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
 * How long who brings a page now has to wait until it is put aside, timeout at most: nothing at first, twice as long as
 * the pace asks for where there is hardly any room; so it comes to rest in between.
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
    if (later->next > now + timeout) { /* nobody waits longer, so others need not wait for that */
        later->next = now + timeout;
    }
    return later->next - now;
}

/*
 * Until then at most. Where who learns gets little of the processors, a step of his takes longer than one may wait; so
 * that one has waited in vain tells nothing to the others, unless that goes on: pages had better come slowly than be lost.
 */
static void wait_for_room(tmpl_later_t *later, const tmpl_waiting_t *waiting, apr_time_t end)
{
    apr_time_t now = tmpl_clock();
    int in_vain = 0;

    later->waiting++;
    while (!in_vain && !later->stuck && !has_room(later, waiting)) {
        later->full_since = later->full_since != 0 ? later->full_since : now;
        in_vain = now >= end ||
                  apr_thread_cond_timedwait(later->room, later->lock, end - now) != APR_SUCCESS;
        now = tmpl_clock();
        later->stuck |= in_vain && now - later->full_since >= STUCK_AFTER;
    }
    later->waiting--;
}

tmpl_later_e tmpl_later_add(tmpl_later_t *later, const tmpl_observation_t *page, apr_time_t due,
                            apr_interval_time_t timeout)
{
    tmpl_waiting_t waiting = { .page = tmpl_observation_copy(page),
                               .size = tmpl_observation_size(page),
                               .document = *page->document,
                               .due = due };
    apr_ssize_t len = APR_HASH_KEY_STRING;
    apr_time_t now = tmpl_clock();
    apr_interval_time_t pause;
    tmpl_later_e added;

    if (waiting.page == NULL) {
        return TMPL_LATER_FULL;
    }
    waiting.site = apr_hashfunc_default(page->site, &len);
    apr_thread_mutex_lock(later->lock);
    pause = timeout == 0 || is_known(later, &waiting) ? 0 : slow_down(later, now, timeout);
    if (pause > 0) {
        apr_thread_mutex_unlock(later->lock);
        apr_sleep(pause);
        apr_thread_mutex_lock(later->lock);
    }
    if (timeout > 0 && !is_known(later, &waiting)) {
        wait_for_room(later, &waiting, now + timeout);
    }
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
    due = filled(later) >= FILLED_DUE;
    for (i = 0; i < later->n && !due; i++) {
        due = later->pages[i].due <= now;
    }
    apr_thread_mutex_unlock(later->lock);
    return due;
}

/* Moves the oldest, and what else waits of their sites, until there are so many: their number. */
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

/* The others stay, in their order. */
static void close_ranks(tmpl_later_t *later)
{
    unsigned n = later->n, i;

    later->n = 0;
    later->size = 0;
    memset(later->places, 0, sizeof(later->places));
    for (i = 0; i < n; i++) {
        tmpl_waiting_t waiting = later->pages[i];

        if (waiting.page != NULL) {
            push(later, &waiting);
        }
    }
}

/* The pace of learning, from one time that some are taken to the next, if those waited for that. */
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
    close_ranks(later);
    keep_pace(later, n, tmpl_clock());
    later->stuck = 0;
    later->full_since = 0;
    apr_thread_cond_broadcast(later->room);
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
    later->stuck |= n > 0 && tried;
    apr_thread_cond_broadcast(later->room);
    apr_thread_mutex_unlock(later->lock);
    return lost;
}

unsigned tmpl_later_abandon(tmpl_later_t *later)
{
    return __atomic_exchange_n(&later->n, 0, __ATOMIC_RELAXED);
}
