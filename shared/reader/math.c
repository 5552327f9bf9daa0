/* SPDX-License-Identifier: Apache-2.0 */
/* MathML as browsers display it (MathML Core); elements of other names leave their content. */
#include "base/ascii.h"
#include "reader/view.h"

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

void tmpl_view_math(tmpl_view_t *w, const xmlNode *math, int display)
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
