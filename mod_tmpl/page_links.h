/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The addresses of a page: its own, and that of its twin (twin.h); the Link fields that name them;
 * and the key of its site. A client's Host field cannot make an absolute address point elsewhere.
 */
#ifndef TMPL_PAGE_LINKS_H
#define TMPL_PAGE_LINKS_H

#include "mod_tmpl.h"

/*
 * Path and query that the client sent, for a twin those of its page, spelt as by
 * tmpl_address_parse(); from pool.
 */
const char *tmpl_uri_of(const request_rec *r, apr_pool_t *pool);

/*
 * The fields of the request that a page may show, if they have least bytes. NULL: none. May point
 * into r.
 */
const char *tmpl_fields_shown(const request_rec *r, apr_size_t least, apr_pool_t *pool);

/* Whether the client names r's server: by Host, :authority or in the request line. */
int tmpl_names_own_host(const request_rec *r);

/*
 * The absolute address of uri, a path and query, on r's server; from pool. Scheme, host and port
 * follow ServerName and UseCanonicalName. Where UseCanonicalName is Off, the host that the client
 * names counts only if it is the ServerName or a ServerAlias, and its port only if it is the
 * ServerName's, the scheme's default, or the port that the client is connected to; else the
 * ServerName counts.
 */
const char *tmpl_canonical_url(const char *uri, const request_rec *r, apr_pool_t *pool);

/* The value of a key's expression; NULL if it is not set, is empty, or fails, which httpd logs. */
const char *tmpl_key_of(request_rec *r, const ap_expr_info_t *expr);

/* The key of the site that r's page belongs to. */
const char *tmpl_site_of(request_rec *r, const tmpl_conf_t *conf);

/* The page whose twin has the address uri, a path and query, from pool; NULL: it is no twin's. */
const char *tmpl_twin_page(const char *uri, apr_pool_t *pool);

/* The page to look for if there is none at uri: uri with .html; NULL: there is no other. */
const char *tmpl_twin_html(const char *uri, apr_pool_t *pool);

/* Adds the link to the page itself. */
void tmpl_link_canonical(request_rec *r);

/* For a page that is not declined: adds links to the variants that requests may get. */
void tmpl_link_alternates(request_rec *r, const tmpl_conf_t *conf);

#endif
