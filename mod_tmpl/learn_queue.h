/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The queue of pages that wait to be learnt: one for each store and child, bounded in number and
 * bytes. A page is judged while its client waits; the store is updated afterwards. Until then a
 * copy of its keys waits here: about 10 KB for a usual page. May be used by many threads.
 */
#ifndef TMPL_LEARN_QUEUE_H
#define TMPL_LEARN_QUEUE_H

#include "mod_tmpl.h"

typedef struct tmpl_queue_t tmpl_queue_t;

/* A page that was taken from the queue. */
typedef struct {
    tmpl_observation_t *page; /* from malloc */
    apr_size_t size;
    apr_time_t due; /* on tmpl_clock(): when it is to be learnt */
    tmpl_document_t document;
    unsigned tries; /* failed attempts to learn it */
} tmpl_queued_t;

/*
 * An empty queue, from process, the pool that outlives all threads: httpd waits for the watchdog's
 * thread, which uses the queue, only after it has destroyed the child's pools. A cleanup on pool
 * frees the pages that are left.
 */
tmpl_queue_t *tmpl_queue_create(apr_pool_t *pool, apr_pool_t *process);

typedef enum {
    TMPL_QUEUE_ADDED,
    TMPL_QUEUE_KNOWN, /* the same page waits already */
    TMPL_QUEUE_FULL   /* there is no room, or the page is larger than the queue may be */
} tmpl_queue_e;

/* Appends a copy of a page. No request waits for room: a page that is lost may come again. */
tmpl_queue_e tmpl_queue_add(tmpl_queue_t *queue, const tmpl_observation_t *page, apr_time_t due);

/* Returns how many pages wait or are being learnt, and sets *bytes to their bytes. */
unsigned tmpl_queue_waiting(tmpl_queue_t *queue, apr_size_t *bytes);

/* Whether a page is due. While the queue is half full or more, all pages are due. */
int tmpl_queue_is_due(tmpl_queue_t *queue, apr_time_t now);

/* Takes the oldest pages, most at most. Returns their number. Pages of one site are adjacent. */
unsigned tmpl_queue_take(tmpl_queue_t *queue, tmpl_queued_t *taken, unsigned most);

/*
 * Puts pages back that could not be learnt; returns how many of them are lost. With tried set, the
 * attempt counts against each page.
 */
unsigned tmpl_queue_put_back(tmpl_queue_t *queue, const tmpl_queued_t *taken, unsigned n,
                             int tried);

/* Frees the copies of n pages that were taken. Until then they count in the queue's bounds. */
void tmpl_queue_free(tmpl_queue_t *queue, const tmpl_queued_t *taken, unsigned n);

/*
 * Abandons all pages and returns their number. For the end of a process, when an interrupted thread
 * may be using the queue. Takes no lock and frees nothing.
 */
unsigned tmpl_queue_abandon(tmpl_queue_t *queue);

#endif
