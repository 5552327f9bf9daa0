/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses of pages. This does not use curl_url_set: shared/ would depend on libcurl, which
 * tmplctl loads at run time, and only to fetch. curl_url_set would replace resolve.h, but not the
 * normalisation of spellings (RFC 3986, section 6.2.2), which robots.txt rules and the removal of
 * repeated links need.
 */
#ifndef TMPL_ADDRESS_H
#define TMPL_ADDRESS_H

#include "base/tmpl.h"

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

#endif
