/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What becomes of each element of a page that is a block; elements that are not in the tables leave
 * their content.
 */
#include "reader/view.h"

#include <apr_strings.h>

/* Bytes from the start of the content in which what the header says is not repeated. */
#define BEGIN 600

const char tmpl_view_box[] = " class=\"wide\"";

/* Adds a text with its white space as single spaces, up to TMPL_SUMMARY_TEXT bytes. */
static void add_to_summary(tmpl_buf_t *to, const char *text)
{
    for (; *text != '\0' && to->len < TMPL_SUMMARY_TEXT; text++) {
        int is_space = tmpl_is_space(*text);
        if (!is_space || (to->len > 0 && to->at[to->len - 1] != ' ')) {
            tmpl_buf_add_byte(to, is_space ? ' ' : *text);
        }
    }
}

void tmpl_view_read(tmpl_view_t *w, const xmlNode *element)
{
    tmpl_summary_t *summary = &w->summary;
    *summary = (tmpl_summary_t){ .text = summary->text };
    tmpl_buf_clear(&summary->text);
    for (const xmlNode *node = tmpl_dom_next(element, element, 0); node != NULL;
         node = tmpl_dom_next(node, element, 0)) {
        if (node->type == XML_TEXT_NODE) {
            add_to_summary(&summary->text, (const char *)node->content);
            continue;
        }
        tmpl_tag_e tag = tmpl_dom_tag(w->page, node);
        unsigned flags = tmpl_tag_flags(tag);
        summary->heading |= (flags & TMPL_IS_HEADING) != 0;
        if (flags & TMPL_IS_CLOSES_P) {
            summary->blocks = 1;
            add_to_summary(&summary->text, " ");
        }
        if (tag == TMPL_TAG_IMG) {
            const char *alt = tmpl_dom_attribute(node, "alt");
            summary->named |= alt != NULL && alt[strspn(alt, " \t\n\r\f")] != '\0';
        }
    }
    while (summary->text.len > 0 && summary->text.at[summary->text.len - 1] == ' ') {
        summary->text.at[--summary->text.len] = '\0';
    }
}

void tmpl_view_border(tmpl_view_t *w)
{
    tmpl_html_writer_t *html = &w->html;
    int ends = w->card == TMPL_CARD_LINE && html->n_formats > 0 &&
               html->formats_written == html->n_formats &&
               html->formats[html->n_formats - 1].node == w->link &&
               tmpl_html_top(html)->holds != TMPL_HTML_TEXT;
    tmpl_html_part(html);
    if (ends) {
        tmpl_html_unformat(html, w->link);
        w->card = TMPL_CARD_WRITTEN;
    }
}

/* --- Blocks that are written by a table --- */

int tmpl_view_has_language(tmpl_view_t *w, const xmlNode *node)
{
    return w->content->languages &&
           (tmpl_dom_attribute(node, "lang") != NULL || tmpl_dom_attribute(node, "dir") != NULL);
}

/* A kind of block that is always written in the same way. */
typedef struct {
    const char *name; /* "": as the page names it; NULL: in another way */
    const char *attributes;
    tmpl_html_holds_e holds;
    const char *within; /* names of elements around, one of which there must be; NULL: any */
    int first;          /* only as the first in it */
    int stays;          /* it is written even if it is empty */
} block_row_t;

static const block_row_t blocks[TMPL_ELEMENT_COUNT] = {
    [TMPL_ELEMENT_QUOTE] = { "blockquote", "", TMPL_HTML_FLOW, NULL, 0, 0 },
    [TMPL_ELEMENT_CALLOUT] = { "div", " class=\"note\" role=\"note\"", TMPL_HTML_FLOW, NULL, 0, 0 },
    [TMPL_ELEMENT_DETAILS] = { "details", "", TMPL_HTML_FLOW, NULL, 0, 0 },
    [TMPL_ELEMENT_SUMMARY] = { "summary", "", TMPL_HTML_TEXT, "details", 1, 0 },
    [TMPL_ELEMENT_FIGURE] = { "figure", "", TMPL_HTML_FLOW, NULL, 0, 0 },
    [TMPL_ELEMENT_FIGCAPTION] = { "figcaption", "", TMPL_HTML_ITEM, "figure", 0, 0 },
    [TMPL_ELEMENT_ITEM] = { "li", "", TMPL_HTML_ITEM, "ul ol", 0, 0 },
    [TMPL_ELEMENT_TERM] = { "dt", "", TMPL_HTML_TEXT, "dl", 0, 1 },
    [TMPL_ELEMENT_DESCRIPTION] = { "dd", "", TMPL_HTML_ITEM, "dl", 0, 1 },
    [TMPL_ELEMENT_CAPTION] = { "caption", "", TMPL_HTML_TEXT, "table", 1, 0 },
    [TMPL_ELEMENT_ROWS] = { "", "", TMPL_HTML_ROWS, "table", 0, 0 },
    [TMPL_ELEMENT_ROW] = { "tr", "", TMPL_HTML_CELLS, "table thead tbody tfoot", 0, 0 },
};

/* What holds the next block, without elements that were added. */
static const tmpl_html_element_t *around(const tmpl_view_t *w)
{
    uint32_t at = w->html.n - 1;
    while (at > 0 && w->html.open[at].node == NULL) {
        at--;
    }
    return &w->html.open[at];
}

static int enter_by_table(tmpl_view_t *w, const xmlNode *node, const block_row_t *block)
{
    const tmpl_html_element_t *in = around(w);
    const char *name =
        *block->name != '\0' ? block->name : tmpl_tag_name(tmpl_dom_table_tag(w->page, node));
    int may = (block->within == NULL || tmpl_html_is_any(in->name, block->within)) &&
              (!block->first || (in->node == node->parent && !in->begun));
    return may && tmpl_html_open(&w->html, block->holds, name, block->attributes, node);
}

/* A div, if it says in which language it is. */
static int enter_view_border(tmpl_view_t *w, const xmlNode *node)
{
    if (tmpl_view_has_language(w, node)) {
        tmpl_html_open(&w->html, TMPL_HTML_FLOW, "div", "", node);
    }
    return 0;
}

/* --- Headings --- */

const char *tmpl_view_heading(tmpl_view_t *w, unsigned level)
{
    static const char *const names[] = { "h2", "h3", "h4", "h5", "h6" };
    while (w->n_levels > 0 && w->levels[w->n_levels - 1] >= level) {
        w->n_levels--;
    }
    w->levels[w->n_levels++] = (unsigned char)level;
    return names[w->n_levels < 5 ? w->n_levels - 1 : 4];
}

int tmpl_view_begins(const tmpl_view_t *w)
{
    return w->html.out.len <= w->start + BEGIN;
}

/* Whether a heading is the headline, or repeats the title where the page begins. */
static int is_said_on_top(const tmpl_view_t *w, const xmlNode *heading, const char *text)
{
    const char *title = tmpl_metadata_first(&w->content->metadata, TMPL_METADATA_TITLE);
    return heading == w->content->headline ||
           (tmpl_view_begins(w) && title != NULL && apr_cstr_casecmp(text, title) == 0);
}

static int enter_view_heading(tmpl_view_t *w, const xmlNode *node)
{
    tmpl_view_read(w, node);
    const char *text = w->summary.text.at;
    if (is_said_on_top(w, node, text)) {
        return 1;
    }
    if ((*text != '\0' || w->summary.named) && w->table == NULL) {
        const char *name = tmpl_view_heading(w, tmpl_walk_level(node));
        if (tmpl_html_open(&w->html, TMPL_HTML_TEXT, name, "", node) &&
            w->card == TMPL_CARD_HEADING && tmpl_html_format(&w->html, "a", w->href, w->link)) {
            w->card = TMPL_CARD_LINE;
        }
    }
    return 0;
}

/* --- Lists, listings, rules --- */

static int enter_view_list(tmpl_view_t *w, const xmlNode *node)
{
    const char *name = tmpl_dom_tag(w->page, node) == TMPL_TAG_OL ? "ol" : "ul";
    tmpl_html_open(&w->html, TMPL_HTML_LIST, name, "", node);
    return 0;
}

/*
 * Whether a dl has terms, each with what is said of it, perhaps in divs. A byline, which the header
 * of the view says, is none.
 */
static int has_terms(tmpl_view_t *w, const xmlNode *list)
{
    int term = 0;
    for (const xmlNode *node = tmpl_dom_element(list->children); node != NULL;
         node = tmpl_dom_element(node->next)) {
        int is_group = tmpl_dom_tag(w->page, node) == TMPL_TAG_DIV;
        for (const xmlNode *in = is_group ? tmpl_dom_element(node->children) : node; in != NULL;
             in = is_group ? tmpl_dom_element(in->next) : NULL) {
            tmpl_tag_e tag = tmpl_dom_tag(w->page, in);
            if (tag == TMPL_TAG_DD) {
                return term;
            }
            term |= tag == TMPL_TAG_DT && !tmpl_view_is_byline(w, in);
        }
    }
    return 0;
}

static int enter_view_terms(tmpl_view_t *w, const xmlNode *node)
{
    if (has_terms(w, node)) {
        tmpl_html_open(&w->html, TMPL_HTML_TERMS, "dl", "", node);
    }
    return 0;
}

static int enter_view_rule(tmpl_view_t *w, const xmlNode *node)
{
    (void)node;
    w->html.rule = 1;
    return 1;
}

static int enter_view_code(tmpl_view_t *w, const xmlNode *node)
{
    tmpl_html_writer_t *html = &w->html;
    if (tmpl_html_top(html)->holds == TMPL_HTML_TEXT) {
        return 0;
    }
    tmpl_buf_t code;
    tmpl_buf_init(&code, w->pool);
    const char *language = tmpl_listing_read(&code, w->page, node, w->pool);
    if (code.len == 0) {
        return 1;
    }
    tmpl_html_open(html, TMPL_HTML_TEXT, "pre", "", node);
    const char *class =
        language != NULL ? apr_pstrcat(w->pool, " class=\"language-", language, "\"", NULL) : "";
    tmpl_html_format(html, "code", class, NULL);
    tmpl_html_line(html);
    html->over |= html->out.len + code.len > html->limit;
    tmpl_html_escaped(html, code.at);
    tmpl_html_unformat(html, NULL);
    tmpl_html_close(html, node);
    return 1;
}

/* --- Tables --- */

void tmpl_view_wide(tmpl_view_t *w, const char *kind, const xmlNode *node)
{
    const char *attributes =
        apr_psprintf(w->pool, "%s role=\"region\" tabindex=\"0\" aria-label=\"%s %u\"",
                     tmpl_view_box, kind, ++w->wide);
    tmpl_html_open(&w->html, TMPL_HTML_FLOW, "div", attributes, node);
}

static int enter_view_table(tmpl_view_t *w, const xmlNode *node)
{
    tmpl_grid_t grid = { .kind = TMPL_GRID_LAYOUT };
    if (w->table == NULL && tmpl_html_top(&w->html)->holds != TMPL_HTML_TEXT) {
        tmpl_grid_read(&grid, w->page, node);
    }
    if (grid.kind != TMPL_GRID_LAYOUT) {
        tmpl_view_wide(w, "Table", node);
        if (tmpl_html_open(&w->html, TMPL_HTML_TABLE, "table", "", node)) {
            w->table = node;
            w->rows = w->cells = 0;
            w->headed = grid.headed;
        }
    }
    return 0;
}

/* The start of a cell's element: a header says for what, and has a text. */
static int enter_view_cell(tmpl_view_t *w, const xmlNode *node)
{
    if (w->table == NULL || around(w)->holds != TMPL_HTML_CELLS) {
        return 0;
    }
    int is_first = w->rows == 0 && w->headed;
    int is_header = is_first || tmpl_dom_table_tag(w->page, node) == TMPL_TAG_TH;
    if (is_header) {
        tmpl_view_read(w, node);
        is_header = w->summary.text.len > 0;
    }
    const char *attributes = !is_header                 ? ""
                             : is_first || w->cells > 0 ? " scope=\"col\""
                                                        : " scope=\"row\"";
    if (tmpl_html_open(&w->html, TMPL_HTML_ITEM, is_header ? "th" : "td", attributes, node)) {
        tmpl_html_block(&w->html);
        w->cells++;
    }
    return 0;
}

/* --- The walk --- */

/* Writes a block's start; returns whether its content is left out. */
static int enter_view_block(tmpl_view_t *w, const xmlNode *node, tmpl_element_e kind)
{
    static int (*const others[TMPL_ELEMENT_COUNT])(tmpl_view_t *, const xmlNode *) = {
        [TMPL_ELEMENT_BLOCK] = enter_view_border, [TMPL_ELEMENT_HEADING] = enter_view_heading,
        [TMPL_ELEMENT_LIST] = enter_view_list,    [TMPL_ELEMENT_TERMS] = enter_view_terms,
        [TMPL_ELEMENT_CODE] = enter_view_code,    [TMPL_ELEMENT_RULE] = enter_view_rule,
        [TMPL_ELEMENT_TABLE] = enter_view_table,  [TMPL_ELEMENT_CELL] = enter_view_cell,
    };
    tmpl_view_border(w);
    if (others[kind] != NULL) {
        return others[kind](w, node);
    }
    if (blocks[kind].name != NULL && enter_by_table(w, node, &blocks[kind])) {
        if (blocks[kind].stays) {
            tmpl_html_block(&w->html);
        }
        char task = kind == TMPL_ELEMENT_ITEM ? tmpl_walk_task(&w->walk, node) : '\0';
        if (task != '\0') {
            tmpl_html_text(&w->html, task == 'x' ? "\xE2\x98\x91" : "\xE2\x98\x90");
            w->html.space = 1;
        }
        if (kind == TMPL_ELEMENT_ROW) {
            w->rows += w->cells > 0;
            w->cells = 0;
        }
    }
    return 0;
}

static int enter_in_view(void *view, const xmlNode *node, tmpl_element_e kind)
{
    tmpl_view_t *w = view;
    const char *id = w->ids != NULL ? w->ids[tmpl_dom_node(node)] : NULL;
    if (id != NULL) {
        tmpl_buf_add_text(&w->html.anchors, "<span id=\"");
        tmpl_html_escape(&w->html.anchors, id);
        tmpl_buf_add_text(&w->html.anchors, "\"></span>");
    }
    if (kind != TMPL_ELEMENT_FORMULA && tmpl_view_is_byline(w, node)) {
        tmpl_view_border(w);
        return 1;
    }
    const tmpl_group_record_t *record =
        w->content->groups.n > 0 && kind != TMPL_ELEMENT_FORMULA ? tmpl_posts_begin(w, node) : NULL;
    int skips = tmpl_element_is_block(kind) ? enter_view_block(w, node, kind)
                                            : tmpl_view_phrase(w, node, kind);
    if (record != NULL) {
        tmpl_posts_head(w, record);
    }
    return skips;
}

static void leave_in_view(void *view, const xmlNode *node, tmpl_element_e kind)
{
    tmpl_view_t *w = view;
    unsigned flags = tmpl_tag_flags(tmpl_dom_tag(w->page, node));
    tmpl_html_unformat(&w->html, node);
    if (w->link == node) {
        w->link = NULL;
        w->card = TMPL_CARD_NONE;
    }
    if (kind == TMPL_ELEMENT_HEADING && w->card == TMPL_CARD_LINE) {
        tmpl_html_unformat(&w->html, w->link);
        w->card = TMPL_CARD_WRITTEN;
    }
    if ((flags & (TMPL_IS_CLOSES_P | TMPL_IS_PART)) || tmpl_element_is_block(kind)) {
        tmpl_view_border(w);
        tmpl_html_close(&w->html, node);
    }
    else if (kind == TMPL_ELEMENT_BUTTON) {
        w->html.space = 1;
    }
    else if (w->content->groups.n > 0) {
        tmpl_html_close(&w->html, node); /* a record whose element is no block */
    }
    w->table = w->table == node ? NULL : w->table;
}

static void write_text_node(void *view, const xmlNode *text)
{
    tmpl_html_text(&((tmpl_view_t *)view)->html, (const char *)text->content);
}

void tmpl_view_content(tmpl_view_t *w, const xmlNode *top)
{
    w->start = w->html.out.len;
    tmpl_walk(&w->walk, top);
    tmpl_view_border(w);
    tmpl_html_close(&w->html, top);
}

void tmpl_view_init(tmpl_view_t *w, const tmpl_content_t *content, apr_size_t limit,
                    apr_pool_t *pool, apr_pool_t *scratch)
{
    static const tmpl_walker_t walker = { enter_in_view, leave_in_view, write_text_node, 0, 0 };
    *w = (tmpl_view_t){ .content = content, .page = content->page, .pool = scratch };
    tmpl_walk_init(&w->walk, &walker, w, &w->html.over, content, scratch);
    tmpl_html_init(&w->html, limit, pool);
    w->html.attributes = tmpl_view_attributes;
    w->html.baton = w;
    tmpl_buf_init(&w->summary.text, scratch);
    tmpl_buf_init(&w->address, scratch);
    tmpl_view_targets(w);
    tmpl_posts_find(w);
}
