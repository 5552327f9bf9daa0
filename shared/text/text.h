/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The displayed text of a page: UTF-8, character references decoded, white space collapsed as in a
 * browser, so that a block is one line; tmpl_text_lines() keeps the lines of a pre.
 */
#ifndef TMPL_TEXT_H
#define TMPL_TEXT_H

#include "page/page.h"
#include "text/decode.h"

/* Whether a segment may have a text for machines: it begins or ends as one does. Quick. */
static inline int tmpl_text_may_be_for_machines(const char *src, tmpl_span_t segment)
{
    const char *first = src + segment.start, *last = src + segment.end - 1;
    while (first < last && (*first == ' ' || *first == '\n')) {
        first++;
    }
    return *first == '[' || *first == '{' || *first == 'L' || *first == 'W' || *first == 'C' ||
           *first == 'O' || *last == ']';
}

/* Whether a link is one short text, as those to editors and sources are. */
static inline int tmpl_link_is_short(const tmpl_page_t *page, const tmpl_node_t *link)
{
    enum { SHORT = 16 };
    return link->tag == TMPL_TAG_A && link->after_segment == link->first_segment + 1 &&
           page->segments[link->first_segment].length <= SHORT;
}

/*
 * Whether an element is not said to readers, with all that is in it. Names that many sites write
 * say so (unsaid.c): links to editors and sources, "[edit]"; icons that a font shows for a letter;
 * prices and badges of a shop that show in another state only; and what stands beside a text for
 * screen readers alone and says the same.
 */
int tmpl_named_is_unsaid(const tmpl_page_t *page, const tmpl_node_t *node);
static inline int tmpl_node_is_unsaid(const tmpl_page_t *page, const tmpl_node_t *node)
{
    return ((node->flags & TMPL_NODE_NAMED) || tmpl_link_is_short(page, node)) &&
           tmpl_named_is_unsaid(page, node);
}

/*
 * The element in front of a node that says the same to screens of another size: their texts are
 * equal, and of some length, and a class of one says for which screen it is. NULL: there is none.
 */
const tmpl_node_t *tmpl_named_twin(const tmpl_page_t *page, const tmpl_node_t *node);
static inline const tmpl_node_t *tmpl_node_twin(const tmpl_page_t *page, const tmpl_node_t *node)
{
    return (node->flags & TMPL_NODE_NAMED) ? tmpl_named_twin(page, node) : NULL;
}

/* The texts of permalinks: a pilcrow, also as read in a wrong charset, and others. */
extern const char tmpl_permalink_signs[];

/* Whether a segment is no word of the page: it is in such an element, or a permalink's sign. */
int tmpl_text_is_unsaid(const tmpl_page_t *page, const tmpl_segment_t *segment);

/*
 * The first text for machines in rest, a part of a segment of node: a shortcode of WordPress; or
 * all of it: "{{...}}", "Loading...", the failure of a form. Its end, if there is none, or in code.
 */
tmpl_span_t tmpl_text_for_machines(const tmpl_page_t *page, uint32_t node, tmpl_span_t rest);

/* Adds the text of a segment; nothing for an image or a link without text. */
void tmpl_text_segment(tmpl_buf_t *buf, const tmpl_page_t *page, uint32_t segment,
                       const tmpl_decoder_t *decoder);

/* Adds the text of segments [first, after), with a space wherever they do not touch. */
void tmpl_text_segments(tmpl_buf_t *buf, const tmpl_page_t *page, uint32_t first, uint32_t after,
                        const tmpl_decoder_t *decoder);

/* Adds the text of a block, with a space wherever its segments do not touch. */
void tmpl_text_block(tmpl_buf_t *buf, const tmpl_page_t *page, uint32_t block,
                     const tmpl_decoder_t *decoder);

/* The same, but a pre keeps its lines, and others are without the sign of the next function. */
void tmpl_text_lines(tmpl_buf_t *buf, const tmpl_page_t *page, uint32_t block,
                     const tmpl_decoder_t *decoder);

/*
 * Drops a sign that parts a text from nothing, as "1.0 ·" does where a link went, from the end of
 * the line that begins at start. alone: the line has borders around it, and may be a sign itself.
 */
void tmpl_text_drop_sign(tmpl_buf_t *buf, apr_size_t start, int alone);

/* Whether a sign in an element says something: in a cell, a term or code. */
int tmpl_text_says_sign(const tmpl_page_t *page, uint32_t node);

/*
 * Receives the characters of a text one after another. White space comes as it is. A boundary of
 * words without a character, such as the end of a line, comes as a space.
 */
typedef struct {
    void (*take)(void *ctx, uint32_t code); /* one character; all white space is a space */
    void (*take_ascii)(void *ctx, const char *bytes, apr_size_t len); /* ASCII without NUL */
    void *ctx;
} tmpl_text_sink_t;

/* Passes the text of a block to sink; memory for segments in another charset is from pool. */
void tmpl_text_block_to(const tmpl_text_sink_t *sink, const tmpl_page_t *page, uint32_t block,
                        const tmpl_decoder_t *decoder, apr_pool_t *pool);

/* Shortens buf to that number of characters; if it was longer, the last one is an ellipsis. */
void tmpl_text_shorten(tmpl_buf_t *buf, apr_size_t characters);

#endif
