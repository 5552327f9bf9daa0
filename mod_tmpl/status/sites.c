/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A slot for each site, with a lock of its own, which is held for less than a microsecond. A lock
 * is the time when it was taken, on a clock that all processes share. So the age of a lock shows
 * that its owner has died, and the lock is taken over.
 */
#include <stdlib.h>

#include <apr_atomic.h>

#include <xxhash.h>

#include "sites.h"
#include "counters.h"
#include "shm.h"

/* The owner of a lock this old has died: no process writes a slot for so long. */
#define LOCK_AGE apr_time_from_sec(2)
/* Attempts to take a lock, some 20 microseconds in all. */
#define TRIES_MOST 1000
/* The time between two warnings about one site. */
#define WARNING_PAUSE apr_time_from_sec(3600)

typedef struct {
    volatile apr_uint64_t lock;
    tmpl_site_t site;
} slot_t;

typedef struct {
    volatile apr_uint64_t making;                  /* lock: held to give a new site a slot */
    volatile apr_uint64_t hashes[TMPL_SITES_MOST]; /* of the keys; 0: the slot is free */
    slot_t slots[TMPL_SITES_MOST];
} sites_t;

static sites_t *sites; /* NULL: no memory */

void tmpl_sites_create(server_rec *s)
{
    sites = tmpl_shm(s, "sites", sizeof(*sites));
}

/* Takes a lock. Returns the value to release it with, or 0: another process or thread has it. */
static apr_uint64_t lock(volatile apr_uint64_t *word)
{
    apr_uint64_t now = (apr_uint64_t)tmpl_clock();
    int i;

    for (i = 0; i < TRIES_MOST; i++) {
        apr_uint64_t since = apr_atomic_read64(word);

        if ((since == 0 || since + (apr_uint64_t)LOCK_AGE < now) &&
            apr_atomic_cas64(word, now, since) == since) {
            return now;
        }
    }
    return 0;
}

/* Releases a lock, unless another owner has taken it over meanwhile. */
static void unlock(volatile apr_uint64_t *word, apr_uint64_t mine)
{
    apr_atomic_cas64(word, 0, mine);
}

static apr_uint64_t hash_of(const char *key)
{
    apr_uint64_t hash = XXH3_64bits(key, strlen(key));

    return hash != 0 ? hash : 1;
}

/* The slot that has the site; NULL: none. */
static slot_t *find(apr_uint64_t hash)
{
    int i;

    for (i = 0; i < TMPL_SITES_MOST; i++) {
        if (sites->hashes[i] == hash) {
            return &sites->slots[i];
        }
    }
    return NULL;
}

/* A free slot, or the slot of the site that was seen least recently. */
static int oldest_slot(void)
{
    int i, oldest = 0;

    for (i = 0; i < TMPL_SITES_MOST; i++) {
        if (sites->hashes[i] == 0) {
            return i;
        }
        if (sites->slots[i].site.last < sites->slots[oldest].site.last) {
            oldest = i;
        }
    }
    return oldest;
}

/* Gives a site a slot. NULL if others are busy. */
static slot_t *make(const char *key, apr_uint64_t hash, apr_time_t now)
{
    apr_uint64_t making = lock(&sites->making);
    slot_t *slot = making != 0 ? find(hash) : NULL;

    if (making != 0 && slot == NULL) {
        int i = oldest_slot();
        apr_uint64_t mine = lock(&sites->slots[i].lock);

        if (mine != 0) {
            slot = &sites->slots[i];
            memset(&slot->site, 0, sizeof(slot->site));
            memcpy(slot->site.key, key, strlen(key) + 1);
            slot->site.first = now;
            slot->site.last = now; /* not the oldest one for the next new site */
            slot->site.step = 1;
            apr_atomic_set64(&sites->hashes[i], hash);
            unlock(&slot->lock, mine);
        }
    }
    if (making != 0) {
        unlock(&sites->making, making);
    }
    return slot;
}

/* Merges the points in pairs, which halves their number; each is then for twice as many pages. */
static void thin_out(tmpl_site_t *site)
{
    apr_uint32_t i;

    for (i = 0; i < TMPL_SITES_POINTS / 2; i++) {
        const tmpl_site_point_t *first = &site->points[2 * i];
        tmpl_site_point_t *second = &site->points[2 * i + 1];

        second->cut = (first->cut + second->cut) / 2;
        second->known = (first->known + second->known) / 2;
        site->points[i] = *second;
    }
    site->n_points = TMPL_SITES_POINTS / 2;
    site->step *= 2;
}

static void add_to_curve(tmpl_site_t *site, const tmpl_recent_t *page)
{
    site->cut_since += page->ratio;
    site->known_since += page->segments_known;
    site->since++;
    if (site->since < site->step) {
        return;
    }
    if (site->n_points >= TMPL_SITES_POINTS) {
        thin_out(site);
        return; /* the pages since the last point are the first ones of the longer step */
    }
    site->points[site->n_points++] =
        (tmpl_site_point_t){ site->pages - site->declined, (float)(site->cut_since / site->since),
                             (float)(site->known_since / site->since) };
    site->since = 0;
    site->cut_since = 0;
    site->known_since = 0;
}

static void add_to_window(tmpl_site_t *site, tmpl_decline_e decline)
{
    apr_uint32_t at = site->window_next % TMPL_SITES_WINDOW; /* in bounds, whatever memory holds */

    site->window[at] = (unsigned char)decline;
    site->window_next = (at + 1) % TMPL_SITES_WINDOW;
    site->window_n += site->window_n < TMPL_SITES_WINDOW;
}

void tmpl_site_declines(const tmpl_site_t *site, unsigned counts[TMPL_DECLINE_COUNT])
{
    apr_uint32_t i;

    memset(counts, 0, TMPL_DECLINE_COUNT * sizeof(*counts));
    for (i = 0; i < site->window_n; i++) {
        counts[site->window[i] % TMPL_DECLINE_COUNT]++;
    }
}

/* Fills warning, and returns whether to warn now. */
static int warns(tmpl_site_t *site, apr_time_t now, tmpl_site_warning_t *warning)
{
    unsigned counts[TMPL_DECLINE_COUNT];
    int i;

    *warning = (tmpl_site_warning_t){ 0, site->window_n, TMPL_DECLINE_NONE };
    tmpl_site_declines(site, counts);
    /* TMPL_LOG_STORE_DOWN warns of a store that fails, once for all sites */
    counts[TMPL_DECLINE_STORE] = 0;
    for (i = TMPL_DECLINE_NONE + 1; i < TMPL_DECLINE_COUNT; i++) {
        warning->declined += counts[i];
        if (counts[i] > counts[warning->reason] || warning->reason == TMPL_DECLINE_NONE) {
            warning->reason = (tmpl_decline_e)i;
        }
    }
    if (2 * warning->declined <= TMPL_SITES_WINDOW ||
        (site->warned != 0 && now - site->warned < WARNING_PAUSE)) {
        return 0;
    }
    site->warned = now;
    return 1;
}

static int add(tmpl_site_t *site, const tmpl_recent_t *page, tmpl_site_warning_t *warning)
{
    site->last = page->time;
    site->pages++;
    add_to_window(site, page->decline);
    if (page->answered) {
        site->state = page->state;
        site->known = page->known;
        site->frozen = page->frozen;
        site->learnt = page->learnt ? page->time : site->learnt;
    }
    if (page->decline != TMPL_DECLINE_NONE) {
        site->declined++;
        return warns(site, page->time, warning);
    }
    site->bytes_in += (apr_uint64_t)page->length;
    site->bytes_out += (apr_uint64_t)page->length_after;
    if (page->measured) {
        add_to_curve(site, page);
    }
    return 0;
}

int tmpl_sites_add(const char *key, const tmpl_recent_t *page, tmpl_site_warning_t *warning)
{
    apr_uint64_t hash, mine = 0;
    slot_t *slot;
    int warned = 0;

    if (sites == NULL || strlen(key) > TMPL_SITE_MAX) {
        return 0;
    }
    hash = hash_of(key);
    slot = find(hash);
    if (slot == NULL) {
        slot = make(key, hash, page->time);
    }
    if (slot != NULL) {
        mine = lock(&slot->lock);
    }
    /* another site may have taken the slot meanwhile */
    if (mine != 0 && strcmp(slot->site.key, key) == 0) {
        warned = add(&slot->site, page, warning);
    }
    else {
        tmpl_count(TMPL_COUNTER_SITES_DROPPED, 1);
    }
    if (mine != 0) {
        unlock(&slot->lock, mine);
    }
    return warned;
}

/* Copies the site of a slot; 0: others write it. */
static int copy(tmpl_site_t *site, slot_t *slot)
{
    apr_uint64_t mine = lock(&slot->lock);

    if (mine == 0) {
        return 0;
    }
    *site = slot->site;
    unlock(&slot->lock, mine);
    return 1;
}

int tmpl_sites_find(tmpl_site_t *site, const char *key)
{
    slot_t *slot = sites != NULL ? find(hash_of(key)) : NULL;

    return slot != NULL && copy(site, slot) && strcmp(site->key, key) == 0;
}

static int more_pages_first(const void *one, const void *other)
{
    const tmpl_site_t *a = one, *b = other;

    return a->pages != b->pages ? (a->pages < b->pages) - (a->pages > b->pages)
                                : strcmp(a->key, b->key);
}

apr_array_header_t *tmpl_sites_list(apr_pool_t *pool)
{
    apr_array_header_t *list = apr_array_make(pool, 16, sizeof(tmpl_site_t));
    int i;

    for (i = 0; sites != NULL && i < TMPL_SITES_MOST; i++) {
        tmpl_site_t *site = apr_array_push(list);

        if (sites->hashes[i] == 0 || !copy(site, &sites->slots[i])) {
            apr_array_pop(list);
        }
    }
    qsort(list->elts, (size_t)list->nelts, sizeof(tmpl_site_t), more_pages_first);
    return list;
}
