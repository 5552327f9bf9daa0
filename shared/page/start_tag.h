/* SPDX-License-Identifier: Apache-2.0 */
/* What a start tag does by HTML5 (13.2.6.4): what it ends, and where it opens its element. */
#ifndef TMPL_START_TAG_H
#define TMPL_START_TAG_H

#include "page/modes.h"

/* Follows the start tag that is the token i, outside of svg, math and template. */
void tmpl_start_tag(tmpl_balance_t *b, uint32_t i);

#endif
