/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Character references (&amp; &#228; &#xE4;), decoded as in browsers: HTML, 13.2.5.72 to 13.2.5.80.
 */
#ifndef TMPL_REFERENCE_H
#define TMPL_REFERENCE_H

#include <stdint.h>

#include <apr.h>

/* Where a reference stands. Fewer names end without a semicolon in an attribute: ?a=1&copy=2. */
typedef enum { TMPL_IN_TEXT, TMPL_IN_ATTRIBUTE } tmpl_reference_e;

typedef struct {
    uint32_t codes[2]; /* the characters that it stands for; most stand for one: then [1] is 0 */
    apr_size_t used;   /* bytes of the reference; 0: there is only an ampersand */
} tmpl_reference_t;

/* Reads the reference at the ampersand at text, of which len bytes may be read, at least 1. */
tmpl_reference_t tmpl_reference_read(const char *text, apr_size_t len, tmpl_reference_e where);

#endif
