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

/* Where an entry is kept. */
typedef enum {
    TMPL_HELD_NOT,
    TMPL_HELD_ALONE,
    TMPL_HELD_IN_DRAWER,
} tmpl_held_e;

/* MDB_NOTFOUND if there is none. */
int tmpl_site_get(tmpl_lmdb_t *db, MDB_txn *txn, const char *name, tmpl_site_t *site);
int tmpl_site_put(tmpl_lmdb_t *db, MDB_txn *txn, const char *name, const tmpl_site_t *site);

/* An empty site with a serial of its own, not yet put. */
int tmpl_site_init(tmpl_lmdb_t *db, MDB_txn *txn, tmpl_site_t *site);

/* Makes room for one more site, by forgetting an idle one if need be: TMPL_LMDB_SITES_FULL. */
int tmpl_site_room(tmpl_lmdb_t *db, MDB_txn *txn, const tmpl_store_opts_t *opts);
/* Forgets one idle site among some; MDB_NOTFOUND if none of these is. */
int tmpl_site_forget_idle(tmpl_lmdb_t *db, MDB_txn *txn, const tmpl_store_opts_t *opts);

/* Has the entries of a serial deleted from a time on; 0 is now. And not after all. */
int tmpl_serial_doom(tmpl_lmdb_t *db, MDB_txn *txn, uint32_t serial, uint64_t from);
int tmpl_serial_save(tmpl_lmdb_t *db, MDB_txn *txn, uint32_t serial);
/* Deletes up to budget entries of doomed sites; *done if nothing is left to delete now. */
int tmpl_doomed_sweep(tmpl_lmdb_t *db, MDB_txn *txn, unsigned budget, int *done);

/*
 * 0, with *held TMPL_HELD_NOT if there is none; what is no value of ours is returned as one that is
 * dead.
 */
int tmpl_entry_get(tmpl_lmdb_t *db, MDB_txn *txn, const tmpl_site_t *site, tmpl_key_t key,
                   tmpl_value_t *value, tmpl_held_e *held);
/*
 * Puts an entry that get found held so. The dead that it meets in a drawer are deleted, unless
 * lifetimes is NULL. Changes *site: put it after.
 */
int tmpl_entry_put(tmpl_lmdb_t *db, MDB_txn *txn, tmpl_site_t *site, tmpl_key_t key,
                   const tmpl_value_t *value, tmpl_held_e held, const tmpl_lifetimes_t *lifetimes);

/* Moves the sweeper on over budget entries, deleting the dead ones. Changes *site: put it after. */
int tmpl_site_sweep(tmpl_lmdb_t *db, MDB_txn *txn, tmpl_site_t *site,
                    const tmpl_lifetimes_t *lifetimes, unsigned budget);

/* Calls each with the entries of a site until it returns something other than 0. */
int tmpl_site_walk(tmpl_lmdb_t *db, MDB_txn *txn, const tmpl_site_t *site,
                   int (*each)(void *baton, tmpl_key_t key, const tmpl_value_t *value),
                   void *baton);

#endif
