/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The visible text of a page: UTF-8, character references decoded, white space collapsed as a
 * browser would, so that a block is one line.
 */
#ifndef TMPL_TEXT_H
#define TMPL_TEXT_H

#include "page/page.h"
#include "text/decode.h"

/* Adds the text of a segment; nothing for an image or a link without text. */
void tmpl_text_segment(tmpl_buf_t *buf, const tmpl_page_t *page, uint32_t segment,
                       const tmpl_decoder_t *decoder);

/* Adds the text of a block, with a space wherever its segments do not touch. */
void tmpl_text_block(tmpl_buf_t *buf, const tmpl_page_t *page, uint32_t block,
                     const tmpl_decoder_t *decoder);

/*
 * Takes the characters of a text as they come, for who needs no string of them. White space may come
 * as it stands, or as a space for what parts words without a character, such as the end of a line.
 */
typedef struct {
    void (*take)(void *ctx, uint32_t code); /* one, a space for any of the white */
    void (*take_ascii)(void *ctx, const char *bytes, apr_size_t len); /* many, none of them 0 */
    void *ctx;
} tmpl_text_sink_t;

/* Gives sink the text of a block; room for the longest segment in another charset is from pool. */
void tmpl_text_block_to(const tmpl_text_sink_t *sink, const tmpl_page_t *page, uint32_t block,
                        const tmpl_decoder_t *decoder, apr_pool_t *pool);

/*
 * Adds the text of a page of which the library has made nothing, as libxml2 reads it: a line for
 * each stretch of text between elements that are not inline. Pages of several threads are read at once if
 * xmlInitParser was called before. 1; 0: some is missing, for elements are nested more than 4,096 deep, or
 * libxml2 has no memory, or the page is of more than 2 GiB.
 */
int tmpl_text_source(tmpl_buf_t *buf, const char *src, apr_size_t len,
                     const tmpl_decoder_t *decoder, apr_pool_t *pool);

/* Shortens buf to at most so many characters, the last an ellipsis if some were lost. */
void tmpl_text_shorten(tmpl_buf_t *buf, apr_size_t characters);

#endif
