/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hash tables whose keys come from a page. APR seeds its hash, but strings that collide under one
 * seed collide under all: a page could choose ids that all fall into one slot.
 */
#ifndef TMPL_HASH_H
#define TMPL_HASH_H

#include <apr_hash.h>

#include "base/tmpl.h"

/*
 * An author of a page could compute texts whose hashes collide and make tables slow; so a hash's
 * position in a table depends on this odd factor, drawn at random when the program is loaded.
 */
extern uint64_t tmpl_slot_factor;

/* The slot of the hash in a table of n_slots, a power of two. */
static inline uint32_t tmpl_slot_of(uint64_t hash, uint32_t n_slots)
{
    /* the upper bits of the product: only these depend on all bits of the hash */
    return (uint32_t)(((hash * tmpl_slot_factor) >> 32) * n_slots >> 32);
}

/* An empty table in pool. The order of its keys differs between processes, as in APR's tables. */
apr_hash_t *tmpl_hash_make(apr_pool_t *pool);

/* The hash of a key, as APR calls it: sets *len if it is APR_HASH_KEY_STRING. */
unsigned int tmpl_hash_of(const char *key, apr_ssize_t *len);

/* --- a hash table that numbers 64-bit keys from 0, in the order of their first appearance --- */

typedef struct {
    uint64_t *keys;   /* by number */
    uint32_t n;       /* number of keys */
    uint32_t room;    /* number of keys that fit */
    uint32_t *slots;  /* 1 + number of a key; 0: free */
    uint32_t n_slots; /* a power of two */
    apr_pool_t *pool;
    apr_pool_t *scratch;
} tmpl_numbering_t;

/*
 * Makes an empty table with room for n keys, at least 1; the room grows with the keys. The keys are
 * from pool; memory that only adding keys needs is from scratch.
 */
void tmpl_numbering_init(tmpl_numbering_t *numbering, uint32_t n, apr_pool_t *pool,
                         apr_pool_t *scratch);

/* Makes room for twice as many keys. */
void tmpl_numbering_grow(tmpl_numbering_t *numbering);

/* The number of the key. A new key is added: its number is the old numbering->n. */
static inline uint32_t tmpl_numbering_add(tmpl_numbering_t *numbering, uint64_t key)
{
    uint32_t i = tmpl_slot_of(key, numbering->n_slots);
    for (; numbering->slots[i] != 0; i = (i + 1) & (numbering->n_slots - 1)) {
        if (numbering->keys[numbering->slots[i] - 1] == key) {
            return numbering->slots[i] - 1;
        }
    }
    numbering->keys[numbering->n++] = key;
    numbering->slots[i] = numbering->n;
    if (numbering->n == numbering->room) {
        tmpl_numbering_grow(numbering);
    }
    return numbering->n - 1;
}

#endif
