/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The visible text of a page: UTF-8, character references decoded, white space collapsed as a
 * browser would, so that a block is one line.
 */
#ifndef TMPL_TEXT_H
#define TMPL_TEXT_H

#include "text/decode.h"
#include "page/page.h"

/* Adds the text of a segment; nothing for an image or a link without text. */
void tmpl_text_segment(tmpl_buf_t *buf, const tmpl_page_t *page, uint32_t segment,
                       const tmpl_decoder_t *decoder);

/* Adds the text of a block, with a space wherever its segments do not touch. */
void tmpl_text_block(tmpl_buf_t *buf, const tmpl_page_t *page, uint32_t block,
                     const tmpl_decoder_t *decoder);

/*
 * Adds the text of a page of which the library has made nothing, as libxml2 reads it: a line for
 * each stretch of text between elements that are not inline.
 */
void tmpl_text_source(tmpl_buf_t *buf, const char *src, apr_size_t len,
                      const tmpl_decoder_t *decoder, apr_pool_t *pool);

/* Shortens buf to at most so many characters, the last an ellipsis if some were lost. */
void tmpl_text_shorten(tmpl_buf_t *buf, apr_size_t characters);

#endif
