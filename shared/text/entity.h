/* SPDX-License-Identifier: Apache-2.0 */
/* Character references (&amp; &#228; &#xE4;), decoded as browsers do. */
#ifndef TMPL_ENTITY_H
#define TMPL_ENTITY_H

#include <stdint.h>

#include <apr.h>

/*
 * The character that the reference at text stands for, and its bytes in *used; 0 and *used 0 if
 * what stands there is no reference but an ampersand. Names are those of HTML 4, libxml2's table.
 */
uint32_t tmpl_entity_next(const char *text, apr_size_t len, apr_size_t *used);

#endif
