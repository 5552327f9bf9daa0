/* SPDX-License-Identifier: Apache-2.0 */
/* Text that no reader sees. */
#ifndef TMPL_HIDDEN_H
#define TMPL_HIDDEN_H

#include "page/page.h"

/*
 * Whether a node's own style begins with display:none and its text is short: messages of dialogs
 * and carts, and text that is there for programs only. Longer text stays, as does all text with the
 * attribute hidden: scripts show it, as in tabs, or when the page is loaded.
 */
int tmpl_hidden_is(const tmpl_page_t *page, uint32_t node);

#endif
