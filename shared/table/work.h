/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A transaction of the engine (engine.h) at work: it finds the buckets of keys, reads their
 * entries, and writes those that have changed.
 *
 *     begin, fill keys, load     slots has the value of each key
 *     change values, save        the changed values are in the store
 *     end
 */
#ifndef TMPL_WORK_H
#define TMPL_WORK_H

#include "table/buckets.h"
#include "table/engine.h"

#define TMPL_GUESSES_MOST 5 /* guessed heads in a row that may be wrong */

/* An entry that some page needs, or that an import brings. */
typedef struct {
    tmpl_key_t key;
    uint32_t rank;
    uint32_t bucket; /* index of its bucket in tmpl_work_t.buckets */
    tmpl_slot_t slot;
} tmpl_work_entry_t;

/* A transaction at work. */
typedef struct {
    const tmpl_provider_t *provider;
    tmpl_txn_t *txn;
    apr_pool_t *pool;
    const tmpl_key_t *keys; /* the keys of all pages; a key may come twice */
    uint32_t n_keys;
    tmpl_slot_t **slots;        /* the slot of each key */
    tmpl_work_entry_t *entries; /* one for each key, in the order of their ranks */
    uint32_t n;
    tmpl_numbered_t *buckets; /* those that were read, then those that were split off */
    unsigned char *changed;   /* for each bucket: it must be written */
    uint32_t n_buckets;
    uint32_t *index; /* finds buckets by number: open addressing, 1 + index in buckets, 0: free */
    uint32_t n_index;
    uint32_t swept; /* what the head's swept will be */
    tmpl_bucket_scratch_t scratch;
    tmpl_bucket_limit_t limit;
} tmpl_work_t;

/* Begins a transaction, in a pool of its own. If that fails there is nothing to end. */
apr_status_t tmpl_work_begin(tmpl_work_t *w, const tmpl_engine_t *engine, tmpl_txn_t *txn,
                             apr_pool_t *pool);

/* Ends the transaction, and returns rv. */
apr_status_t tmpl_work_end(tmpl_work_t *w, apr_status_t rv);

/* The error of a site whose buckets others change while they are read: APR_EBUSY. */
apr_status_t tmpl_work_changed(const tmpl_work_t *w);

/* Makes one entry for each distinct key, in the order of ranks, and points slots to them. */
void tmpl_work_entries(tmpl_work_t *w);

/*
 * Makes the entries and reads their values; also reads n_sweep more buckets, to sweep them.
 * txn->head may be a guess: if the site turns out to have other buckets, reads those. Errors: those
 * of get.
 */
apr_status_t tmpl_work_load(tmpl_work_t *w, uint32_t n_sweep);

/* Writes all changes. The site will have n buckets, no fewer than now. Errors: those of commit. */
apr_status_t tmpl_work_save(tmpl_work_t *w, uint32_t n);

/*
 * Waits before a refused transaction is tried again: a random time that grows with tries. Returns 0
 * if the wait would end after the deadline.
 */
int tmpl_work_pause(uint32_t tries, apr_time_t deadline);

#endif
