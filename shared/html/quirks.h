/* SPDX-License-Identifier: Apache-2.0 */
/* Doctype -> quirks mode (HTML, 13.2.6.4.1). */
#ifndef TMPL_QUIRKS_H
#define TMPL_QUIRKS_H

#include "base/tmpl.h"

typedef enum {
    TMPL_QUIRKS,   /* a table does not close the p that it stands in */
    TMPL_NO_QUIRKS /* a table closes the p; so in limited quirks mode, too */
} tmpl_quirks_e;

/* Whether the token at span, which is not a tag, is a doctype. */
int tmpl_is_doctype(const char *src, tmpl_span_t token);

/* The mode of a page with the doctype at span. Without a doctype it is quirks mode. */
tmpl_quirks_e tmpl_quirks(const char *src, tmpl_span_t doctype);

#endif
