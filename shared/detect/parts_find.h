/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of each block (parts.h), by what the page says of it: names and roles
 * (feature/part_hints.h), words that head or label something (part_words.h), the place in the page,
 * and the templateness where these are unsure.
 */
#ifndef TMPL_PARTS_FIND_H
#define TMPL_PARTS_FIND_H

#include "detect/protect.h"

/*
 * Sets part in each verdict. HEADLINE and BYLINE that were set before (tmpl_headline) stay. A block
 * of content that no rule knows is BODY, one of template TEMPLATE. A block of another part is
 * content, whatever it was before: TmplParts says whether it stays.
 */
void tmpl_parts_find(const tmpl_judged_t *judged, apr_pool_t *pool);

#endif
