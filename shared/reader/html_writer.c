/* SPDX-License-Identifier: Apache-2.0 */
#include "reader/view.h"

#include "base/ascii.h"

void tmpl_html_init(tmpl_html_writer_t *html, apr_size_t limit, apr_pool_t *pool)
{
    *html = (tmpl_html_writer_t){ .limit = limit };
    tmpl_buf_init(&html->out, pool);
    tmpl_buf_init(&html->anchors, pool);
    html->open[html->n++] = (tmpl_html_element_t){ .name = "body", .holds = TMPL_HTML_FLOW };
    html->written = 1;
}

void tmpl_html_markup(tmpl_html_writer_t *html, const char *markup)
{
    html->over |= html->out.len > html->limit;
    if (!html->over) {
        tmpl_buf_add_text(&html->out, markup);
    }
}

void tmpl_html_escaped(tmpl_html_writer_t *html, const char *text)
{
    html->over |= html->out.len > html->limit;
    if (!html->over) {
        tmpl_buf_add_html(&html->out, text, strlen(text));
    }
}

static void write_start(tmpl_html_writer_t *html, const tmpl_html_element_t *element)
{
    tmpl_html_markup(html, "<");
    tmpl_html_markup(html, element->name);
    tmpl_html_markup(html, element->attributes);
    if (element->node != NULL && !html->over) {
        html->attributes(html->baton, &html->out, element);
    }
    tmpl_html_markup(html, ">");
}

static void write_end(tmpl_html_writer_t *html, const tmpl_html_element_t *element)
{
    tmpl_html_markup(html, "</");
    tmpl_html_markup(html, element->name);
    tmpl_html_markup(html, ">");
}

/* Ends the line of text. Its formats stay open for the next one. */
static void end_html_line(tmpl_html_writer_t *html)
{
    while (html->formats_written > 0) {
        write_end(html, &html->formats[--html->formats_written]);
    }
    if (html->in_p) {
        tmpl_html_markup(html, "</p>\n");
    }
    html->in_text = html->in_p = html->space = html->breaks = 0;
}

void tmpl_html_part(tmpl_html_writer_t *html)
{
    if (tmpl_html_top(html)->holds == TMPL_HTML_TEXT) {
        html->space = 1;
    }
    else {
        end_html_line(html);
    }
}

void tmpl_html_close_last(tmpl_html_writer_t *html)
{
    end_html_line(html);
    if (html->written == html->n) {
        write_end(html, tmpl_html_top(html));
        tmpl_html_markup(html, "\n");
        html->written--;
    }
    html->n--;
}

static void push_element(tmpl_html_writer_t *html, tmpl_html_holds_e holds, const char *name,
                         const char *attributes, const xmlNode *node)
{
    html->open[html->n++] = (tmpl_html_element_t){ name, attributes, node, holds, 0 };
}

/* Whether an element that was added has to end in front of an element of that name. */
static int ends_at(const tmpl_html_element_t *added, const char *name)
{
    return added->node == NULL &&
           (strcmp(name, "li") == 0 || strcmp(name, "dt") == 0 || strcmp(name, "dd") == 0 ||
            (added->holds == TMPL_HTML_ROWS && strcmp(name, "tr") != 0));
}

/* Adds the element that HTML wants between the innermost one and an element of that name. */
static void add_between(tmpl_html_writer_t *html, const char *name)
{
    tmpl_html_holds_e holds = tmpl_html_top(html)->holds;
    if (holds == TMPL_HTML_LIST && strcmp(name, "li") != 0) {
        push_element(html, TMPL_HTML_ITEM, "li", "", NULL);
    }
    else if (holds == TMPL_HTML_TERMS && strcmp(name, "dt") != 0 && strcmp(name, "dd") != 0) {
        push_element(html, TMPL_HTML_ITEM, "dd", "", NULL);
    }
    else if (holds == TMPL_HTML_TABLE && strcmp(name, "tr") == 0) {
        push_element(html, TMPL_HTML_ROWS, "tbody", "", NULL);
    }
}

int tmpl_html_open(tmpl_html_writer_t *html, tmpl_html_holds_e holds, const char *name,
                   const char *attributes, const xmlNode *node)
{
    enum { ADDED = 2 }; /* elements that may be added */
    tmpl_html_part(html);
    if (tmpl_html_top(html)->holds == TMPL_HTML_TEXT || html->n + ADDED >= TMPL_HTML_DEPTH) {
        return 0;
    }
    while (html->n > 1 && ends_at(tmpl_html_top(html), name)) {
        tmpl_html_close_last(html);
    }
    add_between(html, name);
    push_element(html, holds, name, attributes, node);
    return 1;
}

void tmpl_html_close(tmpl_html_writer_t *html, const xmlNode *node)
{
    uint32_t at = html->n - 1;
    while (at > 0 && html->open[at].node == NULL) {
        at--;
    }
    if (at == 0 || html->open[at].node != node) {
        return;
    }
    while (at > 1 && html->open[at - 1].node == node) {
        at--;
    }
    while (html->n > at) {
        tmpl_html_close_last(html);
    }
}

int tmpl_html_format(tmpl_html_writer_t *html, const char *name, const char *attributes,
                     const xmlNode *node)
{
    if (html->n_formats == TMPL_HTML_FORMATS) {
        return 0;
    }
    html->formats[html->n_formats++] =
        (tmpl_html_element_t){ name, attributes, node, TMPL_HTML_TEXT, 0 };
    return 1;
}

void tmpl_html_unformat(tmpl_html_writer_t *html, const xmlNode *node)
{
    if (html->n_formats > 0 && html->formats[html->n_formats - 1].node == node) {
        html->n_formats--;
        if (html->formats_written > html->n_formats) {
            write_end(html, &html->formats[--html->formats_written]);
        }
    }
}

void tmpl_html_block(tmpl_html_writer_t *html)
{
    add_between(html, "");
    const tmpl_html_element_t *last = &html->open[html->written - 1];
    if (html->rule && last->begun &&
        (last->holds == TMPL_HTML_FLOW || last->holds == TMPL_HTML_ITEM)) {
        tmpl_html_markup(html, "<hr>\n");
    }
    html->rule = 0;
    while (html->written < html->n) {
        html->open[html->written - 1].begun = 1;
        write_start(html, &html->open[html->written++]);
    }
}

void tmpl_html_line(tmpl_html_writer_t *html)
{
    if (html->in_text && html->breaks > 1 && tmpl_html_top(html)->holds != TMPL_HTML_TEXT) {
        end_html_line(html);
    }
    int is_first = !html->in_text;
    if (is_first) {
        tmpl_html_block(html);
        tmpl_html_element_t *top = tmpl_html_top(html);
        html->in_p = top->holds == TMPL_HTML_FLOW || (top->holds == TMPL_HTML_ITEM && top->begun);
        top->begun = 1;
        tmpl_html_markup(html, html->in_p ? "<p>" : "");
        html->in_text = 1;
    }
    else if (html->breaks > 0) {
        tmpl_html_markup(html, "<br>");
    }
    else if (html->space) {
        tmpl_html_markup(html, " ");
    }
    html->space = html->breaks = 0;
    while (html->formats_written < html->n_formats) {
        write_start(html, &html->formats[html->formats_written++]);
    }
    if (html->anchors.len > 0) {
        tmpl_html_markup(html, html->anchors.at);
        tmpl_buf_clear(&html->anchors);
    }
}

void tmpl_html_text(tmpl_html_writer_t *html, const char *text)
{
    while (tmpl_is_space(*text)) {
        html->space = 1;
        text++;
    }
    if (*text == '\0') {
        return;
    }
    tmpl_html_line(html);
    tmpl_html_escaped(html, text);
}

void tmpl_html_break(tmpl_html_writer_t *html)
{
    html->breaks += html->in_text;
}
