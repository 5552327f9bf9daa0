/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buckets that the process read a moment ago, so that not every look-up reads them from the store.
 *
 * A snapshot is of one site. It begins with the buckets that one look-up read, or that learning
 * wrote; other look-ups add the buckets that they had to read. Its stamp, a time or the number of a
 * transaction, tells how old it is. Buckets that are added later may be younger than the stamp, so
 * the snapshot keeps the newest head that came with any of them: no bucket is younger than that
 * head's clock.
 *
 * The snapshots take a bounded number of bytes; the least recently used are dropped first. Safe to
 * use from many threads: one mutex protects all, and is held while words are copied.
 */
#ifndef TMPL_SNAPSHOTS_H
#define TMPL_SNAPSHOTS_H

#include "table/provider.h"

typedef struct tmpl_snapshots_t tmpl_snapshots_t;
typedef struct tmpl_snapshot_t tmpl_snapshot_t;

/*
 * Makes a cache without snapshots, which will take at most `most` bytes. A cleanup on pool frees
 * it.
 */
tmpl_snapshots_t *tmpl_snapshots_create(size_t most, apr_pool_t *pool);

/* The snapshot of a site whose stamp is from least to most, or NULL. The caller gives it back. */
tmpl_snapshot_t *tmpl_snapshots_take(tmpl_snapshots_t *snapshots, const char *site, int64_t least,
                                     int64_t most);
void tmpl_snapshots_give(tmpl_snapshots_t *snapshots, tmpl_snapshot_t *snapshot);

/*
 * Fills head, and the bytes of those of n >= 0 buckets that the snapshot has; the bytes live until
 * the snapshot is given back. Fills missing with the indices of the other buckets, and returns
 * their number.
 */
uint32_t tmpl_snapshots_get(tmpl_snapshots_t *snapshots, const tmpl_snapshot_t *snapshot,
                            tmpl_head_t *head, tmpl_numbered_t *buckets, uint32_t n,
                            uint32_t *missing);

/*
 * Adds n buckets and the head that came with them, if there is room. Returns 0 and ends the
 * snapshot if the site has changed too much: it has other buckets, fewer pages, or an eighth more
 * pages than when the snapshot began, which would distort the shares of pages in some buckets.
 */
int tmpl_snapshots_add(tmpl_snapshots_t *snapshots, tmpl_snapshot_t *snapshot,
                       const tmpl_head_t *head, const tmpl_numbered_t *buckets, uint32_t n);

/*
 * Begins a snapshot with n buckets that were read, unless the site has a younger one, or was
 * outdated after stamp.
 */
void tmpl_snapshots_begin(tmpl_snapshots_t *snapshots, const char *site, int64_t stamp,
                          const tmpl_head_t *head, const tmpl_numbered_t *buckets, uint32_t n);

/*
 * Outdates what was read of a site before stamp. A new snapshot with n buckets replaces the site's
 * snapshot, if it has one.
 */
void tmpl_snapshots_renew(tmpl_snapshots_t *snapshots, const char *site, int64_t stamp,
                          const tmpl_head_t *head, const tmpl_numbered_t *buckets, uint32_t n);

/*
 * A transaction's get (provider.h): takes n buckets from the snapshot *cached, and has read, a get
 * as well, read the others. Without a snapshot (NULL), or if the snapshot is of a former state of
 * the site, reads all, and begins a snapshot with stamp. Sets *cached to NULL when it has given the
 * snapshot back.
 */
apr_status_t tmpl_snapshots_read(tmpl_snapshots_t *snapshots, tmpl_snapshot_t **cached,
                                 int64_t stamp, tmpl_txn_t *txn, tmpl_get_t read,
                                 tmpl_numbered_t *buckets, uint32_t n);

/*
 * A get for a transaction that writes: takes n buckets from a snapshot of any age (NULL: none) if
 * the head that read returns shows that nobody has written the site since, and has read read the
 * others. Reads all if the site was written, or the snapshot lacks many. The caller gives the
 * snapshot back when the transaction ends.
 */
apr_status_t tmpl_snapshots_reuse(tmpl_snapshots_t *snapshots, tmpl_snapshot_t *cached,
                                  tmpl_txn_t *txn, tmpl_get_t read, tmpl_numbered_t *buckets,
                                  uint32_t n);

/* Ends all snapshots, and outdates what was read before stamp. */
void tmpl_snapshots_clear(tmpl_snapshots_t *snapshots, int64_t stamp);

#endif
