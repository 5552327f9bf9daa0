/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a pre as a listing, and the language that its classes name. */
#ifndef TMPL_LISTING_H
#define TMPL_LISTING_H

#include "base/buf.h"
#include "dom/dom.h"

/*
 * Adds the text of pre to code as it is, but without blank lines at its start and white space at
 * its end, and without numbers of lines. Nothing is added for a pre that has only such numbers.
 * Returns the language: one word without '`', from pool. It is named by an attribute or a class of
 * pre, of an element around it, or of a code element in it; NULL if none names a language.
 */
const char *tmpl_listing_read(tmpl_buf_t *code, const tmpl_page_t *page, const xmlNode *pre,
                              apr_pool_t *pool);

#endif
