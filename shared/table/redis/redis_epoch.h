/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a process has read of sites a moment ago. A page that may be judged by counts of that age takes from
 * there what it needs, and asks the server only for what is not there.
 *
 * An epoch is of one site. It begins with the buckets that a page has asked for, or that learning has left;
 * pages add those that they had to ask for. No bucket in it changes, and none was read before it began. Those
 * added later may be newer, so it has the newest head that came with any of them: nothing in a bucket is younger
 * than the clock that it is judged by.
 *
 * All of them together take a bounded number of bytes; to make room, those go that have not been used for longest.
 * Safe to use from many threads. A lock is held while a few words are copied or a bucket's place is noted.
 */
#ifndef TMPL_REDIS_EPOCH_H
#define TMPL_REDIS_EPOCH_H

#include <apr_time.h>

#include "table/redis/redis_table.h"

typedef struct tmpl_redis_epochs_t tmpl_redis_epochs_t;
typedef struct tmpl_redis_epoch_t tmpl_redis_epoch_t;

/* None yet; all that will be kept takes at most so many bytes. A cleanup on pool frees it. */
tmpl_redis_epochs_t *tmpl_redis_epochs_create(size_t most, apr_pool_t *pool);

/* Bytes that are kept now. */
size_t tmpl_redis_epochs_size(tmpl_redis_epochs_t *epochs);

/* Ends all: what the server said may no longer be so. Who has taken one may use it to the end. */
void tmpl_redis_epochs_end(tmpl_redis_epochs_t *epochs);

/*
 * The epoch of the site with this key, if it has begun at since (on tmpl_clock) or later; NULL if there is none. It
 * stays until it is given back.
 */
tmpl_redis_epoch_t *tmpl_redis_epoch_take(tmpl_redis_epochs_t *epochs, const char *key,
                                          apr_time_t since);
void tmpl_redis_epoch_give(tmpl_redis_epochs_t *epochs, tmpl_redis_epoch_t *epoch);

/* How many buckets the site has. It holds for the whole epoch. */
tmpl_buckets_t tmpl_redis_epoch_buckets(const tmpl_redis_epoch_t *epoch);

/*
 * Fills in the bytes of the bucket of that number, which stay for as long as the epoch is taken; 0: they are not there,
 * and are to be asked for.
 */
int tmpl_redis_epoch_find(const tmpl_redis_epoch_t *epoch, tmpl_redis_bucket_t *bucket);

/* The newest head: to be asked for after the buckets. */
tmpl_redis_head_t tmpl_redis_epoch_head(tmpl_redis_epochs_t *epochs,
                                        const tmpl_redis_epoch_t *epoch);

/*
 * Begins an epoch of a site, in place of an older one, with what was read after begun, unless this process has
 * learnt since. Where there is no room for it, and of a site without buckets, there is none.
 */
void tmpl_redis_epoch_begin(tmpl_redis_epochs_t *epochs, const char *key, apr_time_t begun,
                            const tmpl_redis_head_t *head, const tmpl_redis_bucket_t *buckets,
                            uint32_t n);

/*
 * Likewise, with what has just been learnt, and what was read for it. Only of a site that has an epoch: of another
 * nobody goes by what is kept.
 */
void tmpl_redis_epoch_renew(tmpl_redis_epochs_t *epochs, const char *key,
                            const tmpl_redis_head_t *head, const tmpl_redis_bucket_t *buckets,
                            uint32_t n);

/*
 * Adds buckets to an epoch that was taken, and the head that came with them; not those for which there is no room. 0:
 * the site is not what it was. It has other buckets, fewer pages, or an eighth more of them than when the epoch began,
 * and a share of the pages would be another one in each bucket: the epoch ends, and all is to be asked for anew.
 */
int tmpl_redis_epoch_add(tmpl_redis_epochs_t *epochs, tmpl_redis_epoch_t *epoch,
                         const tmpl_redis_head_t *head, const tmpl_redis_bucket_t *buckets,
                         uint32_t n);

#endif
