/* SPDX-License-Identifier: Apache-2.0 */
#include "markdown/writer.h"

#include <string.h>

#include <apr_cstr.h>

#include "base/ascii.h"
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

/* --- Paragraphs that are items --- */

const char *tmpl_writer_sign(const char *text)
{
    static const char *const signs[] = {
        "\xE2\x80\xA2 ", "\xE2\x97\x8F ", "\xE2\x96\xAA ", "\xC2\xB7 ", "\xE2\x80\x93 ", "- ", "* "
    };
    for (unsigned i = 0; i < sizeof(signs) / sizeof(signs[0]) && !tmpl_is_alnum(*text); i++) {
        if (strncmp(text, signs[i], strlen(signs[i])) == 0) {
            return signs[i];
        }
    }
    return NULL;
}

/* Whether a text begins no block in an item. */
static int is_plain(const char *text)
{
    apr_size_t digits = strspn(text, "0123456789");
    return tmpl_is_of_word(*text) ? text[digits] != '.' && text[digits] != ')'
           : *text == '['         ? tmpl_is_of_word(text[1]) && text[2] != ']'
                                  : *text != '\0' && strchr("*_(\"'$", *text) != NULL;
}

/* Replaces a part of the output by a shorter text. */
static void replace(tmpl_buf_t *out, apr_size_t at, apr_size_t len, const char *by)
{
    apr_size_t n = strlen(by);
    memcpy(out->at + at, by, n);
    memmove(out->at + at + n, out->at + at + len, out->len + 1 - at - len);
    out->len -= len - n;
}

/*
 * Makes a paragraph and the one in front of it items of a list, if both begin with the same sign. A
 * dash may as well begin a speech, but not behind a line break. before: where the first one ended,
 * if nothing is between them. mark: what may begin a list there.
 */
static void list_paragraph(tmpl_writer_t *w, apr_size_t before, apr_size_t at, const char *mark)
{
    tmpl_buf_t *out = &w->flow.out;
    tmpl_bullet_t *last = &w->bullet;
    int is_escaped = out->at[at] == '\\';
    const char *sign = tmpl_writer_sign(out->at + at + is_escaped);
    const char *end_of_gap = memchr(out->at + before, '\n', at - before);
    apr_size_t len = sign != NULL ? strlen(sign) + (apr_size_t)is_escaped : 0;
    sign = sign != NULL && is_plain(out->at + at + len) ? sign : NULL;
    int is_dash = is_escaped || (sign != NULL && strcmp(sign, "\xE2\x80\x93 ") == 0);
    if (sign == NULL || sign != last->sign || before != last->end || end_of_gap == NULL ||
        (is_dash && !w->by_break)) {
        *last = (tmpl_bullet_t){ sign, mark, at, out->len, 0 };
        return;
    }
    apr_size_t gap = (apr_size_t)(end_of_gap + 1 - out->at) - before;
    replace(out, at, len, last->mark);
    replace(out, before, gap, ""); /* the list is tight */
    if (!last->listed) {
        replace(out, last->at, len, last->mark);
    }
    last->listed = 1;
    last->end = out->len;
    w->last_mark = *last->mark;
    w->flow.behind = TMPL_BEHIND_LIST;
}

void tmpl_writer_flush(tmpl_writer_t *w)
{
    tmpl_flow_t *flow = &w->flow;
    tmpl_inlines_finish(&w->inlines);
    if (!tmpl_inlines_is_empty(&w->inlines) && !is_empty(w)) {
        int is_behind = flow->behind == TMPL_BEHIND_LIST || flow->behind == TMPL_BEHIND_CARDS;
        int follows = flow->shared == flow->n && flow->around == flow->n;
        apr_size_t before = flow->out.len;
        tmpl_flow_begin(flow, TMPL_FLOW_TEXT);
        apr_size_t at = flow->out.len;
        tmpl_write_markdown(flow, &w->inlines, TMPL_WRITE_PARAGRAPH);
        tmpl_flow_end(flow);
        list_paragraph(w, follows ? before : at, at,
                       is_behind && w->last_mark == '-' ? "+ " : "- ");
    }
    w->by_break = 0;
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
