/* SPDX-License-Identifier: Apache-2.0 */
/* The resolution of references to a page's own address (RFC 3986, section 5). */
#ifndef TMPL_RESOLVE_H
#define TMPL_RESOLVE_H

#include "base/buf.h"

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

#endif
