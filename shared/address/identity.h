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

#endif
