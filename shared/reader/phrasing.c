/* SPDX-License-Identifier: Apache-2.0 */
/* What stands in lines of text: links, images, formats, films, formulas. */
#include "reader/view.h"

#include <apr_strings.h>

/* --- Addresses --- */

static int is_http(const char *address)
{
    return apr_cstr_casecmpn(address, "https:", 6) == 0 ||
           apr_cstr_casecmpn(address, "http:", 5) == 0;
}

int tmpl_view_may(const tmpl_view_t *w, const char *href, int is_image)
{
    const tmpl_hrefs_t *hrefs = &w->content->hrefs;
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

/* --- Images --- */

static void add_size(tmpl_view_t *w, const xmlNode *image, const char *name)
{
    const char *value = tmpl_dom_attribute(image, name);
    apr_size_t digits = value != NULL ? strspn(value, "0123456789") : 0;
    if (digits > 0 && digits < 5 && *value != '0' &&
        (value[digits] == '\0' || strcmp(value + digits, "px") == 0)) {
        tmpl_html_markup(&w->html, apr_psprintf(w->pool, " %s=\"%.*s\"", name, (int)digits, value));
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
static int is_said_near(const tmpl_view_t *w, const xmlNode *image, const char *alt)
{
    enum { NEAR = 4 };
    const xmlNode *behind = image, *before = image->prev;
    for (int n = 0; before != NULL && before->type != XML_TEXT_NODE && n < NEAR; n++) {
        before = before->prev;
    }
    int n = 0;
    do {
        behind = tmpl_dom_next(behind, w->content->body, 0);
    } while (behind != NULL && n++ < NEAR &&
             (behind->type != XML_TEXT_NODE || *unspaced(behind) == '\0'));
    return repeats_text(before, alt) || repeats_text(behind, alt);
}

/* Whether an image is there twice, for two screens; pictures of a gallery may be named alike. */
static int is_image_again(const tmpl_view_t *w, const xmlNode *image, const char *address,
                          const char *alt)
{
    return tmpl_walk_is_repeated(&w->walk, image, address, NULL) &&
           strcmp(alt, w->walk.image.text) == 0;
}

static int enter_view_image(tmpl_view_t *w, const xmlNode *node)
{
    tmpl_html_writer_t *html = &w->html;
    const char *src = tmpl_image_address(node, w->pool);
    const char *alt = tmpl_image_text(node);
    if (alt != NULL && tmpl_image_is_smiley(node, alt)) {
        tmpl_html_text(html, alt);
        return 1;
    }
    int is_icon =
        alt != NULL && *alt == '\0' && (unsigned char)*tmpl_dom_attribute(node, "alt") > ' ';
    alt = alt != NULL ? alt : "";
    if (src == NULL || !tmpl_view_may(w, src, 1) ||
        (w->table == NULL && (is_icon || is_image_again(w, node, src, alt)))) {
        return 1;
    }
    w->walk.image.address = src;
    w->walk.image.text = alt;
    /* what is said near it, too, would be read twice */
    if (is_said_near(w, node, alt)) {
        alt = "";
    }
    begin_image(w, *alt == '\0' || w->card != TMPL_CARD_NONE);
    tmpl_html_markup(html, "<img src=\"");
    tmpl_html_escaped(html, tmpl_view_address(w, src));
    tmpl_html_markup(html, "\" alt=\"");
    tmpl_html_escaped(html, alt);
    tmpl_html_markup(html, "\"");
    add_size(w, node, "width");
    add_size(w, node, "height");
    tmpl_html_markup(html, " loading=\"lazy\">");
    return 1;
}

/* --- Links --- */

/* Writes a text as a format with attributes. */
static void write_format(tmpl_view_t *w, const char *name, const char *attributes,
                         const xmlNode *node, const char *text)
{
    if (tmpl_html_format(&w->html, name, attributes, node)) {
        tmpl_html_text(&w->html, text);
        tmpl_html_unformat(&w->html, node);
    }
}

/* The attributes of a link. */
static const char *link_attributes(tmpl_view_t *w, const char *href)
{
    tmpl_buf_t attributes;
    const char *address = tmpl_view_address(w, href);
    const char *fragment = tmpl_view_fragment(w, href, address);
    tmpl_buf_init(&attributes, w->pool);
    tmpl_buf_add_text(&attributes, fragment != NULL ? " href=\"#" : " href=\"");
    tmpl_html_escape(&attributes, fragment != NULL ? fragment : address);
    tmpl_buf_add_byte(&attributes, '"');
    return attributes.at;
}

/* A link with a text, or with an image that has one. */
static int enter_view_link(tmpl_view_t *w, const xmlNode *node)
{
    const char *mail, *href;
    const xmlNode *top = tmpl_html_top(&w->html)->node;
    int in_heading = top != NULL && tmpl_tag_flags(tmpl_dom_tag(w->page, top)) & TMPL_IS_HEADING;
    w->html.space |= tmpl_walk_is_parted(&w->walk, node);
    if (w->link != NULL) {
        return 0;
    }
    tmpl_link_e link =
        tmpl_walk_link(&href, &mail, &w->walk, node, in_heading ? top : NULL, w->pool);
    if (link == TMPL_LINK_MAIL) {
        write_format(w, "a", link_attributes(w, href), node, mail);
    }
    if (link != TMPL_LINK_WHOLE) {
        return link != TMPL_LINK_TEXT;
    }
    int is_lost =
        *href == '#' && w->content->hrefs.url == NULL && tmpl_view_fragment(w, href, href) == NULL;
    if (is_lost || !tmpl_view_may(w, href, 0)) {
        return 0;
    }
    tmpl_view_read(w, node);
    w->card = w->summary.text.len == 0 ? TMPL_CARD_NONE
              : w->summary.heading     ? TMPL_CARD_HEADING
              : w->summary.blocks      ? TMPL_CARD_LINE
                                       : TMPL_CARD_NONE;
    if (w->summary.text.len == 0 && !w->summary.named) {
        return 0;
    }
    w->href = link_attributes(w, href);
    if (w->card == TMPL_CARD_HEADING || tmpl_html_format(&w->html, "a", w->href, node)) {
        w->link = node;
    }
    return 0;
}

/* A film or a sound: a link to it. */
static int enter_view_media(tmpl_view_t *w, const xmlNode *node)
{
    const char *title;
    const char *src = tmpl_player_address(&title, node);
    tmpl_view_border(w);
    if (src == NULL || !tmpl_view_may(w, src, 1) || w->link != NULL) {
        return 1;
    }
    write_format(w, "a", link_attributes(w, src), NULL, title);
    tmpl_view_border(w);
    return 1;
}

/* --- Formats --- */

/* A format in the same format is left out. */
static int enter_view_format(tmpl_view_t *w, const xmlNode *node)
{
    tmpl_tag_e tag = tmpl_dom_tag(w->page, node);
    const char *name = tag == TMPL_TAG_ACRONYM  ? "abbr"
                       : tag == TMPL_TAG_STRIKE ? "s"
                       : tag == TMPL_TAG_TT     ? "code"
                                                : (const char *)node->name;
    for (uint32_t i = 0; i < w->html.n_formats; i++) {
        if (strcmp(w->html.formats[i].name, name) == 0) {
            return 0;
        }
    }
    tmpl_html_format(&w->html, name, "", node);
    return 0;
}

/* --- Formulas: MathML as browsers display it (MathML Core); elements of other names leave their
 * content --- */

enum { DEEPEST = 60 /* elements in one another; deeper ones leave their content */ };

static const char math_elements[] =
    "mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt "
    "mstyle msub msubsup msup mtable mtd mtext mtr munder munderover";

/* In these a parser reads elements as HTML: only text is written there. */
static const char tokens[] = "mi mn mo ms mtext";

static const char *const math_attributes[] = {
    "accent",      "accentunder", "columnalign", "columnspan",    "depth",         "displaystyle",
    "fence",       "form",        "height",      "largeop",       "linethickness", "lspace",
    "mathvariant", "maxsize",     "minsize",     "movablelimits", "rowspan",       "rspace",
    "scriptlevel", "separator",   "stretchy",    "symmetric",     "voffset",       "width",
};

static int is_math_left_out(const xmlNode *node)
{
    /* the first child of semantics is the formula, others say it again */
    return strncmp((const char *)node->name, "annotation", 10) == 0 ||
           (node->prev != NULL && node->parent != NULL &&
            strcmp((const char *)node->parent->name, "semantics") == 0);
}

/* A value of words, numbers and lengths. */
static int is_plain_value(const char *value)
{
    while (tmpl_is_alnum(*value) || (*value != '\0' && strchr(".%-+ ", *value) != NULL)) {
        value++;
    }
    return *value == '\0';
}

static void write_math_start(tmpl_buf_t *out, const xmlNode *node)
{
    tmpl_buf_add_byte(out, '<');
    tmpl_buf_add_text(out, (const char *)node->name);
    for (apr_size_t i = 0; i < sizeof(math_attributes) / sizeof(math_attributes[0]); i++) {
        const char *value = tmpl_dom_attribute(node, math_attributes[i]);
        if (value != NULL && is_plain_value(value)) {
            tmpl_buf_add_byte(out, ' ');
            tmpl_buf_add_text(out, math_attributes[i]);
            tmpl_buf_add(out, "=\"", 2);
            tmpl_buf_add_text(out, value);
            tmpl_buf_add_byte(out, '"');
        }
    }
}

static void write_math_end(tmpl_buf_t *out, const xmlNode *node)
{
    tmpl_buf_add_text(out, "</");
    tmpl_buf_add_text(out, (const char *)node->name);
    tmpl_buf_add_byte(out, '>');
}

/* Writes the texts of an element without its elements. */
static void write_math_text(tmpl_html_writer_t *html, const xmlNode *element)
{
    const xmlNode *node = element;
    while ((node = tmpl_dom_next(node, element, node != element && is_math_left_out(node))) !=
           NULL) {
        if (node->type == XML_TEXT_NODE) {
            tmpl_html_escaped(html, (const char *)node->content);
        }
    }
}

static void write_in_math(tmpl_html_writer_t *html, const xmlNode *around, unsigned depth)
{
    for (const xmlNode *node = around->children; node != NULL && !html->over; node = node->next) {
        if (node->type == XML_TEXT_NODE) {
            tmpl_html_escaped(html, (const char *)node->content);
            continue;
        }
        int is = tmpl_html_is_any((const char *)node->name, math_elements);
        if (is_math_left_out(node)) {
            continue;
        }
        if (depth == DEEPEST || tmpl_html_is_any((const char *)around->name, tokens)) {
            write_math_text(html, node);
            continue;
        }
        if (is) {
            write_math_start(&html->out, node);
            tmpl_buf_add_byte(&html->out, '>');
        }
        write_in_math(html, node, depth + 1);
        if (is) {
            write_math_end(&html->out, node);
        }
    }
}

/* Writes a formula as MathML; math is as tmpl_dom_math() returns it. */
static void write_math(tmpl_view_t *w, const xmlNode *math, int display)
{
    tmpl_html_writer_t *html = &w->html;
    static const xmlNode box;
    if (display) {
        tmpl_view_wide(w, "Formula", &box);
    }
    tmpl_html_line(html);
    if (!html->over) {
        write_math_start(&html->out, math);
        tmpl_buf_add_text(&html->out, display ? " display=\"block\">" : ">");
        write_in_math(html, math, 0);
        write_math_end(&html->out, math);
    }
    if (display) {
        tmpl_html_close(html, &box);
    }
}

static int enter_view_formula(tmpl_view_t *w, const xmlNode *node)
{
    const tmpl_formula_t *formula = &w->walk.formula;
    const xmlNode *math = node;
    while (math != NULL && tmpl_dom_tag(w->page, math) != TMPL_TAG_MATH) {
        math = tmpl_dom_next(math, node, 0);
    }
    const xmlNode *content = math != NULL ? tmpl_dom_math(math, w->walk.formula.pool) : NULL;
    if (content != NULL) {
        int in_text = tmpl_html_top(&w->html)->holds == TMPL_HTML_TEXT || w->link != NULL;
        write_math(w, content, formula->display && !in_text);
    }
    else if (formula->tex != NULL) {
        write_format(w, "code", "", NULL, formula->tex);
    }
    return 1;
}

int tmpl_view_phrase(tmpl_view_t *w, const xmlNode *node, tmpl_element_e kind)
{
    tmpl_html_writer_t *html = &w->html;
    switch (kind) {
    case TMPL_ELEMENT_LINK:
        return enter_view_link(w, node);
    case TMPL_ELEMENT_IMAGE:
        return enter_view_image(w, node);
    case TMPL_ELEMENT_MEDIA:
        return enter_view_media(w, node);
    case TMPL_ELEMENT_FORMULA:
        return enter_view_formula(w, node);
    case TMPL_ELEMENT_FORMAT:
        return enter_view_format(w, node);
    case TMPL_ELEMENT_SPAN:
        if (tmpl_view_has_language(w, node)) {
            tmpl_html_format(html, "span", "", node);
        }
        return 0;
    case TMPL_ELEMENT_BREAK:
        tmpl_html_break(html);
        return 1;
    case TMPL_ELEMENT_WORD_BREAK:
        if (html->in_text && !html->over) {
            tmpl_html_line(html);
            tmpl_html_markup(html, "<wbr>");
        }
        return 1;
    case TMPL_ELEMENT_BUTTON:
        html->space = 1;
        return 0;
    default:
        return kind == TMPL_ELEMENT_RUBY_SIGN || kind == TMPL_ELEMENT_LEFT_OUT;
    }
}
