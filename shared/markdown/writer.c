/* SPDX-License-Identifier: Apache-2.0 */
#include "markdown/writer.h"

#include <string.h>

#include <apr_cstr.h>

#include "markdown/lead_in.h"

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

int tmpl_writer_is_empty(tmpl_writer_t *w)
{
    if (tmpl_leaf_is_empty(&w->leaf)) {
        return 1;
    }
    int repeats = w->title != NULL && w->behind_title == w->flow.out.len &&
                  apr_cstr_casecmp(w->leaf.text.at, w->title) == 0;
    if (repeats || (w->leaf.text.len <= 3 && is_divider(&w->leaf.text)) ||
        (w->before && tmpl_lead_in_is_tail(&w->leaf))) {
        tmpl_buf_clear(&w->leaf.text);
    }
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

/*
 * Drops the heading from the offset on, if it repeats the one directly before: some pages have it
 * twice, for screens of two sizes. Not so paragraphs: they may be a refrain.
 */
static void drop_repeated_heading(tmpl_writer_t *w, apr_size_t from)
{
    enum { LEAST = 12 }; /* bytes of a heading that is no accident */
    tmpl_buf_t *out = &w->flow.out;
    apr_size_t len = tmpl_span_len(w->block);
    if (w->flow.fragments == NULL && w->flow.n == 0 && w->block.end == from && len >= LEAST &&
        out->len == from + len && memcmp(out->at + w->block.start, out->at + from, len) == 0) {
        out->len = from;
        out->at[from] = '\0';
    }
    else {
        w->block = (tmpl_span_t){ (uint32_t)from, (uint32_t)out->len };
    }
}

void tmpl_writer_flush(tmpl_writer_t *w)
{
    tmpl_leaf_finish(&w->leaf);
    if (!tmpl_writer_is_empty(w)) {
        unlink_like_heading(w);
        tmpl_flow_begin(&w->flow, TMPL_FLOW_TEXT);
        tmpl_write_markdown(&w->flow, &w->leaf, TMPL_WRITE_PARAGRAPH);
        tmpl_flow_end(&w->flow);
    }
}

void tmpl_writer_part(tmpl_writer_t *w)
{
    if (w->one_leaf == NULL) {
        tmpl_writer_flush(w);
    }
    else if (w->where == TMPL_WRITE_CELL) {
        tmpl_leaf_break(&w->leaf);
    }
    else {
        tmpl_leaf_space(&w->leaf);
        w->divides |= w->card != NULL && w->one_leaf == w->card;
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

int tmpl_writer_begin_leaf(tmpl_writer_t *w, const xmlNode *node, tmpl_write_e where)
{
    tmpl_writer_part(w);
    if (w->one_leaf != NULL) {
        return 0;
    }
    w->one_leaf = node;
    w->where = where;
    return 1;
}

int tmpl_writer_end_leaf(tmpl_writer_t *w, const xmlNode *node)
{
    if (w->one_leaf != node) {
        tmpl_writer_part(w);
        return 0;
    }
    w->one_leaf = NULL;
    return 1;
}

void tmpl_writer_end_heading(tmpl_writer_t *w, apr_size_t from)
{
    tmpl_flow_end(&w->flow);
    drop_repeated_heading(w, from);
    w->divided = w->flow.out.len;
    w->rule = 0;
}

void tmpl_writer_heading(tmpl_writer_t *w, unsigned level)
{
    if (!tmpl_writer_is_empty(w)) {
        apr_size_t len, from = w->flow.out.len;
        const char *address = tmpl_leaf_linked(&len, &w->leaf);
        tmpl_buf_clear(&w->linked);
        tmpl_buf_add(&w->linked, address, address != NULL ? len : 0);
        tmpl_flow_begin(&w->flow, TMPL_FLOW_TEXT);
        tmpl_buf_add(&w->flow.out, "######", level);
        tmpl_buf_add_text(&w->flow.out, " ");
        tmpl_write_markdown(&w->flow, &w->leaf, TMPL_WRITE_HEADING);
        tmpl_writer_end_heading(w, from);
    }
}
