/* SPDX-License-Identifier: Apache-2.0 */
/* What a page's elements say of it, and the lines beside its headline. */
#ifndef TMPL_ELEMENTS_H
#define TMPL_ELEMENTS_H

#include "metadata/claims.h"

/*
 * Adds the claims of body: microdata, rel=author, time, breadcrumbs, names of elements and
 * lines near the headline. Returns the headline's text, from the claims' pool: the h1 that is
 * most like a title that claims have, and has other words than site, which may be NULL; an h2 if
 * no h1 is like it; NULL: there is none. *is_like: whether it may stand for the title: a title
 * has half of its words, or it is the page's only one, longer, and not deleted.
 */
const char *tmpl_elements_read(tmpl_claims_t *claims, int *is_like,
                               const tmpl_metadata_source_t *source, const char *site);

/* How much of the words of a text are in another one, 0..1. */
double tmpl_elements_share(const char *text, const char *other);

#endif
