/* SPDX-License-Identifier: Apache-2.0 */
#include "reader/nest.h"

#include "base/ascii.h"

void tmpl_nest_escape(tmpl_buf_t *out, const char *text)
{
    static const char *const references[256] = {
        ['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", [0xC2] = "\xC2"
    };
    for (;;) {
        apr_size_t plain = strcspn(text, "&<>\"\xC2");
        tmpl_buf_add(out, text, plain);
        text += plain;
        if (*text == '\0') {
            return;
        }
        /* U+0080 to U+009F are no characters of HTML */
        int is_control = (unsigned char)text[0] == 0xC2 && (unsigned char)text[1] < 0xA0;
        tmpl_buf_add_text(out, is_control ? "" : references[(unsigned char)*text]);
        text += 1 + is_control;
    }
}

void tmpl_nest_init(tmpl_nest_t *nest, apr_size_t limit, apr_pool_t *pool)
{
    *nest = (tmpl_nest_t){ .limit = limit };
    tmpl_buf_init(&nest->out, pool);
    tmpl_buf_init(&nest->anchors, pool);
    nest->open[nest->n++] = (tmpl_nested_t){ .name = "body", .holds = TMPL_NEST_FLOW };
    nest->written = 1;
}

/* Adds bytes unless the page is over its limit. */
static void write_html(tmpl_nest_t *nest, const char *text)
{
    nest->over |= nest->out.len > nest->limit;
    if (!nest->over) {
        tmpl_buf_add_text(&nest->out, text);
    }
}

static void write_start(tmpl_nest_t *nest, const tmpl_nested_t *element)
{
    write_html(nest, "<");
    write_html(nest, element->name);
    write_html(nest, element->attributes);
    if (element->node != NULL && !nest->over) {
        nest->attributes(nest->baton, &nest->out, element);
    }
    write_html(nest, ">");
}

static void write_end(tmpl_nest_t *nest, const tmpl_nested_t *element)
{
    write_html(nest, "</");
    write_html(nest, element->name);
    write_html(nest, ">");
}

/* Ends the line of text. Its formats stay open for the next one. */
static void end_html_line(tmpl_nest_t *nest)
{
    while (nest->formats_written > 0) {
        write_end(nest, &nest->formats[--nest->formats_written]);
    }
    if (nest->in_p) {
        write_html(nest, "</p>\n");
    }
    nest->in_text = nest->in_p = nest->space = nest->breaks = 0;
}

void tmpl_nest_part(tmpl_nest_t *nest)
{
    if (tmpl_nest_top(nest)->holds == TMPL_NEST_TEXT) {
        nest->space = 1;
    }
    else {
        end_html_line(nest);
    }
}

static void close_last(tmpl_nest_t *nest)
{
    end_html_line(nest);
    if (nest->written == nest->n) {
        write_end(nest, tmpl_nest_top(nest));
        write_html(nest, "\n");
        nest->written--;
    }
    nest->n--;
}

static void push_element(tmpl_nest_t *nest, tmpl_nest_e holds, const char *name,
                         const char *attributes, const xmlNode *node)
{
    nest->open[nest->n++] = (tmpl_nested_t){ name, attributes, node, holds, 0 };
}

/* Whether an element that was added has to end in front of an element of that name. */
static int ends_at(const tmpl_nested_t *added, const char *name)
{
    return added->node == NULL &&
           (strcmp(name, "li") == 0 || strcmp(name, "dt") == 0 || strcmp(name, "dd") == 0 ||
            (added->holds == TMPL_NEST_ROWS && strcmp(name, "tr") != 0));
}

/* Adds the element that HTML wants between the innermost one and an element of that name. */
static void add_between(tmpl_nest_t *nest, const char *name)
{
    tmpl_nest_e holds = tmpl_nest_top(nest)->holds;
    if (holds == TMPL_NEST_LIST && strcmp(name, "li") != 0) {
        push_element(nest, TMPL_NEST_ITEM, "li", "", NULL);
    }
    else if (holds == TMPL_NEST_TERMS && strcmp(name, "dt") != 0 && strcmp(name, "dd") != 0) {
        push_element(nest, TMPL_NEST_ITEM, "dd", "", NULL);
    }
    else if (holds == TMPL_NEST_TABLE && strcmp(name, "tr") == 0) {
        push_element(nest, TMPL_NEST_ROWS, "tbody", "", NULL);
    }
}

int tmpl_nest_open(tmpl_nest_t *nest, tmpl_nest_e holds, const char *name, const char *attributes,
                   const xmlNode *node)
{
    enum { ADDED = 2 }; /* elements that may be added */
    tmpl_nest_part(nest);
    if (tmpl_nest_top(nest)->holds == TMPL_NEST_TEXT || nest->n + ADDED >= TMPL_NEST_DEPTH) {
        return 0;
    }
    while (nest->n > 1 && ends_at(tmpl_nest_top(nest), name)) {
        close_last(nest);
    }
    add_between(nest, name);
    push_element(nest, holds, name, attributes, node);
    return 1;
}

void tmpl_nest_close(tmpl_nest_t *nest, const xmlNode *node)
{
    uint32_t at = nest->n - 1;
    while (at > 0 && nest->open[at].node == NULL) {
        at--;
    }
    if (at == 0 || nest->open[at].node != node) {
        return;
    }
    while (at > 1 && nest->open[at - 1].node == node) {
        at--;
    }
    while (nest->n > at) {
        close_last(nest);
    }
}

void tmpl_nest_close_added(tmpl_nest_t *nest)
{
    close_last(nest);
}

int tmpl_nest_format(tmpl_nest_t *nest, const char *name, const char *attributes,
                     const xmlNode *node)
{
    if (nest->n_formats == TMPL_NEST_FORMATS) {
        return 0;
    }
    nest->formats[nest->n_formats++] = (tmpl_nested_t){ name, attributes, node, TMPL_NEST_TEXT, 0 };
    return 1;
}

void tmpl_nest_unformat(tmpl_nest_t *nest, const xmlNode *node)
{
    if (nest->n_formats > 0 && nest->formats[nest->n_formats - 1].node == node) {
        nest->n_formats--;
        if (nest->formats_written > nest->n_formats) {
            write_end(nest, &nest->formats[--nest->formats_written]);
        }
    }
}

void tmpl_nest_block(tmpl_nest_t *nest)
{
    add_between(nest, "");
    const tmpl_nested_t *last = &nest->open[nest->written - 1];
    if (nest->rule && last->begun &&
        (last->holds == TMPL_NEST_FLOW || last->holds == TMPL_NEST_ITEM)) {
        write_html(nest, "<hr>\n");
    }
    nest->rule = 0;
    while (nest->written < nest->n) {
        nest->open[nest->written - 1].begun = 1;
        write_start(nest, &nest->open[nest->written++]);
    }
}

void tmpl_nest_line(tmpl_nest_t *nest)
{
    if (nest->in_text && nest->breaks > 1 && tmpl_nest_top(nest)->holds != TMPL_NEST_TEXT) {
        end_html_line(nest);
    }
    int is_first = !nest->in_text;
    if (is_first) {
        tmpl_nest_block(nest);
        tmpl_nested_t *top = tmpl_nest_top(nest);
        nest->in_p = top->holds == TMPL_NEST_FLOW || (top->holds == TMPL_NEST_ITEM && top->begun);
        top->begun = 1;
        write_html(nest, nest->in_p ? "<p>" : "");
        nest->in_text = 1;
    }
    else if (nest->breaks > 0) {
        write_html(nest, "<br>");
    }
    else if (nest->space) {
        write_html(nest, " ");
    }
    nest->space = nest->breaks = 0;
    while (nest->formats_written < nest->n_formats) {
        write_start(nest, &nest->formats[nest->formats_written++]);
    }
    if (nest->anchors.len > 0) {
        write_html(nest, nest->anchors.at);
        tmpl_buf_clear(&nest->anchors);
    }
}

void tmpl_nest_text(tmpl_nest_t *nest, const char *text)
{
    while (tmpl_is_space(*text)) {
        nest->space = 1;
        text++;
    }
    if (*text == '\0') {
        return;
    }
    tmpl_nest_line(nest);
    nest->over |= nest->out.len > nest->limit;
    if (!nest->over) {
        tmpl_nest_escape(&nest->out, text);
    }
}

void tmpl_nest_break(tmpl_nest_t *nest)
{
    nest->breaks += nest->in_text;
}
