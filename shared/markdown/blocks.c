/* SPDX-License-Identifier: Apache-2.0 */
/* Headings, quotes, callouts, definitions, rules and listings. */
#include "markdown/handlers.h"

#include <string.h>

#include <apr_cstr.h>

#include "content/callout.h"
#include "content/listing.h"
#include "content/href.h"

static int enter_block(tmpl_writer_t *w, const xmlNode *node)
{
    (void)node;
    tmpl_writer_part(w);
    return 0;
}

static void leave_block(tmpl_writer_t *w, const xmlNode *node)
{
    (void)node;
    tmpl_writer_part(w);
}

static int enter_heading(tmpl_writer_t *w, const xmlNode *node)
{
    if (node == w->headline) {
        w->before = 0;
        return 1;
    }
    w->leaf.plain |= tmpl_writer_begin_leaf(w, node, TMPL_WRITE_HEADING);
    return 0;
}

/* Whether a leaf has words, signs of ASCII or a formula, beside images and signs as an arrow. */
static int says_text(const tmpl_leaf_t *leaf)
{
    const char *text = leaf->text.at;
    for (apr_size_t i = 0, end; i < leaf->text.len; i = end) {
        end = tmpl_leaf_mark(text, leaf->text.len, i);
        int is_ascii = text[i] > ' ' && (unsigned char)text[i] < 0x80;
        if (text[i] == TMPL_MARK_FORMULA || is_ascii ||
            (end > i && !tmpl_permalink_is_symbols(text + i, end - i))) {
            return 1;
        }
        if (text[i] == TMPL_MARK_IMAGE || text[i] == TMPL_MARK_END(TMPL_FORMAT_LINK)) {
            end += strcspn(text + end, (char[]){ TMPL_MARK_STOP, '\0' });
        }
        end += (unsigned char)text[i] < ' ';
    }
    return 0;
}

/* Drops images without a text: beside the words of a heading they are icons. */
static void drop_icons(tmpl_buf_t *text)
{
    apr_size_t to = 0;
    for (apr_size_t i = 0; i < text->len; i++) {
        if (text->at[i] == TMPL_MARK_IMAGE && text->at[i + 1] == TMPL_MARK_TO) {
            i += strcspn(text->at + i, (char[]){ TMPL_MARK_STOP, '\0' });
            i += text->at[i + 1] == ' ' && (to == 0 || text->at[to - 1] == ' ');
        }
        else {
            text->at[to++] = text->at[i];
        }
    }
    text->len = to;
    text->at[to] = '\0';
}

static void leave_heading(tmpl_writer_t *w, const xmlNode *node)
{
    if (!tmpl_writer_end_leaf(w, node)) {
        return;
    }
    tmpl_leaf_finish(&w->leaf);
    w->leaf.plain = 0;
    unsigned level = tmpl_walk_level(node);
    if (level == 1 && w->title != NULL && !tmpl_leaf_is_empty(&w->leaf)) {
        if (apr_cstr_casecmp(w->leaf.text.at, w->title) == 0) {
            tmpl_buf_clear(&w->leaf.text);
        }
        level = 2; /* a page has one title */
    }
    if (says_text(&w->leaf)) {
        drop_icons(&w->leaf.text);
        tmpl_writer_heading(w, level);
    }
    else {
        tmpl_writer_flush(w); /* a picture or an arrow is no heading */
    }
}

/* A term or a summary: a paragraph in bold. */
static int enter_term(tmpl_writer_t *w, const xmlNode *node)
{
    tmpl_writer_begin_leaf(w, node, TMPL_WRITE_PARAGRAPH);
    tmpl_leaf_open(&w->leaf, TMPL_FORMAT_STRONG, NULL);
    return 0;
}

static void leave_term(tmpl_writer_t *w, const xmlNode *node)
{
    int ended = tmpl_writer_end_leaf(w, node);
    if (ended) {
        tmpl_writer_flush(w);
    }
    tmpl_leaf_close(&w->leaf, TMPL_FORMAT_STRONG);
}

static int enter_quote(tmpl_writer_t *w, const xmlNode *node)
{
    tmpl_writer_part(w);
    if (w->one_leaf == NULL) {
        const char *callout = tmpl_callout_of(w->page, node);
        w->said = callout != NULL ? tmpl_callout_title(node, callout) : w->said;
        tmpl_flow_quote(&w->flow, callout);
    }
    return 0;
}

static void leave_quote(tmpl_writer_t *w, const xmlNode *node)
{
    tmpl_writer_part(w);
    if (w->one_leaf == NULL) {
        tmpl_flow_close(&w->flow);
    }
    (void)node;
}

static int enter_rule(tmpl_writer_t *w, const xmlNode *node)
{
    (void)node;
    tmpl_writer_part(w);
    if (w->one_leaf == NULL && w->flow.fragments == NULL && w->divided != w->flow.out.len) {
        w->rule = w->flow.out.len;
        tmpl_flow_begin(&w->flow, TMPL_FLOW_OTHER);
        /* "---" behind a text would be a heading, and behind "- " a rule of its own */
        tmpl_buf_add_text(&w->flow.out, "***");
        tmpl_flow_end(&w->flow);
        w->divided = w->flow.out.len;
    }
    return 1;
}

static int enter_pre(tmpl_writer_t *w, const xmlNode *node)
{
    tmpl_writer_part(w);
    if (w->one_leaf != NULL) {
        return 0;
    }
    if (!tmpl_writer_keeps(w, node)) {
        return 1;
    }
    tmpl_buf_clear(&w->code);
    const char *language = tmpl_listing_read(&w->code, w->page, node, w->pool);
    if (w->code.len > 0) {
        tmpl_write_code(&w->flow, w->code.at, w->code.len, language);
    }
    return 1;
}

const tmpl_handler_t tmpl_handler_block = { enter_block, leave_block };
const tmpl_handler_t tmpl_handler_heading = { enter_heading, leave_heading };
const tmpl_handler_t tmpl_handler_term = { enter_term, leave_term };
const tmpl_handler_t tmpl_handler_quote = { enter_quote, leave_quote };
const tmpl_handler_t tmpl_handler_rule = { enter_rule, NULL };
const tmpl_handler_t tmpl_handler_pre = { enter_pre, leave_block };
