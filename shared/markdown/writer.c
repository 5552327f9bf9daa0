/* SPDX-License-Identifier: Apache-2.0 */
#include "markdown/writer.h"

#include <string.h>

#include <apr_cstr.h>

/* Signs that styles put between two parts of a line. */
static const char dividers[] = "| / > : , \xC2\xB7 \xC2\xBB \xE2\x80\xA2 \xE2\x80\xBA";

/*
 * Whether the finished leaf has nothing to write. Empties one that menus left in front of the
 * headline, that is a sign between two parts of a line, or that repeats the title directly behind
 * it.
 */
static int is_empty(tmpl_writer_t *w)
{
    enum { SHORT = 40 /* bytes of a text that is no sentence */ };
    int is_left = w->before && w->own < SHORT && !w->facts;
    int repeats =
        w->flow.behind == TMPL_BEHIND_TITLE && apr_cstr_casecmp(w->leaf.text.at, w->title) == 0;
    if (is_left || repeats ||
        (w->leaf.text.len <= 3 && strstr(dividers, w->leaf.text.at) != NULL)) {
        tmpl_buf_clear(&w->leaf.text);
    }
    w->own = 0;
    w->facts = 0;
    return tmpl_leaf_is_empty(&w->leaf);
}

void tmpl_writer_flush(tmpl_writer_t *w)
{
    tmpl_leaf_finish(&w->leaf);
    if (!tmpl_leaf_is_empty(&w->leaf) && !is_empty(w)) {
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

void tmpl_writer_heading(tmpl_writer_t *w, unsigned level)
{
    if (!tmpl_leaf_is_empty(&w->leaf) && !is_empty(w)) {
        tmpl_flow_begin(&w->flow, TMPL_FLOW_TEXT);
        tmpl_buf_add(&w->flow.out, "######", level);
        tmpl_buf_add_text(&w->flow.out, " ");
        tmpl_write_markdown(&w->flow, &w->leaf, TMPL_WRITE_HEADING);
        tmpl_flow_end(&w->flow);
        w->flow.behind = TMPL_BEHIND_HEADING;
    }
}
