/* SPDX-License-Identifier: Apache-2.0 */
/*
 * noscript is text to browsers that run scripts, and markup to all others. Pages are read as the first do; edits must
 * be safe for both. What most noscripts hold is closed off: whoever reads it is where he was before. A page with
 * another one is read twice, and what may not be edited in both is not edited.
 */
#ifndef TMPL_NOSCRIPT_H
#define TMPL_NOSCRIPT_H

#include "html/builder.h"

/*
 * Whether the content of a noscript, the bytes of [start, end), changes nothing around it for browsers that run no
 * scripts. False where it is not seen at a glance. b stands in front of it.
 */
int tmpl_noscript_is_closed(const tmpl_builder_t *b, uint32_t start, uint32_t end);

/*
 * Takes back what may be edited of a page, read with scripts, where it may not be when read without; joins the
 * foreign_marks of both. Of the other one only this much is asked.
 */
void tmpl_noscript_agree(tmpl_tokens_t *page, const tmpl_tokens_t *without, apr_pool_t *pool);

#endif
