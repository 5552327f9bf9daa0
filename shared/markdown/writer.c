/* SPDX-License-Identifier: Apache-2.0 */
#include "markdown/writer.h"

#include <string.h>

#include <apr_cstr.h>

/* Whether a text is a sign that styles put between two parts of a line. */
static int is_divider(const tmpl_buf_t *text)
{
    static const char *const signs[] = { "|",           "/",        ">",        ":",
                                         ",",           "\xC2\xB7", "\xC2\xBB", "\xE2\x80\xA2",
                                         "\xE2\x80\xBA" };
    unsigned i = 0;
    while (i < sizeof(signs) / sizeof(signs[0]) && strcmp(text->at, signs[i]) != 0) {
        i++;
    }
    return i < sizeof(signs) / sizeof(signs[0]);
}

/*
 * Whether the finished leaf has nothing to write. Empties one that menus left in front of the
 * headline, that is a sign between two parts of a line, or that repeats the title directly behind
 * it.
 */
static int is_empty(tmpl_writer_t *w)
{
    enum { SHORT = 40 /* bytes of a text that is no sentence */ };
    int is_left = w->before && (w->own == 0 || (w->own < SHORT && !w->facts));
    int repeats =
        w->flow.behind == TMPL_BEHIND_TITLE && apr_cstr_casecmp(w->leaf.text.at, w->title) == 0;
    if (is_left || repeats || (w->leaf.text.len <= 3 && is_divider(&w->leaf.text))) {
        tmpl_buf_clear(&w->leaf.text);
    }
    w->own = 0;
    w->facts = 0;
    return tmpl_leaf_is_empty(&w->leaf);
}

/* A text leads where the heading above it leads: it needs no link of its own; a button may. */
static void unlink_like_heading(tmpl_writer_t *w)
{
    enum { BUTTON = 40 }; /* bytes at most */
    apr_size_t len;
    const char *address = w->linked.len > 0 ? tmpl_leaf_linked(&len, &w->leaf) : NULL;
    if (address != NULL && len == w->linked.len && w->leaf.text.len > len + BUTTON &&
        memcmp(address, w->linked.at, len) == 0) {
        tmpl_leaf_unlink(&w->leaf);
    }
}

void tmpl_writer_flush(tmpl_writer_t *w)
{
    tmpl_leaf_finish(&w->leaf);
    if (!tmpl_leaf_is_empty(&w->leaf) && !is_empty(w)) {
        unlink_like_heading(w);
        tmpl_flow_begin(&w->flow, TMPL_FLOW_TEXT);
        tmpl_write_markdown(&w->flow, &w->leaf, TMPL_WRITE_PARAGRAPH);
        tmpl_flow_end(&w->flow);
    }
}

void tmpl_writer_border(tmpl_writer_t *w)
{
    if (w->state == TMPL_WRITE_PARAGRAPH) {
        tmpl_writer_flush(w);
    }
    else if (w->state == TMPL_WRITE_CELL) {
        tmpl_leaf_break(&w->leaf);
    }
    else {
        tmpl_leaf_space(&w->leaf);
        w->divides |= w->state == TMPL_WRITE_CARD;
    }
}

void tmpl_writer_divide(tmpl_writer_t *w, const char *text)
{
    if (w->divides && text[strspn(text, " \t\n\r\f")] != '\0') {
        if (!tmpl_leaf_is_empty(&w->leaf)) {
            tmpl_leaf_divide(&w->leaf, "\xC2\xB7");
        }
        w->divides = 0;
    }
}

void tmpl_writer_hold(tmpl_writer_t *w, const xmlNode *node, tmpl_write_e state)
{
    if (w->state == TMPL_WRITE_PARAGRAPH) {
        w->holder = node;
        w->state = state;
    }
}

int tmpl_writer_release(tmpl_writer_t *w, const xmlNode *node)
{
    if (w->holder != node) {
        tmpl_writer_border(w);
        return 0;
    }
    w->holder = NULL;
    w->state = TMPL_WRITE_PARAGRAPH;
    return 1;
}

void tmpl_writer_link(tmpl_writer_t *w, const char *text, const char *address)
{
    if (address != NULL) {
        tmpl_leaf_open(&w->leaf, TMPL_FORMAT_LINK, address);
    }
    tmpl_leaf_text(&w->leaf, text);
    if (address != NULL) {
        tmpl_leaf_close(&w->leaf, TMPL_FORMAT_LINK);
    }
}

/*
 * Drops the heading that was written last if it repeats the one directly before, which began at the
 * offset: some pages have it twice, for screens of two sizes. Not so paragraphs: they may be a
 * refrain.
 */
static void drop_repeated_heading(tmpl_flow_t *flow, apr_size_t before)
{
    enum { LEAST = 12 }; /* bytes of a heading that is no accident */
    tmpl_buf_t *out = &flow->out;
    apr_size_t len = flow->began - before;
    if (flow->fragments == NULL && flow->n == 0 && len >= LEAST && out->len == flow->began + len &&
        memcmp(out->at + before, out->at + flow->began, len) == 0) {
        tmpl_flow_take_back(flow);
        flow->began = before;
    }
}

void tmpl_writer_heading(tmpl_writer_t *w, unsigned level)
{
    if (tmpl_leaf_is_empty(&w->leaf) || is_empty(w)) {
        return;
    }
    apr_size_t len, before = w->flow.began;
    int is_behind = w->flow.behind == TMPL_BEHIND_HEADING;
    const char *address = tmpl_leaf_linked(&len, &w->leaf);
    tmpl_buf_clear(&w->linked);
    tmpl_buf_add(&w->linked, address, address != NULL ? len : 0);
    tmpl_flow_begin(&w->flow, TMPL_FLOW_TEXT);
    tmpl_buf_add(&w->flow.out, "######", level);
    tmpl_buf_add_text(&w->flow.out, " ");
    tmpl_write_markdown(&w->flow, &w->leaf, TMPL_WRITE_HEADING);
    tmpl_flow_end(&w->flow);
    if (is_behind) {
        drop_repeated_heading(&w->flow, before);
    }
    w->flow.behind = TMPL_BEHIND_HEADING;
}
