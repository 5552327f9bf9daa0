/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the status page may change (TmplAdmin): a site of a store is forgotten, frozen, or exported,
 * by a form of the site's page. A request must be a POST that TmplAdmin allows, come from a page of
 * this server, and have the token of that form: a MAC of site, store and user, by a key that is
 * drawn when httpd starts. Each action is logged, and so is each request that is refused.
 */
#ifndef TMPL_ADMIN_H
#define TMPL_ADMIN_H

#include "mod_tmpl.h"

/* Bytes of a token with its end. */
#define TMPL_TOKEN_SIZE 17

/* post_config hook. */
void tmpl_admin_create(server_rec *s);

/* Whether TmplAdmin allows r to change anything. */
int tmpl_admin_allows(request_rec *r);

/* The token that a form about a site of a store needs. */
void tmpl_admin_token(char token[TMPL_TOKEN_SIZE], const request_rec *r, const char *site,
                      const char *store);

/*
 * Answers a POST about a site: with a redirect to the site's page, or, after forget, to location;
 * with the file of an export; or with 403 or another status and a sentence that says what is wrong.
 * Returns what a handler returns.
 */
int tmpl_admin_post(request_rec *r, const char *location, const char *site);

#endif
