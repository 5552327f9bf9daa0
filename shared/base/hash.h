/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hash tables whose keys come from a page. APR seeds its hash, but strings that collide under one
 * seed collide under all: a page could choose ids that all fall into one slot.
 */
#ifndef TMPL_HASH_H
#define TMPL_HASH_H

#include <apr_hash.h>

/* An empty table in pool. The order of its keys differs between processes, as in APR's tables. */
apr_hash_t *tmpl_hash_make(apr_pool_t *pool);

/* The hash of a key, as APR calls it: sets *len if it is APR_HASH_KEY_STRING. */
unsigned int tmpl_hash_of(const char *key, apr_ssize_t *len);

#endif
