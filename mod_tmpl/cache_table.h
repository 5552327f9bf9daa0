/* SPDX-License-Identifier: Apache-2.0 */
/* A cache of this child, for TmplCache auto where httpd has no mod_socache_shmcb. */
#ifndef TMPL_CACHE_TABLE_H
#define TMPL_CACHE_TABLE_H

#include <ap_socache.h>

/*
 * Keeps up to 2,048 values and 8 MB. A value takes the place of another one with a similar id, so
 * ids must be hashes.
 */
extern const ap_socache_provider_t tmpl_cache_table;

#endif
