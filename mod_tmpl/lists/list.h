/* SPDX-License-Identifier: Apache-2.0 */
/* The listed documents of one site, as an answer to one request: read, and written as text. */
#ifndef TMPL_LIST_H
#define TMPL_LIST_H

#include "mod_tmpl.h"

#include "base/buf.h"
#include "table/listed.h"

/* The list that a request is for. */
typedef struct {
    request_rec *r;
    tmpl_store_t *store;
    const char *site;
    const char *origin; /* scheme and host in front of each address */
    tmpl_listed_head_t head;
    apr_uint32_t now; /* seconds since 1970 */
} tmpl_list_t;

/* Shards that are read at once: some 2,000 documents of the largest list. */
#define TMPL_LIST_SLICE 16

/*
 * Calls each with the documents of n shards from shard first on that are still to be listed. They
 * live as long as the call, in which the caller must not wait for the client: the store is being
 * read.
 */
apr_status_t tmpl_list_read(tmpl_list_t *list, apr_uint32_t first, apr_uint32_t n,
                            tmpl_each_listed_t each, void *baton, tmpl_error_t *err,
                            apr_pool_t *pool);

/*
 * Of all documents keeps the `most` that come first by order, as qsort_r() takes it, and sorts
 * them. Returns an array of tmpl_listed_t, whose strings end in a NUL. *n is the number of
 * documents. keeps tells which documents count; NULL: all.
 */
apr_array_header_t *tmpl_list_first(tmpl_list_t *list, int most,
                                    int (*keeps)(const tmpl_listed_t *listed),
                                    int (*order)(const void *a, const void *b), apr_uint32_t *n,
                                    tmpl_error_t *err);

/*
 * Adds text of len bytes to an XML document: markup escaped, and characters that XML does not allow
 * left out.
 */
void tmpl_list_xml(tmpl_buf_t *to, const char *text, apr_size_t len);

/* A time in seconds since 1970, from pool: "2026-11-26T18:09:42Z". */
const char *tmpl_list_time(apr_uint32_t seconds, apr_pool_t *pool);

#endif
