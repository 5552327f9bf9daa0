/* SPDX-License-Identifier: Apache-2.0 */
/* What stands in lines of text: links, images, formats, formulas. */
#include "markdown/handlers.h"

#include <string.h>

#include "content/image.h"
#include "markdown/permalink.h"

static int enter_image(tmpl_writer_t *w, const xmlNode *node)
{
    const char *alt = tmpl_dom_attribute(node, "alt");
    const char *address = tmpl_image_address(node, w->pool);
    if (address != NULL && tmpl_writer_keeps(w, node)) {
        tmpl_leaf_image(&w->leaf, alt != NULL ? alt : "", address);
    }
    return 1;
}

static int enter_break(tmpl_writer_t *w, const xmlNode *node)
{
    (void)node;
    const tmpl_buf_t *text = &w->leaf.text;
    if (w->one_leaf == NULL && text->len > 0 && text->at[text->len - 1] == TMPL_MARK_BREAK) {
        tmpl_writer_flush(w); /* two line breaks separate paragraphs */
        return 1;
    }
    tmpl_leaf_break(&w->leaf);
    return 1;
}

/*
 * Whether a link to href stands directly behind a link to before: styles part such links. If both
 * lead to the same address, they may be parts of one word.
 */
static int is_parted(const tmpl_writer_t *w, const xmlNode *link, const char *before,
                     const char *href)
{
    const xmlNode *prev = link->prev;
    return prev != NULL && tmpl_grid_tag(w->page, prev) == TMPL_TAG_A &&
           (before == NULL || href == NULL || strcmp(before, href) != 0);
}

static int enter_link(tmpl_writer_t *w, const xmlNode *node)
{
    const char *before = w->href;
    const char *href = tmpl_dom_attribute(node, "href");
    w->href = href != NULL && tmpl_href_is_safe(href) ? href : NULL;
    if (is_parted(w, node, before, w->href)) {
        tmpl_leaf_space(&w->leaf);
    }
    if (w->link != NULL) {
        return 0;
    }
    if (href != NULL && w->one_leaf != NULL && w->where != TMPL_WRITE_CELL &&
        tmpl_permalink_is(w->page, w->one_leaf, node, href)) {
        return 1;
    }
    if (href != NULL && w->one_leaf != NULL && w->where != TMPL_WRITE_CELL &&
        tmpl_permalink_is_whole(w->one_leaf, node, href)) {
        return 0;
    }
    if (w->href != NULL) {
        w->link = node;
        tmpl_leaf_open(&w->leaf, TMPL_FORMAT_LINK, w->href);
    }
    return 0;
}

static void leave_link(tmpl_writer_t *w, const xmlNode *node)
{
    if (w->link == node) {
        w->link = NULL;
        tmpl_leaf_close(&w->leaf, TMPL_FORMAT_LINK);
    }
}

static int enter_spaced(tmpl_writer_t *w, const xmlNode *node)
{
    (void)node;
    tmpl_leaf_space(&w->leaf);
    return 0;
}

static void leave_spaced(tmpl_writer_t *w, const xmlNode *node)
{
    (void)node;
    tmpl_leaf_space(&w->leaf);
}

/* The format of an element, plus one; 0: none. */
static const unsigned char formats[TMPL_TAG_COUNT] = {
    [TMPL_TAG_B] = 1 + TMPL_FORMAT_STRONG,  [TMPL_TAG_STRONG] = 1 + TMPL_FORMAT_STRONG,
    [TMPL_TAG_I] = 1 + TMPL_FORMAT_EM,      [TMPL_TAG_EM] = 1 + TMPL_FORMAT_EM,
    [TMPL_TAG_CITE] = 1 + TMPL_FORMAT_EM,   [TMPL_TAG_DFN] = 1 + TMPL_FORMAT_EM,
    [TMPL_TAG_VAR] = 1 + TMPL_FORMAT_EM,    [TMPL_TAG_DEL] = 1 + TMPL_FORMAT_DEL,
    [TMPL_TAG_S] = 1 + TMPL_FORMAT_DEL,     [TMPL_TAG_STRIKE] = 1 + TMPL_FORMAT_DEL,
    [TMPL_TAG_SUP] = 1 + TMPL_FORMAT_SUP,   [TMPL_TAG_SUB] = 1 + TMPL_FORMAT_SUB,
    [TMPL_TAG_CODE] = 1 + TMPL_FORMAT_CODE, [TMPL_TAG_KBD] = 1 + TMPL_FORMAT_CODE,
    [TMPL_TAG_SAMP] = 1 + TMPL_FORMAT_CODE, [TMPL_TAG_TT] = 1 + TMPL_FORMAT_CODE,
};

static int enter_format(tmpl_writer_t *w, const xmlNode *node)
{
    tmpl_leaf_open(&w->leaf, (tmpl_format_e)(formats[tmpl_grid_tag(w->page, node)] - 1), NULL);
    return 0;
}

static void leave_format(tmpl_writer_t *w, const xmlNode *node)
{
    tmpl_leaf_close(&w->leaf, (tmpl_format_e)(formats[tmpl_grid_tag(w->page, node)] - 1));
}

static int enter_formula(tmpl_writer_t *w, const xmlNode *node)
{
    (void)node;
    const tmpl_formula_t *formula = &w->formula;
    if (formula->tex == NULL) {
        return 1;
    }
    if (formula->display && w->one_leaf == NULL && w->link == NULL) {
        tmpl_writer_flush(w);
        tmpl_write_formula(&w->flow, formula->tex);
    }
    else {
        tmpl_leaf_formula(&w->leaf, formula->tex);
    }
    return 1;
}

int tmpl_handler_is_format(tmpl_tag_e tag)
{
    return formats[tag] != 0;
}

const tmpl_handler_t tmpl_handler_image = { enter_image, NULL };
const tmpl_handler_t tmpl_handler_break = { enter_break, NULL };
const tmpl_handler_t tmpl_handler_link = { enter_link, leave_link };
const tmpl_handler_t tmpl_handler_spaced = { enter_spaced, leave_spaced };
const tmpl_handler_t tmpl_handler_format = { enter_format, leave_format };
const tmpl_handler_t tmpl_handler_formula = { enter_formula, NULL };
