/* SPDX-License-Identifier: Apache-2.0 */
#include "page_links.h"
#include "accept.h"
#include "fields.h"

#include <http_vhost.h>

#include "address/address.h"

static const char suffix[] = ".md";
static const char index_name[] = "index.md";

/* Whether r is for the page of a twin: twin.c has redirected it. */
static int is_page_of_twin(const request_rec *r)
{
    const tmpl_twin_t *twin = tmpl_request_read(r)->twin;
    return twin != NULL && twin->is_page;
}

/*
 * What asks for the reader view, a parameter or the start of the path, may have been rewritten
 * away: it is not part of the page's address.
 */
static const char *uri_without_view(const char *uri, const request_rec *r, apr_pool_t *pool)
{
    const char *path = apr_pstrmemdup(pool, uri, strcspn(uri, "?"));
    const char *rewritten = ap_os_escape_path(pool, r->uri, 1);
    size_t len = strlen(path), end = strlen(rewritten);
    if (end < len && strcmp(path + len - end, rewritten) == 0) {
        path = rewritten;
    }
    return apr_pstrcat(pool, path, r->args != NULL && *r->args != '\0' ? "?" : "", r->args, NULL);
}

/*
 * Uses the first request: after an internal redirect all pages of a site may have one script's URI.
 * For a twin this is the first request for its page.
 * Does not use parsed_uri: httpd decodes its path, and a decoded %3F would begin a query.
 */
const char *tmpl_uri_of(const request_rec *r, apr_pool_t *pool)
{
    /* only path and query of the result are used; a client may also send an address with a host */
    static const tmpl_address_t base = { "http", "localhost", APR_URI_HTTP_DEFAULT_PORT, "/" };
    tmpl_address_t address;
    tmpl_error_t err;
    const char *uri;
    /* a request line that httpd refuses has no address; its ErrorDocument's is taken */
    while (r->prev != NULL && r->prev->unparsed_uri != NULL && !is_page_of_twin(r)) {
        r = r->prev;
    }
    /* "//a/b" would be a host and a path; httpd reads it as a path, too */
    for (uri = r->unparsed_uri; uri[0] == '/' && uri[1] == '/'; uri++) {
    }
    if (tmpl_conf_mode(tmpl_conf_of(r)) == TMPL_MODE_READER) {
        uri = uri_without_view(uri, r, pool);
    }
    return tmpl_address_parse(&address, uri, &base, &err, pool) == APR_SUCCESS
               ? address.uri
               /* ftp://, whose directories mod_proxy_ftp sends as HTML */
               : apr_uri_unparse(pool, &r->parsed_uri, APR_URI_UNP_OMITSITEPART);
}

const char *tmpl_fields_shown(const request_rec *r, apr_size_t least, apr_pool_t *pool)
{
    static const char *const names[] = { "Host", "Referer", "User-Agent" };
    const char *fields = NULL;
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *value = apr_table_get(r->headers_in, names[i]);
        if (value != NULL && strlen(value) >= least) {
            fields = fields != NULL ? apr_pstrcat(pool, fields, " ", value, NULL) : value;
        }
    }
    return fields;
}

int tmpl_names_own_host(const request_rec *r)
{
    apr_port_t port = r->parsed_uri.port;
    request_rec named = *r;
    /*
     * httpd's main server matches the empty name of "GET http:///". Ports are compared here, as
     * httpd's comparison wants the very port of ServerName.
     */
    return r->hostname != NULL && r->hostname[0] != '\0' &&
           ap_matches_request_vhost(&named, r->hostname, r->server->port) &&
           (r->parsed_uri.port_str == NULL || port == r->server->port ||
            port == ap_default_port(r) || port == r->connection->local_addr->port);
}

const char *tmpl_canonical_url(const char *uri, const request_rec *r, apr_pool_t *pool)
{
    request_rec named = *r;
    if (!tmpl_names_own_host(r)) {
        /* httpd uses ServerName for a request that names no host */
        named.hostname = NULL;
        named.parsed_uri.port_str = NULL;
    }
    return ap_construct_url(pool, uri, &named);
}

const char *tmpl_key_of(request_rec *r, const ap_expr_info_t *expr)
{
    const char *why = NULL;
    const char *key = expr != NULL ? ap_expr_str_exec(r, expr, &why) : NULL;
    return why == NULL && key != NULL && *key != '\0' ? key : NULL;
}

/* The default site is the ServerName: a Host field that a client sends must not create tables. */
const char *tmpl_site_of(request_rec *r, const tmpl_conf_t *conf)
{
    const char *site = tmpl_key_of(r, conf->site_key);
    return site != NULL ? site : r->server->server_hostname;
}

/* uri with cut bytes at the end of its path replaced by text. */
static const char *path_with_end(const char *uri, size_t cut, const char *text, apr_pool_t *pool)
{
    size_t len = strcspn(uri, "?");
    return apr_pstrcat(pool, apr_pstrmemdup(pool, uri, len - cut), text, uri + len, NULL);
}

/* Whether the path of uri ends in text. */
static int path_ends_in(const char *uri, const char *text)
{
    size_t len = strcspn(uri, "?");
    size_t n = strlen(text);
    return len >= n && memcmp(uri + len - n, text, n) == 0;
}

const char *tmpl_twin_page(const char *uri, apr_pool_t *pool)
{
    if (!path_ends_in(uri, suffix) || path_ends_in(uri, "/.md")) {
        return NULL;
    }
    return path_with_end(
        uri, path_ends_in(uri, "/index.md") ? sizeof(index_name) - 1 : sizeof(suffix) - 1, "",
        pool);
}

const char *tmpl_twin_html(const char *uri, apr_pool_t *pool)
{
    return path_ends_in(uri, "/") || path_ends_in(uri, ".html")
               ? NULL
               : path_with_end(uri, 0, ".html", pool);
}

static void add_link(request_rec *r, const char *uri, const char *parameters)
{
    /* no byte of the address, the host included, may end the link */
    const char *url = tmpl_address_spell(tmpl_canonical_url(uri, r, r->pool), r->pool);
    apr_table_addn(r->headers_out, "Link", apr_pstrcat(r->pool, "<", url, ">; ", parameters, NULL));
}

void tmpl_link_canonical(request_rec *r)
{
    const char *link = tmpl_field(r, "Link");
    /* two different ones count as none */
    if (link == NULL || ap_strcasestr(link, "canonical") == NULL) {
        add_link(r, tmpl_uri_of(r, r->pool), "rel=\"canonical\"");
    }
}

/* The address of a variant: Markdown has one of its own. */
static const char *variant_address(tmpl_mode_e variant, const char *uri, apr_pool_t *pool)
{
    return variant == TMPL_MODE_MARKDOWN
               ? path_with_end(uri, 0, path_ends_in(uri, "/") ? index_name : suffix, pool)
               : uri;
}

void tmpl_link_alternates(request_rec *r, const tmpl_conf_t *conf)
{
    unsigned offers = r->main == NULL ? tmpl_conf_offers(conf) : 0;
    if (offers & TMPL_VARIANT(tmpl_conf_mode(conf))) {
        return; /* it is a variant itself */
    }
    for (int i = 0; i < TMPL_VARIANTS; i++) {
        const tmpl_variant_t *variant = &tmpl_variants[i];
        if (offers & TMPL_VARIANT(variant->mode)) {
            add_link(r, variant_address(variant->mode, tmpl_uri_of(r, r->pool), r->pool),
                     apr_pstrcat(r->pool, "rel=\"alternate\"; type=\"", variant->type, "\"", NULL));
        }
    }
}
