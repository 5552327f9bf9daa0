/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses in a page, made absolute (RFC 3986, 5) and safe as destinations in Markdown. */
#ifndef TMPL_HREF_H
#define TMPL_HREF_H

#include "base/buf.h"

/* What references on a page are relative to. */
typedef struct {
    const char *url;      /* of the page; NULL: not known */
    const char *base;     /* absolute URL; NULL: not known, references stay as they are */
    apr_size_t origin;    /* bytes of base before its path */
    apr_size_t directory; /* bytes up to the last '/' of its path */
    apr_size_t document;  /* bytes without its fragment */
    const char *folder;   /* base up to directory; NULL: too long to resolve "." and ".." in it */
} tmpl_hrefs_t;

/* url is the page's own, or NULL; base is the href of its base element, or NULL. */
void tmpl_hrefs_init(tmpl_hrefs_t *hrefs, const char *url, const char *base, apr_pool_t *pool);

/*
 * Whether an address may be written: one relative to the page, or with a scheme that opens a page,
 * a mail or a call. Others (javascript:, data:) are code.
 */
int tmpl_href_is_safe(const char *href);

/*
 * Adds the absolute address of a safe href. Bytes that RFC 3986 forbids are escaped, and so are
 * parentheses: the result has no white space and nothing that ends a destination.
 */
void tmpl_href_resolve(tmpl_buf_t *buf, const tmpl_hrefs_t *hrefs, const char *href);

#endif
