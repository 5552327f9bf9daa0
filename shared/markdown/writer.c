/* SPDX-License-Identifier: Apache-2.0 */
#include "markdown/writer.h"

#include <string.h>

#include <apr_cstr.h>

#include "text/text.h"

/*
 * Whether finished inlines have nothing to write. Empties those that menus left in front of the
 * headline, or that repeat the title directly behind it, and drops a sign in front of nothing.
 */
static int is_empty(tmpl_writer_t *w)
{
    enum { SHORT = 40 /* bytes of a text that is no sentence */ };
    tmpl_text_drop_sign(&w->inlines.text, 0, 1);
    int is_left = w->before && w->own < SHORT && !w->facts;
    int repeats =
        w->flow.behind == TMPL_BEHIND_TITLE && apr_cstr_casecmp(w->inlines.text.at, w->title) == 0;
    if (is_left || repeats) {
        tmpl_buf_clear(&w->inlines.text);
    }
    w->own = 0;
    w->facts = 0;
    return tmpl_inlines_is_empty(&w->inlines);
}

void tmpl_writer_flush(tmpl_writer_t *w)
{
    tmpl_inlines_finish(&w->inlines);
    if (!tmpl_inlines_is_empty(&w->inlines) && !is_empty(w)) {
        tmpl_flow_begin(&w->flow, TMPL_FLOW_TEXT);
        tmpl_write_markdown(&w->flow, &w->inlines, TMPL_WRITE_PARAGRAPH);
        tmpl_flow_end(&w->flow);
    }
}

void tmpl_writer_border(tmpl_writer_t *w)
{
    if (w->state == TMPL_WRITE_PARAGRAPH) {
        tmpl_writer_flush(w);
    }
    else if (w->state == TMPL_WRITE_CELL) {
        tmpl_inlines_break(&w->inlines);
    }
    else {
        tmpl_inlines_space(&w->inlines);
        w->divides |= w->state == TMPL_WRITE_CARD;
    }
}

void tmpl_writer_divide(tmpl_writer_t *w, const char *text)
{
    if (w->divides && text[strspn(text, " \t\n\r\f")] != '\0') {
        if (!tmpl_inlines_is_empty(&w->inlines)) {
            tmpl_inlines_divide(&w->inlines, "\xC2\xB7");
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
        tmpl_inlines_open(&w->inlines, TMPL_FORMAT_LINK, address);
    }
    tmpl_inlines_text(&w->inlines, text);
    if (address != NULL) {
        tmpl_inlines_close(&w->inlines, TMPL_FORMAT_LINK);
    }
}

void tmpl_writer_heading(tmpl_writer_t *w, unsigned level)
{
    if (!tmpl_inlines_is_empty(&w->inlines) && !is_empty(w)) {
        tmpl_flow_begin(&w->flow, TMPL_FLOW_TEXT);
        tmpl_buf_add(&w->flow.out, "######", level);
        tmpl_buf_add_text(&w->flow.out, " ");
        tmpl_write_markdown(&w->flow, &w->inlines, TMPL_WRITE_HEADING);
        tmpl_flow_end(&w->flow);
        w->flow.behind = TMPL_BEHIND_HEADING;
    }
}
