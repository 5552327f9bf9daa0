/* SPDX-License-Identifier: Apache-2.0 */
#include "canonical.h"

#include <http_vhost.h>

/* Whether the host that the client names, by Host, :authority or in the request line, is ours. */
static int is_own_host(request_rec *r)
{
    apr_port_t port = r->parsed_uri.port;

    /*
     * httpd's main server matches the empty name of "GET http:///". Ports are compared here, as
     * httpd's comparison wants the very port of ServerName.
     */
    return r->hostname[0] != '\0' && ap_matches_request_vhost(r, r->hostname, r->server->port) &&
           (r->parsed_uri.port_str == NULL || port == r->server->port ||
            port == ap_default_port(r) || port == r->connection->local_addr->port);
}

const char *tmpl_canonical_url(const char *uri, const request_rec *r, apr_pool_t *pool)
{
    request_rec named = *r;

    if (r->hostname != NULL && !is_own_host(&named)) {
        /* httpd uses ServerName for a request that names no host */
        named.hostname = NULL;
        named.parsed_uri.port_str = NULL;
    }
    return ap_construct_url(pool, uri, &named);
}
