/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many entries of one site, read from an LMDB store, changed in memory, and written back: each bucket is
 * read once and written once, in the order in which the file holds them, however many of its entries
 * change. What is not written back has not happened.
 *
 * Return codes are LMDB's.
 */
#ifndef TMPL_LMDB_SLOTS_H
#define TMPL_LMDB_SLOTS_H

#include "table/lmdb/lmdb_buckets.h"
#include "table/rules.h"

/* A slot, and whose it is. A value is large, and mostly only its beginning is looked at: the rest stands before it. */
typedef struct {
    tmpl_key_t key;
    uint32_t place;     /* the bits of the key's place that tell its bucket */
    unsigned char held; /* it was there when it was read */
    tmpl_slot_t slot;
} tmpl_lmdb_slot_t;

/* The slots of one site's keys, each key once, in the order of the file. */
typedef struct {
    tmpl_lmdb_slot_t *slots;
    uint32_t n;
    uint32_t *of; /* of each key that was asked for, in that order: its slot */
} tmpl_slots_t;

/* Makes the slots of n keys of the site, some perhaps given more than once, from pool. */
void tmpl_slots_make(tmpl_slots_t *slots, const tmpl_key_t *keys, uint32_t n,
                     const tmpl_site_t *site, apr_pool_t *pool);

/* Fills the slots with what the site has. */
int tmpl_slots_load(tmpl_slots_t *slots, tmpl_lmdb_buckets_t *buckets);

/*
 * Writes back what has been written to. The dead that are met on the way are deleted, unless lifetimes is NULL.
 * all: not only what has changed is written, but all buckets of the site, in order. Changes the site: put it after.
 */
int tmpl_slots_save(const tmpl_slots_t *slots, tmpl_lmdb_buckets_t *buckets,
                    const tmpl_lifetimes_t *lifetimes, int all);

#endif
