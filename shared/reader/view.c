/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What becomes of each element of a page. Elements that are not in the tables leave their content.
 */
#include <stdlib.h>

#include <apr_strings.h>

#include "base/ascii.h"
#include "content/image.h"
#include "content/player.h"
#include "content/grid.h"
#include "content/listing.h"
#include "content/permalink.h"
#include "reader/view.h"

/* Called at an element's begin; returns whether its content is left out. */
typedef int tmpl_enter_view_t(tmpl_view_t *w, const xmlNode *node);

/* What of a link around several lines is a link: its heading, or its first line. */
enum { CARD_NONE, CARD_HEADING, CARD_LINE, CARD_WRITTEN };

/* Bytes from the begin of the content in which what the header says is not repeated. */
#define BEGIN 600

const char tmpl_view_box[] = " class=\"wide\"";

/* Adds a text with its white space as single spaces, up to TMPL_SUMMARY_TEXT bytes. */
static void add_to_summary(tmpl_buf_t *to, const char *text)
{
    while (*text != '\0' && to->len < TMPL_SUMMARY_TEXT) {
        apr_size_t spaces = strspn(text, " \t\n\r\f");
        if (spaces > 0 && to->len > 0 && to->at[to->len - 1] != ' ') {
            tmpl_buf_add_byte(to, ' ');
        }
        text += spaces;
        apr_size_t word = strcspn(text, " \t\n\r\f");
        apr_size_t room =
            TMPL_SUMMARY_TEXT - (to->len < TMPL_SUMMARY_TEXT ? to->len : TMPL_SUMMARY_TEXT);
        tmpl_buf_add(to, text, word < room ? word : room);
        text += word;
    }
}

/* Reads what stands in an element, before it is written; summary->text is initialized. */
static void read_summary(tmpl_summary_t *summary, const tmpl_page_t *page, const xmlNode *element)
{
    tmpl_buf_t text = summary->text;
    *summary = (tmpl_summary_t){ .text = text };
    tmpl_buf_clear(&summary->text);
    for (const xmlNode *node = tmpl_dom_next(element, element, 0); node != NULL;
         node = tmpl_dom_next(node, element, 0)) {
        if (node->type == XML_TEXT_NODE) {
            add_to_summary(&summary->text, (const char *)node->content);
            continue;
        }
        tmpl_tag_e tag = tmpl_dom_tag(page, node);
        unsigned flags = tmpl_tag_flags(tag);
        summary->heading |= (flags & TMPL_IS_HEADING) != 0;
        if (flags & TMPL_IS_CLOSES_P) {
            summary->blocks = 1;
            add_to_summary(&summary->text, " ");
        }
        if (tag == TMPL_TAG_IMG) {
            const char *alt = tmpl_dom_attribute(node, "alt");
            summary->images = 1;
            summary->named |= alt != NULL && alt[strspn(alt, " \t\n\r\f")] != '\0';
        }
    }
    while (summary->text.len > 0 && summary->text.at[summary->text.len - 1] == ' ') {
        summary->text.at[--summary->text.len] = '\0';
    }
}

static tmpl_tag_e view_tag(const tmpl_view_t *w, const xmlNode *node)
{
    return tmpl_dom_tag(w->page, node);
}

/* Elements that keep their name. */
static int enter_flow(tmpl_view_t *w, const xmlNode *node)
{
    tmpl_html_open(&w->html, TMPL_HTML_FLOW, (const char *)node->name, "", node);
    return 0;
}

/* A border of blocks. A card's link ends with the line that has it. */
static void pass_border(tmpl_view_t *w)
{
    tmpl_html_writer_t *html = &w->html;
    int ends = w->card == CARD_LINE && html->n_formats > 0 &&
               html->formats_written == html->n_formats &&
               html->formats[html->n_formats - 1].node == w->link &&
               tmpl_html_top(html)->holds != TMPL_HTML_TEXT;
    tmpl_html_part(html);
    if (ends) {
        tmpl_html_unformat(html, w->link);
        w->card = CARD_WRITTEN;
    }
}

/* A border of blocks; a div if it says in which language it is. */
static int enter_border(tmpl_view_t *w, const xmlNode *node)
{
    if (w->languages &&
        (tmpl_dom_attribute(node, "lang") != NULL || tmpl_dom_attribute(node, "dir") != NULL)) {
        tmpl_html_open(&w->html, TMPL_HTML_FLOW, "div", "", node);
    }
    pass_border(w);
    return 0;
}

static int enter_callout(tmpl_view_t *w, const xmlNode *node)
{
    tmpl_html_open(&w->html, TMPL_HTML_FLOW, "div", " class=\"note\" role=\"note\"", node);
    return 0;
}

unsigned tmpl_view_level(tmpl_view_t *w, unsigned level)
{
    while (w->n_levels > 0 && w->levels[w->n_levels - 1] >= level) {
        w->n_levels--;
    }
    w->levels[w->n_levels++] = (unsigned char)level;
    return w->n_levels < 5 ? w->n_levels + 1 : 6;
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

static int enter_heading_element(tmpl_view_t *w, const xmlNode *node)
{
    static const char *const names[] = { "h2", "h3", "h4", "h5", "h6" };
    pass_border(w);
    read_summary(&w->summary, w->page, node);
    const char *text = w->summary.text.at;
    if (is_said_on_top(w, node, text)) {
        return 1;
    }
    if ((*text != '\0' || w->summary.named) && w->table == NULL) {
        unsigned level = tmpl_view_level(w, tmpl_walk_level(node));
        if (tmpl_html_open(&w->html, TMPL_HTML_TEXT, names[level - 2], "", node) &&
            w->card == CARD_HEADING && tmpl_html_format(&w->html, "a", "", w->link)) {
            w->card = CARD_LINE;
        }
    }
    return 0;
}

static int enter_list_element(tmpl_view_t *w, const xmlNode *node)
{
    tmpl_html_open(&w->html, TMPL_HTML_LIST, view_tag(w, node) == TMPL_TAG_OL ? "ol" : "ul", "",
                   node);
    return 0;
}

/* What the innermost element holds, without those that were added. */
static tmpl_html_holds_e around(const tmpl_view_t *w)
{
    uint32_t at = w->html.n - 1;
    while (at > 0 && w->html.open[at].node == NULL) {
        at--;
    }
    return w->html.open[at].holds;
}

static int enter_item_element(tmpl_view_t *w, const xmlNode *node)
{
    pass_border(w);
    if (around(w) == TMPL_HTML_LIST) {
        tmpl_html_open(&w->html, TMPL_HTML_ITEM, "li", "", node);
    }
    return 0;
}

static const xmlNode *behind_text(const xmlNode *node)
{
    while (node != NULL && node->type != XML_ELEMENT_NODE) {
        node = node->next;
    }
    return node;
}

/* How many segments of an element are byline, as far as that was judged. */
static uint32_t segments_of_byline(const tmpl_content_t *content, const tmpl_node_t *node)
{
    uint32_t n = 0;
    for (uint32_t s = node->first_segment; s < node->after_segment; s++) {
        n += content->verdicts == NULL ||
             content->verdicts[content->page->segments[s].block].part == TMPL_PART_BYLINE;
    }
    return n;
}

/*
 * Whether a block, where the page begins, is a byline, and the header says all of it. A date alone
 * must have been judged to be byline: that of an event is none.
 */
static int is_reader_byline(tmpl_view_t *w, const xmlNode *element)
{
    enum { MOST = 160, SHORT = 60 /* bytes: of a name */, SEGMENTS = 24 };
    const tmpl_node_t *node = &w->page->nodes[tmpl_dom_node(element)];
    uint32_t bytes = 0, n = node->after_segment - node->first_segment;
    if (!tmpl_view_begins(w) || w->record > 0 || n == 0 || n > SEGMENTS ||
        (tmpl_tag_flags((tmpl_tag_e)node->tag) & (TMPL_IS_CLOSES_P | TMPL_IS_PART)) == 0) {
        return 0;
    }
    for (uint32_t s = node->first_segment; s < node->after_segment; s++) {
        bytes += w->page->segments[s].length;
    }
    uint32_t bylines = segments_of_byline(w->content, node);
    if (bytes == 0 || bytes > (bylines > 0 ? MOST : SHORT)) {
        return 0;
    }
    read_summary(&w->summary, w->page, element);
    tmpl_told_e told = tmpl_header_tells(&w->content->metadata, w->summary.text.at);
    return told == TMPL_TOLD_AUTHOR || (told == TMPL_TOLD_DATE && bylines == n);
}

/*
 * Whether a dl has terms, each with what is said of it, perhaps in divs. A byline, which the header
 * of the view says, is none.
 */
static int has_terms(tmpl_view_t *w, const xmlNode *list)
{
    int term = 0;
    for (const xmlNode *node = behind_text(list->children); node != NULL;
         node = behind_text(node->next)) {
        int is_group = view_tag(w, node) == TMPL_TAG_DIV;
        for (const xmlNode *in = is_group ? behind_text(node->children) : node; in != NULL;
             in = is_group ? behind_text(in->next) : NULL) {
            if (view_tag(w, in) == TMPL_TAG_DD) {
                return term;
            }
            term |= view_tag(w, in) == TMPL_TAG_DT && !is_reader_byline(w, in);
        }
    }
    return 0;
}

static int enter_term_list(tmpl_view_t *w, const xmlNode *node)
{
    pass_border(w);
    if (has_terms(w, node)) {
        tmpl_html_open(&w->html, TMPL_HTML_TERMS, "dl", "", node);
    }
    return 0;
}

static int enter_term_element(tmpl_view_t *w, const xmlNode *node)
{
    pass_border(w);
    if (around(w) == TMPL_HTML_TERMS && tmpl_html_open(&w->html, TMPL_HTML_TEXT, "dt", "", node)) {
        tmpl_html_block(&w->html);
    }
    return 0;
}

static int enter_description(tmpl_view_t *w, const xmlNode *node)
{
    pass_border(w);
    if (around(w) == TMPL_HTML_TERMS && tmpl_html_open(&w->html, TMPL_HTML_ITEM, "dd", "", node)) {
        tmpl_html_block(&w->html);
    }
    return 0;
}

/* A summary and a figcaption belong to their parents; a summary is the first there. */
static int enter_summary(tmpl_view_t *w, const xmlNode *node)
{
    pass_border(w);
    const tmpl_html_element_t *top = tmpl_html_top(&w->html);
    if (top->node == node->parent && strcmp(top->name, "details") == 0 && !top->begun) {
        tmpl_html_open(&w->html, TMPL_HTML_TEXT, "summary", "", node);
    }
    return 0;
}

static int enter_figcaption(tmpl_view_t *w, const xmlNode *node)
{
    pass_border(w);
    if (strcmp(tmpl_html_top(&w->html)->name, "figure") == 0) {
        tmpl_html_open(&w->html, TMPL_HTML_ITEM, "figcaption", "", node);
    }
    return 0;
}

static int enter_rule_element(tmpl_view_t *w, const xmlNode *node)
{
    (void)node;
    pass_border(w);
    w->html.rule = 1;
    return 1;
}

static int enter_break_element(tmpl_view_t *w, const xmlNode *node)
{
    (void)node;
    tmpl_html_break(&w->html);
    return 1;
}

static int enter_listing(tmpl_view_t *w, const xmlNode *node)
{
    tmpl_html_writer_t *html = &w->html;
    pass_border(w);
    if (tmpl_html_top(html)->holds == TMPL_HTML_TEXT) {
        return 0;
    }
    tmpl_buf_clear(&w->code);
    const char *language = tmpl_listing_read(&w->code, w->page, node, w->pool);
    if (w->code.len == 0) {
        return 1;
    }
    tmpl_html_open(html, TMPL_HTML_TEXT, "pre", "", node);
    const char *class =
        language != NULL ? apr_pstrcat(w->pool, " class=\"language-", language, "\"", NULL) : "";
    tmpl_html_format(html, "code", class, NULL);
    tmpl_html_line(html);
    html->over |= html->out.len + w->code.len > html->limit;
    if (!html->over) {
        tmpl_html_escape(&html->out, w->code.at);
    }
    tmpl_html_unformat(html, NULL);
    tmpl_html_close(html, node);
    return 1;
}

void tmpl_view_wide(tmpl_view_t *w, const char *kind, const xmlNode *node)
{
    const char *attributes =
        apr_psprintf(w->pool, "%s role=\"region\" tabindex=\"0\" aria-label=\"%s %u\"",
                     tmpl_view_box, kind, ++w->wide);
    tmpl_html_open(&w->html, TMPL_HTML_FLOW, "div", attributes, node);
}

static int enter_table_element(tmpl_view_t *w, const xmlNode *node)
{
    tmpl_grid_t grid = { .kind = TMPL_GRID_LAYOUT };
    pass_border(w);
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

static int enter_rows(tmpl_view_t *w, const xmlNode *node)
{
    pass_border(w);
    if (w->table == node->parent) {
        tmpl_html_open(&w->html, TMPL_HTML_ROWS, (const char *)node->name, "", node);
    }
    return 0;
}

static int enter_row_element(tmpl_view_t *w, const xmlNode *node)
{
    pass_border(w);
    if (w->table != NULL && (around(w) == TMPL_HTML_TABLE || around(w) == TMPL_HTML_ROWS) &&
        tmpl_html_open(&w->html, TMPL_HTML_CELLS, "tr", "", node)) {
        w->rows += w->cells > 0;
        w->cells = 0;
    }
    return 0;
}

/* The start of a cell's element: a header says for what, and has a text. */
static int enter_cell_element(tmpl_view_t *w, const xmlNode *node)
{
    tmpl_html_writer_t *html = &w->html;
    pass_border(w);
    if (w->table == NULL || around(w) != TMPL_HTML_CELLS) {
        return 0;
    }
    int is_first = w->rows == 0 && w->headed;
    int is_header = is_first || view_tag(w, node) == TMPL_TAG_TH;
    if (is_header) {
        read_summary(&w->summary, w->page, node);
        is_header = w->summary.text.len > 0;
    }
    const char *attributes = !is_header                 ? ""
                             : is_first || w->cells > 0 ? " scope=\"col\""
                                                        : " scope=\"row\"";
    if (tmpl_html_open(html, TMPL_HTML_ITEM, is_header ? "th" : "td", attributes, node)) {
        tmpl_html_block(html);
        w->cells++;
    }
    return 0;
}

static int enter_caption(tmpl_view_t *w, const xmlNode *node)
{
    pass_border(w);
    if (w->table == node->parent && !tmpl_html_top(&w->html)->begun) {
        tmpl_html_open(&w->html, TMPL_HTML_TEXT, "caption", "", node);
    }
    return 0;
}

static int is_http(const char *address)
{
    return apr_cstr_casecmpn(address, "https:", 6) == 0 ||
           apr_cstr_casecmpn(address, "http:", 5) == 0;
}

int tmpl_view_may(const tmpl_view_t *w, const char *href, int is_image)
{
    const tmpl_hrefs_t *hrefs = &w->content->hrefs;
    if (href == NULL || !tmpl_href_is_safe(href)) {
        return 0;
    }
    href += strspn(href, " \t\n\r\f");
    return tmpl_scheme_len(href) > 0 ? !is_image || is_http(href)
                                     : hrefs->url == NULL || is_http(hrefs->base.url);
}

const char *tmpl_view_address(tmpl_view_t *w, const char *href)
{
    tmpl_buf_clear(&w->address);
    tmpl_href_resolve(&w->address, &w->content->hrefs, href);
    return w->address.at;
}

static void add_size(tmpl_view_t *w, const xmlNode *image, const char *name)
{
    const char *value = tmpl_dom_attribute(image, name);
    apr_size_t digits = value != NULL ? strspn(value, "0123456789") : 0;
    if (digits > 0 && digits < 5 && *value != '0' &&
        (value[digits] == '\0' || strcmp(value + digits, "px") == 0)) {
        tmpl_buf_add_text(&w->html.out,
                          apr_psprintf(w->pool, " %s=\"%.*s\"", name, (int)digits, value));
    }
}

/* Begins a line for an image; without: it is no part of the link around, unless that has begun. */
static void begin_image(tmpl_view_t *w, int without)
{
    tmpl_html_writer_t *html = &w->html;
    uint32_t all = html->n_formats, link = 0;
    while (link < all && (w->link == NULL || html->formats[link].node != w->link)) {
        link++;
    }
    if (without && html->formats_written <= link) {
        html->n_formats = link;
    }
    tmpl_html_line(html);
    html->n_formats = all;
}

static const char *unspaced(const xmlNode *text)
{
    return (const char *)text->content + strspn((const char *)text->content, " \t\n\r\f");
}

static int repeats_text(const xmlNode *node, const char *alt)
{
    if (node == NULL || node->type != XML_TEXT_NODE) {
        return 0;
    }
    const char *text = unspaced(node);
    apr_size_t len = strlen(alt);
    return apr_cstr_casecmpn(text, alt, len) == 0 &&
           text[len + strspn(text + len, " \t\n\r\f")] == '\0';
}

/* Whether a text near an image, in front of it or behind it, says what its own text says. */
static int is_said_beside(const tmpl_view_t *w, const xmlNode *image, const char *alt)
{
    enum { NEAR = 4 };
    const xmlNode *behind = image, *before = image->prev;
    int n = 0;
    while (before != NULL && before->type != XML_TEXT_NODE && n++ < NEAR) {
        before = before->prev;
    }
    n = 0;
    do {
        behind = tmpl_dom_next(behind, w->content->body, 0);
    } while (behind != NULL && n++ < NEAR &&
             (behind->type != XML_TEXT_NODE || *unspaced(behind) == '\0'));
    return repeats_text(before, alt) || repeats_text(behind, alt);
}

/* Whether an image is there twice, for two screens; pictures of a gallery may be named alike. */
static int is_image_again(const tmpl_view_t *w, const char *address, const char *alt)
{
    return tmpl_walk_is_twin(&w->walk, address, NULL) && strcmp(alt, w->walk.image.text) == 0;
}

static int enter_image_element(tmpl_view_t *w, const xmlNode *node)
{
    const char *src = tmpl_image_address(node, w->pool);
    const char *alt = tmpl_dom_attribute(node, "alt");
    if (alt != NULL && tmpl_image_is_smiley(node, alt)) {
        tmpl_html_text(&w->html, alt);
        return 1;
    }
    alt = alt != NULL ? alt : "";
    if (!tmpl_view_may(w, src, 1) || (w->table == NULL && is_image_again(w, src, alt))) {
        return 1;
    }
    w->walk.image.address = src;
    w->walk.image.text = alt;
    /* what is said beside it, too, would be read twice */
    if (apr_cstr_casecmp(alt, w->label) == 0 || is_said_beside(w, node, alt)) {
        alt = "";
    }
    begin_image(w, *alt == '\0' || w->card != CARD_NONE);
    tmpl_buf_t *out = &w->html.out;
    w->html.over |= out->len > w->html.limit;
    if (w->html.over) {
        return 1;
    }
    tmpl_buf_add_text(out, "<img src=\"");
    tmpl_html_escape(out, tmpl_view_address(w, src));
    tmpl_buf_add_text(out, "\" alt=\"");
    tmpl_html_escape(out, alt);
    tmpl_buf_add_byte(out, '"');
    add_size(w, node, "width");
    add_size(w, node, "height");
    tmpl_buf_add_text(out, " loading=\"lazy\">");
    return 1;
}

/* Whether a link stands directly behind another one: styles part such links. */
static int is_behind_link(const tmpl_view_t *w, const xmlNode *link)
{
    return link->prev != NULL && view_tag(w, link->prev) == TMPL_TAG_A;
}

/* A link with a text. */
static int enter_link_element(tmpl_view_t *w, const xmlNode *node)
{
    const char *mail = NULL, *href = tmpl_dom_attribute(node, "href");
    const xmlNode *leaf = tmpl_html_top(&w->html)->node;
    w->html.space |= is_behind_link(w, node);
    if (w->link != NULL || href == NULL) {
        return 0;
    }
    href = tmpl_href_mail(&mail, node, href, w->pool);
    if (mail != NULL && tmpl_html_format(&w->html, "a", "", node)) {
        tmpl_html_text(&w->html, mail);
        return 1;
    }
    if (leaf != NULL && tmpl_tag_flags(view_tag(w, leaf)) & TMPL_IS_HEADING) {
        if (tmpl_permalink_is(w->page, leaf, node, href)) {
            return 1;
        }
        if (tmpl_permalink_is_whole(leaf, node, href)) {
            return 0;
        }
    }
    int is_lost =
        *href == '#' && w->content->hrefs.url == NULL && tmpl_targets_of(&w->targets, href) == NULL;
    if (is_lost || !tmpl_view_may(w, href, 0)) {
        return 0;
    }
    read_summary(&w->summary, w->page, node);
    w->card = w->summary.text.len == 0 ? CARD_NONE
              : w->summary.heading     ? CARD_HEADING
              : w->summary.blocks      ? CARD_LINE
                                       : CARD_NONE;
    if ((w->summary.text.len > 0 || w->summary.named) &&
        (w->card == CARD_HEADING || tmpl_html_format(&w->html, "a", "", node))) {
        w->link = node;
        w->label = w->summary.text.len < TMPL_SUMMARY_TEXT
                       ? apr_pstrmemdup(w->pool, w->summary.text.at, w->summary.text.len)
                       : "";
    }
    return 0;
}

/* The formats, and what they are written as. */
static const char *const formats[TMPL_TAG_COUNT] = {
    [TMPL_TAG_ABBR] = "abbr",     [TMPL_TAG_ACRONYM] = "abbr", [TMPL_TAG_B] = "b",
    [TMPL_TAG_BDI] = "bdi",       [TMPL_TAG_BDO] = "bdo",      [TMPL_TAG_CITE] = "cite",
    [TMPL_TAG_CODE] = "code",     [TMPL_TAG_DEL] = "del",      [TMPL_TAG_DFN] = "dfn",
    [TMPL_TAG_EM] = "em",         [TMPL_TAG_I] = "i",          [TMPL_TAG_INS] = "ins",
    [TMPL_TAG_KBD] = "kbd",       [TMPL_TAG_MARK] = "mark",    [TMPL_TAG_Q] = "q",
    [TMPL_TAG_RT] = "rt",         [TMPL_TAG_RUBY] = "ruby",    [TMPL_TAG_S] = "s",
    [TMPL_TAG_SAMP] = "samp",     [TMPL_TAG_SMALL] = "small",  [TMPL_TAG_STRIKE] = "s",
    [TMPL_TAG_STRONG] = "strong", [TMPL_TAG_SUB] = "sub",      [TMPL_TAG_SUP] = "sup",
    [TMPL_TAG_TIME] = "time",     [TMPL_TAG_TT] = "code",      [TMPL_TAG_U] = "u",
    [TMPL_TAG_VAR] = "var",
};

/* A format in the same format is left out. */
static int enter_format_element(tmpl_view_t *w, const xmlNode *node)
{
    const char *name = formats[view_tag(w, node)];
    if (name == NULL) {
        return 0;
    }
    for (uint32_t i = 0; i < w->html.n_formats; i++) {
        if (strcmp(w->html.formats[i].name, name) == 0) {
            return 0;
        }
    }
    tmpl_html_format(&w->html, name, "", node);
    return 0;
}

static int enter_span(tmpl_view_t *w, const xmlNode *node)
{
    if (w->languages &&
        (tmpl_dom_attribute(node, "lang") != NULL || tmpl_dom_attribute(node, "dir") != NULL)) {
        tmpl_html_format(&w->html, "span", "", node);
    }
    return 0;
}

static int enter_word_break(tmpl_view_t *w, const xmlNode *node)
{
    (void)node;
    if (w->html.in_text && !w->html.over) {
        tmpl_html_line(&w->html);
        tmpl_buf_add_text(&w->html.out, "<wbr>");
    }
    return 1;
}

/* A film or a sound: a link to it. */
static int enter_media(tmpl_view_t *w, const xmlNode *node)
{
    const char *title;
    const char *src = tmpl_player_address(&title, node);
    pass_border(w);
    if (src == NULL || !tmpl_view_may(w, src, 1) || w->link != NULL) {
        return 1;
    }
    tmpl_buf_t link;
    tmpl_buf_init(&link, w->pool);
    tmpl_buf_add_text(&link, " href=\"");
    tmpl_html_escape(&link, tmpl_view_address(w, src));
    tmpl_buf_add_byte(&link, '"');
    if (tmpl_html_format(&w->html, "a", link.at, NULL)) {
        tmpl_html_text(&w->html, title);
        tmpl_html_unformat(&w->html, NULL);
    }
    pass_border(w);
    return 1;
}

static int enter_left_out_element(tmpl_view_t *w, const xmlNode *node)
{
    (void)w;
    (void)node;
    return 1;
}

static int enter_button(tmpl_view_t *w, const xmlNode *node)
{
    (void)node;
    w->html.space = 1;
    return 0;
}

static int enter_formula_element(tmpl_view_t *w, const xmlNode *node)
{
    const xmlNode *math = node;
    while (math != NULL && view_tag(w, math) != TMPL_TAG_MATH) {
        math = tmpl_dom_next(math, node, 0);
    }
    const xmlNode *content = math != NULL ? tmpl_dom_math(math, w->walk.formulas.pool) : NULL;
    if (content != NULL) {
        int in_text = tmpl_html_top(&w->html)->holds == TMPL_HTML_TEXT || w->link != NULL;
        tmpl_view_math(w, content, w->walk.formula.display && !in_text);
    }
    else if (w->walk.formula.tex != NULL && tmpl_html_format(&w->html, "code", "", NULL)) {
        tmpl_html_text(&w->html, w->walk.formula.tex);
        tmpl_html_unformat(&w->html, NULL);
    }
    return 1;
}

/* What is done at the begin of each kind of element. */
static tmpl_enter_view_t *const entries[TMPL_ELEMENT_COUNT] = {
    [TMPL_ELEMENT_BLOCK] = enter_border,
    [TMPL_ELEMENT_HEADING] = enter_heading_element,
    [TMPL_ELEMENT_QUOTE] = enter_flow,
    [TMPL_ELEMENT_CALLOUT] = enter_callout,
    [TMPL_ELEMENT_DETAILS] = enter_flow,
    [TMPL_ELEMENT_SUMMARY] = enter_summary,
    [TMPL_ELEMENT_FIGURE] = enter_flow,
    [TMPL_ELEMENT_FIGCAPTION] = enter_figcaption,
    [TMPL_ELEMENT_LIST] = enter_list_element,
    [TMPL_ELEMENT_ITEM] = enter_item_element,
    [TMPL_ELEMENT_TERMS] = enter_term_list,
    [TMPL_ELEMENT_TERM] = enter_term_element,
    [TMPL_ELEMENT_DESCRIPTION] = enter_description,
    [TMPL_ELEMENT_CODE] = enter_listing,
    [TMPL_ELEMENT_RULE] = enter_rule_element,
    [TMPL_ELEMENT_TABLE] = enter_table_element,
    [TMPL_ELEMENT_CAPTION] = enter_caption,
    [TMPL_ELEMENT_ROWS] = enter_rows,
    [TMPL_ELEMENT_ROW] = enter_row_element,
    [TMPL_ELEMENT_CELL] = enter_cell_element,
    [TMPL_ELEMENT_LINK] = enter_link_element,
    [TMPL_ELEMENT_IMAGE] = enter_image_element,
    [TMPL_ELEMENT_MEDIA] = enter_media,
    [TMPL_ELEMENT_FORMAT] = enter_format_element,
    [TMPL_ELEMENT_SPAN] = enter_span,
    [TMPL_ELEMENT_BREAK] = enter_break_element,
    [TMPL_ELEMENT_WORD_BREAK] = enter_word_break,
    [TMPL_ELEMENT_BUTTON] = enter_button,
    [TMPL_ELEMENT_RUBY_SIGN] = enter_left_out_element,
    [TMPL_ELEMENT_LEFT_OUT] = enter_left_out_element,
};

static int enter_in_view(void *view, const xmlNode *node, tmpl_element_e kind)
{
    tmpl_view_t *w = view;
    const char *id = tmpl_targets_id(&w->targets, node);
    if (id != NULL) {
        tmpl_buf_add_text(&w->html.anchors, "<span id=\"");
        tmpl_html_escape(&w->html.anchors, id);
        tmpl_buf_add_text(&w->html.anchors, "\"></span>");
    }
    if (kind == TMPL_ELEMENT_FORMULA) {
        return enter_formula_element(w, node);
    }
    if (is_reader_byline(w, node)) {
        pass_border(w);
        return 1;
    }
    tmpl_posts_begin(w, node);
    int skips = entries[kind] != NULL && entries[kind](w, node);
    tmpl_posts_head(w, node);
    return skips;
}

static void leave_in_view(void *view, const xmlNode *node, tmpl_element_e kind)
{
    tmpl_view_t *w = view;
    unsigned flags = tmpl_tag_flags(view_tag(w, node));
    tmpl_html_unformat(&w->html, node);
    if (w->link == node) {
        w->link = NULL;
        w->label = "";
        w->card = CARD_NONE;
    }
    if (kind == TMPL_ELEMENT_HEADING && w->card == CARD_LINE) {
        tmpl_html_unformat(&w->html, w->link);
        w->card = CARD_WRITTEN;
    }
    if ((flags & (TMPL_IS_CLOSES_P | TMPL_IS_PART)) || kind == TMPL_ELEMENT_HEADING ||
        kind == TMPL_ELEMENT_BLOCK) {
        pass_border(w);
        tmpl_html_close(&w->html, node);
    }
    else if (kind == TMPL_ELEMENT_BUTTON) {
        w->html.space = 1;
    }
    else if (w->marks != NULL) {
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
    pass_border(w);
    tmpl_html_close(&w->html, top);
}

void tmpl_view_init(tmpl_view_t *w, const tmpl_content_t *content, apr_size_t limit,
                    apr_pool_t *pool, apr_pool_t *scratch)
{
    *w = (tmpl_view_t){ .content = content, .page = content->page, .label = "", .pool = scratch };
    static const tmpl_walker_t walker = { enter_in_view, leave_in_view, write_text_node, 0, 0 };
    tmpl_walk_init(&w->walk, &walker, w, &w->html.over, content, scratch);
    tmpl_html_init(&w->html, limit, pool);
    w->html.attributes = tmpl_view_attributes;
    w->html.baton = w;
    tmpl_targets_find(&w->targets, content, scratch);
    tmpl_buf_init(&w->summary.text, scratch);
    tmpl_buf_init(&w->address, scratch);
    tmpl_buf_init(&w->code, scratch);
    w->languages = content->languages;
    tmpl_posts_find(w);
}
