/* SPDX-License-Identifier: Apache-2.0 */
/* Which form of a page a request asks for, by its Accept field (RFC 9110, 12.5.1). */
#ifndef TMPL_ACCEPT_H
#define TMPL_ACCEPT_H

#include "mod_tmpl.h"

/*
 * A mode that a request may ask for, and its media type. beats: whether the type is preferred to
 * wildcards of the same weight. JSON is not: programs in pages send "application/json, * slash *"
 * for all that they fetch, pieces of HTML, too.
 */
typedef struct {
    tmpl_mode_e mode;
    const char *type;
    int beats;
} tmpl_variant_t;

#define TMPL_VARIANTS 2
extern const tmpl_variant_t tmpl_variants[TMPL_VARIANTS];

/*
 * The mode of the variant in offers that the field prefers to HTML; TMPL_MODE_OFF if it prefers
 * HTML. HTML has the weight of text/html, else of text slash *, else of * slash *, else 0. A type
 * with parameters other than q counts as the type itself. If the weights are equal, the type that
 * is named first is preferred: agents send "text/markdown, text/html, * slash *". A variant that
 * the field does not name is never preferred: a client that accepts anything may not know it.
 * accept may be NULL.
 */
tmpl_mode_e tmpl_accept_mode(const char *accept, unsigned offers);

/*
 * The field, which is not NULL, with text/html added, from pool. For handlers and backends that
 * choose a page by Accept: the module makes the variants in offers, and text, of HTML. If the
 * client prefers a variant, text/html gets a weight just below, and wildcards of the same weight
 * get one below that: what the site has of this type itself comes first, then HTML, then types that
 * the client likes less. If not, and the client accepts HTML, the field stays as it is. Otherwise
 * the weight is 0.1.
 */
const char *tmpl_accept_html(const char *accept, unsigned offers, apr_pool_t *pool);

#endif
