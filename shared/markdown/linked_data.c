/* SPDX-License-Identifier: Apache-2.0 */
#include "markdown/linked_data.h"

#include <string.h>

#include <apr_strings.h>
#include <jansson.h>

#define MOST 20 /* authors */

static int type_ends_in(const char *text, const char *end)
{
    size_t len = strlen(text), n = strlen(end);
    return len >= n && strcmp(text + len - n, end) == 0;
}

static int is_type(const json_t *type)
{
    const char *name = json_string_value(type);
    return name != NULL && (type_ends_in(name, "Article") || type_ends_in(name, "Posting") ||
                            strcmp(name, "Report") == 0);
}

/* An object may have several types. */
static int is_article(const json_t *object)
{
    const json_t *type = json_object_get(object, "@type");
    size_t i = 0;
    while (i < json_array_size(type) && !is_type(json_array_get(type, i))) {
        i++;
    }
    return is_type(type) || i < json_array_size(type);
}

/* A person's name, or the names of a list of persons; "" if there are none. */
static const char *names_of(const json_t *author, apr_pool_t *pool)
{
    const char *names = "";
    size_t n = json_is_array(author) ? json_array_size(author) : 1;
    for (size_t i = 0; i < n && i < MOST; i++) {
        const json_t *one = json_is_array(author) ? json_array_get(author, i) : author;
        const char *name =
            json_string_value(json_is_object(one) ? json_object_get(one, "name") : one);
        if (name != NULL) {
            names = apr_pstrcat(pool, names, *names != '\0' ? ", " : "", name, NULL);
        }
    }
    return names;
}

static void add_linked_value(tmpl_linked_data_t *data, tmpl_linked_e what, const char *value,
                             apr_pool_t *pool)
{
    const char **known = &data->values[what];
    if (value != NULL && *value != '\0') {
        *known = *known == NULL || strcmp(*known, value) == 0 ? apr_pstrdup(pool, value) : "";
    }
}

static void see_article(tmpl_linked_data_t *data, const json_t *object, apr_pool_t *pool)
{
    if (is_article(object)) {
        add_linked_value(data, TMPL_LINKED_AUTHOR,
                         names_of(json_object_get(object, "author"), pool), pool);
        add_linked_value(data, TMPL_LINKED_PUBLISHED,
                         json_string_value(json_object_get(object, "datePublished")), pool);
        add_linked_value(data, TMPL_LINKED_MODIFIED,
                         json_string_value(json_object_get(object, "dateModified")), pool);
    }
}

/* Sees an object; the article may be the main entity of a WebPage. */
static void see_linked_object(tmpl_linked_data_t *data, const json_t *object, apr_pool_t *pool)
{
    see_article(data, object, pool);
    see_article(data, json_object_get(object, "mainEntity"), pool);
}

void tmpl_linked_data_read(tmpl_linked_data_t *data, const char *json, apr_pool_t *pool)
{
    json_t *top = json_loads(json, 0, NULL);
    const json_t *graph = json_object_get(top, "@graph");
    const json_t *list = json_is_array(graph) ? graph : top;
    size_t i;
    json_t *one;
    see_linked_object(data, top, pool);
    json_array_foreach(list, i, one)
    {
        see_linked_object(data, one, pool);
    }
    json_decref(top);
}
