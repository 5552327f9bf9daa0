/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a pre as a listing, and the language that its classes name. */
#ifndef TMPL_LISTING_H
#define TMPL_LISTING_H

#include "base/buf.h"
#include "dom/dom.h"

/*
 * Adds the text of pre to code as it is, but without blank lines at its begin and white space at
 * its end. Returns the language: one word without '`', from pool. It is named by a class of pre, of
 * pre's parent, or of a code element in pre; NULL if none of them names a language.
 */
const char *tmpl_listing_read(tmpl_buf_t *code, const tmpl_page_t *page, const xmlNode *pre,
                              apr_pool_t *pool);

#endif
