/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many entries of one site, read from an LMDB store, changed in memory, and written back: each is looked
 * up once, in the order in which the file holds them, and each drawer is read once and written once
 * however many of its entries change. What is not written back has not happened.
 *
 * Return codes are LMDB's.
 */
#ifndef TMPL_STORE_LMDB_SLOTS_H
#define TMPL_STORE_LMDB_SLOTS_H

#include "store/lmdb_table.h"
#include "store/rules.h"

/* Where an entry is kept. */
typedef enum {
    TMPL_HELD_NOT,
    TMPL_HELD_ALONE,
    TMPL_HELD_IN_DRAWER,
} tmpl_held_e;

/* A slot, and whose it is. */
typedef struct {
    tmpl_slot_t slot;
    tmpl_key_t key;
    tmpl_held_e where; /* as it was read */
} tmpl_lmdb_slot_t;

/* The slots of one site's keys, each key once, in the order of the file. */
typedef struct {
    tmpl_lmdb_slot_t *slots;
    uint32_t n;
    uint32_t *of; /* of each key that was asked for, in that order: its slot */
} tmpl_slots_t;

/* Makes the slots of n keys, some perhaps given more than once, from pool. */
void tmpl_slots_make(tmpl_slots_t *slots, const tmpl_key_t *keys, uint32_t n, apr_pool_t *pool);

/* Fills the slots with what the store has. */
int tmpl_slots_load(tmpl_slots_t *slots, tmpl_lmdb_t *db, MDB_txn *txn, const tmpl_site_t *site,
                    apr_pool_t *pool);

/*
 * Writes back what has been written to. The dead that are met in a drawer are deleted, unless lifetimes is NULL.
 * Changes *site: put it after. The slots are used up.
 */
int tmpl_slots_save(tmpl_slots_t *slots, tmpl_lmdb_t *db, MDB_txn *txn, tmpl_site_t *site,
                    const tmpl_lifetimes_t *lifetimes, apr_pool_t *pool);

#endif
