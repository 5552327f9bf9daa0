/* SPDX-License-Identifier: Apache-2.0 */
/*
 * content -> a page for reading: the headline, who wrote it and when, and the content, in plain
 * HTML with a style sheet of its own (reader.css). Only elements and attributes of the tables in
 * content/walk.c, view.c, attributes.c and math.c are written: no script, style, handler or form.
 *
 *     headline        the only h1; other headings are h2 to h6, without gaps
 *     links, images   absolute; with schemes that run code: their text only (content/href.h)
 *     links in the page  lead to the ids of its elements, where they are left
 *     pre             its text, with the class of its language
 *     tables          of data: as they are; for layout: their content
 *     formulas        MathML, or TeX
 */
#ifndef TMPL_READER_H
#define TMPL_READER_H

#include "content/content.h"

/* The Content-Security-Policy of these pages, which they have in a meta element, too. */
extern const char tmpl_reader_policy[];

/* The style sheet. */
extern const char tmpl_reader_style[];

/*
 * Writes content. Returns the page in UTF-8, *len bytes and a NUL, from pool. NULL if it would be
 * more than three times as long as the page it comes from, and 64 KB.
 */
const char *tmpl_reader(apr_size_t *len, const tmpl_content_t *content, apr_pool_t *pool);

#endif
