/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cuts that must not be made because of the text around them: with the cut's bytes deleted, text
 * that ends in front of it and text that begins behind it could be read together as a tag, a
 * character reference, a line break or a character. "a &am" and "p; b" become "a & b".
 */
#ifndef TMPL_JOINED_TEXT_H
#define TMPL_JOINED_TEXT_H

#include "cut/closure.h"

/*
 * Removes such cuts from the n at cuts, in place, and returns how many are left. Cuts that touch
 * each other are removed together.
 */
uint32_t tmpl_joined_text_drop(tmpl_cut_t *cuts, uint32_t n, const tmpl_page_t *page);

#endif
