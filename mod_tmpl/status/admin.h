/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the status page may change (TmplAdmin): a site of a store is forgotten or frozen, by a form
 * of the site's page. A request must be a POST that TmplAdmin allows, and come from a page of this
 * server. Each action is logged, and so is each request that is refused.
 */
#ifndef TMPL_ADMIN_H
#define TMPL_ADMIN_H

#include "mod_tmpl.h"

/* Whether TmplAdmin allows r to change anything. */
int tmpl_admin_allows(request_rec *r);

/*
 * Answers a POST about a site: with a redirect to the site's page, or, after forget, to location;
 * or with 403 or another status and a sentence that says what is wrong. Returns what a handler
 * returns.
 */
int tmpl_admin_post(request_rec *r, const char *location, const char *site);

#endif
