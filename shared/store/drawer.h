/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries seen once are nearly all of a table, and on its own each costs a store several times its
 * bytes. So they stand side by side in drawers: of one kind, each as its hash (8, big-endian) and its
 * value (entry.h: 6 bytes of a segment, 4 of a document), nothing between them. An entry that is counted
 * again leaves its drawer and stands alone from then on. Paths always stand alone.
 *
 * A site has as many drawers of a kind as keep MOST entries in each on average, by linear hashing
 * (Litwin 1980, "Linear hashing: a new tool for file and table addressing"): one more drawer takes
 * its entries from one other, so growth costs no page more than a few drawers.
 *
 * Where an entry stands changes nothing of what a store answers. So a drawer that is FULL, as when
 * somebody aims hashes at it, takes no more: what would go there stands alone.
 */
#ifndef TMPL_STORE_DRAWER_H
#define TMPL_STORE_DRAWER_H

#include "store/entry.h"

#define TMPL_DRAWER_MOST 48
#define TMPL_DRAWER_FULL 512
/* As many drawers of a kind as the bits of a hash tell apart that choose one. */
#define TMPL_DRAWERS_MOST 0xffffff
/* Kinds whose entries stand in drawers: DOCUMENT and SEGMENT. */
#define TMPL_DRAWER_KINDS 2
/* Bytes of an entry at most, and of a drawer. */
#define TMPL_DRAWER_ENTRY_MAX (8 + 6)
#define TMPL_DRAWER_MAX       (TMPL_DRAWER_FULL * TMPL_DRAWER_ENTRY_MAX)

/* The drawers of one kind. */
typedef struct {
    uint32_t n;       /* drawers */
    uint32_t entries; /* in all of them */
} tmpl_drawers_t;

/* What one drawer holds. */
typedef struct {
    tmpl_kind_e kind;
    size_t len;
    unsigned char bytes[TMPL_DRAWER_MAX];
} tmpl_drawer_t;

/* Whether an entry of that kind and value has been seen once only. */
int tmpl_drawer_takes(tmpl_kind_e kind, const tmpl_value_t *value);

/* Bytes of an entry of that kind. */
size_t tmpl_drawer_stride(tmpl_kind_e kind);

/* The drawer of a hash, by its low 24 bits, if there are n > 0. */
uint32_t tmpl_drawer_of(uint64_t hash, uint32_t n);

/* The drawer that shares its entries with a new one, the n-th (n > 0). */
uint32_t tmpl_drawer_split_from(uint32_t n);

/* How many drawers a site begins with that has so many entries for them. */
uint32_t tmpl_drawers_for(uint32_t entries);

/* Takes over what a store holds; bytes that make no whole entry, or too many, make an empty drawer. */
void tmpl_drawer_read(tmpl_drawer_t *drawer, tmpl_kind_e kind, const void *bytes, size_t len);

/* The i-th entry; 0 if there are fewer. */
int tmpl_drawer_at(const tmpl_drawer_t *drawer, size_t i, tmpl_key_t *key, tmpl_value_t *value);

/* The place of a hash among the bytes of a drawer, or TMPL_NONE. */
uint32_t tmpl_drawer_find(tmpl_kind_e kind, const void *bytes, size_t len, uint64_t hash);

/* The value of the entry at a place that find has found. */
void tmpl_drawer_value(tmpl_kind_e kind, const void *bytes, uint32_t i, tmpl_value_t *value);

void tmpl_drawer_remove(tmpl_drawer_t *drawer, uint32_t i);

/* Puts an entry that the drawer takes and does not hold at its end; 0 if it is full. */
int tmpl_drawer_add(tmpl_drawer_t *drawer, uint64_t hash, const tmpl_value_t *value);

/*
 * Removes the dead at its beginning; returns how many there were. An entry is put at the end whenever it
 * is seen, so those unseen for long are there: a drawer that is written again holds no others, save for
 * what an import has left out of order, which is dead in its turn.
 */
uint32_t tmpl_drawer_trim(tmpl_drawer_t *drawer, const tmpl_lifetimes_t *lifetimes, uint32_t now);

/* Moves to an empty drawer, the new n-th, what belongs there. */
void tmpl_drawer_split(tmpl_drawer_t *from, tmpl_drawer_t *to, uint32_t n);

/* Puts two of a kind together in into, the last seen last; 0 and nothing done if that is too many. */
int tmpl_drawer_merge(tmpl_drawer_t *into, const tmpl_drawer_t *from);

#endif
