/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records (content/groups.h). A post has a heading, "### Ann, [3 May 2026](...)", one level deeper
 * for each record that it is in; a small card is an item in one line, and a large one is written as
 * any element.
 */
#include "markdown/handlers.h"

#include <apr_strings.h>

/* The level of headings of posts that are in no other record. */
#define LEVEL 3

/* Adds a text to the heading of a post, behind a comma if there is one before it. */
static void add_said(tmpl_writer_t *w, const char *text)
{
    if (!tmpl_leaf_is_empty(&w->leaf)) {
        tmpl_leaf_text(&w->leaf, ", ");
    }
    tmpl_leaf_text(&w->leaf, text);
}

/* Adds a text that is a link, if the address leads anywhere from the Markdown. */
static void add_linked(tmpl_writer_t *w, const char *text, const char *address)
{
    int is_link =
        address != NULL && w->leaf.hrefs != NULL && (*address != '#' || w->leaf.hrefs->url != NULL);
    if (!tmpl_leaf_is_empty(&w->leaf)) {
        tmpl_leaf_text(&w->leaf, ", ");
    }
    if (is_link) {
        tmpl_leaf_open(&w->leaf, TMPL_FORMAT_LINK, address);
    }
    tmpl_leaf_text(&w->leaf, text);
    if (is_link) {
        tmpl_leaf_close(&w->leaf, TMPL_FORMAT_LINK);
    }
}

/* The date as the page shows it; else its day. NULL: there is none. */
static const char *shown_date(tmpl_writer_t *w, const tmpl_group_record_t *record)
{
    const char *when = record->fields[TMPL_RECORD_WHEN].value;
    const char *date = record->fields[TMPL_RECORD_DATE].value;
    return when != NULL ? when : date != NULL ? apr_pstrndup(w->pool, date, 10) : NULL;
}

static void write_post_heading(tmpl_writer_t *w, const tmpl_group_record_t *record)
{
    const char *author = record->fields[TMPL_RECORD_AUTHOR].value;
    const char *rating = record->fields[TMPL_RECORD_RATING].value;
    const char *address = record->fields[TMPL_RECORD_ADDRESS].value;
    const char *date = shown_date(w, record);
    uint32_t level = LEVEL;
    for (uint32_t in = record->parent; in != TMPL_NONE && level < 6;
         in = w->groups->records[in].parent) {
        level++;
    }
    if (author != NULL && date == NULL) {
        add_linked(w, author, address);
    }
    else if (author != NULL) {
        add_said(w, author);
    }
    if (record->fields[TMPL_RECORD_ACCEPTED].value != NULL) {
        add_said(w, "accepted answer");
    }
    if (rating != NULL) {
        add_said(w, apr_pstrcat(w->pool, "rating ", rating, NULL));
    }
    if (date != NULL) {
        add_linked(w, date, address);
    }
    tmpl_leaf_finish(&w->leaf);
    tmpl_flow_begin(&w->flow, TMPL_FLOW_TEXT);
    if (tmpl_leaf_is_empty(&w->leaf)) {
        tmpl_buf_add_text(&w->flow.out, "***");
    }
    else {
        tmpl_buf_add(&w->flow.out, "######", level);
        tmpl_buf_add_text(&w->flow.out, " ");
        tmpl_write_markdown(&w->flow, &w->leaf, TMPL_WRITE_HEADING);
    }
    tmpl_flow_end(&w->flow);
}

static void begin_card(tmpl_writer_t *w, const xmlNode *node, const tmpl_group_record_t *card)
{
    tmpl_flow_item(&w->flow, "- ", w->behind_card != w->flow.out.len);
    tmpl_writer_begin_leaf(w, node, TMPL_WRITE_PARAGRAPH);
    w->card = node;
    add_linked(w, card->fields[TMPL_RECORD_TITLE].value, card->fields[TMPL_RECORD_ADDRESS].value);
    w->divides = 1;
}

static int enter_record(tmpl_writer_t *w, const xmlNode *node)
{
    const tmpl_group_record_t *record = tmpl_record_of(w->groups, tmpl_dom_node(node));
    tmpl_writer_part(w);
    if (w->one_leaf != NULL || w->table.node != NULL || w->link != NULL) {
        return 0;
    }
    if (tmpl_record_is_post(record->kind)) {
        w->post = record;
        if (record->headline == TMPL_NONE) {
            write_post_heading(w, record);
        }
    }
    else {
        begin_card(w, node, record);
    }
    return 0;
}

static void leave_record(tmpl_writer_t *w, const xmlNode *node)
{
    if (w->card != node) {
        tmpl_writer_part(w);
        return;
    }
    w->card = NULL;
    w->divides = 0;
    tmpl_writer_end_leaf(w, node);
    tmpl_writer_flush(w);
    tmpl_flow_close(&w->flow);
    w->behind_card = w->behind_list = w->flow.out.len;
    w->last_mark = '-';
}

static int enter_beside(tmpl_writer_t *w, const xmlNode *node)
{
    (void)node;
    tmpl_writer_part(w);
    return 1;
}

static int enter_plain(tmpl_writer_t *w, const xmlNode *node)
{
    (void)node;
    tmpl_writer_part(w);
    return 0;
}

static void leave_plain(tmpl_writer_t *w, const xmlNode *node)
{
    (void)node;
    tmpl_writer_part(w);
}

static int enter_headline(tmpl_writer_t *w, const xmlNode *node)
{
    return tmpl_handler_heading.enter(w, node);
}

static void leave_headline(tmpl_writer_t *w, const xmlNode *node)
{
    tmpl_handler_heading.leave(w, node);
    if (w->one_leaf == NULL && w->table.node == NULL && w->post != NULL) {
        write_post_heading(w, w->post);
    }
}

static int enter_title(tmpl_writer_t *w, const xmlNode *node)
{
    return tmpl_handler_term.enter(w, node);
}

static void leave_title(tmpl_writer_t *w, const xmlNode *node)
{
    tmpl_handler_term.leave(w, node);
}

static int enter_said(tmpl_writer_t *w, const xmlNode *node)
{
    (void)node;
    tmpl_writer_part(w);
    if (w->one_leaf == NULL) {
        tmpl_flow_quote(&w->flow, NULL);
    }
    return 0;
}

static void leave_said(tmpl_writer_t *w, const xmlNode *node)
{
    (void)node;
    tmpl_writer_part(w);
    if (w->one_leaf == NULL) {
        tmpl_flow_close(&w->flow);
    }
}

const tmpl_handler_t tmpl_handlers_records[] = {
    [TMPL_RECORD_NO_PART] = { NULL, NULL },
    [TMPL_RECORD_ELEMENT] = { enter_record, leave_record },
    [TMPL_RECORD_BESIDE] = { enter_beside, NULL },
    [TMPL_RECORD_HEADLINE] = { enter_headline, leave_headline },
    [TMPL_RECORD_TITLE_PART] = { enter_title, leave_title },
    [TMPL_RECORD_QUOTE] = { enter_said, leave_said },
    [TMPL_RECORD_PLAIN] = { enter_plain, leave_plain },
};
