/* SPDX-License-Identifier: Apache-2.0 */
#include "markdown/markdown.h"

#include <apr_strings.h>

#include "content/callout.h"
#include "markdown/front.h"
#include "markdown/handlers.h"

/* Behind more bytes of text a headline does not begin the page: all that is before it stays. */
#define BEFORE_BYTES 400

static const tmpl_handler_t *handler_of_tag(tmpl_tag_e tag)
{
    static const tmpl_handler_t *const handlers[TMPL_TAG_COUNT] = {
        [TMPL_TAG_H1] = &tmpl_handler_heading,       [TMPL_TAG_H2] = &tmpl_handler_heading,
        [TMPL_TAG_H3] = &tmpl_handler_heading,       [TMPL_TAG_H4] = &tmpl_handler_heading,
        [TMPL_TAG_H5] = &tmpl_handler_heading,       [TMPL_TAG_H6] = &tmpl_handler_heading,
        [TMPL_TAG_DT] = &tmpl_handler_term_of_list,  [TMPL_TAG_SUMMARY] = &tmpl_handler_term,
        [TMPL_TAG_DL] = &tmpl_handler_terms,         [TMPL_TAG_DD] = &tmpl_handler_definition,
        [TMPL_TAG_BLOCKQUOTE] = &tmpl_handler_quote, [TMPL_TAG_UL] = &tmpl_handler_list,
        [TMPL_TAG_OL] = &tmpl_handler_list,          [TMPL_TAG_MENU] = &tmpl_handler_list,
        [TMPL_TAG_DIR] = &tmpl_handler_list,         [TMPL_TAG_LI] = &tmpl_handler_item,
        [TMPL_TAG_HR] = &tmpl_handler_rule,          [TMPL_TAG_BR] = &tmpl_handler_break,
        [TMPL_TAG_PRE] = &tmpl_handler_pre,          [TMPL_TAG_LISTING] = &tmpl_handler_pre,
        [TMPL_TAG_TABLE] = &tmpl_handler_table,      [TMPL_TAG_TR] = &tmpl_handler_row,
        [TMPL_TAG_TD] = &tmpl_handler_cell,          [TMPL_TAG_TH] = &tmpl_handler_cell,
        [TMPL_TAG_IMG] = &tmpl_handler_image,        [TMPL_TAG_A] = &tmpl_handler_link,
        [TMPL_TAG_IFRAME] = &tmpl_handler_player,    [TMPL_TAG_VIDEO] = &tmpl_handler_player,
        [TMPL_TAG_AUDIO] = &tmpl_handler_player,     [TMPL_TAG_BUTTON] = &tmpl_handler_spaced,
    };
    static const tmpl_handler_t nothing = { NULL, NULL };
    if (handlers[tag] != NULL) {
        return handlers[tag];
    }
    int is_block = (tmpl_tag_flags(tag) & (TMPL_IS_CLOSES_P | TMPL_IS_PART)) != 0;
    return tmpl_handler_is_format(tag)          ? &tmpl_handler_format
           : is_block || tag == TMPL_TAG_LEGEND ? &tmpl_handler_block
                                                : &nothing;
}

/*
 * Whether an element's role says that it is a heading, and its aria-level of which level. What
 * begins with a paragraph is text, whatever the role says: forums mark all posts so.
 */
static int says_heading(const tmpl_page_t *page, const tmpl_node_t *node)
{
    tmpl_attr_t level;
    const tmpl_known_attr_t *role = tmpl_node_attr(page, node, TMPL_ATTR_ROLE);
    uint32_t inner = (uint32_t)(node - page->nodes) + 1;
    int is_text = inner < node->after && page->nodes[inner].tag == TMPL_TAG_P;
    return !is_text && role != NULL && tmpl_span_is(page->src, role->value, "heading") &&
           tmpl_attr_find(&level, page->src, node->open, "aria-level") &&
           tmpl_span_len(level.value) == 1 && page->src[level.value.start] >= '1' &&
           page->src[level.value.start] <= '6';
}

/* The tag of the elements that an element is written like. */
static tmpl_tag_e tag_like(const tmpl_page_t *page, const xmlNode *element)
{
    /* elements whose classes may say that they are something else */
    static const unsigned char any[TMPL_TAG_COUNT] = {
        [TMPL_TAG_DIV] = 1,        [TMPL_TAG_ASIDE] = 1,   [TMPL_TAG_CODE] = 1,
        [TMPL_TAG_BLOCKQUOTE] = 1, [TMPL_TAG_SECTION] = 1, [TMPL_TAG_P] = 1,
        [TMPL_TAG_OTHER] = 1,
    };
    const tmpl_node_t *node = &page->nodes[tmpl_dom_node(element)];
    if (!any[node->tag] || !(node->flags & TMPL_NODE_NAMED)) {
        return (tmpl_tag_e)node->tag;
    }
    return says_heading(page, node)                 ? TMPL_TAG_H1
           : tmpl_dom_is_listing(page, node)        ? TMPL_TAG_PRE
           : tmpl_callout_of(page, element) != NULL ? TMPL_TAG_BLOCKQUOTE
                                                    : (tmpl_tag_e)node->tag;
}

/* What an element of a record is to fragments, whose records are listed beside them. */
static unsigned part_in_fragments(unsigned part, unsigned tag)
{
    static const unsigned char same[] = {
        [TMPL_RECORD_ELEMENT] = TMPL_RECORD_PLAIN,
        [TMPL_RECORD_PLAIN] = TMPL_RECORD_PLAIN,
        [TMPL_RECORD_TITLE_PART] = TMPL_RECORD_TITLE_PART,
        [TMPL_RECORD_QUOTE] = TMPL_RECORD_QUOTE,
    };
    return part < sizeof(same) && tag != TMPL_TAG_A ? same[part] : TMPL_RECORD_NO_PART;
}

static const tmpl_handler_t *handler_of(const tmpl_writer_t *w, const xmlNode *node)
{
    uint32_t of = tmpl_dom_node(node);
    tmpl_note_e kind = w->notes != NULL ? w->notes[of].kind : TMPL_NOTE_NONE;
    unsigned part = w->groups->parts != NULL ? w->groups->parts[of] : TMPL_RECORD_NO_PART;
    if (w->flow.fragments != NULL) {
        part = part_in_fragments(part, w->page->nodes[of].tag);
    }
    if (node == w->headline && part == TMPL_RECORD_TITLE_PART) {
        part = TMPL_RECORD_NO_PART; /* the page's title, not that of a post */
    }
    return kind != TMPL_NOTE_NONE        ? &tmpl_handlers_notes[kind]
           : part != TMPL_RECORD_NO_PART ? &tmpl_handlers_records[part]
                                         : handler_of_tag(tag_like(w->page, node));
}

static void leave_element(tmpl_writer_t *w, const tmpl_handler_t *handler, const xmlNode *node)
{
    if (handler->leave != NULL) {
        handler->leave(w, node);
    }
}

/* Whether a text is left out of fragments. */
static int is_text_left_out(tmpl_writer_t *w, const xmlNode *text)
{
    return w->flow.fragments != NULL && tmpl_dom_segment(text) != TMPL_NONE &&
           !tmpl_fragments_keep(w->flow.fragments, tmpl_dom_segment(text),
                                tmpl_leaf_is_empty(&w->leaf));
}

void tmpl_markdown_content(tmpl_writer_t *w, const xmlNode *top)
{
    xmlNode *node = top->children;
    while (node != NULL && !w->flow.over) {
        if (node->type == XML_TEXT_NODE) {
            if (is_text_left_out(w, node)) {
                tmpl_leaf_space(&w->leaf);
            }
            else if (node != w->said) {
                tmpl_writer_divide(w, (const char *)node->content);
                tmpl_handler_text(w, node);
            }
        }
        else {
            const tmpl_handler_t *handler = handler_of(w, node);
            if (tmpl_formula_is(&w->formula, &w->formulas, w->page, node)) {
                handler = &tmpl_handler_formula;
            }
            node->psvi = (void *)(uintptr_t)handler;
            int skips = handler->enter != NULL && handler->enter(w, node);
            if (!skips && node->children != NULL) {
                node = node->children;
                continue;
            }
            leave_element(w, handler, node);
        }
        w->flow.over |= w->leaf.text.len > w->flow.limit;
        while (node->next == NULL && node->parent != top) {
            node = node->parent;
            leave_element(w, node->psvi, node);
        }
        node = node->next;
    }
    tmpl_writer_part(w);
}

/* Writes the page's headline at the top, without links, or else its title. */
static void write_title(tmpl_writer_t *w, const tmpl_content_t *content)
{
    const char *title = tmpl_metadata_first(&content->metadata, TMPL_METADATA_TITLE);
    const xmlNode *headline = content->headline;
    if (headline != NULL) {
        w->link = headline;
        w->leaf.plain = tmpl_writer_begin_leaf(w, headline, TMPL_WRITE_HEADING);
        tmpl_markdown_content(w, headline);
        tmpl_writer_end_leaf(w, headline);
        w->link = NULL;
    }
    else if (title != NULL) {
        tmpl_leaf_text(&w->leaf, title);
    }
    tmpl_leaf_finish(&w->leaf);
    w->leaf.plain = 0;
    if (!tmpl_leaf_is_empty(&w->leaf)) {
        w->title = apr_pstrdup(w->pool, w->leaf.text.at);
        tmpl_writer_heading(w, 1);
    }
    w->headline = headline;
    w->before = headline != NULL && content->before <= BEFORE_BYTES;
}

/* Drops a rule that is the last block. */
static void drop_last_rule(tmpl_writer_t *w)
{
    tmpl_buf_t *out = &w->flow.out;
    if (w->rule > 0 && w->divided == out->len) {
        out->len = w->rule;
        out->at[out->len] = '\0';
    }
}

/* fragments is NULL: with front matter. */
static const char *write_form(apr_size_t *len, const tmpl_content_t *content,
                              tmpl_fragments_t *fragments, apr_pool_t *pool)
{
    apr_pool_t *scratch;
    apr_pool_create(&scratch, pool);
    tmpl_writer_t *w = apr_pcalloc(scratch, sizeof(*w));
    w->page = content->page;
    w->pool = scratch;
    apr_pool_create(&w->formulas.pool, scratch);
    tmpl_flow_init(&w->flow, tmpl_markdown_most(content->page->len), fragments, pool);
    tmpl_leaf_init(&w->leaf, &content->hrefs, scratch);
    tmpl_buf_init(&w->code, scratch);
    tmpl_buf_init(&w->linked, scratch);
    if (fragments == NULL) {
        tmpl_front_write(&w->flow.out, content, scratch);
    }
    w->behind_list = (apr_size_t)-1;
    w->notes = tmpl_notes_find(content->page, content->body, &content->hrefs, scratch);
    w->behind_card = (apr_size_t)-1;
    w->groups = &content->groups;
    w->inlines = apr_array_make(scratch, 4, sizeof(const xmlNode *));
    if (fragments == NULL) {
        write_title(w, content);
    }
    w->divided = w->behind_title = w->flow.out.len;
    tmpl_markdown_content(w, content->body);
    drop_last_rule(w);
    tmpl_handler_inline_notes(w);
    *len = w->flow.out.len;
    const char *markdown = w->flow.over ? NULL : w->flow.out.at;
    apr_pool_destroy(scratch);
    return markdown;
}

const char *tmpl_markdown(apr_size_t *len, const tmpl_content_t *content, apr_pool_t *pool)
{
    return write_form(len, content, NULL, pool);
}

const char *tmpl_markdown_fragments(apr_size_t *len, const tmpl_content_t *content,
                                    tmpl_fragments_t *fragments, apr_pool_t *pool)
{
    return write_form(len, content, fragments, pool);
}
