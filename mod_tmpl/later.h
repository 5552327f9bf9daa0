/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The queue of pages that wait to be learnt: one for each store and child, bounded in number and
 * bytes. May be used by many threads.
 */
#ifndef TMPL_LATER_H
#define TMPL_LATER_H

#include "mod_tmpl.h"

typedef struct tmpl_later_t tmpl_later_t;

/* A page that was taken from the queue. */
typedef struct {
    tmpl_observation_t *page; /* from malloc */
    apr_size_t size;
    apr_time_t due; /* on tmpl_clock(): when it is to be learnt */
    tmpl_document_t document;
    unsigned site;  /* a hash of its name */
    unsigned tries; /* failed attempts to learn it */
} tmpl_waiting_t;

/*
 * An empty queue, from process, the pool that outlives all threads: httpd waits for the watchdog's
 * thread, which uses the queue, only after it has destroyed the child's pools. A cleanup on pool
 * frees the pages that are left.
 */
tmpl_later_t *tmpl_later_create(apr_pool_t *pool, apr_pool_t *process);

typedef enum {
    TMPL_LATER_ADDED,
    TMPL_LATER_KNOWN, /* the same page waits already */
    TMPL_LATER_FULL   /* there is no room, or the page is larger than the queue may be */
} tmpl_later_e;

/*
 * Appends a copy of a page. Waits for room, for timeout at most, unless no room is to be expected;
 * 0: does not wait.
 */
tmpl_later_e tmpl_later_add(tmpl_later_t *later, const tmpl_observation_t *page, apr_time_t due,
                            apr_interval_time_t timeout);

/* Returns how many pages wait or are being learnt, and sets *bytes to their bytes. */
unsigned tmpl_later_waiting(tmpl_later_t *later, apr_size_t *bytes);

/* Whether a page is due. While the queue is half full or more, all pages are due. */
int tmpl_later_is_due(tmpl_later_t *later, apr_time_t now);

/*
 * Takes the oldest page and the other pages of its site, then the oldest page that is left and the
 * other pages of its site, and so on; most pages at most. Returns their number. Pages of one site
 * are adjacent.
 */
unsigned tmpl_later_take(tmpl_later_t *later, tmpl_waiting_t *taken, unsigned most);

/*
 * Puts pages back that could not be learnt; returns how many of them are lost. With tried set, the
 * attempt counts against each page, and callers of tmpl_later_add() do not wait for room until
 * pages are taken again.
 */
unsigned tmpl_later_put_back(tmpl_later_t *later, const tmpl_waiting_t *taken, unsigned n,
                             int tried);

/* Frees the copies of n pages that were taken. Until then they count in the queue's bounds. */
void tmpl_later_free(tmpl_later_t *later, const tmpl_waiting_t *taken, unsigned n);

/*
 * Abandons all pages and returns their number. For the end of a process, when an interrupted thread
 * may be using the queue. Takes no lock and frees nothing.
 */
unsigned tmpl_later_abandon(tmpl_later_t *later);

#endif
