/* SPDX-License-Identifier: Apache-2.0 */
/* The charset of a page: only whether its markup can be read as ASCII matters. */
#ifndef TMPL_CHARSET_H
#define TMPL_CHARSET_H

#include "base/tmpl.h"

/*
 * The charset that a browser would use, from pool. The first of these that is there decides: a byte
 * order mark, the Content-Type header (may be NULL), a meta element in the first 1024 bytes, escape
 * sequences of ISO-2022-JP. NULL if there is none. If the charset is named in src, *at gets the
 * offset of the name; at may be NULL.
 */
const char *tmpl_charset(const char *src, apr_size_t len, const char *header, uint32_t *at,
                         apr_pool_t *pool);

/* The charset parameter of a Content-Type (may be NULL), from pool; NULL if there is none. */
const char *tmpl_charset_of_type(const char *type, apr_pool_t *pool);

/* Whether bytes below 0x80 always mean ASCII in the charset. 1 for NULL, an unknown charset. */
int tmpl_charset_is_ascii(const char *charset);

#endif
