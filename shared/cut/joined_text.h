/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cuts that must not be made because of the text around them: if the cut's bytes were deleted, the
 * text in front of the cut and the text behind it could be read together as a tag, a character
 * reference, a line break or a character. "a &am" and "p; b" would become "a & b".
 */
#ifndef TMPL_JOINED_TEXT_H
#define TMPL_JOINED_TEXT_H

#include "cut/closure.h"

/*
 * Removes such cuts from n cuts, in place, and returns how many are left. Cuts that touch each
 * other are removed together.
 */
uint32_t tmpl_joined_text_drop(tmpl_cut_t *cuts, uint32_t n, const tmpl_page_t *page);

#endif
