/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands in an LMDB store, and how sites come and go within a transaction of the caller's:
 *     sites      name -> tmpl_site_t
 *     entries    serial of the site (4, big-endian), number (4, bits reversed) -> a bucket (bucket.h)
 *     doomed     serial -> from when on (seconds, 8) its buckets may be deleted
 *     meta       "format"; "serial" -> the last serial given
 * A site is forgotten by giving up its serial: at once, whatever its size. Later writes delete the
 * buckets of doomed serials in slices. A site also gets a new serial when its buckets are put in order: lmdb_buckets.h
 * has what becomes of them.
 *
 * Return codes are LMDB's.
 */
#ifndef TMPL_LMDB_TABLE_H
#define TMPL_LMDB_TABLE_H

#include "table/bucket/buckets.h"
#include "table/lmdb/lmdb_env.h"

/* Bytes of a site's serial as the beginning of a key. */
#define TMPL_SERIAL_SIZE 4

/* The store holds as many sites as it may, and none of those looked at is idle. */
#define TMPL_LMDB_SITES_FULL (MDB_LAST_ERRCODE + 1)
/* The record of a site cannot be read. */
#define TMPL_LMDB_SITE_DAMAGED (MDB_LAST_ERRCODE + 2)

typedef struct {
    uint32_t serial;
    uint32_t pages;
    uint64_t version;
    uint64_t entries;
    uint64_t seen;          /* seconds of the epoch, when it was last observed, roughly */
    uint32_t at;            /* the bucket at which the sweeper goes on: its number, bits reversed */
    tmpl_buckets_t buckets; /* n 0: there are none yet */
} tmpl_site_t;

/* MDB_NOTFOUND if there is none, TMPL_LMDB_SITE_DAMAGED if it is none. */
int tmpl_site_get(tmpl_lmdb_t *db, MDB_txn *txn, const char *name, tmpl_site_t *site);
int tmpl_site_put(tmpl_lmdb_t *db, MDB_txn *txn, const char *name, const tmpl_site_t *site);

/* A serial that no site has had. */
int tmpl_serial_draw(tmpl_lmdb_t *db, MDB_txn *txn, uint32_t *serial);

/* An empty site with a serial of its own, not yet put. */
int tmpl_site_init(tmpl_lmdb_t *db, MDB_txn *txn, tmpl_site_t *site);

/* Forgets a site, damaged or not; MDB_NOTFOUND if there is none. */
int tmpl_site_forget(tmpl_lmdb_t *db, MDB_txn *txn, const char *name);

/* Makes room for one more site, by forgetting an idle one if need be: TMPL_LMDB_SITES_FULL. */
int tmpl_site_room(tmpl_lmdb_t *db, MDB_txn *txn, const tmpl_store_opts_t *opts);
/* Forgets one idle site among some, or what has no site's name; MDB_NOTFOUND if none of these is. */
int tmpl_site_forget_idle(tmpl_lmdb_t *db, MDB_txn *txn, const tmpl_store_opts_t *opts);

/* Has the buckets of a serial deleted from a time on; 0 is now. And not after all. */
int tmpl_serial_doom(tmpl_lmdb_t *db, MDB_txn *txn, uint32_t serial, uint64_t from);
int tmpl_serial_save(tmpl_lmdb_t *db, MDB_txn *txn, uint32_t serial);
/* Deletes up to budget buckets of doomed sites; *done if nothing is left to delete now. */
int tmpl_doomed_sweep(tmpl_lmdb_t *db, MDB_txn *txn, unsigned budget, int *done);

/* A serial in big-endian, so that the keys of a site stand together. */
void tmpl_serial_pack(unsigned char bytes[TMPL_SERIAL_SIZE], uint32_t serial);

#endif
