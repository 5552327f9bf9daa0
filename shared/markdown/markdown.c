/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk over a content: its title, headings, posts and cards (content/groups.h), texts. A post
 * has a heading, "### Ann, [3 May 2026](...)", one level deeper for each record that it is in; a
 * small card is an item in one line, and a large one is written as any element.
 */
#include "markdown/markdown.h"

#include <string.h>

#include <apr_strings.h>

#include "markdown/writer.h"
#include "metadata/dates.h"

/* Behind more bytes of text a headline does not begin the page: all that is before it stays. */
#define BEFORE_BYTES 400

/* The level of headings of posts that are in no other record. */
#define LEVEL 3

/* --- The front matter, the page's metadata as YAML --- */

/* Adds text, shortened to the number of characters, as a string of YAML in double quotes. */
static void write_yaml(tmpl_buf_t *buf, const char *text, apr_size_t characters)
{
    apr_size_t len = strlen(text);
    int space = 0;
    tmpl_buf_add_byte(buf, '"');
    apr_size_t start = buf->len;
    for (apr_size_t i = 0, used; i < len; i += used) {
        uint32_t code = tmpl_utf8_next(text + i, len - i, &used);
        if (code == 0xAD || code == 0x200B) {
            continue; /* they only say where a word may break */
        }
        /* characters that are not printable in YAML (5.1), or that YAML reads as a line break */
        if (code <= ' ' || (code >= 0x7F && code <= 0xA0) || code == 0x2028 || code == 0x2029 ||
            code == 0xFEFF) {
            space = 1;
            continue;
        }
        if (characters == 0) {
            tmpl_buf_add_text(buf, "\xE2\x80\xA6");
            break;
        }
        characters--;
        if (space && buf->len > start) {
            tmpl_buf_add_byte(buf, ' ');
        }
        space = 0;
        if (code == '"' || code == '\\') {
            tmpl_buf_add_byte(buf, '\\');
        }
        tmpl_buf_add(buf, text + i, used);
    }
    tmpl_buf_add_byte(buf, '"');
}

void tmpl_front_values(tmpl_buf_t *out, const tmpl_metadata_t *metadata, int field,
                       const char *comma)
{
    const tmpl_metadata_field_t *of = &tmpl_metadata_fields[field];
    const apr_array_header_t *values = metadata->values[field];
    for (int i = 0; i < (of->most > 1 ? values->nelts : 1); i++) {
        tmpl_buf_add_text(out, of->most == 1 ? "" : i == 0 ? "[" : comma);
        write_yaml(out, APR_ARRAY_IDX(values, i, const char *), of->characters);
    }
    tmpl_buf_add_text(out, of->most > 1 ? "]" : "");
}

/* The text of a field whose line is not its values; NULL: it has none. */
static const char *line_text(const tmpl_content_t *content, int field, apr_pool_t *pool)
{
    const apr_array_header_t *values = content->metadata.values[field];
    const char *value = tmpl_metadata_first(&content->metadata, (tmpl_metadata_e)field);
    if (field == TMPL_METADATA_AUTHOR) {
        for (int i = 1; values != NULL && i < values->nelts; i++) {
            value = apr_pstrcat(pool, value, ", ", APR_ARRAY_IDX(values, i, const char *), NULL);
        }
        return value;
    }
    if (field == TMPL_METADATA_CANONICAL && value == NULL) {
        value = content->hrefs.url;
    }
    return field == TMPL_METADATA_CANONICAL || field == TMPL_METADATA_IMAGE
               ? tmpl_href_absolute(&content->hrefs, value, pool)
               : NULL;
}

/*
 * Adds a line for each field that has a value, in the order of TMPL_METADATA, and an empty line;
 * nothing if no field has one. Addresses become absolute; without a canonical one the page's URL is
 * it. Authors are one text, with commas; tags and breadcrumb are lists.
 */
static void write_front(tmpl_buf_t *out, const tmpl_content_t *content, apr_pool_t *pool)
{
    apr_size_t before = out->len;
    for (int i = 0; i < TMPL_METADATA_COUNT; i++) {
        const char *text = line_text(content, i, pool);
        int is_values = i != TMPL_METADATA_CANONICAL && i != TMPL_METADATA_IMAGE &&
                        content->metadata.values[i] != NULL;
        if (text == NULL && !is_values) {
            continue;
        }
        tmpl_buf_add(out, "---\n", out->len == before ? 4 : 0);
        tmpl_buf_add_text(out, tmpl_metadata_fields[i].key);
        tmpl_buf_add(out, ": ", 2);
        if (text != NULL) {
            write_yaml(out, text,
                       tmpl_metadata_fields[i].characters *
                           (apr_size_t)tmpl_metadata_fields[i].most);
        }
        else {
            tmpl_front_values(out, &content->metadata, i, ", ");
        }
        tmpl_buf_add(out, "\n", 1);
    }
    tmpl_buf_add(out, "---\n\n", out->len > before ? 5 : 0);
}

/* --- Headings --- */

static int enter_heading(tmpl_writer_t *w, const xmlNode *node)
{
    if (node == w->walk.content->headline && w->flow.fragments == NULL) {
        return 1;
    }
    tmpl_writer_hold(w, node, TMPL_WRITE_HEADING);
    w->inlines.plain |= w->holder == node;
    return 0;
}

/* Whether a heading is the title again, which may be a link. */
static int is_title_again(const tmpl_writer_t *w)
{
    const char *text = w->inlines.text.at;
    apr_size_t len = w->title != NULL ? strlen(w->title) : 0;
    text += (unsigned char)*text < ' ' && *text != '\0';
    return len > 0 && apr_cstr_casecmpn(text, w->title, len) == 0 && (unsigned char)text[len] < ' ';
}

static void leave_heading(tmpl_writer_t *w, const xmlNode *node)
{
    if (!tmpl_writer_release(w, node)) {
        return;
    }
    tmpl_inlines_finish(&w->inlines);
    w->inlines.plain = 0;
    unsigned level = tmpl_walk_level(node);
    if ((level == 1 || w->flow.behind == TMPL_BEHIND_TITLE) && is_title_again(w)) {
        tmpl_buf_clear(&w->inlines.text);
    }
    level = level == 1 && w->title != NULL ? 2 : level; /* a page has one title */
    tmpl_writer_heading(w, level);
}

/* --- Records --- */

/* Adds a text to the heading of a post; as a link, if the address leads anywhere from there. */
static void add_field(tmpl_writer_t *w, const char *text, const char *address)
{
    if (!tmpl_inlines_is_empty(&w->inlines)) {
        tmpl_inlines_text(&w->inlines, ", ");
    }
    int leads = address != NULL && (*address != '#' || w->inlines.hrefs->url != NULL);
    tmpl_writer_link(w, text, leads ? address : NULL);
}

static void write_post_heading(tmpl_writer_t *w, const tmpl_group_record_t *record)
{
    const tmpl_groups_t *groups = &w->walk.content->groups;
    const char *author = record->fields[TMPL_RECORD_AUTHOR].value;
    const char *rating = record->fields[TMPL_RECORD_RATING].value;
    const char *address = record->fields[TMPL_RECORD_ADDRESS].value;
    const char *date = tmpl_walk_date(record, w->pool);
    uint32_t level = LEVEL;
    for (uint32_t in = record->parent; in != TMPL_NONE && level < 6;
         in = groups->records[in].parent) {
        level++;
    }
    if (author != NULL) {
        add_field(w, author, date == NULL ? address : NULL);
    }
    if (record->fields[TMPL_RECORD_ACCEPTED].value != NULL) {
        add_field(w, "accepted answer", NULL);
    }
    if (rating != NULL) {
        add_field(w, apr_pstrcat(w->pool, "rating ", rating, NULL), NULL);
    }
    if (date != NULL) {
        add_field(w, date, address);
    }
    tmpl_inlines_finish(&w->inlines);
    w->own = w->inlines.text.len;
    w->facts = 1;
    if (!tmpl_inlines_is_empty(&w->inlines)) {
        tmpl_writer_heading(w, level);
        return;
    }
    tmpl_flow_begin(&w->flow, TMPL_FLOW_TEXT);
    tmpl_buf_add_text(&w->flow.out, "***");
    tmpl_flow_end(&w->flow);
    w->flow.behind = TMPL_BEHIND_HEADING;
}

static int enter_record(tmpl_writer_t *w, const xmlNode *node)
{
    const tmpl_group_record_t *record =
        tmpl_record_of(&w->walk.content->groups, tmpl_dom_node(node));
    if (w->holder != NULL || w->table.node != NULL || w->link != NULL) {
        return 0;
    }
    if (tmpl_record_is_post(record->kind)) {
        w->post = record;
        if (record->headline == TMPL_NONE) {
            write_post_heading(w, record);
        }
        return 0;
    }
    tmpl_flow_item(&w->flow, "- ", w->flow.behind != TMPL_BEHIND_CARDS);
    tmpl_writer_hold(w, node, TMPL_WRITE_CARD);
    add_field(w, record->fields[TMPL_RECORD_TITLE].value,
              record->fields[TMPL_RECORD_ADDRESS].value);
    w->divides = 1;
    return 0;
}

static void leave_record(tmpl_writer_t *w, const xmlNode *node)
{
    if (!tmpl_writer_release(w, node)) {
        return;
    }
    w->divides = 0;
    tmpl_writer_flush(w);
    tmpl_flow_close(&w->flow);
    w->flow.behind = TMPL_BEHIND_CARDS;
    w->last_mark = '-';
}

static void leave_headline(tmpl_writer_t *w, const xmlNode *node)
{
    leave_heading(w, node);
    if (w->holder == NULL && w->table.node == NULL && w->post != NULL) {
        write_post_heading(w, w->post);
    }
}

/* --- The walk --- */

static const tmpl_action_t *action_of(tmpl_element_e kind)
{
    static const tmpl_action_t own[] = {
        [TMPL_ELEMENT_HEADING] = { enter_heading, leave_heading },
        [TMPL_ELEMENT_HEADLINE] = { enter_heading, leave_headline },
        [TMPL_ELEMENT_RECORD] = { enter_record, leave_record },
    };
    return kind >= TMPL_ELEMENT_NOTE ? &tmpl_inline_actions[kind]
           : own[kind].enter == NULL ? &tmpl_block_actions[kind]
                                     : &own[kind];
}

/* At the start or end of an element for which nothing is written. */
static void pass_element(tmpl_writer_t *w, tmpl_element_e kind)
{
    if (tmpl_element_is_block(kind)) {
        tmpl_writer_border(w);
    }
    else if (kind == TMPL_ELEMENT_BUTTON) {
        tmpl_inlines_space(&w->inlines);
    }
}

static int enter_element(void *writer, const xmlNode *node, tmpl_element_e kind)
{
    const tmpl_action_t *action = action_of(kind);
    tmpl_writer_t *w = writer;
    w->before = w->before && node != w->walk.content->headline; /* what is beside it stays */
    if (kind != TMPL_ELEMENT_DESCRIPTION) { /* it may stand in the line of its term */
        pass_element(writer, kind);
    }
    return action->enter != NULL ? action->enter(writer, node) : kind == TMPL_ELEMENT_LEFT_OUT;
}

static void leave_element(void *writer, const xmlNode *node, tmpl_element_e kind)
{
    const tmpl_action_t *action = action_of(kind);
    if (action->leave != NULL) {
        action->leave(writer, node);
    }
    else {
        pass_element(writer, kind);
    }
}

/* Whether an element is left out of a note, or a reference in a sup, alone between brackets. */
static int is_bracketed(const tmpl_writer_t *w, const xmlNode *node)
{
    if (w->walk.notes == NULL || node == NULL || node->type != XML_ELEMENT_NODE) {
        return 0;
    }
    tmpl_note_e kind = w->walk.notes[tmpl_dom_node(node)].kind;
    if (kind != TMPL_NOTE_LEFT_OUT && (kind != TMPL_NOTE_REFERENCE || tmpl_writer_in_html(w) ||
                                       tmpl_dom_tag(w->page, node->parent) != TMPL_TAG_SUP)) {
        return 0;
    }
    const xmlNode *before = node->prev, *behind = node->next;
    int length = before != NULL && before->type == XML_TEXT_NODE ? xmlStrlen(before->content) : 0;
    return length > 0 && before->content[length - 1] == '[' && behind != NULL &&
           behind->type == XML_TEXT_NODE && *behind->content == ']';
}

/* Adds a text to the leaf, without the brackets of a reference that is left out. */
static void add_text(tmpl_writer_t *w, const xmlNode *node)
{
    const char *text = (const char *)node->content + is_bracketed(w, node->prev);
    apr_size_t len = strlen(text);
    tmpl_writer_divide(w, text);
    if (is_bracketed(w, node->next)) {
        tmpl_inlines_text(&w->inlines, apr_pstrmemdup(w->pool, text, len - 1));
    }
    else {
        tmpl_inlines_add(&w->inlines, text, len);
    }
}

/* Adds a text in front of the headline, and notes what it says. */
static void add_text_before(tmpl_writer_t *w, const xmlNode *text)
{
    const tmpl_verdict_t *verdicts = w->walk.content->verdicts;
    const char *content = (const char *)text->content;
    uint32_t segment = tmpl_dom_segment(text);
    apr_size_t before = w->inlines.text.len;
    add_text(w, text);
    if (segment == TMPL_NONE) {
        return;
    }
    unsigned part =
        verdicts != NULL ? verdicts[w->page->segments[segment].block].part : TMPL_PART_BODY;
    w->facts |= part == TMPL_PART_BYLINE || tmpl_date_may_be(content, strlen(content)) ||
                tmpl_date_is_of_change(content, strlen(content));
    if (w->link == NULL) {
        w->own += w->inlines.text.len - before;
        w->facts |= part == TMPL_PART_CAPTION || part == TMPL_PART_FACTS ||
                    strpbrk(content, "0123456789") != NULL;
    }
}

static void write_text(void *writer, const xmlNode *text)
{
    tmpl_writer_t *w = writer;
    if (w->flow.fragments != NULL && tmpl_dom_segment(text) != TMPL_NONE &&
        !tmpl_fragments_keep(w->flow.fragments, tmpl_dom_segment(text),
                             tmpl_inlines_is_empty(&w->inlines))) {
        tmpl_inlines_space(&w->inlines);
    }
    else if (text != w->said) {
        (w->before ? add_text_before : add_text)(w, text);
    }
    w->flow.over |= w->inlines.text.len > w->flow.limit;
}

void tmpl_writer_content(tmpl_writer_t *w, const xmlNode *top)
{
    tmpl_walk(&w->walk, top);
    tmpl_writer_border(w);
}

/* Writes the page's headline at the top, without links, or else its title. */
static void write_title(tmpl_writer_t *w, const tmpl_content_t *content)
{
    const char *title = tmpl_metadata_first(&content->metadata, TMPL_METADATA_TITLE);
    const xmlNode *headline = content->headline;
    if (headline != NULL) {
        w->link = headline;
        w->inlines.plain = 1;
        tmpl_writer_hold(w, headline, TMPL_WRITE_HEADING);
        tmpl_writer_content(w, headline);
        tmpl_writer_release(w, headline);
        w->link = NULL;
    }
    else if (title != NULL) {
        tmpl_inlines_text(&w->inlines, title);
    }
    tmpl_inlines_finish(&w->inlines);
    w->inlines.plain = 0;
    if (!tmpl_inlines_is_empty(&w->inlines)) {
        w->title = apr_pstrdup(w->pool, w->inlines.text.at);
        tmpl_writer_heading(w, 1);
        w->flow.behind = TMPL_BEHIND_TITLE;
    }
    w->before = headline != NULL && content->before <= BEFORE_BYTES;
}

const char *tmpl_markdown(apr_size_t *len, const tmpl_content_t *content,
                          tmpl_fragments_t *fragments, apr_pool_t *pool)
{
    static const tmpl_walker_t whole = { enter_element, leave_element, write_text, 1, 0 };
    static const tmpl_walker_t listed = { enter_element, leave_element, write_text, 1, 1 };
    apr_pool_t *scratch;
    apr_pool_create(&scratch, pool);
    tmpl_writer_t *w = apr_pcalloc(scratch, sizeof(*w));
    w->page = content->page;
    w->pool = scratch;
    tmpl_walk_init(&w->walk, fragments == NULL ? &whole : &listed, w, &w->flow.over, content,
                   scratch);
    tmpl_flow_init(&w->flow, tmpl_markdown_most(content->page->len), fragments, pool);
    tmpl_inlines_init(&w->inlines, &content->hrefs, scratch);
    w->side_notes = apr_array_make(scratch, 4, sizeof(const xmlNode *));
    if (fragments == NULL) {
        write_front(&w->flow.out, content, scratch);
        write_title(w, content);
    }
    tmpl_writer_content(w, content->body);
    if (w->flow.behind == TMPL_BEHIND_RULE) {
        w->flow.out.len = w->flow.began; /* nothing follows that it could divide */
        w->flow.out.at[w->flow.began] = '\0';
    }
    tmpl_writer_inline_notes(w);
    *len = w->flow.out.len;
    if (fragments != NULL) {
        APR_ARRAY_PUSH(fragments->runs, tmpl_run_t) =
            (tmpl_run_t){ fragments->part, fragments->place, *len, fragments->text.len };
    }
    const char *markdown = w->flow.over ? NULL : w->flow.out.at;
    apr_pool_destroy(scratch);
    return markdown;
}
