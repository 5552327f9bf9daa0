/* SPDX-License-Identifier: Apache-2.0 */
/* What a page says of itself in its head: the front matter of its Markdown, and its base. */
#ifndef TMPL_FRONT_H
#define TMPL_FRONT_H

#include <libxml/tree.h>

#include "markdown/href.h"

/* X(key, characters at most): the lines, in order. A line without a value is left out. */
#define TMPL_FRONT(X)                                                                              \
    X(TITLE, "title", 300)                                                                         \
    X(DESCRIPTION, "description", 1000)                                                            \
    X(CANONICAL, "canonical", 2000)                                                                \
    X(LANGUAGE, "language", 35)                                                                    \
    X(AUTHOR, "author", 200)                                                                       \
    X(PUBLISHED, "published", 40)                                                                  \
    X(MODIFIED, "modified", 40)                                                                    \
    X(IMAGE, "image", 2000)

/*
 * Adds the front matter, and an empty line, for a tree of tmpl_dom(): title; description,
 * og:description; link rel=canonical, else the page's URL; lang of html; author,
 * article:published_time, article:modified_time and their other names, else their values in JSON-LD
 * (linked_data.h); og:image. Adds nothing if no line has a value.
 */
void tmpl_front_write(tmpl_buf_t *out, const xmlNode *html, const tmpl_hrefs_t *hrefs,
                      apr_pool_t *pool);

/* The href of the first base element in head that has one; NULL if there is none. */
const char *tmpl_front_base(const xmlNode *head);

#endif
