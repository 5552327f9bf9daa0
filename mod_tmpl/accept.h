/* SPDX-License-Identifier: Apache-2.0 */
/* Which form of a page a request asks for, by its Accept field (RFC 9110, 12.5.1). */
#ifndef TMPL_ACCEPT_H
#define TMPL_ACCEPT_H

#include "mod_tmpl.h"

/*
 * Whether the field prefers text/markdown to HTML. HTML has the weight of text/html, else of text
 * slash *, else of * slash *, else 0. A type with parameters other than q counts as the type
 * itself. If the weights are equal, text/markdown is preferred if text/html is not named, or named
 * later: agents send "text/markdown, text/html, * slash *". A field that does not name
 * text/markdown asks for HTML: a client that accepts anything may not know Markdown. accept may be
 * NULL.
 */
int tmpl_accept_markdown(const char *accept);

/*
 * The field, which is not NULL, with text/html added, from pool. For handlers and backends that
 * choose a page by Accept: the module makes Markdown or text of HTML. If the client prefers
 * text/markdown, text/html gets a weight just below, and wildcards of the same weight get one below
 * that: the site's own Markdown comes first, then HTML, then types that the client likes less. If
 * not, and the client accepts HTML, the field stays as it is. Otherwise the weight is 0.1.
 */
const char *tmpl_accept_html(const char *accept, apr_pool_t *pool);

#endif
