/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes of a page as UTF-8, and character references. Pages are never transcoded as a whole: only
 * text that is printed or makes a fingerprint goes through here.
 */
#ifndef TMPL_DECODE_H
#define TMPL_DECODE_H

#include <apr_xlate.h>

#include "base/buf.h"
#include "base/tmpl.h"

typedef struct {
    const char *name;   /* iconv's name; "UTF-8" if there is nothing to convert */
    apr_xlate_t *xlate; /* NULL for UTF-8 */
} tmpl_decoder_t;

/*
 * Finds the charset of a page, by the first of these: UTF-8 if the page's bytes are valid UTF-8
 * (many pages that declare ISO-8859-1 are UTF-8); the declared charset (tmpl_charset), under the
 * name that browsers use for it (https://encoding.spec.whatwg.org/, 4.2); windows-1252. header is
 * the charset of the Content-Type header, or NULL.
 */
void tmpl_decoder_find(tmpl_decoder_t *decoder, const char *src, apr_size_t len, const char *header,
                       apr_pool_t *pool);

/* Adds text in the decoder's charset to buf as UTF-8, with U+FFFD for invalid bytes. */
void tmpl_decode(tmpl_buf_t *buf, const tmpl_decoder_t *decoder, const char *text, apr_size_t len);

/* --- character references (&amp; &#228;), as in browsers: HTML, 13.2.5.72 to 13.2.5.80 --- */

/* Where a reference stands. In an attribute more names need a semicolon: "?a=1&copy=2" has none. */
typedef enum { TMPL_IN_TEXT, TMPL_IN_ATTRIBUTE } tmpl_reference_e;

typedef struct {
    uint32_t codes[2]; /* the characters that the reference means; [1] is 0 if there is only one */
    apr_size_t used;   /* bytes of the reference; 0: there is only an ampersand */
} tmpl_reference_t;

/* Reads the reference whose ampersand is at text; len bytes, at least 1, may be read. */
tmpl_reference_t tmpl_reference_read(const char *text, apr_size_t len, tmpl_reference_e where);

/* The value of an attribute with its references decoded, from pool; other bytes stay. */
const char *tmpl_value_decode(const char *src, tmpl_span_t value, apr_pool_t *pool);

#endif
