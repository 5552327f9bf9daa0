/* SPDX-License-Identifier: Apache-2.0 */
#include "markdown/front.h"

#include <string.h>

#include <apr_cstr.h>

#include "dom/dom.h"
#include "markdown/linked_data.h"
#include "markdown/write.h"

typedef enum {
#define FRONT_ID(id, key, characters) FRONT_##id,
    TMPL_FRONT(FRONT_ID)
#undef FRONT_ID
        FRONT_COUNT
} front_e;

/* The names of meta elements (name, property or itemprop); an earlier one wins over a later one. */
static const struct {
    front_e line;
    const char *name;
} metas[] = {
    { FRONT_TITLE, "og:title" },
    { FRONT_DESCRIPTION, "description" },
    { FRONT_DESCRIPTION, "og:description" },
    { FRONT_AUTHOR, "author" },
    { FRONT_AUTHOR, "article:author" },
    { FRONT_AUTHOR, "dc.creator" },
    { FRONT_PUBLISHED, "article:published_time" },
    { FRONT_PUBLISHED, "datePublished" },
    { FRONT_PUBLISHED, "date" },
    { FRONT_PUBLISHED, "dc.date" },
    { FRONT_MODIFIED, "article:modified_time" },
    { FRONT_MODIFIED, "dateModified" },
    { FRONT_MODIFIED, "og:updated_time" },
    { FRONT_IMAGE, "og:image" },
    { FRONT_IMAGE, "twitter:image" },
};
#define N_METAS (sizeof(metas) / sizeof(metas[0]))

typedef struct {
    const char *values[FRONT_COUNT];
    apr_size_t ranks[FRONT_COUNT]; /* index in metas of the name that gave the value */
    tmpl_linked_data_t linked;
} front_t;

static const char *meta_name(const xmlNode *meta)
{
    static const char *const attributes[] = { "name", "property", "itemprop" };
    const char *name = NULL;
    for (apr_size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]) && name == NULL; i++) {
        name = tmpl_dom_attribute(meta, attributes[i]);
    }
    return name;
}

static void see_meta(front_t *front, const xmlNode *meta)
{
    const char *name = meta_name(meta);
    const char *content = tmpl_dom_attribute(meta, "content");
    if (name == NULL || content == NULL || content[strspn(content, " \t\n")] == '\0') {
        return;
    }
    for (apr_size_t i = 0; i < N_METAS; i++) {
        front_e line = metas[i].line;
        /* an author may be an address, often of a social network: that is no name */
        if (apr_cstr_casecmp(name, metas[i].name) == 0 &&
            (line != FRONT_AUTHOR || strstr(content, "://") == NULL) &&
            (front->values[line] == NULL || i < front->ranks[line])) {
            front->values[line] = content;
            front->ranks[line] = i;
        }
    }
}

static void see_head(front_t *front, const xmlNode *head, apr_pool_t *pool)
{
    for (const xmlNode *node = head->children; node != NULL; node = node->next) {
        const char *name = (const char *)node->name;
        const char *rel = tmpl_dom_attribute(node, "rel");
        if (strcmp(name, "meta") == 0) {
            see_meta(front, node);
        }
        else if (strcmp(name, "link") == 0 && rel != NULL &&
                 apr_cstr_casecmp(rel, "canonical") == 0 &&
                 front->values[FRONT_CANONICAL] == NULL) {
            front->values[FRONT_CANONICAL] = tmpl_dom_attribute(node, "href");
        }
        else if (strcmp(name, "script") == 0) {
            tmpl_linked_data_read(&front->linked, (const char *)node->children->content, pool);
        }
        else if (strcmp(name, "title") == 0 && node->children != NULL) {
            front->values[FRONT_TITLE] = (const char *)node->children->content;
            front->ranks[FRONT_TITLE] = 0;
        }
    }
}

/* Adds the values of JSON-LD that no meta gives. */
static void add_linked(front_t *front)
{
    static const front_e lines[TMPL_LINKED_COUNT] = {
        [TMPL_LINKED_AUTHOR] = FRONT_AUTHOR,
        [TMPL_LINKED_PUBLISHED] = FRONT_PUBLISHED,
        [TMPL_LINKED_MODIFIED] = FRONT_MODIFIED,
    };
    for (int i = 0; i < TMPL_LINKED_COUNT; i++) {
        if (front->values[lines[i]] == NULL) {
            front->values[lines[i]] = front->linked.values[i];
        }
    }
}

/* The absolute address for a line whose value is an address; NULL if it may not be written. */
static const char *written_address(const char *value, const tmpl_hrefs_t *hrefs, apr_pool_t *pool)
{
    if (value == NULL || !tmpl_href_is_safe(value)) {
        return NULL;
    }
    tmpl_buf_t address;
    tmpl_buf_init(&address, pool);
    tmpl_href_resolve(&address, hrefs, value);
    return address.at;
}

void tmpl_front_write(tmpl_buf_t *out, const xmlNode *html, const tmpl_hrefs_t *hrefs,
                      apr_pool_t *pool)
{
    static const struct {
        const char *key;
        apr_size_t characters;
    } lines[] = {
#define FRONT_LINE(id, key, characters) { key, characters },
        TMPL_FRONT(FRONT_LINE)
#undef FRONT_LINE
    };
    front_t front = { 0 };
    apr_size_t before = out->len;
    see_head(&front, html->children, pool);
    add_linked(&front);
    front.values[FRONT_LANGUAGE] = tmpl_dom_attribute(html, "lang");
    if (front.values[FRONT_CANONICAL] == NULL) {
        front.values[FRONT_CANONICAL] = hrefs->url;
    }
    front.values[FRONT_CANONICAL] = written_address(front.values[FRONT_CANONICAL], hrefs, pool);
    front.values[FRONT_IMAGE] = written_address(front.values[FRONT_IMAGE], hrefs, pool);
    for (int i = 0; i < FRONT_COUNT; i++) {
        if (front.values[i] != NULL && front.values[i][0] != '\0') {
            tmpl_buf_add(out, "---\n", out->len == before ? 4 : 0);
            tmpl_buf_add_text(out, lines[i].key);
            tmpl_buf_add(out, ": ", 2);
            tmpl_write_yaml(out, front.values[i], lines[i].characters);
            tmpl_buf_add(out, "\n", 1);
        }
    }
    tmpl_buf_add(out, "---\n\n", out->len > before ? 5 : 0);
}

const char *tmpl_front_base(const xmlNode *head)
{
    const char *base = NULL;
    for (const xmlNode *node = head->children; node != NULL && base == NULL; node = node->next) {
        if (strcmp((const char *)node->name, "base") == 0) {
            base = tmpl_dom_attribute(node, "href");
        }
    }
    return base;
}
