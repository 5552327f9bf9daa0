/* SPDX-License-Identifier: Apache-2.0 */
/* Absolute addresses on this server, which a client's Host field cannot make point elsewhere. */
#ifndef TMPL_CANONICAL_H
#define TMPL_CANONICAL_H

#include "mod_tmpl.h"

/*
 * The absolute address of uri, a path and query, on r's server; from pool. Scheme, host and port
 * follow ServerName and UseCanonicalName. Where UseCanonicalName is Off, the host that the client
 * names counts only if it is the ServerName or a ServerAlias, and its port only if it is the
 * ServerName's, the scheme's default, or the port that the client is connected to; else the
 * ServerName counts.
 */
const char *tmpl_canonical_url(const char *uri, const request_rec *r, apr_pool_t *pool);

#endif
