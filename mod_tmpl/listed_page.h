/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a response shows of a document that is to be listed (TmplDocuments).
 *
 * A page is listed under the address that was requested, if all of these hold: it is a 200 to a GET
 * that TmplLearn lets the module learn; the request has no cookie but those that count visits, and
 * no Authorization, and the response is nobody's own; neither X-Robots-Tag nor meta robots says
 * noindex or none; its canonical link leads to this very address, or to it on a ServerAlias, or to
 * the backend's (ProxyPass) or, without such a link, the address has no query; and the site's table
 * does not take it for a near copy of another page. So each listed address was requested by
 * somebody as anybody may request it, and variants of a page that clients invent are not listed.
 * Pages may be made for the host that a request names: only requests that name this server take a
 * document off the list, and a listed page whose canonical link leads elsewhere is as one that was
 * not requested.
 */
#ifndef TMPL_LISTED_PAGE_H
#define TMPL_LISTED_PAGE_H

#include "child_store.h"

/*
 * A page that was judged by a store, which may be a replica of ours, with timeout left to ask it.
 */
typedef struct {
    const tmpl_ctx_t *ctx;
    const tmpl_input_t *input;
    const char *fingerprint; /* of the content; NULL: not known */
    tmpl_child_store_t *asked;
    tmpl_store_t *store;
    apr_interval_time_t timeout;
} tmpl_listed_page_t;

/*
 * Looks up what is listed of a page. If that is to change, notes in outcome->observation what is to
 * be listed. Returns when the page has changed, in seconds since 1970; 0: not known.
 */
apr_uint32_t tmpl_listed_page_look(const tmpl_listed_page_t *page, tmpl_outcome_t *outcome,
                                   request_rec *r, apr_pool_t *pool);

/*
 * The same of a page that is not judged, as the decision cache knows it; notes nothing. Waits for
 * the store until timeout, and not at all if that is 0 or below.
 */
apr_uint32_t tmpl_listed_page_changed(const tmpl_ctx_t *ctx, const char *uri,
                                      apr_interval_time_t timeout, apr_pool_t *pool);

/*
 * httpd's log_transaction hook: the client has been served. A listed page that is missing now (404,
 * 410) leaves the list.
 */
int tmpl_listed_page_served(request_rec *r);

#endif
