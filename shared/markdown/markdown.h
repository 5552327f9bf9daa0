/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page as Markdown: CommonMark 0.31 with tables and strikethrough of GFM, of what the
 * page's edits leave. Text of the page is read as text again, whatever it says: it begins no
 * heading, list, link or HTML.
 *
 *     front matter    YAML: what the page says of itself in its head (front.h)
 *     h1..h6          # to ######
 *     lists           nested up to TMPL_FLOW_DEPTH; what is deeper is flat
 *     tables          with two columns and two rows or more: GFM; those with spans or lists in
 *                     cells: HTML; tables that lay out the page: their content (grid.h)
 *     pre             fenced code with the language of its class
 *     dt, summary     paragraphs in bold; dd: items
 *     footnotes       as the links and lists that they are in HTML
 *     links, images   absolute; with schemes that run code: their text only
 *     hidden          as displayed: panels of tabs and accordions, and what scripts show
 */
#ifndef TMPL_MARKDOWN_H
#define TMPL_MARKDOWN_H

#include "base/buf.h"
#include "rewrite/rewrite.h"

typedef struct {
    const char *url;     /* the page's absolute URL; NULL: references stay relative */
    const char *charset; /* of the Content-Type header; NULL: none */
} tmpl_markdown_opts_t;

/* The longest Markdown of a page of so many bytes. */
static inline apr_size_t tmpl_markdown_most(apr_size_t len)
{
    return 3 * len + 64 * 1024;
}

/*
 * Writes the page without the spans of edits, which only delete. Returns the Markdown, *len bytes
 * and a NUL, from pool; NULL if it were longer than tmpl_markdown_most(), as with very many
 * relative links, or if the page's tree takes too much memory (dom.h).
 */
const char *tmpl_markdown(apr_size_t *len, const tmpl_page_t *page, const tmpl_edits_t *edits,
                          const tmpl_markdown_opts_t *opts, apr_pool_t *pool);

#endif
