/* SPDX-License-Identifier: Apache-2.0 */
#include "feature/document.h"

#include <string.h>

#include <apr_cstr.h>
#include <apr_strings.h>
#include <apr_uri.h>
#include <xxhash.h>

#include "address/address.h"
#include "base/ascii.h"
#include "text/decode.h"

/*
 * The address in link rel=canonical, as "host/path?query" without scheme and port, or as
 * "/path?query". NULL if it is not an address of http or https, or is relative to the page's own
 * address.
 */
static const char *canonical_uri(const tmpl_page_t *page, apr_pool_t *pool)
{
    apr_uri_t parts;
    const char *href = tmpl_value_decode(page->src, page->canonical, pool);
    if (apr_uri_parse(pool, href, &parts) != APR_SUCCESS ||
        (parts.scheme != NULL && apr_cstr_casecmp(parts.scheme, "http") != 0 &&
         apr_cstr_casecmp(parts.scheme, "https") != 0)) {
        return NULL;
    }
    const char *path = parts.path != NULL ? parts.path : "";
    const char *uri = apr_pstrcat(pool, path, parts.query != NULL ? "?" : "", parts.query, NULL);
    if (parts.hostinfo == NULL) {
        return parts.scheme == NULL && uri[0] == '/' ? uri : NULL;
    }
    for (char *p = parts.hostname; p != NULL && *p != '\0'; p++) {
        *p = tmpl_lower(*p);
    }
    return parts.hostname != NULL && parts.hostname[0] != '\0'
               ? apr_pstrcat(pool, parts.hostname, uri[0] == '/' ? "" : "/", uri, NULL)
               : NULL;
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
        identity = identity != NULL ? tmpl_uri_identity(identity, pool) : NULL;
    }
    if (identity == NULL) {
        identity = tmpl_uri_identity(uri, pool);
    }
    apr_size_t place = key != NULL ? strlen(identity) : place_len(identity);
    return (tmpl_document_t){ hash_with_place(identity, place, seed), page->text };
}
