/* SPDX-License-Identifier: Apache-2.0 */
/* Headings, quotes, callouts, definitions, rules and listings. */
#include "markdown/handlers.h"

#include "markdown/callout.h"
#include "markdown/listing.h"

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
    w->leaf.plain |= tmpl_writer_begin_leaf(w, node, TMPL_WRITE_HEADING);
    return 0;
}

static void leave_heading(tmpl_writer_t *w, const xmlNode *node)
{
    if (!tmpl_writer_end_leaf(w, node)) {
        return;
    }
    tmpl_leaf_finish(&w->leaf);
    w->leaf.plain = 0;
    if (!tmpl_leaf_is_empty(&w->leaf)) {
        tmpl_flow_begin(&w->flow, TMPL_FLOW_TEXT);
        /* h1 to h6 */
        tmpl_buf_add(&w->flow.out, "######", (apr_size_t)(node->name[1] - '0'));
        tmpl_buf_add_text(&w->flow.out, " ");
        tmpl_write_markdown(&w->flow, &w->leaf, TMPL_WRITE_HEADING);
        tmpl_flow_end(&w->flow);
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

/* A dd: an item. */
static int enter_definition(tmpl_writer_t *w, const xmlNode *node)
{
    (void)node;
    tmpl_writer_part(w);
    if (w->one_leaf == NULL) {
        tmpl_flow_item(&w->flow, "- ", 1);
    }
    return 0;
}

static int enter_rule(tmpl_writer_t *w, const xmlNode *node)
{
    (void)node;
    tmpl_writer_part(w);
    if (w->one_leaf == NULL) {
        tmpl_flow_begin(&w->flow, TMPL_FLOW_OTHER);
        /* "---" behind a text would be a heading, and behind "- " a rule of its own */
        tmpl_buf_add_text(&w->flow.out, "***");
        tmpl_flow_end(&w->flow);
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
const tmpl_handler_t tmpl_handler_definition = { enter_definition, leave_quote };
const tmpl_handler_t tmpl_handler_quote = { enter_quote, leave_quote };
const tmpl_handler_t tmpl_handler_rule = { enter_rule, NULL };
const tmpl_handler_t tmpl_handler_pre = { enter_pre, leave_block };
