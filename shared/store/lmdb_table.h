/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands in an LMDB store, and how it changes within a transaction of the caller's:
 *     sites      name -> tmpl_site_t
 *     entries    serial of the site (4, big-endian), key (9) -> value (entry.h)
 *                serial, kind + 128 (1), number (4, bits reversed) -> a drawer (drawer.h)
 *     doomed     serial -> from when on (seconds, 8) its entries may be deleted
 *     meta       "format"; "serial" -> the last serial given
 * A site is forgotten by giving up its serial: at once, whatever its size. Later writes delete the
 * entries of doomed serials in slices.
 *
 * Return codes are LMDB's.
 */
#ifndef TMPL_STORE_LMDB_TABLE_H
#define TMPL_STORE_LMDB_TABLE_H

#include "store/drawer.h"
#include "store/lmdb_env.h"

/* Bytes of the keys of an entry and of a drawer. */
#define TMPL_ENTRY_SIZE  (4 + TMPL_KEY_SIZE)
#define TMPL_DRAWER_SIZE (4 + 1 + 4)

/* The store holds as many sites as it may, and none of those looked at is idle. */
#define TMPL_LMDB_SITES_FULL (MDB_LAST_ERRCODE + 1)

typedef struct {
    uint32_t serial;
    uint32_t pages;
    uint64_t version;
    uint64_t entries;                /* those in drawers among them */
    uint64_t seen;                   /* seconds of the epoch, when it was last observed, roughly */
    unsigned char at[TMPL_KEY_SIZE]; /* the key, or the drawer, at which the sweeper goes on */
    tmpl_drawers_t drawers[TMPL_DRAWER_KINDS];
} tmpl_site_t;

/* MDB_NOTFOUND if there is none. */
int tmpl_site_get(tmpl_lmdb_t *db, MDB_txn *txn, const char *name, tmpl_site_t *site);
int tmpl_site_put(tmpl_lmdb_t *db, MDB_txn *txn, const char *name, const tmpl_site_t *site);

/* An empty site with a serial of its own, not yet put. */
int tmpl_site_init(tmpl_lmdb_t *db, MDB_txn *txn, tmpl_site_t *site);

/* Makes room for one more site, by forgetting an idle one if need be: TMPL_LMDB_SITES_FULL. */
int tmpl_site_room(tmpl_lmdb_t *db, MDB_txn *txn, const tmpl_store_opts_t *opts);
/* Forgets one idle site among some, or what has no site's name; MDB_NOTFOUND if none of these is. */
int tmpl_site_forget_idle(tmpl_lmdb_t *db, MDB_txn *txn, const tmpl_store_opts_t *opts);

/* Has the entries of a serial deleted from a time on; 0 is now. And not after all. */
int tmpl_serial_doom(tmpl_lmdb_t *db, MDB_txn *txn, uint32_t serial, uint64_t from);
int tmpl_serial_save(tmpl_lmdb_t *db, MDB_txn *txn, uint32_t serial);
/* Deletes up to budget entries of doomed sites; *done if nothing is left to delete now. */
int tmpl_doomed_sweep(tmpl_lmdb_t *db, MDB_txn *txn, unsigned budget, int *done);

/* The key of an entry that stands alone. */
void tmpl_entry_key(unsigned char bytes[TMPL_ENTRY_SIZE], uint32_t serial, tmpl_key_t key);

/*
 * The key of the n-th drawer of a kind. Drawers stand in the order of their numbers' bits from the lowest
 * on, so that a new one stands next to the one it shares its entries with, and the pages of the file stay
 * full; and so do their entries' hashes.
 */
void tmpl_drawer_key(unsigned char bytes[TMPL_DRAWER_SIZE], uint32_t serial, tmpl_kind_e kind,
                     uint32_t n);
uint32_t tmpl_bits_reversed(uint32_t n);

/*
 * The n-th drawer of a kind, read and written with a cursor over the entries; one that is not there is
 * empty, and an empty one is not kept.
 */
int tmpl_drawer_get(MDB_cursor *cursor, const tmpl_site_t *site, tmpl_kind_e kind, uint32_t n,
                    tmpl_drawer_t *drawer);
int tmpl_drawer_put(MDB_cursor *cursor, const tmpl_site_t *site, uint32_t n,
                    const tmpl_drawer_t *drawer);

/*
 * Gives a kind as many drawers as so many entries call for, at least one, each with its part of another's; in
 * one go not many more than the added ones among them call for. Changes *site: put it after.
 */
int tmpl_drawers_grow(MDB_cursor *cursor, tmpl_site_t *site, tmpl_kind_e kind, uint32_t entries,
                      uint32_t added);
/*
 * Takes from a kind drawers that its entries do not call for any more, a few at a time; what then finds no
 * room stands alone. Likewise.
 */
int tmpl_drawers_shrink(MDB_cursor *cursor, tmpl_site_t *site, tmpl_kind_e kind);

/* Moves the sweeper on over budget entries, deleting the dead ones. Changes *site: put it after. */
int tmpl_site_sweep(tmpl_lmdb_t *db, MDB_txn *txn, tmpl_site_t *site,
                    const tmpl_lifetimes_t *lifetimes, unsigned budget);

/* Calls each with the entries of a site until it returns something other than 0. */
int tmpl_site_walk(tmpl_lmdb_t *db, MDB_txn *txn, const tmpl_site_t *site,
                   int (*each)(void *baton, tmpl_key_t key, const tmpl_value_t *value),
                   void *baton);

#endif
