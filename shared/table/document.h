/* SPDX-License-Identifier: Apache-2.0 */
/* Which document a page is: the identity that document frequency counts by. */
#ifndef TMPL_DOCUMENT_H
#define TMPL_DOCUMENT_H

#include "page/page.h"
#include "table/store.h"

/*
 * The document of a page that was requested by uri ("/path?query"). Its id is a hash of the address
 * in the page's link rel=canonical: host, path and query, or path and query if it names no host;
 * without such a link, of uri. Parameters that only track visitors or sessions (utm_*, gclid,
 * PHPSESSID, ...) are left out, and the others sorted. key, if not NULL, replaces the address. The
 * host of the request is not used: a proxy has another name than its pages name, and a client may
 * invent one.
 *
 * Its place is its path, up to the name of a script (/story.php of /story.php/7/x?a=1): a client
 * can invent addresses of the same page that differ only behind it. Each key is a place of its own:
 * the operator says that these are documents. Places are 6 bits of the id, so one in 64 is taken
 * for another.
 */
tmpl_document_t tmpl_document(const tmpl_page_t *page, const char *uri, const char *key,
                              uint64_t seed, apr_pool_t *pool);

/* uri without tracking parameters, session ids and fragment, the other parameters sorted. */
const char *tmpl_uri_identity(const char *uri, apr_pool_t *pool);

/* The seed of all keys, of a secret; 0 for an empty one and for NULL. */
uint64_t tmpl_seed(const char *secret);

#endif
