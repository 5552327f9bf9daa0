/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The twin of a page: its Markdown, at an address of its own. The twin of /a is /a.md, that of
 * /a.html is /a.html.md, that of /a/ is /a/index.md.
 *
 * If TmplMarkdown is on, and nothing is found at PATH.md, the request goes on, as an internal
 * redirect, as one for PATH with "Accept: text/markdown"; if nothing is found there either, as one
 * for PATH.html. httpd treats each as a request of its own: access is checked, the section is that
 * of the page, a cache keeps the answer under the page's address. So a twin gives nothing that the
 * page does not give. A page that is declined passes as HTML; where a path has no Markdown (mode
 * off, an image), the answer is 404.
 */
#ifndef TMPL_TWIN_H
#define TMPL_TWIN_H

#include "mod_tmpl.h"

/* post_read_request hook, in front of all others: notes that r is for the page of a twin. */
int tmpl_twin_begin(request_rec *r);

/*
 * handler hook, in front of all others: lets them handle r, and, if they find nothing at a twin's
 * address, requests the page. Declines requests that have nothing to do with twins.
 */
int tmpl_twin_handler(request_rec *r);

/* insert_filter hook: adds TMPL_TWIN to the answer of a twin. */
void tmpl_twin_insert(request_rec *r);

/* TMPL_TWIN's filter function, behind mod_cache's: sets the fields that only a twin has. */
apr_status_t tmpl_twin_filter(ap_filter_t *f, apr_bucket_brigade *bb);

/*
 * For the gate: whether r's response is to be discarded, because tmpl_twin_handler() will answer
 * with another. is_html: whether the response is HTML.
 */
int tmpl_twin_discards(request_rec *r, int is_html);

/*
 * Discards the data of bb, so that the backend's connection can be used again. Returns an error
 * once this is more than TmplMaxBody: then the handler gives up.
 */
apr_status_t tmpl_twin_discard(tmpl_ctx_t *ctx, apr_bucket_brigade *bb);

#endif
