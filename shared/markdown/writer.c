/* SPDX-License-Identifier: Apache-2.0 */
#include "markdown/writer.h"

#include <string.h>

#include <apr_cstr.h>

#include "base/ascii.h"
#include "base/chars.h"

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

/* A block of so many words that are no links is text. */
#define TEXT_WORDS 8

/* The offset behind the address of the mark at i. */
static apr_size_t behind_address(const tmpl_leaf_t *leaf, apr_size_t i)
{
    const char *stop = memchr(leaf->text.at + i, TMPL_MARK_STOP, leaf->text.len - i);
    return stop != NULL ? (apr_size_t)(stop - leaf->text.at) + 1 : leaf->text.len;
}

/* The length of the word at text; *says: whether it says that the block is more than a tail. */
static apr_size_t read_word(const char *text, int *says)
{
    static const char *const currencies[] = { "$", "\xE2\x82\xAC", "\xC2\xA3", "\xC2\xA5" };
    apr_size_t len = 0, digits = 0;
    while (tmpl_is_word_byte(text[len])) {
        digits += tmpl_is_digit(text[len]) ? 1 : 0;
        len++;
    }
    int is_by = len == 2 && apr_cstr_casecmpn(text, "by", 2) == 0;
    *says |= is_by || (digits == len && digits == 4);
    for (unsigned i = 0; i < sizeof(currencies) / sizeof(currencies[0]); i++) {
        *says |= strncmp(text, currencies[i], strlen(currencies[i])) == 0;
    }
    return len > 0 ? len : 1;
}

/*
 * Whether a block in front of the headline may be left out: it has less than eight words that are
 * no links, and neither a number of four digits, as a date has, a price, "by", nor a picture with a
 * text that is no link. A line with a copyright may be left out whatever it says.
 */
static int is_tail(const tmpl_leaf_t *leaf)
{
    const char *text = leaf->text.at;
    int words = 0, says = 0, in_link = 0;
    if (strstr(text, "\xC2\xA9") != NULL) {
        return 1;
    }
    for (apr_size_t i = 0; i < leaf->text.len && words < TEXT_WORDS;) {
        if (text[i] == TMPL_MARK_IMAGE) {
            says |= !in_link && text[i + 1] != TMPL_MARK_TO;
            i = behind_address(leaf, i);
        }
        else if (text[i] == TMPL_MARK_END(TMPL_FORMAT_LINK)) {
            in_link = 0;
            i = behind_address(leaf, i);
        }
        else if (text[i] == TMPL_MARK(TMPL_FORMAT_LINK) || in_link) {
            in_link = 1;
            i++;
        }
        else {
            words += tmpl_is_word_byte(text[i]) ? 1 : 0;
            i += read_word(text + i, &says);
        }
    }
    return words < TEXT_WORDS && !says;
}

int tmpl_writer_is_empty(tmpl_writer_t *w)
{
    if (tmpl_leaf_is_empty(&w->leaf)) {
        return 1;
    }
    int repeats = w->title != NULL && w->behind_title == w->flow.out.len &&
                  apr_cstr_casecmp(w->leaf.text.at, w->title) == 0;
    if (repeats || (w->leaf.text.len <= 3 && is_divider(&w->leaf.text)) ||
        (w->before && is_tail(&w->leaf))) {
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
