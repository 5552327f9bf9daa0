/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page's content as Markdown: CommonMark 0.31 with tables, strikethrough and
 * footnotes of GFM. Readers of Markdown read the page's text as text again, whatever it says: it
 * begins no heading, list, link or HTML.
 *
 *     front matter    YAML: what the page says of itself in its head
 *     h1..h6          # to ######
 *     lists           nested up to TMPL_FLOW_DEPTH; deeper lists are flat; paragraphs and lines
 *                     that begin with "•", two or more in a row, are one
 *     tables          with two columns and two rows or more: GFM, or HTML if cells span others or
 *                     hold lists; layout tables: their content
 *     pre             fenced code with its language, without numbers of lines
 *     callouts        quotes that begin with [!NOTE], as GitHub's alerts
 *     formulas        $TeX$, and $$ on lines of their own
 *     dl              a list: "- **term**: definition"; long definitions in the item
 *     posts, cards    headings with author and date; items in one line (content/groups.h)
 *     summary         a paragraph in bold
 *     footnotes       [^1], where they are certain; references to nothing are left out,
 *                     others stay links
 *     links, images   absolute; with schemes that run code: their text only
 *     hidden text     like displayed text: panels of tabs and accordions, and what scripts show
 */
#ifndef TMPL_MARKDOWN_H
#define TMPL_MARKDOWN_H

#include "content/content.h"
#include "markdown/fragments.h"

/* The most bytes that the Markdown of a page of len bytes may have. */
static inline apr_size_t tmpl_markdown_most(apr_size_t len)
{
    return 3 * len + 64 * 1024;
}

/*
 * Writes content. Returns the Markdown, *len bytes and a NUL, from pool. NULL if it would be longer
 * than tmpl_markdown_most(), as with very many relative links. fragments, which
 * tmpl_fragments_init() made, gets what it consists of, without front matter; NULL: not wanted.
 */
const char *tmpl_markdown(apr_size_t *len, const tmpl_content_t *content,
                          tmpl_fragments_t *fragments, apr_pool_t *pool);

/*
 * Adds the values that a field has as YAML, which is JSON, too: a string, or a list with a comma
 * between them if there may be several.
 */
void tmpl_front_values(tmpl_buf_t *out, const tmpl_metadata_t *metadata, int field,
                       const char *comma);

#endif
