/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes of a page as UTF-8, for output that is text. The library never transcodes a page; only what
 * the tool prints of one goes through here.
 */
#ifndef CTL_CHARSET_H
#define CTL_CHARSET_H

#include <apr_xlate.h>

#include "buf.h"

typedef struct {
    const char *name;   /* as iconv knows it; "UTF-8" if there is nothing to convert */
    apr_xlate_t *xlate; /* NULL for UTF-8 */
} ctl_charset_t;

/*
 * The charset of a page: UTF-8 if it is that, whatever it says, since many pages that say
 * ISO-8859-1 are; else what it says (tmpl_charset), under the name that browsers take it for
 * (https://encoding.spec.whatwg.org/, 4.2); windows-1252 if nothing else is known.
 */
void ctl_charset_find(ctl_charset_t *charset, const char *src, apr_size_t len, apr_pool_t *pool);

/* Adds text in charset to buf as UTF-8, with U+FFFD for bytes that mean nothing. */
void ctl_charset_decode(ctl_buf_t *buf, const ctl_charset_t *charset, const char *text,
                        apr_size_t len);

/*
 * The character at text and, in *used, its bytes (len is at least 1); U+FFFD and 1 for a byte that
 * is not UTF-8.
 */
uint32_t ctl_utf8_next(const char *text, apr_size_t len, apr_size_t *used);

#endif
