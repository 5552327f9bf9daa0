/* SPDX-License-Identifier: Apache-2.0 */
#include "markdown/markdown.h"

#include <apr_strings.h>

#include "markdown/handlers.h"

/* Behind more bytes of text a headline does not begin the page: all that is before it stays. */
#define BEFORE_BYTES 400

/* What is written of each kind of element. */
static const tmpl_handler_t *const handlers[TMPL_ELEMENT_COUNT] = {
    [TMPL_ELEMENT_BLOCK] = &tmpl_handler_block,
    [TMPL_ELEMENT_DETAILS] = &tmpl_handler_block,
    [TMPL_ELEMENT_FIGURE] = &tmpl_handler_block,
    [TMPL_ELEMENT_FIGCAPTION] = &tmpl_handler_block,
    [TMPL_ELEMENT_CAPTION] = &tmpl_handler_block,
    [TMPL_ELEMENT_ROWS] = &tmpl_handler_block,
    [TMPL_ELEMENT_HEADING] = &tmpl_handler_heading,
    [TMPL_ELEMENT_SUMMARY] = &tmpl_handler_term,
    [TMPL_ELEMENT_QUOTE] = &tmpl_handler_quote,
    [TMPL_ELEMENT_CALLOUT] = &tmpl_handler_quote,
    [TMPL_ELEMENT_LIST] = &tmpl_handler_list,
    [TMPL_ELEMENT_ITEM] = &tmpl_handler_item,
    [TMPL_ELEMENT_TERMS] = &tmpl_handler_terms,
    [TMPL_ELEMENT_TERM] = &tmpl_handler_term_of_list,
    [TMPL_ELEMENT_DESCRIPTION] = &tmpl_handler_definition,
    [TMPL_ELEMENT_CODE] = &tmpl_handler_pre,
    [TMPL_ELEMENT_RULE] = &tmpl_handler_rule,
    [TMPL_ELEMENT_TABLE] = &tmpl_handler_table,
    [TMPL_ELEMENT_ROW] = &tmpl_handler_row,
    [TMPL_ELEMENT_CELL] = &tmpl_handler_cell,
    [TMPL_ELEMENT_LINK] = &tmpl_handler_link,
    [TMPL_ELEMENT_IMAGE] = &tmpl_handler_image,
    [TMPL_ELEMENT_MEDIA] = &tmpl_handler_player,
    [TMPL_ELEMENT_FORMULA] = &tmpl_handler_formula,
    [TMPL_ELEMENT_FORMAT] = &tmpl_handler_format,
    [TMPL_ELEMENT_BREAK] = &tmpl_handler_break,
    [TMPL_ELEMENT_BUTTON] = &tmpl_handler_spaced
};

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

/* The handler of an element that has a part in notes or records. */
static const tmpl_handler_t *handler_of_part(const tmpl_writer_t *w, uint32_t node,
                                             tmpl_element_e element)
{
    tmpl_note_e kind = w->notes != NULL ? w->notes[node].kind : TMPL_NOTE_NONE;
    unsigned part = w->groups->parts != NULL ? w->groups->parts[node] : TMPL_RECORD_NO_PART;
    if (w->flow.fragments != NULL) {
        part = part_in_fragments(part, w->page->nodes[node].tag);
    }
    if (part == TMPL_RECORD_TITLE_PART && w->headline != NULL &&
        tmpl_dom_node(w->headline) == node) {
        part = TMPL_RECORD_NO_PART; /* the page's title, not that of a post */
    }
    return kind != TMPL_NOTE_NONE        ? &tmpl_handlers_notes[kind]
           : part != TMPL_RECORD_NO_PART ? &tmpl_handlers_records[part]
                                         : handlers[element];
}

/* NULL: nothing is written of the element itself. */
static inline const tmpl_handler_t *handler_of(const tmpl_writer_t *w, const xmlNode *node,
                                               tmpl_element_e element)
{
    uint32_t of = tmpl_dom_node(node);
    int is_part = (w->notes != NULL && w->notes[of].kind != TMPL_NOTE_NONE) ||
                  (w->groups->parts != NULL && w->groups->parts[of] != TMPL_RECORD_NO_PART);
    return is_part && element != TMPL_ELEMENT_FORMULA ? handler_of_part(w, of, element)
                                                      : handlers[element];
}

static int enter_element(void *writer, const xmlNode *node, tmpl_element_e element)
{
    const tmpl_handler_t *handler = handler_of(writer, node, element);
    return element == TMPL_ELEMENT_LEFT_OUT ||
           (handler != NULL && handler->enter != NULL && handler->enter(writer, node));
}

static void leave_element(void *writer, const xmlNode *node, tmpl_element_e element)
{
    tmpl_writer_t *w = writer;
    const tmpl_handler_t *handler = handler_of(w, node, element);
    if (handler != NULL && handler->leave != NULL) {
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

static void write_text(void *writer, const xmlNode *text)
{
    tmpl_writer_t *w = writer;
    if (is_text_left_out(w, text)) {
        tmpl_leaf_space(&w->leaf);
    }
    else if (text != w->said) {
        tmpl_writer_divide(w, (const char *)text->content);
        tmpl_handler_text(w, text);
    }
    w->flow.over |= w->leaf.text.len > w->flow.limit;
}

static const tmpl_walker_t walker = { enter_element, leave_element, write_text, 1 };

void tmpl_markdown_content(tmpl_writer_t *w, const xmlNode *top)
{
    tmpl_walk(&w->walk, top);
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
    tmpl_walk_init(&w->walk, &walker, w, &w->flow.over, content, scratch);
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
