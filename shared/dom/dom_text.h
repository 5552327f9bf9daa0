/* SPDX-License-Identifier: Apache-2.0 */
/* Text and values of attributes of a page, as a tree holds them. */
#ifndef TMPL_DOM_TEXT_H
#define TMPL_DOM_TEXT_H

#include "base/buf.h"
#include "base/tmpl.h"
#include "text/decode.h"
#include "text/reference.h"

/*
 * Adds the bytes of span as UTF-8, as the HTML5 tokenizer reads them: character references are
 * decoded, and line ends are '\n'. Control characters that XML forbids are left out.
 */
void tmpl_dom_decode(tmpl_buf_t *buf, const tmpl_decoder_t *decoder, const char *src,
                     tmpl_span_t span, tmpl_reference_e where);

#endif
