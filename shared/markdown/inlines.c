/* SPDX-License-Identifier: Apache-2.0 */
/* What stands in lines of text: links, images, formats, formulas. */
#include "markdown/handlers.h"

#include <string.h>

#include <apr_strings.h>

#include "content/media.h"
#include "content/href.h"

/* Elements around an image in which a figure is looked for. */
#define FIGURE_UP 4

/* Whether an image is in a figure, or a paragraph is nothing else. */
static int is_in_figure(const xmlNode *node)
{
    const xmlNode *in = node;
    while (in->prev == NULL && in->next == NULL && in->parent->type == XML_ELEMENT_NODE) {
        in = in->parent;
        if (strcmp((const char *)in->name, "p") == 0) {
            return 1;
        }
    }
    for (int up = 0; up < FIGURE_UP && node->parent->type == XML_ELEMENT_NODE; up++) {
        node = node->parent;
        if (strcmp((const char *)node->name, "figure") == 0) {
            return 1;
        }
    }
    return 0;
}

/*
 * Whether an image is left out: it has no text and is in no figure, or the page has it twice side
 * by side, for screens of two sizes: by its address, or by a text of some length.
 */
static int is_left_out(const tmpl_writer_t *w, const xmlNode *node, const char *text,
                       const char *address)
{
    if (w->card != NULL && (text == NULL || *text == '\0')) {
        return 1; /* its title says what it shows */
    }
    if (w->one_leaf != NULL && w->where == TMPL_WRITE_CELL) {
        return 0; /* it is what the cell says */
    }
    if (text != NULL && *text == '\0') {
        return !is_in_figure(node);
    }
    return tmpl_walk_is_twin(&w->walk, address, text);
}

static int enter_image(tmpl_writer_t *w, const xmlNode *node)
{
    const char *text = tmpl_image_text(node);
    if (text != NULL && tmpl_image_is_smiley(node, text)) {
        tmpl_leaf_text(&w->leaf, text);
        return 1;
    }
    const char *address = tmpl_image_address(node, w->pool);
    if (address != NULL && tmpl_writer_keeps(w, node) && !is_left_out(w, node, text, address)) {
        tmpl_writer_divide(w, address);
        tmpl_leaf_image(&w->leaf, text != NULL ? text : "", address);
        w->walk.image.address = address;
        w->walk.image.text = text;
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
    return prev != NULL && tmpl_dom_tag(w->page, prev) == TMPL_TAG_A &&
           (before == NULL || href == NULL || strcmp(before, href) != 0);
}

/* Whether a link in a heading leads to the page itself. */
static int leads_here(tmpl_writer_t *w, const char *href)
{
    tmpl_buf_t *address = &w->code;
    const char *url = w->leaf.hrefs->url;
    if (url == NULL) {
        return 0;
    }
    tmpl_buf_clear(address);
    tmpl_href_resolve(address, w->leaf.hrefs, href);
    apr_size_t len = strlen(url);
    return strncmp(address->at, url, len) == 0 &&
           (address->at[len] == '\0' || address->at[len] == '#');
}

static int enter_link(tmpl_writer_t *w, const xmlNode *node)
{
    const char *before = w->href;
    const char *href = tmpl_dom_attribute(node, "href");
    const char *mail = NULL;
    href = href != NULL ? tmpl_href_mail(&mail, node, href, w->pool) : NULL;
    w->href = href != NULL && tmpl_href_is_safe(href) ? href : NULL;
    if (is_parted(w, node, before, w->href)) {
        tmpl_leaf_space(&w->leaf);
    }
    if (href != NULL && w->one_leaf != NULL && w->where != TMPL_WRITE_CELL &&
        tmpl_permalink_is(w->page, w->one_leaf, node, href)) {
        return 1;
    }
    if (w->link != NULL) {
        return 0;
    }
    if (mail != NULL) {
        tmpl_leaf_open(&w->leaf, TMPL_FORMAT_LINK, w->href);
        tmpl_leaf_text(&w->leaf, mail);
        tmpl_leaf_close(&w->leaf, TMPL_FORMAT_LINK);
        return 1;
    }
    if (href != NULL && w->one_leaf != NULL && w->where != TMPL_WRITE_CELL &&
        (tmpl_permalink_is_whole(w->one_leaf, node, href) || leads_here(w, href))) {
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

static int enter_player(tmpl_writer_t *w, const xmlNode *node)
{
    const char *title;
    const char *address = tmpl_player_address(&title, node);
    if (address != NULL && w->link == NULL) {
        tmpl_leaf_space(&w->leaf);
        tmpl_leaf_open(&w->leaf, TMPL_FORMAT_LINK, address);
        tmpl_leaf_text(&w->leaf, title);
        tmpl_leaf_close(&w->leaf, TMPL_FORMAT_LINK);
        tmpl_leaf_space(&w->leaf);
    }
    return 1;
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
    unsigned format = formats[tmpl_dom_tag(w->page, node)];
    if (format > 0) {
        tmpl_leaf_open(&w->leaf, (tmpl_format_e)(format - 1), NULL);
    }
    return 0;
}

static void leave_format(tmpl_writer_t *w, const xmlNode *node)
{
    unsigned format = formats[tmpl_dom_tag(w->page, node)];
    if (format > 0) {
        tmpl_leaf_close(&w->leaf, (tmpl_format_e)(format - 1));
    }
}

static int enter_formula(tmpl_writer_t *w, const xmlNode *node)
{
    (void)node;
    const tmpl_formula_t *formula = &w->walk.formula;
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

const tmpl_handler_t tmpl_handler_image = { enter_image, NULL };
const tmpl_handler_t tmpl_handler_player = { enter_player, NULL };
const tmpl_handler_t tmpl_handler_break = { enter_break, NULL };
const tmpl_handler_t tmpl_handler_link = { enter_link, leave_link };
const tmpl_handler_t tmpl_handler_spaced = { enter_spaced, leave_spaced };
const tmpl_handler_t tmpl_handler_format = { enter_format, leave_format };
const tmpl_handler_t tmpl_handler_formula = { enter_formula, NULL };
