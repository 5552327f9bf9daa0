/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of all sites: page -> counts. counts.h has the types, and what learning a page does. A
 * store is safe to use from many threads; open LMDB after fork.
 */
#ifndef TMPL_STORE_H
#define TMPL_STORE_H

#include "base/clock.h"
#include "table/counts.h"

typedef struct tmpl_engine_t tmpl_store_t;

/*
 * Checks the form of uri: "lmdb:DIR[?size=BYTES&sites=N]", "redis://[user:pass@]host[:port][/db]"
 * or another form of docs/stores.md; %xx is a byte, except in DIR. Reads the certificates that it
 * names. size and sites are limits, in place of map_size and max_sites: size is 1M to 1024G, sites
 * 1 to 100000000. A file that is larger than size stays as large as it is. APR_SUCCESS, or
 * APR_EINVAL or APR_ENOTIMPL with text.
 */
apr_status_t tmpl_store_check_uri(const char *uri, tmpl_error_t *err, apr_pool_t *pool);

/*
 * Opens the store at uri; opts may be NULL. A cleanup on pool closes it. A Redis store connects
 * when it is first used, so a server that is down is no error here. "memory:", which check_uri
 * refuses, is a store that ends when it is closed. APR_SUCCESS; APR_EINVAL for a bad uri;
 * otherwise the system's or LMDB's error, with text.
 */
apr_status_t tmpl_store_open(tmpl_store_t **store, const char *uri, const tmpl_store_opts_t *opts,
                             tmpl_error_t *err, apr_pool_t *pool);

/*
 * The name of a damaged file that was moved aside when store was opened, which then began anew;
 * NULL if there was none. It lives as long as store.
 */
const char *tmpl_store_moved(const tmpl_store_t *store);

/*
 * Whether somebody has removed or replaced the file of store since it was opened. Opening the URI
 * again makes or finds another file. store remains usable until it is closed, without effect on
 * that other file. Makes a system call.
 */
int tmpl_store_is_lost(const tmpl_store_t *store);

/*
 * Reads the file of a store from end to end, in search of damage. Writers wait meanwhile, up to the
 * usual deadlines. APR_SUCCESS; APR_ENOTIMPL for a store without a file; APR_EINVAL for a bad uri;
 * APR_EGENERAL with text if it is damaged; or the system's error.
 */
apr_status_t tmpl_store_examine(const char *uri, tmpl_error_t *err, apr_pool_t *pool);

/*
 * A store keeps a secret of its own, which is drawn when the store is first used. tmpl_seed() makes
 * the seed of all keys from this secret, unless the operator has chosen another one. So nobody who
 * does not know the store can make up texts with equal keys, and two stores cannot be compared.
 */
/* The seed that a secret makes; 0 for an empty secret and for NULL. */
uint64_t tmpl_seed(const char *secret);

/*
 * Fills secret; empty: the store has none, as it is in memory, or older than secrets. All users of
 * a store get the same. It may change if somebody empties the store, so ask again now and then. The
 * call takes at most timeout. Errors: those of tmpl_store_observe().
 */
apr_status_t tmpl_store_secret(tmpl_store_t *store, char secret[TMPL_SECRET_SIZE],
                               apr_interval_time_t timeout, tmpl_error_t *err, apr_pool_t *pool);

/*
 * Has the store use a secret, so that keys made with it can be imported. APR_SUCCESS if the store
 * has this secret already, or knows no site yet; APR_EINVAL with text if it knows sites, whose keys
 * were made with another one.
 */
apr_status_t tmpl_store_take_secret(tmpl_store_t *store, const char *secret, tmpl_error_t *err,
                                    apr_pool_t *pool);

/*
 * Looks up the keys of a page of a site and, unless learn is OFF, counts the document first. The
 * call takes at most timeout, and the time in which the system's resolver looks up a Redis
 * server's host name (redis_conn.h). counts->records come from pool. Any failure leaves the store
 * usable.
 * APR_TIMEUP  the time is over; counts are not to be used
 * APR_EBUSY   others wrote the site until the time was over, or no time was left to ask. The store
 *             itself may work
 * APR_ENOSPC  the store is full, or takes no writes for a reason that err tells: nothing was
 *             learnt, but counts are good. LATER does not notice: tmpl_store_learn() will
 * APR_EINVAL  a site's name of 0 or more than 255 bytes
 * TMPL_EDAMAGED  the site's record is damaged, or its key in Redis belongs to another program.
 *             The store serves the other sites
 * TMPL_EPART  the server of a cluster that has the site fails. The store serves the other sites
 */
apr_status_t tmpl_store_observe(tmpl_store_t *store, const tmpl_observation_t *observation,
                                apr_interval_time_t timeout, tmpl_counts_t *counts,
                                tmpl_error_t *err, apr_pool_t *pool);

/*
 * Learns n pages of one site in their order, like tmpl_store_observe() with NOW, and fills the
 * counts of each, in few transactions. After any failure no counts are good, and some pages may be
 * learnt; observe each page to know more.
 */
apr_status_t tmpl_store_observe_many(tmpl_store_t *store, const tmpl_observation_t *const *pages,
                                     uint32_t n, apr_interval_time_t timeout, tmpl_counts_t *counts,
                                     tmpl_error_t *err, apr_pool_t *pool);

/*
 * Learns n pages of any sites, whatever their learn says, in few transactions. The pages of one
 * site are learnt in their order. The call takes at most timeout. *counted (may be NULL): how many
 * documents were new.
 * APR_SUCCESS  all are learnt
 * APR_ENOSPC   the store is full, or takes no writes of a site, and no site has another fault: some
 *              pages are not learnt. To try again soon would not help
 * APR_EBUSY    others wrote a site until the time was over. Try again; the store itself may work
 * others       as of tmpl_store_observe(): some pages may be learnt, and all may be tried again
 */
apr_status_t tmpl_store_learn(tmpl_store_t *store, const tmpl_observation_t *const *pages,
                              uint32_t n, apr_interval_time_t timeout, uint32_t *counted,
                              tmpl_error_t *err, apr_pool_t *pool);

/*
 * The pages of a site that one transaction learns at most. In a smaller batch each page costs more,
 * because pages share buckets; a larger batch keeps others from writing for longer.
 */
#define TMPL_BATCH_MOST 128

/* A site's figures; APR_NOTFOUND for a site that the store does not know. */
apr_status_t tmpl_store_stats(tmpl_store_t *store, const char *site, const tmpl_policy_t *policy,
                              tmpl_store_stats_t *stats, tmpl_error_t *err, apr_pool_t *pool);

/* Calls each with the name of every site until a call returns an error; returns that error. */
apr_status_t tmpl_store_sites(tmpl_store_t *store, tmpl_each_site_t each, void *baton,
                              tmpl_error_t *err, apr_pool_t *pool);

/*
 * Fills usage, in a time that does not depend on the number of sites. APR_ENOTIMPL without text:
 * the store has no limits of its own (Redis has maxmemory, and counts evicted_keys).
 */
apr_status_t tmpl_store_usage(tmpl_store_t *store, tmpl_store_usage_t *usage, tmpl_error_t *err);

/* Removes a site; APR_NOTFOUND if the store does not know it. */
apr_status_t tmpl_store_forget(tmpl_store_t *store, const char *site, tmpl_error_t *err,
                               apr_pool_t *pool);

/*
 * Freezes a site, or unfreezes it. No user of the store learns from pages of a frozen site, and
 * every page is judged by the table as it was when the site was frozen. Forgetting or importing the
 * site unfreezes it, too. APR_NOTFOUND if the store does not know the site; other errors are those
 * of tmpl_store_observe().
 */
apr_status_t tmpl_store_freeze(tmpl_store_t *store, const char *site, int frozen, tmpl_error_t *err,
                               apr_pool_t *pool);

/*
 * Export fills head, then calls each with every entry of a site, documents included. Import
 * replaces the site by head and n entries. Any kind of store imports what another one exported.
 */
apr_status_t tmpl_store_export(tmpl_store_t *store, const char *site, tmpl_store_stats_t *head,
                               tmpl_each_entry_t each, void *baton, tmpl_error_t *err,
                               apr_pool_t *pool);
apr_status_t tmpl_store_import(tmpl_store_t *store, const char *site,
                               const tmpl_store_stats_t *head, const tmpl_entry_t *entries,
                               uint32_t n, tmpl_error_t *err, apr_pool_t *pool);

#endif
