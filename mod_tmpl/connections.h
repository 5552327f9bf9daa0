/* SPDX-License-Identifier: Apache-2.0 */
/* Links: one store for each URI and child. */
#ifndef TMPL_CONNECTIONS_H
#define TMPL_CONNECTIONS_H

#include "mod_tmpl.h"

/*
 * The link to the store at uri, which tmpl_store_check_uri() has accepted. Only for use while the
 * configuration is read.
 */
tmpl_link_t *tmpl_link_add(const char *uri, apr_pool_t *pconf);

/* Notes, while the configuration is read, that s has a section with a mode other than off. */
void tmpl_links_used_by(server_rec *s);

/* Whether s has a section with a mode other than off, or inherits one from the main server. */
int tmpl_links_are_used_by(const server_rec *s);

/* Forgets all links but those in used (const tmpl_link_t *), before they are prepared. */
void tmpl_links_keep(const apr_array_header_t *used);

/*
 * pre_config, post_config and child_init hooks: forget all links; create directories and find the
 * watchdog; open the stores.
 */
void tmpl_links_reset(apr_pool_t *pconf);
void tmpl_links_prepare(server_rec *s, apr_pool_t *pconf, apr_pool_t *ptemp);
void tmpl_links_open(server_rec *s, apr_pool_t *pchild);

/*
 * test_config hook: logs which LMDB stores the server could not use, and why. Creates and changes
 * nothing. Redis is not asked, so that a test of the configuration needs no network.
 */
void tmpl_links_test(server_rec *s, apr_pool_t *pconf);

/*
 * tmpl_clean() with conf->store (NULL: the default store), or without a store while the store's
 * breaker is open. For a page that is not learnt in its request, conf->store_read is asked, if it
 * is set; conf->store is asked while the breaker of conf->store_read is open. A page that may be
 * learnt later is queued for httpd's watchdog. Logs when the store fails and recovers.
 */
void tmpl_link_clean(tmpl_outcome_t *outcome, const tmpl_input_t *input, const tmpl_conf_t *conf,
                     request_rec *r, apr_pool_t *pool);

/*
 * The name of a store for logs and pages: its URI without password and query, and with a number if
 * an earlier store has the same name.
 */
const char *tmpl_link_name(const char *uri, apr_pool_t *pool);

/*
 * The store of that name, as tmpl_stores_list() gives it; name NULL: the first store. For requests
 * that ask about stores. Returns NULL, with err filled, if there is no such store, or while the
 * store fails in this child.
 */
tmpl_store_t *tmpl_links_store(const char *name, tmpl_error_t *err);

/* How full the store of that name is. Returns 0 if that is not known. */
int tmpl_links_usage(const char *name, tmpl_store_usage_t *usage);

#endif
