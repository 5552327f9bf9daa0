/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which pages of a site to load so that its table knows the template of a key page: a complete subdigraph by
 * Algorithm 2 of Alarte et al. (WWV 2014), and then more pages until what those of the subdigraph share has
 * stood on min_df documents. These are the rest of the key page's links in the same order and, once there are
 * none left, the links of the pages loaded. Loads nothing itself.
 */
#ifndef TMPL_WARMUP_H
#define TMPL_WARMUP_H

#include "warm/links.h"
#include "warm/robots.h"

typedef struct tmpl_warmup_t tmpl_warmup_t;

/* Of the text that the pages of the subdigraph share, what must have stood on min_df pages. */
#define TMPL_WARMUP_SETTLED 0.9

typedef struct {
    uint32_t size;   /* of the subdigraph: 1 to TMPL_SUBDIGRAPH_SIZE_MOST */
    uint32_t most;   /* pages at most, the key page among them: 2 to TMPL_SUBDIGRAPH_LINKS_MOST */
    uint32_t min_df; /* documents that a segment must stand on to be template */
    const tmpl_robots_t *robots; /* links that it forbids are left out; NULL: none */
} tmpl_warmup_opts_t;

/* Begins at key_page, which was loaded from address; both and opts must outlive it. */
tmpl_warmup_t *tmpl_warmup_begin(const tmpl_page_t *key_page, const tmpl_address_t *address,
                                 const tmpl_warmup_opts_t *opts, apr_pool_t *pool);

/* The next page to load, as "/path?query" of the key page's host; NULL: no more are needed, or there are. */
const char *tmpl_warmup_next(tmpl_warmup_t *warmup);

/*
 * The page that tmpl_warmup_next has named last was loaded: its links in Algorithm 1's order, its keys and the
 * hash of its text. Nothing of it need stay. A page that could not be loaded is not added.
 */
void tmpl_warmup_add(tmpl_warmup_t *warmup, const apr_array_header_t *links, const uint64_t *keys,
                     uint32_t n_keys, uint64_t text);

/* The pages of the largest complete subdigraph so far, as const char *: what tmpl_warmup_next called them. */
apr_array_header_t *tmpl_warmup_found(const tmpl_warmup_t *warmup, apr_pool_t *pool);

/* Links of the key page that robots forbids. */
int tmpl_warmup_forbidden(const tmpl_warmup_t *warmup);

/* Pages that may still be named: what is left of most, or of the links known. */
int tmpl_warmup_left(const tmpl_warmup_t *warmup);

#endif
