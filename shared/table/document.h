/* SPDX-License-Identifier: Apache-2.0 */
/* Which document a page is: the identity that document frequency counts by. */
#ifndef TMPL_DOCUMENT_H
#define TMPL_DOCUMENT_H

#include "page/page.h"
#include "table/store.h"

/*
 * The document that page is when it was asked for by uri ("/path?query"). Its id is the hash of what its link
 * rel=canonical names: host, path and query, or path and query if it names no host. Who asked, and under
 * which host, does not matter: a proxy has another name than the pages name, and a client may make one up.
 * Without such a link it is that of uri. In either, parameters that only track visitors or sessions (utm_*,
 * gclid, fbclid, PHPSESSID, ...) are left out and the rest sorted. key, if not NULL, overrides both.
 *
 * Its place is its path, up to the name of a script (/story.php of /story.php/7/x?a=1): addresses that anybody can make
 * up, and get the same page, differ behind it. A document named by key is a place of its own, for the
 * operator says that they are documents. Places are 6 bits of the id, so one in 64 is taken for another.
 */
tmpl_document_t tmpl_document(const tmpl_page_t *page, const char *uri, const char *key,
                              uint64_t seed, apr_pool_t *pool);

/* uri without tracking parameters, session ids and fragment, the other parameters sorted. */
const char *tmpl_uri_identity(const char *uri, apr_pool_t *pool);

/* The seed of all keys of an operator's secret; 0 for NULL. */
uint64_t tmpl_seed(const char *secret);

#endif
