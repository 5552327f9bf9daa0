/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The forms of a list. Each function sends one, and returns the store's error: the sitemap in XML
 * is not complete then, of the others nothing was sent.
 */
#ifndef TMPL_FORMATS_H
#define TMPL_FORMATS_H

#include "mod_tmpl.h"

#include "table/listed.h"

/* The listed documents of one site, as an answer to one request. */
typedef struct {
    request_rec *r;
    tmpl_store_t *store;
    const char *site;
    const char *origin; /* scheme and host in front of each address */
    tmpl_listed_head_t head;
    apr_uint32_t now; /* seconds since 1970 */
} tmpl_list_t;

/* Parts of a list of more than TMPL_SITEMAP_MOST documents, from 1 to TMPL_SITEMAP_PARTS. */
#define TMPL_SITEMAP_MOST  50000
#define TMPL_SITEMAP_PARTS 8

/*
 * A sitemap in XML (https://www.sitemaps.org/protocol.html, 0.9), a slice at a time; for part 0 of
 * a large list, the index of its parts.
 */
apr_status_t tmpl_sitemap_send(tmpl_list_t *list, int part, tmpl_error_t *err);

/* The entries of a feed, at most. */
#define TMPL_FEED_MOST 100

/* A feed of new and changed documents: Atom (RFC 4287). */
apr_status_t tmpl_feed_send(tmpl_list_t *list, tmpl_error_t *err);

/* Documents in sitemap.md and in llms.txt, at most: those with the shortest paths. */
#define TMPL_OUTLINE_SITEMAP 5000
#define TMPL_OUTLINE_LLMS    500

/* Markdown, for agents: sections by the first part of the path. */
apr_status_t tmpl_outline_send(tmpl_list_t *list, int most, tmpl_error_t *err);

#endif
