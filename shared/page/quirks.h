/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tokens -> quirks mode: how the doctype makes browsers read the page (13.2.6.4.1). balance.c needs it,
 * for in quirks mode a table does not close the p it stands in.
 */
#ifndef TMPL_QUIRKS_H
#define TMPL_QUIRKS_H

#include "page/scan.h"

typedef enum {
    TMPL_QUIRKS,
    TMPL_NO_QUIRKS,    /* limited quirks mode too: there a table closes a p */
    TMPL_QUIRKS_UNSURE /* a doctype that we do not know */
} tmpl_quirks_e;

/*
 * By the doctype, which is the first token but for comments. Public identifiers beside those of
 * HTML 4.01 and XHTML 1 are too old to be sure of. src is what the tokens were scanned from.
 */
tmpl_quirks_e tmpl_quirks(const tmpl_tokens_t *tokens, const char *src);

#endif
