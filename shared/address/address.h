/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses of pages. This does not use curl_url_set: shared/ would depend on libcurl, which
 * tmplctl loads at run time, and only to fetch. curl_url_set would resolve references, but not
 * normalise spellings (RFC 3986, section 6.2.2), which robots.txt rules and the removal of repeated
 * links need.
 */
#ifndef TMPL_ADDRESS_H
#define TMPL_ADDRESS_H

#include "base/buf.h"
#include "base/tmpl.h"

/* --- the resolution of references to a page's own address (RFC 3986, section 5) --- */

/* An absolute URL to which references are relative, and the lengths of its beginnings. */
typedef struct {
    const char *url;
    apr_size_t origin;    /* before its path */
    apr_size_t directory; /* up to the last '/' of its path */
    apr_size_t path;      /* before its query */
    apr_size_t document;  /* before its fragment */
} tmpl_base_t;

/* Measures url, which must live as long as base. */
void tmpl_base_init(tmpl_base_t *base, const char *url);

/* The length of the scheme in front of its colon; 0: there is none. */
apr_size_t tmpl_scheme_len(const char *reference);

/*
 * Fills out with the address that a reference of len bytes leads to, "." and ".." in its path
 * removed (section 5.2). Bytes stay as they are spelt.
 */
void tmpl_reference_resolve(tmpl_buf_t *out, const tmpl_base_t *base, const char *reference,
                            apr_size_t len);

/* --- addresses --- */

/* The address of a page. Its strings are from the pool that it was parsed with. */
typedef struct {
    const char *scheme; /* "http" or "https" */
    const char *host;   /* lower case; IPv6 in brackets */
    uint16_t port;      /* the default of the scheme if the address has none */
    const char *uri;    /* "/path?query", without a fragment */
} tmpl_address_t;

/*
 * Parses text: an absolute http or https URL or, if base is not NULL, a reference on the page at
 * base. The spelling is that of tmpl_address_spell; dots in the path are resolved, a fragment is
 * removed. APR_EINVAL, with the reason, if text is not an address or has another scheme.
 */
apr_status_t tmpl_address_parse(tmpl_address_t *address, const char *text,
                                const tmpl_address_t *base, tmpl_error_t *err, apr_pool_t *pool);

/*
 * Normalises the spelling of an address (RFC 3986, section 6.2.2), as a string from pool:
 *   1. white space around it, and tabs and line breaks in it, are removed, as in browsers;
 *   2. bytes that must not occur in an address become %XX;
 *   3. %XX of unreserved characters become these characters, and other %xx become %XX.
 */
const char *tmpl_address_spell(const char *text, apr_pool_t *pool);

/* The absolute URL, from pool; without the port if it is the scheme's default. */
const char *tmpl_address_url(const tmpl_address_t *address, apr_pool_t *pool);

/*
 * Whether a and b are on one host: equal names, and equal ports or both the default of their
 * schemes.
 */
int tmpl_address_same_host(const tmpl_address_t *a, const tmpl_address_t *b);

/* --- which document an address leads to --- */

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
