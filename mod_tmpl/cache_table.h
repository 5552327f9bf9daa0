/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of this child, for TmplCache auto where httpd has no mod_socache_shmcb. It keeps up to
 * 16,384 values and 8 MB. A value takes the place of another one with a similar id, so ids must be
 * hashes.
 */
#ifndef TMPL_CACHE_TABLE_H
#define TMPL_CACHE_TABLE_H

#include "decision/decision.h"

/* child_init hook: makes the table. Returns an error if there is none: it then keeps nothing. */
apr_status_t tmpl_cache_table_open(apr_pool_t *pchild);

/* Copies a value, which is kept until expiry at most. */
void tmpl_cache_table_store(const tmpl_decision_key_t *id, const unsigned char *value, unsigned len,
                            apr_time_t expiry);

/* Copies a value of up to most bytes; returns its length, 0 if there is none. */
unsigned tmpl_cache_table_find(const tmpl_decision_key_t *id, unsigned char *value, unsigned most);

/* Adds how many values are kept, their bytes, and how many bytes there may be. */
void tmpl_cache_table_usage(apr_int64_t *entries, apr_int64_t *bytes, apr_int64_t *max_bytes);

#endif
