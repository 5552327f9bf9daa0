/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The attributes that elements keep; ids only of elements to which links in the page lead, as those
 * of footnotes and tables of contents.
 */
#include <stdlib.h>

#include <apr_strings.h>
#include <libxml/uri.h>

#include "base/hash.h"
#include "reader/view.h"

/* --- Links into the page --- */

/* What is known of an id. */
static const char wanted[] = "wanted", found[] = "found";

/* The fragment of a link that leads into the page; NULL: elsewhere. address may be NULL. */
static const char *own_fragment(tmpl_view_t *w, const char *href, const char *address)
{
    enum { LONGEST = 200 /* bytes */ };
    const tmpl_hrefs_t *hrefs = &w->content->hrefs;
    const char *hash = strchr(href, '#');
    if (hash == NULL || hash[1] == '\0' || strlen(hash) > LONGEST) {
        return NULL;
    }
    if (hash == href && (hrefs->url == NULL || hrefs->base.url == hrefs->url)) {
        return hash + 1;
    }
    const char *own = tmpl_href_own(hrefs, address != NULL ? address : tmpl_view_address(w, href));
    return own != NULL && *own == '#' ? hash + 1 : NULL;
}

static const char *decoded(const tmpl_view_t *w, const char *fragment)
{
    return xmlURIUnescapeString(fragment, 0, apr_palloc(w->pool, strlen(fragment) + 1));
}

static void look_at_link(tmpl_view_t *w, const xmlNode *link)
{
    enum { MOST = 10000 /* ids at most */ };
    const tmpl_known_attr_t *href =
        tmpl_node_attr(w->page, &w->page->nodes[tmpl_dom_node(link)], TMPL_ATTR_HREF);
    if (href == NULL ||
        memchr(w->page->src + href->value.start, '#', tmpl_span_len(href->value)) == NULL) {
        return; /* most links end here */
    }
    const char *value = tmpl_dom_listed(link, TMPL_ATTR_HREF);
    const char *fragment = own_fragment(w, value, NULL);
    const char *id = fragment != NULL ? decoded(w, fragment) : "";
    if (*id != '\0' && id[strcspn(id, " \t\n\r\f")] == '\0') {
        w->targets = w->targets != NULL ? w->targets : tmpl_hash_make(w->pool);
        if (apr_hash_count(w->targets) < MOST) {
            apr_hash_set(w->targets, id, APR_HASH_KEY_STRING, wanted);
        }
    }
}

/* Notes that an element has an id, or as a link a name, if links lead to it: the first that has. */
static void look_at_target(tmpl_view_t *w, const xmlNode *element, tmpl_attr_name_e name)
{
    const char *id = tmpl_dom_listed(element, name);
    if (id != NULL && w->ids[tmpl_dom_node(element)] == NULL &&
        apr_hash_get(w->targets, id, APR_HASH_KEY_STRING) == wanted) {
        apr_hash_set(w->targets, id, APR_HASH_KEY_STRING, found);
        w->ids[tmpl_dom_node(element)] = id;
    }
}

void tmpl_view_targets(tmpl_view_t *w)
{
    const xmlNode *body = w->content->body;
    apr_array_header_t *named = apr_array_make(w->pool, 64, sizeof(const xmlNode *));
    /* of what is in a pre, only the text is written */
    for (const xmlNode *node = body; node != NULL;
         node = tmpl_dom_next(node, body, tmpl_tag_is_pre(tmpl_dom_tag(w->page, node)))) {
        if (node->type != XML_ELEMENT_NODE) {
            continue;
        }
        const tmpl_node_t *of = &w->page->nodes[tmpl_dom_node(node)];
        if (of->tag == TMPL_TAG_A) {
            look_at_link(w, node);
        }
        if (tmpl_node_attr(w->page, of, TMPL_ATTR_ID) != NULL ||
            (of->tag == TMPL_TAG_A && tmpl_node_attr(w->page, of, TMPL_ATTR_NAME) != NULL)) {
            APR_ARRAY_PUSH(named, const xmlNode *) = node;
        }
    }
    if (w->targets == NULL) {
        return;
    }
    w->ids = apr_pcalloc(w->pool, w->page->n_nodes * sizeof(*w->ids));
    for (int i = 0; i < named->nelts; i++) {
        const xmlNode *node = APR_ARRAY_IDX(named, i, const xmlNode *);
        look_at_target(w, node, TMPL_ATTR_ID);
        if (tmpl_dom_tag(w->page, node) == TMPL_TAG_A) {
            look_at_target(w, node, TMPL_ATTR_NAME);
        }
    }
}

const char *tmpl_view_fragment(tmpl_view_t *w, const char *href, const char *address)
{
    const char *fragment = w->targets != NULL ? own_fragment(w, href, address) : NULL;
    return fragment != NULL &&
                   apr_hash_get(w->targets, decoded(w, fragment), APR_HASH_KEY_STRING) == found
               ? fragment
               : NULL;
}

/* --- Attributes --- */

#define DIGITS  "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* An attribute that elements keep, if its value consists of some characters; NULL: of any. */
typedef struct {
    const char *name, *characters;
    unsigned most; /* bytes; 0: any number */
    int is_cells;  /* a number from 2 to 1000 */
} kept_t;

static const kept_t kept[TMPL_TAG_COUNT][2] = {
    [TMPL_TAG_ABBR] = { { "title", NULL, 0, 0 } },
    [TMPL_TAG_ACRONYM] = { { "title", NULL, 0, 0 } },
    [TMPL_TAG_TD] = { { "colspan", DIGITS, 4, 1 }, { "rowspan", DIGITS, 4, 1 } },
    [TMPL_TAG_TH] = { { "colspan", DIGITS, 4, 1 }, { "rowspan", DIGITS, 4, 1 } },
    [TMPL_TAG_OL] = { { "start", DIGITS "-", 5, 0 }, { "type", "1aAiI", 1, 0 } },
    [TMPL_TAG_LI] = { { "value", DIGITS "-", 5, 0 } },
    [TMPL_TAG_TIME] = { { "datetime", DIGITS "-:.TZW+ ", 0, 0 } },
};

/* The language and direction of elements of all tags. */
static const kept_t languages[] = { { "lang", LETTERS DIGITS "-", 35, 0 },
                                    { "dir", "rtlauoRTLAUO", 4, 0 } };

static void add_kept(tmpl_buf_t *out, const xmlNode *node, const kept_t *attribute)
{
    const char *value = attribute->name != NULL ? tmpl_dom_attribute(node, attribute->name) : NULL;
    apr_size_t len = value != NULL ? strlen(value) : 0;
    if (len > 0 && (attribute->characters == NULL || strspn(value, attribute->characters) == len) &&
        (attribute->most == 0 || len <= attribute->most) &&
        (!attribute->is_cells ||
         (strtol(value, NULL, 10) > 1 && strtol(value, NULL, 10) <= 1000))) {
        tmpl_buf_add_byte(out, ' ');
        tmpl_buf_add_text(out, attribute->name);
        tmpl_buf_add(out, "=\"", 2);
        tmpl_buf_add_html(out, value, len);
        tmpl_buf_add_byte(out, '"');
    }
}

void tmpl_view_attributes(void *view, tmpl_buf_t *out, const tmpl_html_element_t *element)
{
    tmpl_view_t *w = view;
    const xmlNode *node = element->node;
    tmpl_tag_e tag = tmpl_dom_tag(w->page, node);
    if ((kept[tag][0].name == NULL && !w->content->languages) ||
        strncmp(element->attributes, tmpl_view_box, strlen(tmpl_view_box)) == 0) {
        return;
    }
    int is_around = *element->name != (char)*node->name; /* as the section or details of records */
    for (int i = 0; i < 2 && !is_around; i++) {
        add_kept(out, node, &kept[tag][i]);
    }
    if (tag == TMPL_TAG_OL && !is_around && tmpl_dom_attribute(node, "reversed") != NULL) {
        tmpl_buf_add_text(out, " reversed");
    }
    for (int i = 0; i < 2 && w->content->languages; i++) {
        add_kept(out, node, &languages[i]);
    }
}
