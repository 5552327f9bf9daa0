/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes of a page as UTF-8, for who reads its text. A page is never transcoded: what the tool prints
 * of one, and what its fingerprint is made of, goes through here.
 */
#ifndef TMPL_DECODE_H
#define TMPL_DECODE_H

#include <apr_xlate.h>

#include "base/buf.h"

typedef struct {
    const char *name;   /* as iconv knows it; "UTF-8" if there is nothing to convert */
    apr_xlate_t *xlate; /* NULL for UTF-8 */
} tmpl_decoder_t;

/*
 * The charset of a page: UTF-8 if it is that, whatever it says, since many pages that say
 * ISO-8859-1 are; else what it says (tmpl_charset), under the name that browsers take it for
 * (https://encoding.spec.whatwg.org/, 4.2); windows-1252 if nothing else is known. header is what
 * the Content-Type header says, or NULL.
 */
void tmpl_decoder_find(tmpl_decoder_t *decoder, const char *src, apr_size_t len, const char *header,
                       apr_pool_t *pool);

/* Adds text in charset to buf as UTF-8, with U+FFFD for bytes that mean nothing. */
void tmpl_decode(tmpl_buf_t *buf, const tmpl_decoder_t *decoder, const char *text, apr_size_t len);

#endif
