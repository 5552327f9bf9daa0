/* SPDX-License-Identifier: Apache-2.0 */
/* Which form of a page a request asks for, by its Accept field (RFC 9110, 12.5.1). */
#ifndef TMPL_ACCEPT_H
#define TMPL_ACCEPT_H

#include "mod_tmpl.h"

/*
 * Whether the field names text/markdown with a higher weight than HTML has: that of text/html, else
 * of text slash *, else of * slash *, else 0. A type with parameters other than q counts as the type
 * itself. Equal weights are HTML, and so is a field that does not name text/markdown: who accepts
 * anything may not know Markdown. accept may be NULL.
 */
int tmpl_accept_markdown(const char *accept);

#endif
