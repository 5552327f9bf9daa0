/* SPDX-License-Identifier: Apache-2.0 */
/* Links: one store for each URI and child. */
#ifndef TMPL_CONNECTIONS_H
#define TMPL_CONNECTIONS_H

#include "mod_tmpl.h"

/*
 * The link to the store at uri, which tmpl_store_check_uri() has accepted. While the configuration
 * is read only.
 */
tmpl_link_t *tmpl_link_add(const char *uri, apr_pool_t *pconf);

/* Notes that s has a section with a mode other than off. While the configuration is read only. */
void tmpl_links_used_by(server_rec *s);

/* Whether s has such a section, or the main server has one, which all servers inherit. */
int tmpl_links_are_used_by(const server_rec *s);

/*
 * pre_config, post_config and child_init hooks: forget all links; create directories and find the
 * watchdog; open the stores.
 */
void tmpl_links_reset(apr_pool_t *pconf);
void tmpl_links_prepare(server_rec *s, apr_pool_t *pconf, apr_pool_t *ptemp);
void tmpl_links_open(server_rec *s, apr_pool_t *pchild);

/*
 * tmpl_clean() with the link's store, or without a store while its breaker is open; conf->store
 * NULL is the default store. Pages that are not learnt in the request ask conf->store_read, if
 * there is one, and conf->store while its breaker is open. A page that may be learnt later is queued for httpd's watchdog. Logs
 * when the store fails and recovers.
 */
void tmpl_link_clean(tmpl_outcome_t *outcome, const tmpl_input_t *input, const tmpl_conf_t *conf,
                     request_rec *r, apr_pool_t *pool);

/* A store's URI without its password, and a number if that names two: the name for logs and pages. */
const char *tmpl_link_name(const char *uri, apr_pool_t *pool);

/*
 * The store of that name, without a password (tmpl_stores_list); NULL: the first one. For requests
 * that ask about stores: NULL with text if there is none, or while it fails in this child.
 */
tmpl_store_t *tmpl_links_store(const char *name, tmpl_error_t *err);

/* How many sites that store has forgotten for others. Returns 0 if that is not known. */
int tmpl_links_evicted(const char *name, apr_uint32_t *n);

#endif
