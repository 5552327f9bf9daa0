/* SPDX-License-Identifier: Apache-2.0 */
#include "address/address.h"

#include <stdlib.h>
#include <string.h>

#include <apr_cstr.h>
#include <apr_strings.h>
#include <apr_tables.h>
#include <apr_uri.h>

#include "base/ascii.h"

/* --- references --- */

apr_size_t tmpl_scheme_len(const char *reference)
{
    apr_size_t n = 0;
    while (tmpl_is_alnum(reference[n]) || (reference[n] != '\0' && strchr("+-.", reference[n]))) {
        n++;
    }
    return tmpl_is_alpha(reference[0]) && reference[n] == ':' ? n : 0;
}

/* The length of scheme and authority. */
static apr_size_t origin_of(const char *url)
{
    apr_size_t scheme = tmpl_scheme_len(url);
    const char *behind = url + scheme + (scheme > 0 ? 1 : 0);
    behind += strncmp(behind, "//", 2) == 0 ? 2 + strcspn(behind + 2, "/?#") : 0;
    return (apr_size_t)(behind - url);
}

void tmpl_base_init(tmpl_base_t *base, const char *url)
{
    base->url = url;
    base->origin = origin_of(url);
    base->path = base->origin + strcspn(url + base->origin, "?#");
    base->document = base->origin + strcspn(url + base->origin, "#");
    base->directory = base->path;
    while (base->directory > base->origin && url[base->directory - 1] != '/') {
        base->directory--;
    }
}

/* How many bytes of the base stand in front of a reference (section 5.2.2). */
static apr_size_t taken_of(const tmpl_base_t *base, const char *reference)
{
    return tmpl_scheme_len(reference) > 0      ? 0
           : strchr("#", reference[0]) != NULL ? base->document /* empty, too */
           : reference[0] == '?'               ? base->path
           : strncmp(reference, "//", 2) == 0  ? tmpl_scheme_len(base->url) + 1
           : reference[0] == '/'               ? base->origin
                                               : base->directory;
}

/* Removes "." and ".." from the path, in place (section 5.2.4). A path without host stays. */
static void remove_dots(tmpl_buf_t *url)
{
    char *first = url->at + origin_of(url->at);
    if (strncmp(url->at + tmpl_scheme_len(url->at), "://", 3) != 0) {
        return; /* "http:/.//a" would become "http://a" */
    }
    const char *from = first;
    char *to = first;
    while (*from == '/') {
        apr_size_t len = strcspn(from + 1, "/?#");
        int up = len == 2 && from[1] == '.' && from[2] == '.';
        if (!up && !(len == 1 && from[1] == '.')) {
            memmove(to, from, 1 + len);
            to += 1 + len;
        }
        else {
            while (up && to > first && *--to != '/') {
            }
            if (from[1 + len] != '/') {
                *to++ = '/';
            }
        }
        from += 1 + len;
    }
    apr_size_t rest = url->len - (apr_size_t)(from - url->at);
    memmove(to, from, rest + 1);
    url->len = (apr_size_t)(to - url->at) + rest;
}

void tmpl_reference_resolve(tmpl_buf_t *out, const tmpl_base_t *base, const char *reference,
                            apr_size_t len)
{
    apr_size_t taken = taken_of(base, reference);
    tmpl_buf_clear(out);
    tmpl_buf_add(out, base->url, taken);
    if (taken > 0 && taken == base->origin && strchr("/?#", reference[0]) == NULL) {
        tmpl_buf_add_byte(out, '/'); /* the base has no path */
    }
    tmpl_buf_add(out, reference, len);
    remove_dots(out);
}

/* --- addresses --- */

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

/* --- documents --- */

/* Query parameters that track a visitor or a campaign, and never name a page. '*' ends a prefix. */
static const char *const tracking[] = {
    "utm_*",      "gclid",     "gclsrc",        "dclid",      "gbraid",     "wbraid",
    "fbclid",     "msclkid",   "yclid",         "twclid",     "ttclid",     "igshid",
    "mc_cid",     "mc_eid",    "_ga",           "_gl",        "_hsenc",     "_hsmi",
    "mkt_tok",    "vero_id",   "oly_anon_id",   "oly_enc_id", "rb_clickid", "s_cid",
    "ref_src",    "srsltid",   "pk_*",          "mtm_*",      "matomo_*",   "hsa_*",
    "jsessionid", "phpsessid", "aspsessionid*", "sessionid",  "session_id", "sessid",
    "sid",        "cfid",      "cftoken",
};

/* Whether a name of len bytes is the name of a tracking parameter. */
static int is_tracking(const char *name, apr_size_t len)
{
    for (unsigned i = 0; i < sizeof(tracking) / sizeof(tracking[0]); i++) {
        apr_size_t n = strlen(tracking[i]);
        int prefix = tracking[i][n - 1] == '*';
        n -= (apr_size_t)prefix;
        if ((prefix ? len >= n : len == n) && apr_cstr_casecmpn(name, tracking[i], n) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Whether a value is a session's: sixteen hexadecimal digits or more. */
static int is_hash(const char *value, apr_size_t len)
{
    return len >= 16 && strspn(value, "0123456789abcdefABCDEF") >= len;
}

int tmpl_param_is_noise(const char *param, apr_size_t len)
{
    const char *value = memchr(param, '=', len);
    apr_size_t name = value != NULL ? (apr_size_t)(value - param) : len;
    int is_short = (name == 1 && *param == 's') || (name == 3 && memcmp(param, "sid", 3) == 0);
    return is_short ? value != NULL && is_hash(value + 1, len - name - 1)
                    : is_tracking(param, name);
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The path without session ids put behind a ';', as servlets do. */
static const char *path_identity(const char *path, apr_size_t len, apr_pool_t *pool)
{
    const char *semicolon = memchr(path, ';', len);
    if (semicolon != NULL && apr_cstr_casecmpn(semicolon + 1, "jsessionid=", 11) == 0) {
        len = (apr_size_t)(semicolon - path);
    }
    return apr_pstrmemdup(pool, path, len);
}

const char *tmpl_uri_identity(const char *uri, apr_pool_t *pool)
{
    apr_size_t len = strcspn(uri, "#");
    const char *query = memchr(uri, '?', len);
    if (query == NULL) {
        return path_identity(uri, len, pool);
    }
    const char *path = path_identity(uri, (apr_size_t)(query - uri), pool);
    apr_array_header_t *kept = apr_array_make(pool, 8, sizeof(const char *));
    char *state;
    char *rest = apr_pstrmemdup(pool, query + 1, len - (apr_size_t)(query + 1 - uri));
    for (char *p = apr_strtok(rest, "&", &state); p != NULL; p = apr_strtok(NULL, "&", &state)) {
        if (!is_tracking(p, strcspn(p, "="))) {
            APR_ARRAY_PUSH(kept, const char *) = p;
        }
    }
    if (kept->nelts == 0) {
        return path;
    }
    qsort(kept->elts, (size_t)kept->nelts, sizeof(const char *), by_bytes);
    return apr_pstrcat(pool, path, "?", apr_array_pstrcat(pool, kept, '&'), NULL);
}
