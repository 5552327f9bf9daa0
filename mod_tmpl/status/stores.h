/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The health of each store over all children: its errors, how many children do not use the store
 * now, and how many pages wait to be learnt. A child that has died does not count.
 */
#ifndef TMPL_STORES_H
#define TMPL_STORES_H

#include "counters.h"

/* What a store is used for. */
typedef enum {
    TMPL_PURPOSE_LOOKUP, /* by requests */
    TMPL_PURPOSE_LEARN,  /* of pages that have waited */
    TMPL_PURPOSES
} tmpl_purpose_e;

#define TMPL_STORES_MOST 16 /* stores; further ones are not shown */

/* post_config hook; then tmpl_stores_add for each store. */
void tmpl_stores_create(server_rec *s);

/* Returns the number of the store, for the functions below; -1: the store is not shown. */
int tmpl_stores_add(const char *name);

/* child_init hook: this child reports from now on, until pchild is destroyed. */
void tmpl_stores_join(apr_pool_t *pchild);

/* Counts an error of a store. This function and the next three do nothing if store is -1. */
void tmpl_stores_error(int store, tmpl_purpose_e purpose);

/* Set whether this child avoids a store for a purpose, and whether its last write had no room. */
void tmpl_stores_paused(int store, tmpl_purpose_e purpose, int is_paused);
void tmpl_stores_full(int store, int is_full);

/* Sets how many pages, and their bytes, wait in this child to be learnt by a store. */
void tmpl_stores_waiting(int store, apr_uint32_t pages, apr_size_t bytes);

/*
 * All stores as data.h has them, in the order of the configuration, without their usage. The caller
 * owns the array.
 */
json_t *tmpl_stores(apr_pool_t *pool);

/* The name of the i-th store of that array; NULL behind the last one. */
const char *tmpl_stores_name(int i);

#endif
