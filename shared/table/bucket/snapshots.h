/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buckets that a process has read a moment ago, so that not every look-up reads them from the store again.
 *
 * A snapshot is of one site. It begins with the buckets that one look-up has read, or that learning has written;
 * others add what they had to read. Its stamp says of when it is: a time, or the number of a transaction, whatever
 * the store goes by, as long as it grows. Buckets that are added may be younger than the stamp, so a snapshot has
 * the newest head that came with any of them: nothing in it is younger than the clock by which it is judged.
 *
 * All snapshots together take a bounded number of bytes; those go that have not been used for longest. Safe to use
 * from many threads: all stands under one mutex, which is held while words are copied.
 */
#ifndef TMPL_SNAPSHOTS_H
#define TMPL_SNAPSHOTS_H

#include "table/provider.h"

typedef struct tmpl_snapshots_t tmpl_snapshots_t;
typedef struct tmpl_snapshot_t tmpl_snapshot_t;

/* An empty cache that will take at most so many bytes. A cleanup on pool frees it. */
tmpl_snapshots_t *tmpl_snapshots_create(size_t most, apr_pool_t *pool);

/* The bytes that it takes now. */
size_t tmpl_snapshots_size(tmpl_snapshots_t *cache);

/* The snapshot of a site with a stamp from least to most, or NULL. It stays until it is given back. */
tmpl_snapshot_t *tmpl_snapshots_take(tmpl_snapshots_t *cache, const char *site, int64_t least,
                                     int64_t most);
void tmpl_snapshots_give(tmpl_snapshots_t *cache, tmpl_snapshot_t *snapshot);

/*
 * Fills the bytes of those of n >= 0 buckets that the snapshot has, which live until it is given back, its head, and
 * missing with the indices of the other buckets; returns the number of these.
 */
uint32_t tmpl_snapshots_get(tmpl_snapshots_t *cache, const tmpl_snapshot_t *snapshot,
                            tmpl_head_t *head, tmpl_numbered_t *buckets, uint32_t n,
                            uint32_t *missing);

/*
 * Adds n buckets, and the head that came with them, as far as there is room. Returns 0 if the site is another now: it
 * has other buckets, fewer pages, or an eighth more than when the snapshot began, so that shares of the pages
 * would differ from bucket to bucket. Then the snapshot ends.
 */
int tmpl_snapshots_add(tmpl_snapshots_t *cache, tmpl_snapshot_t *snapshot, const tmpl_head_t *head,
                       const tmpl_numbered_t *buckets, uint32_t n);

/* Begins a snapshot of what was read, unless there is a younger one, or one may have been learnt since. */
void tmpl_snapshots_begin(tmpl_snapshots_t *cache, const char *site, int64_t stamp,
                          const tmpl_head_t *head, const tmpl_numbered_t *buckets, uint32_t n);

/* Replaces the snapshot of a site, if it has one, by what was learnt: what was read before is outdated. */
void tmpl_snapshots_renew(tmpl_snapshots_t *cache, const char *site, int64_t stamp,
                          const tmpl_head_t *head, const tmpl_numbered_t *buckets, uint32_t n);

/* Ends all snapshots: what was read before stamp may no longer be so. */
void tmpl_snapshots_clear(tmpl_snapshots_t *cache, int64_t stamp);

#endif
