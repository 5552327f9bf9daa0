/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which pages of a site to load, so that its table knows the template of a key page:
 *   1. the key page's links in the order of Algorithm 1 of Alarte et al. (WWV 2014), until the
 *      pages loaded hold a complete subdigraph (Algorithm 2);
 *   2. more of these links, and then links of the pages loaded, until the text that the pages of
 *      the subdigraph share is on min_df pages.
 * The caller loads the pages; nothing here uses the network.
 */
#ifndef TMPL_WARMUP_H
#define TMPL_WARMUP_H

#include <apr_tables.h>
#include <apr_time.h>

#include "page/page.h"
#include "address/address.h"
#include "base/tmpl.h"

/* Which addresses a site's robots.txt allows a crawler to request: RFC 9309. */

typedef struct tmpl_robots_t tmpl_robots_t;

/* Bytes of a robots.txt that are read; the RFC demands 500 KiB at least. */
#define TMPL_ROBOTS_MOST (512 * 1024)

/*
 * Parses the len bytes at text and returns the rules for the crawler with the product token agent
 * (letters, '-' and '_'), from pool: the rules of all groups for agent; without such a group, the
 * rules of all groups for "*"; else none. Other lines are ignored. text is not needed afterwards.
 */
const tmpl_robots_t *tmpl_robots_parse(const char *text, apr_size_t len, const char *agent,
                                       apr_pool_t *pool);

/*
 * Whether uri ("/path?query", as tmpl_address_parse spells it) may be requested. The longest rule
 * that matches decides; if an allow and a disallow are equally long, the allow decides. /robots.txt
 * is always allowed.
 */
int tmpl_robots_allow(const tmpl_robots_t *robots, const char *uri);

/* The Crawl-delay, at most an hour; 0 if there is none. Not part of the RFC, but widely used. */
apr_interval_time_t tmpl_robots_delay(const tmpl_robots_t *robots);

/*
 * The links of a page to other pages of its site, and the order to follow them in: getLinks,
 * Algorithm 1 and the distances of section 3.2 of Alarte, Insa, Silva and Tamarit, "Automatic
 * Detection of Webpages that Share the Same Web Template" (WWV 2014). Pages with near addresses
 * share most of their template; links far apart on a page lead to pages that share nothing but the
 * template.
 */

typedef struct {
    const char *uri; /* to request: "/path?query" */
    const char *id;  /* links with equal ids lead to the same document */
    uint32_t node;   /* the a element */
} tmpl_link_t;

/*
 * The links of the page at address, an array of tmpl_link_t from pool, in the order of their first
 * appearance: the href of a elements, resolved against the page's base. Left out are
 *   1. links to other hosts and to the page itself, and repeated links (getLinks and its note 3);
 *   2. files whose extension is not that of a page (.pdf, .png).
 * Bytes above 0x7f are escaped without conversion, so such links are right on pages in UTF-8 only.
 */
apr_array_header_t *tmpl_links(const tmpl_page_t *page, const tmpl_address_t *address,
                               apr_pool_t *pool);

/*
 * Sorts links of page by Algorithm 1: by relevance to uri, the address of the key page; among links
 * of equal relevance, the next is the one farthest in the tree from those before it (Definition 5),
 * or the first on the page if several are. Keeps the first most links. Time: links times most.
 */
void tmpl_links_order(apr_array_header_t *links, const tmpl_page_t *page, const char *uri, int most,
                      apr_pool_t *pool);

/*
 * hDistance(from, to), Definition 2, in directories: the parts of an address that end with a '/'.
 * The leading '/' is not one, and the name behind the last '/', with the query, does not count.
 *    0: the same directory
 *   +k: to is k directories below from
 *   -k: from is k directories below the last directory that both share
 */
int tmpl_hyperlink_distance(const char *from, const char *to);

/*
 * Compares links at hyperlink distances a and b from the key page by relevance, Definition 4: below
 * 0 if a is more relevant, 0 if equal, above 0 if b is. The order is 0, 1, 2, ..., -1, -2, ...
 */
int tmpl_link_relevance(int a, int b);

/*
 * dDistance(a, b), Definition 3: the number of edges on the path from node a to node b in the tree.
 */
uint32_t tmpl_dom_distance(const tmpl_page_t *page, uint32_t a, uint32_t b);

typedef struct tmpl_warmup_t tmpl_warmup_t;

/* The share of the subdigraph's common text that must be on min_df pages. */
#define TMPL_WARMUP_SETTLED 0.9

typedef struct {
    uint32_t size;   /* pages of the subdigraph, 1 to TMPL_SUBDIGRAPH_SIZE_MOST */
    uint32_t most;   /* pages to load, with the key page, 2 to TMPL_SUBDIGRAPH_LINKS_MOST */
    uint32_t min_df; /* the DF from which a segment is template */
    const tmpl_robots_t *robots; /* links that it forbids are left out; NULL: no rules */
} tmpl_warmup_opts_t;

/* Begins at key_page, loaded from address. These and opts must live as long as the result. */
tmpl_warmup_t *tmpl_warmup_begin(const tmpl_page_t *key_page, const tmpl_address_t *address,
                                 const tmpl_warmup_opts_t *opts, apr_pool_t *pool);

/*
 * The next page to load, "/path?query" of the key page's host; NULL: none is needed, or none left.
 */
const char *tmpl_warmup_next(tmpl_warmup_t *warmup);

/*
 * Adds the page that tmpl_warmup_next returned last: its links in the order of Algorithm 1, its
 * keys and the hash of its text; all are copied. Not to be called for a page that could not be
 * loaded.
 */
void tmpl_warmup_add(tmpl_warmup_t *warmup, const apr_array_header_t *links, const uint64_t *keys,
                     uint32_t n_keys, uint64_t text);

/*
 * The pages of the largest complete subdigraph so far: const char *, as tmpl_warmup_next returned.
 */
apr_array_header_t *tmpl_warmup_found(const tmpl_warmup_t *warmup, apr_pool_t *pool);

/* The number of the key page's links that robots forbids. */
int tmpl_warmup_forbidden(const tmpl_warmup_t *warmup);

/*
 * --- when to stop. The segments that all pages of a complete subdigraph share are template by
 * Alarte et al.; by the site's table they are template once min_df documents have them. How much of
 * the shared text has reached that? ---
 */

typedef struct tmpl_overlap_t tmpl_overlap_t;

/*
 * Begins with key_page, which counts as seen and must live as long as the result; most is the
 * number of pages that may be added. From pool.
 */
tmpl_overlap_t *tmpl_overlap_make(const tmpl_page_t *key_page, uint32_t most, apr_pool_t *pool);

/*
 * Adds page number i < most, each number once: its keys, and the hash of its text. Returns 0, and
 * does not count the page, if a page with the same text was added before: it is the same document.
 */
int tmpl_overlap_add(tmpl_overlap_t *overlap, uint32_t i, const uint64_t *keys, uint32_t n_keys,
                     uint64_t text);

/*
 * Takes the text of the key page that is on all n pages whose numbers are in pages. Returns the
 * share of that text, 0..1, that at least min_df of the pages added have; 1 if there is no such
 * text; 0 while fewer than min_df pages were added.
 */
double tmpl_overlap_settled(const tmpl_overlap_t *overlap, const uint32_t *pages, uint32_t n,
                            uint32_t min_df);

/*
 * Pages that all link each other: the n-complete subdigraph of a site that Algorithm 2 of Alarte,
 * Insa, Silva and Tamarit (WWV 2014) finds, one page at a time. Such pages have a menu in common,
 * and thus a template.
 */

typedef struct tmpl_subdigraph_t tmpl_subdigraph_t;

/* The largest size to search for, and the most links of a key page. */
#define TMPL_SUBDIGRAPH_SIZE_MOST  16
#define TMPL_SUBDIGRAPH_LINKS_MOST 1000

/*
 * Begins to search for a complete subdigraph of size pages (1 to TMPL_SUBDIGRAPH_SIZE_MOST) among
 * the targets of links, an array of tmpl_link_t of at most TMPL_SUBDIGRAPH_LINKS_MOST, which must
 * not change. From pool.
 */
tmpl_subdigraph_t *tmpl_subdigraph_make(const apr_array_header_t *links, uint32_t size,
                                        apr_pool_t *pool);

/*
 * Adds the target of link i; its has the links of that page. Add each i once, in any order. Returns
 * 1 if there is a complete subdigraph of the size now, else 0. The search is exhaustive up to a
 * million steps; only a site made to be slow needs more, and there a subdigraph may be missed.
 */
int tmpl_subdigraph_add(tmpl_subdigraph_t *graph, uint32_t i, const apr_array_header_t *its);

/*
 * The largest complete subdigraph so far; of several of that size, the first one found. Returns the
 * *n indices of its links, in the order in which they were added. *n is at most the size searched
 * for; 0 if no page was added.
 */
const uint32_t *tmpl_subdigraph_best(const tmpl_subdigraph_t *graph, uint32_t *n);

#endif
