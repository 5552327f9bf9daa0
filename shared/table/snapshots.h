/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buckets that the process read a moment ago, so that not every look-up asks Redis for them.
 *
 * A snapshot is of one site. It begins with the buckets that one look-up read, or that learning
 * wrote; other look-ups add the buckets that they had to read. Its stamp, a time, tells how old it
 * is. Buckets that are added later may be younger than the stamp, so the snapshot keeps the newest
 * head that came with any of them: no bucket is younger than that head's clock.
 *
 * The snapshots take a bounded number of bytes; the least recently used are dropped first. Safe to
 * use from many threads: one mutex protects all, and is held while buckets are copied.
 */
#ifndef TMPL_SNAPSHOTS_H
#define TMPL_SNAPSHOTS_H

#include "table/provider.h"

typedef struct tmpl_snapshots_t tmpl_snapshots_t;

/*
 * Makes a cache without snapshots, which will take about `most` bytes, or fewer. A cleanup on pool
 * frees it.
 */
tmpl_snapshots_t *tmpl_snapshots_create(size_t most, apr_pool_t *pool);

/* The head of a site's snapshot; returns 0 if there is none whose stamp is at least `least`. */
int tmpl_snapshots_head(tmpl_snapshots_t *snapshots, const char *site, int64_t least,
                        tmpl_head_t *head);

/*
 * A transaction's get (provider.h). Takes n buckets from a snapshot whose stamp is from least to
 * stamp, and has read, a get as well, read the others. Reads all if there is no such snapshot, or
 * if the head that read returns shows that the site has changed too much: it has other buckets,
 * fewer pages, or an eighth more pages than when the snapshot began, which would distort the shares
 * of pages in some buckets. A transaction that writes reads all if anybody has written the site
 * since, or if the snapshot lacks many buckets.
 *
 * Unless the transaction writes, what was read is kept: in the snapshot, or in a new one with this
 * stamp.
 */
apr_status_t tmpl_snapshots_read(tmpl_snapshots_t *snapshots, int64_t least, int64_t stamp,
                                 tmpl_txn_t *txn, tmpl_get_t read, tmpl_numbered_t *buckets,
                                 uint32_t n);

/*
 * Outdates what was read of a site before stamp, and begins a snapshot with n buckets, which were
 * written between sent and stamp; but not if another thread wrote the site in that time.
 */
void tmpl_snapshots_renew(tmpl_snapshots_t *snapshots, const char *site, int64_t sent,
                          int64_t stamp, const tmpl_head_t *head, const tmpl_numbered_t *buckets,
                          uint32_t n);

/* Ends all snapshots, and outdates what was read before stamp. */
void tmpl_snapshots_clear(tmpl_snapshots_t *snapshots, int64_t stamp);

#endif
