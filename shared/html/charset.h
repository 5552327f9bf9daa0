/* SPDX-License-Identifier: Apache-2.0 */
/* Which charset a page is in, as far as it matters: whether its markup can be read as ASCII. */
#ifndef TMPL_CHARSET_H
#define TMPL_CHARSET_H

#include "base/tmpl.h"

/*
 * The charset that a browser would use: a byte order mark, else the Content-Type header's (header, may
 * be NULL), else the one a meta element in the first 1024 bytes names, else ISO-2022-JP if there
 * are escape sequences of it. NULL if there is nothing to know it by. From pool.
 */
const char *tmpl_charset(const char *src, apr_size_t len, const char *header, apr_pool_t *pool);

/* The charset parameter of a Content-Type, from pool; NULL if there is none. type may be NULL. */
const char *tmpl_charset_of_type(const char *type, apr_pool_t *pool);

/* Whether bytes below 0x80 always mean ASCII in that charset (NULL: unknown, assumed). */
int tmpl_charset_is_ascii(const char *charset);

#endif
