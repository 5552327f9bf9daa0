/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of pages, and what a reference on a page stands for (RFC 3986, section 5). */
#ifndef TMPL_ADDRESS_H
#define TMPL_ADDRESS_H

#include "base/tmpl.h"

/* The address of a page. Strings come from the pool it was read with. */
typedef struct {
    const char *scheme; /* "http" or "https" */
    const char *host;   /* lower case; IPv6 in brackets */
    uint16_t port;      /* the scheme's own if none is named */
    const char *uri;    /* "/path?query", without a fragment */
} tmpl_address_t;

/*
 * Reads text, an absolute http or https URL or, if base is not NULL, a reference on the page at base.
 * White space around it and line breaks in it go, as in browsers; dots in the path are resolved; bytes that
 * may not stand in an address become %XX, and %XX that need not be become what they mean. APR_SUCCESS;
 * APR_EINVAL, with the reason, for another scheme or what is no address.
 */
apr_status_t tmpl_address_parse(tmpl_address_t *address, const char *text,
                                const tmpl_address_t *base, tmpl_error_t *err, apr_pool_t *pool);

/*
 * text in the one spelling that all spellings of an address share (RFC 3986, section 6.2.2), as a string from
 * pool; what it does to white space and to bytes that may not stand in an address is said above.
 */
const char *tmpl_address_spell(const char *text, apr_pool_t *pool);

/* The whole URL. */
const char *tmpl_address_url(const tmpl_address_t *address, apr_pool_t *pool);

/* Whether both are on one host: equal names and ports, or each at the port of its scheme. */
int tmpl_address_same_host(const tmpl_address_t *a, const tmpl_address_t *b);

#endif
