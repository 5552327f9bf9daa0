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

#include "methods/warm/links.h"
#include "methods/warm/robots.h"

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

#endif
