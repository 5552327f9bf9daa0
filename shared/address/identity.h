/* SPDX-License-Identifier: Apache-2.0 */
/* Which document an address leads to. */
#ifndef TMPL_IDENTITY_H
#define TMPL_IDENTITY_H

#include <apr_pools.h>

/*
 * uri without fragment and without parameters that only track visitors or sessions (utm_*, gclid,
 * PHPSESSID, ...), the other parameters sorted; from pool.
 */
const char *tmpl_uri_identity(const char *uri, apr_pool_t *pool);

/*
 * Whether a parameter "name=value" of len bytes only tracks visitors or sessions, also in links to
 * other sites, where "s" and "sid" may name a page: there their value must look like a session's.
 */
int tmpl_param_is_noise(const char *param, apr_size_t len);

#endif
