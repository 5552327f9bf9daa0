/* SPDX-License-Identifier: Apache-2.0 */
/* The list as a sitemap in XML (https://www.sitemaps.org/protocol.html, 0.9). */
#ifndef TMPL_SITEMAP_H
#define TMPL_SITEMAP_H

#include "list.h"

/* Parts of a list of more than TMPL_SITEMAP_MOST documents, from 1 to TMPL_SITEMAP_PARTS. */
#define TMPL_SITEMAP_MOST  50000
#define TMPL_SITEMAP_PARTS 8

/*
 * Sends the sitemap, a slice at a time; for part 0 of a large list, the index of its parts. Returns
 * the store's error, after which what was sent is not complete.
 */
apr_status_t tmpl_sitemap_send(tmpl_list_t *list, int part, tmpl_error_t *err);

#endif
