/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include <apr_cstr.h>
#include <apr_strings.h>
#include <apr_tables.h>
#include <xxhash.h>

#include "table/document.h"
#include "base/ascii.h"

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

/*
 * The address in link rel=canonical, as "host/path?query" without scheme and port, or as
 * "/path?query". NULL if it is not an address of http or https, or is relative to the page's own
 * address.
 */
static const char *canonical_uri(const tmpl_page_t *page, apr_pool_t *pool)
{
    char *href =
        apr_pstrmemdup(pool, page->src + page->canonical.start, tmpl_span_len(page->canonical));
    char *slashes = strstr(href, "//");
    apr_size_t scheme = slashes != NULL ? (apr_size_t)(slashes - href) : 0;
    int absolute =
        slashes == href ||
        (slashes != NULL && ((scheme == 5 && apr_cstr_casecmpn(href, "http:", 5) == 0) ||
                             (scheme == 6 && apr_cstr_casecmpn(href, "https:", 6) == 0)));
    if (!absolute) {
        return href[0] == '/' ? href : NULL;
    }
    char *host = slashes + 2;
    const char *rest = host + strcspn(host, "/?#");
    host = apr_pstrmemdup(pool, host, strcspn(host, ":/?#"));
    for (char *p = host; *p != '\0'; p++) {
        *p = tmpl_lower(*p);
    }
    return *host == '\0' ? NULL : apr_pstrcat(pool, host, *rest == '/' ? "" : "/", rest, NULL);
}

/* An address in HTML, with & in place of &amp;. */
static const char *without_amp(const char *uri, apr_pool_t *pool)
{
    char *out = apr_pstrdup(pool, uri);
    char *to = out;
    for (const char *p = uri; *p != '\0'; to++) {
        *to = *p;
        p += strncmp(p, "&amp;", 5) == 0 ? 5 : 1;
    }
    *to = '\0';
    return out;
}

/*
 * The length of an address's place: it ends before the query, and behind the name of a script. Most
 * scripts ignore what follows their name (/story.php/7, /story.php/7/x).
 */
static apr_size_t place_len(const char *identity)
{
    apr_size_t len = strcspn(identity, "?");
    const char *end = identity + len;
    const char *slash = memchr(identity, '/', len);
    while (slash != NULL) {
        const char *next = memchr(slash + 1, '/', (apr_size_t)(end - slash - 1));
        const char *dot = next != NULL ? memrchr(slash, '.', (apr_size_t)(next - slash)) : NULL;
        if (dot != NULL && tmpl_is_alpha(dot[1])) {
            return (apr_size_t)(next - identity);
        }
        slash = next;
    }
    return len;
}

/* The hash of an address. Its low bits are the place, from the first len bytes of the address. */
static uint64_t hash_with_place(const char *identity, apr_size_t len, uint64_t seed)
{
    uint64_t id = XXH3_64bits_withSeed(identity, strlen(identity), seed);
    uint64_t place = XXH3_64bits_withSeed(identity, len, seed);
    return id - id % TMPL_DOCUMENT_PLACES + place % TMPL_DOCUMENT_PLACES;
}

tmpl_document_t tmpl_document(const tmpl_page_t *page, const char *uri, const char *key,
                              uint64_t seed, apr_pool_t *pool)
{
    const char *identity = key;
    if (identity == NULL && tmpl_span_len(page->canonical) > 0) {
        identity = canonical_uri(page, pool);
        identity = identity != NULL ? tmpl_uri_identity(without_amp(identity, pool), pool) : NULL;
    }
    if (identity == NULL) {
        identity = tmpl_uri_identity(uri, pool);
    }
    apr_size_t place = key != NULL ? strlen(identity) : place_len(identity);
    return (tmpl_document_t){ hash_with_place(identity, place, seed), page->text };
}

uint64_t tmpl_seed(const char *secret)
{
    return secret != NULL && secret[0] != '\0' ? XXH3_64bits(secret, strlen(secret)) : 0;
}
