/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include <apr_strings.h>

#include "base/ascii.h"
#include "reader/view.h"

static void add_attribute_text(tmpl_buf_t *out, const char *name, const char *value)
{
    tmpl_buf_add_byte(out, ' ');
    tmpl_buf_add_text(out, name);
    tmpl_buf_add(out, "=\"", 2);
    tmpl_html_escape(out, value);
    tmpl_buf_add_byte(out, '"');
}

static int is_any_value(const char *value)
{
    return *value != '\0';
}

static int is_count(const char *value)
{
    apr_size_t n = strspn(value, "0123456789");
    return n > 0 && n < 5 && value[n] == '\0';
}

/* A number of cells, 2 to 1000. */
static int is_cells(const char *value)
{
    return is_count(value) && strtol(value, NULL, 10) > 1 && strtol(value, NULL, 10) <= 1000;
}

static int is_integer(const char *value)
{
    return is_count(value + (*value == '-'));
}

static int is_date(const char *value)
{
    return tmpl_is_digit(*value) && value[strspn(value, "0123456789-:.TZW+ ")] == '\0';
}

/* A language as BCP 47 writes it: "de", "pt-BR". */
static int is_language_tag(const char *value)
{
    apr_size_t primary = 0;
    while (tmpl_is_alpha(value[primary])) {
        primary++;
    }
    return (primary == 2 || primary == 3) && (value[primary] == '\0' || value[primary] == '-') &&
           strlen(value) < 36 &&
           value[strspn(value,
                        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-")] == '\0';
}

static int is_direction(const char *value)
{
    return apr_cstr_casecmp(value, "rtl") == 0 || apr_cstr_casecmp(value, "ltr") == 0 ||
           apr_cstr_casecmp(value, "auto") == 0;
}

static int is_list_type(const char *value)
{
    return strchr("1aAiI", *value) != NULL && *value != '\0' && value[1] == '\0';
}

/* The attributes that elements keep, and which values of them. */
static const struct {
    const char *element; /* NULL: any */
    const char *name;
    int (*is_valid)(const char *value);
} kept[] = {
    { "abbr", "title", is_any_value }, { "td", "colspan", is_cells },
    { "td", "rowspan", is_cells },     { "th", "colspan", is_cells },
    { "th", "rowspan", is_cells },     { "ol", "start", is_integer },
    { "ol", "type", is_list_type },    { "li", "value", is_integer },
    { "time", "datetime", is_date },
};

static void add_kept(tmpl_buf_t *out, const xmlNode *node, const char *name,
                     int (*is_valid)(const char *value))
{
    const char *value = tmpl_dom_attribute(node, name);
    if (value != NULL && is_valid(value)) {
        add_attribute_text(out, name, value);
    }
}

void tmpl_view_attributes(void *walk, tmpl_buf_t *out, const tmpl_html_element_t *element)
{
    tmpl_view_t *w = walk;
    const xmlNode *node = element->node;
    const char *name = element->name;
    if (strcmp(name, "a") == 0) {
        const char *text, *href = tmpl_dom_attribute(node, "href");
        href = tmpl_href_mail(&text, node, href, w->pool);
        const char *fragment = tmpl_targets_of(&w->targets, href);
        add_attribute_text(out, "href",
                           fragment != NULL ? apr_pstrcat(w->pool, "#", fragment, NULL)
                                            : tmpl_view_address(w, href));
    }
    for (apr_size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
        if (strcmp(kept[i].element, name) == 0) {
            add_kept(out, node, kept[i].name, kept[i].is_valid);
        }
    }
    if (strcmp(name, "ol") == 0 && tmpl_dom_attribute(node, "reversed") != NULL) {
        tmpl_buf_add_text(out, " reversed");
    }
    if (w->languages && strncmp(element->attributes, tmpl_view_box, strlen(tmpl_view_box)) != 0) {
        add_kept(out, node, "lang", is_language_tag);
        add_kept(out, node, "dir", is_direction);
    }
}
