/* SPDX-License-Identifier: Apache-2.0 */
#include "content/opening.h"

#include <apr_cstr.h>

#include "dom/dom.h"
#include "metadata/elements.h"

/* Headings that are compared, the first of a page, and bytes of a heading. */
#define HEADINGS      64
#define HEADING_BYTES 500

/*
 * How much of a heading's words are the title's at least, and of the title's words the heading's;
 * or SHARE and all.
 */
#define TITLED 0.75
#define SHARE  0.5

static int is_any_heading(const tmpl_page_t *page, const xmlNode *node)
{
    return node->type == XML_ELEMENT_NODE && tmpl_dom_node(node) != TMPL_NONE &&
           (tmpl_tag_flags((tmpl_tag_e)page->nodes[tmpl_dom_node(node)].tag) & TMPL_IS_HEADING);
}

/* The words of a heading; "": it is too long for a title. */
static const char *heading_words(tmpl_buf_t *text, const xmlNode *heading)
{
    tmpl_buf_clear(text);
    for (const xmlNode *in = heading->children; in != NULL; in = tmpl_dom_next(in, heading, 0)) {
        if (in->type == XML_TEXT_NODE) {
            tmpl_buf_add_text(text, (const char *)in->content);
        }
        else {
            tmpl_buf_add_byte(text, ' ');
        }
        if (text->len > HEADING_BYTES) {
            return "";
        }
    }
    return text->len > 0 ? text->at : "";
}

/* How much a heading is like the title, 0..3; 0: not enough. */
static double heading_likeness(const char *heading, const char *title, int is_h1)
{
    if (apr_cstr_casecmp(heading, title) == 0) {
        return 2 + is_h1;
    }
    double titled = tmpl_elements_share(heading, title);
    double share = titled >= SHARE ? tmpl_elements_share(title, heading) : 0;
    int is_like = (titled >= TITLED && share >= SHARE) || share == 1;
    return is_like ? titled + share + is_h1 : 0;
}

const xmlNode *tmpl_opening_headline(uint32_t *before, const tmpl_content_t *content,
                                     apr_pool_t *pool)
{
    const char *title = tmpl_metadata_first(&content->metadata, TMPL_METADATA_TITLE);
    const xmlNode *best = NULL, *only = NULL;
    double most = 0;
    int n = 0, h1s = 0;
    uint32_t before_only = 0;
    tmpl_buf_t text;
    tmpl_buf_init(&text, pool);
    uint32_t bytes = 0;
    for (const xmlNode *node = content->body->children;
         title != NULL && node != NULL && most < 3 && n < HEADINGS;
         node = tmpl_dom_next(node, content->body, 0)) {
        if (node->type == XML_TEXT_NODE) {
            bytes += (uint32_t)xmlStrlen(node->content);
        }
        if (is_any_heading(content->page, node)) {
            int is_h1 = node->name[1] == '1';
            double like = heading_likeness(heading_words(&text, node), title, is_h1);
            if (n++ == 0 && is_h1 && text.len > 0) {
                only = node;
                before_only = bytes;
            }
            h1s += is_h1;
            if (like > most) {
                most = like;
                best = node;
                *before = bytes;
            }
        }
    }
    if (best == NULL && h1s == 1 && only != NULL) {
        best = only;
        *before = before_only;
    }
    return best;
}
