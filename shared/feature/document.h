/* SPDX-License-Identifier: Apache-2.0 */
/* Which document a page is: the identity that document frequency counts by. */
#ifndef TMPL_DOCUMENT_H
#define TMPL_DOCUMENT_H

#include "page/page.h"
#include "table/counts.h"

/*
 * The document of a page that was requested by uri ("/path?query"). Its id is a hash of the address
 * in the page's link rel=canonical: host (if the link names one), path and query. Without such a
 * link, the id is a hash of uri. Parameters that only track visitors or sessions (utm_*, gclid,
 * PHPSESSID, ...) are left out, and the others sorted. key, if not NULL, replaces the address. The
 * host of the request is not used: a proxy's name may differ from the host in its pages, and a
 * client may invent a host.
 *
 * Its place is its path, up to the name of a script (/story.php of /story.php/7/x?a=1): a client
 * can invent addresses of the same page that differ only behind that name. A key is a place of its
 * own: the operator says that each key is a document. A place is 6 bits of the id, so one place in
 * 64 is taken for another.
 */
tmpl_document_t tmpl_document(const tmpl_page_t *page, const char *uri, const char *key,
                              uint64_t seed, apr_pool_t *pool);

#endif
