/* SPDX-License-Identifier: Apache-2.0 */
/* What a page's elements say of it, and the lines beside its headline. */
#ifndef TMPL_ELEMENTS_H
#define TMPL_ELEMENTS_H

#include "metadata/claims.h"

/* The heading that begins what the page says. */
typedef struct {
    const char *text; /* from the claims' pool; NULL: there is none */
    int is_title;     /* it may stand for the title */
    uint32_t node;    /* of the element that the content begins with; TMPL_NONE: not known */
} tmpl_page_headline_t;

/*
 * Adds the claims of body: microdata, rel=author, time, breadcrumbs, names of elements and
 * lines near the headline. The headline is the h1 that is most like a title that claims have, and
 * has other words than site, which may be NULL; an h2 if no h1 is like it. It may stand for the
 * title if a title has half of its words, or it is the page's only one, longer, and not deleted.
 * If it may not, or is deleted, the heading that verdicts call the headline is the node, and also
 * text if a title is like it.
 */
tmpl_page_headline_t tmpl_elements_read(tmpl_claims_t *claims, const tmpl_metadata_source_t *source,
                                        const char *site);

/* How much of the words of a text are in another one, 0..1. */
double tmpl_elements_share(const char *text, const char *other);

#endif
