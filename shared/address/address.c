/* SPDX-License-Identifier: Apache-2.0 */
#include "address/address.h"

#include <stdlib.h>
#include <string.h>

#include <apr_cstr.h>
#include <apr_strings.h>
#include <apr_uri.h>

#include "address/resolve.h"
#include "base/ascii.h"

/* Whether a character is equivalent to its %XX (RFC 3986, section 2.3). */
static int is_unreserved(unsigned c)
{
    return c != 0 && (tmpl_is_alnum((char)c) || strchr("-._~", (int)c) != NULL);
}

/* Whether the byte may occur in an address unescaped, apart from '%'. */
static int is_allowed(unsigned c)
{
    return is_unreserved(c) || (c > ' ' && c < 0x7f && strchr("!$&'()*+,;=:@/?#[]", (int)c));
}

static char *put_escaped(char *to, unsigned c)
{
    static const char digits[] = "0123456789ABCDEF";
    *to++ = '%';
    *to++ = digits[c >> 4];
    *to++ = digits[c & 15];
    return to;
}

const char *tmpl_address_spell(const char *text, apr_pool_t *pool)
{
    apr_size_t len = strlen(text);
    while (len > 0 && (unsigned char)text[len - 1] <= ' ') {
        len--;
    }
    const char *end = text + len;
    while (text < end && (unsigned char)*text <= ' ') {
        text++;
    }
    char *out = apr_palloc(pool, 3 * (apr_size_t)(end - text) + 1);
    char *to = out;
    for (; text < end; text++) {
        unsigned c = (unsigned char)*text;
        int byte = end - text >= 3 ? tmpl_escaped_byte(text) : -1;
        if (byte >= 0) {
            to = is_unreserved((unsigned)byte) ? (*to = (char)byte, to + 1)
                                               : put_escaped(to, (unsigned)byte);
            text += 2;
        }
        else if (is_allowed(c)) {
            *to++ = (char)c;
        }
        else if (c != '\t' && c != '\n' && c != '\r') {
            to = put_escaped(to, c);
        }
    }
    *to = '\0';
    return out;
}

static apr_status_t fill_host(tmpl_address_t *address, const apr_uri_t *parts, const char *text,
                              tmpl_error_t *err, apr_pool_t *pool)
{
    if (parts->hostname == NULL || parts->hostname[0] == '\0') {
        return tmpl_fail(err, APR_EINVAL, "\"%s\" names no host", text);
    }
    /* apr_uri_parse truncates a port that does not fit */
    long port = parts->port_str != NULL && parts->port_str[0] != '\0'
                    ? strtol(parts->port_str, NULL, 10)
                    : apr_uri_port_of_scheme(address->scheme);
    if (port < 1 || port > UINT16_MAX) {
        return tmpl_fail(err, APR_EINVAL, "the port of \"%s\" is not one of 1 to %d", text,
                         UINT16_MAX);
    }
    /* apr_uri_parse removes the brackets of IPv6 */
    int colons = strchr(parts->hostname, ':') != NULL;
    char *host = apr_pstrcat(pool, colons ? "[" : "", parts->hostname, colons ? "]" : "", NULL);
    for (char *p = host; *p != '\0'; p++) {
        *p = tmpl_lower(*p);
    }
    address->host = host;
    address->port = (uint16_t)port;
    return APR_SUCCESS;
}

apr_status_t tmpl_address_parse(tmpl_address_t *address, const char *text,
                                const tmpl_address_t *base, tmpl_error_t *err, apr_pool_t *pool)
{
    const char *spelling = tmpl_address_spell(text, pool);
    if (base == NULL && tmpl_scheme_len(spelling) == 0) {
        return tmpl_fail(err, APR_EINVAL, "\"%s\" is no http or https URL", spelling);
    }
    tmpl_base_t of;
    tmpl_buf_t url;
    apr_uri_t parts;
    tmpl_base_init(&of, base != NULL ? tmpl_address_url(base, pool) : "");
    tmpl_buf_init(&url, pool);
    tmpl_reference_resolve(&url, &of, spelling, strlen(spelling));
    if (apr_uri_parse(pool, url.at, &parts) != APR_SUCCESS) {
        return tmpl_fail(err, APR_EINVAL, "\"%s\" is no address", text);
    }
    const char *scheme = parts.scheme != NULL ? parts.scheme : "";
    address->scheme = apr_cstr_casecmp(scheme, "http") == 0    ? "http"
                      : apr_cstr_casecmp(scheme, "https") == 0 ? "https"
                                                               : NULL;
    if (address->scheme == NULL) {
        return tmpl_fail(err, APR_EINVAL, "\"%s\" is no http or https URL", spelling);
    }
    address->uri = apr_pstrcat(pool, parts.path != NULL ? parts.path : "/",
                               parts.query != NULL ? "?" : "", parts.query, NULL);
    return fill_host(address, &parts, spelling, err, pool);
}

const char *tmpl_address_url(const tmpl_address_t *address, apr_pool_t *pool)
{
    int plain = address->port == apr_uri_port_of_scheme(address->scheme);
    const char *port = plain ? "" : apr_psprintf(pool, ":%u", (unsigned)address->port);
    return apr_pstrcat(pool, address->scheme, "://", address->host, port, address->uri, NULL);
}

int tmpl_address_same_host(const tmpl_address_t *a, const tmpl_address_t *b)
{
    int plain = a->port == apr_uri_port_of_scheme(a->scheme) &&
                b->port == apr_uri_port_of_scheme(b->scheme);
    return strcmp(a->host, b->host) == 0 && (plain || a->port == b->port);
}
