/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The listed documents (listed.h) of a site in a store. All functions take at most timeout, or the
 * store's patience, and have the errors of tmpl_store_observe(). A site that the store does not
 * know has no list: a page of it is learnt first.
 */
#ifndef TMPL_SITE_LISTED_H
#define TMPL_SITE_LISTED_H

#include "table/engine.h"
#include "table/listed.h"

/*
 * Fills found, without address and title, with what is known of a document: of address, or if text
 * is not 0, of another spelling of it with this text (listed.h). APR_NOTFOUND, with
 * found all zero: it is not listed.
 */
apr_status_t tmpl_site_list_find(const tmpl_engine_t *store, const char *site, const char *address,
                                 uint32_t text, apr_interval_time_t timeout, tmpl_listed_t *found,
                                 tmpl_error_t *err, apr_pool_t *pool);

/*
 * Applies the sightings of n pages of one site in one transaction, until deadline (on tmpl_clock).
 * Pages without a sighting do nothing.
 */
apr_status_t tmpl_site_list_apply(const tmpl_engine_t *store,
                                  const tmpl_observation_t *const *pages, uint32_t n,
                                  apr_time_t deadline, tmpl_error_t *err, apr_pool_t *pool);

/* Called with each document, until a call returns an error. */
typedef apr_status_t (*tmpl_each_listed_t)(void *baton, const tmpl_listed_t *listed);

/*
 * Reads the head, and calls each with the documents of some shards: at most n from shard first on.
 * n 0: only the head. The documents live as long as the call. APR_NOTFOUND: the store does not know
 * the site.
 */
apr_status_t tmpl_site_list_read(const tmpl_engine_t *store, const char *site, uint32_t first,
                                 uint32_t n, tmpl_listed_head_t *head, tmpl_each_listed_t each,
                                 void *baton, tmpl_error_t *err, apr_pool_t *pool);

/* Replaces the list of a site that the store knows by n documents; head->n is ignored. */
apr_status_t tmpl_site_list_import(const tmpl_engine_t *store, const char *site,
                                   const tmpl_listed_head_t *head, const tmpl_listed_t *listed,
                                   uint32_t n, tmpl_error_t *err, apr_pool_t *pool);

#endif
