/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The visible text of a page: UTF-8, character references decoded, white space collapsed as a
 * browser would, so that a block is one line.
 */
#ifndef CTL_TEXT_H
#define CTL_TEXT_H

#include "charset.h"
#include "clean.h"

/* Adds the text of a segment; nothing for an image or a link without text. */
void ctl_text_segment(ctl_buf_t *buf, const tmpl_page_t *page, uint32_t segment,
                      const ctl_charset_t *charset);

/* Adds the text of a block, with a space wherever its segments do not touch. */
void ctl_text_block(ctl_buf_t *buf, const tmpl_page_t *page, uint32_t block,
                    const ctl_charset_t *charset);

/*
 * Adds the text of a page of which the library has made nothing, as libxml2 reads it: a line for
 * each stretch of text between elements that are not inline.
 */
void ctl_text_source(ctl_buf_t *buf, const char *src, apr_size_t len, const ctl_charset_t *charset,
                     apr_pool_t *pool);

/* Shortens buf to at most so many characters, the last an ellipsis if some were lost. */
void ctl_text_shorten(ctl_buf_t *buf, apr_size_t characters);

#endif
