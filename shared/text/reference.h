/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Character references (&amp; &#228; &#xE4;), decoded as in browsers: HTML, 13.2.5.72 to 13.2.5.80.
 */
#ifndef TMPL_REFERENCE_H
#define TMPL_REFERENCE_H

#include "base/tmpl.h"

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
