/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Echoes: text of a page that its request brought, such as the words of a search. Anybody can make
 * a page as long, and as new, as the server takes addresses; so an echo says nothing of the page.
 */
#ifndef TMPL_ECHO_H
#define TMPL_ECHO_H

#include <stddef.h>

#include "page/page.h"
#include "table/counts.h"

/* What a client sent. A text counts if it has least bytes. */
typedef struct {
    const char *uri;    /* "/path?query", percent-encoded */
    const char *fields; /* other text; NULL: none */
    size_t least;
} tmpl_brought_t;

/* By less than that, no page gets around the rules for near copies (counts.h). */
#define TMPL_ECHO_LEAST 200

/*
 * Makes the shares of echoes empty (counts.h): of segments with more than half of the bytes of
 * their words in words that were brought. The shares must be those of the page's segments, in their
 * order. New shares are from pool. Takes time in proportion to what was brought and the page.
 */
void tmpl_echoes_empty(tmpl_observation_t *observation, const tmpl_page_t *page,
                       const tmpl_brought_t *brought, apr_pool_t *pool);

#endif
