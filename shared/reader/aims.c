/* SPDX-License-Identifier: Apache-2.0 */
#include "reader/aims.h"

#include <libxml/uri.h>

#include "base/hash.h"
#include "html/attr.h"
#include "dom/dom.h"

enum { MOST = 10000, /* ids at most */ LONGEST = 200 /* bytes of one */ };

/* What is known of an id. */
static const char wanted[] = "wanted", found[] = "found", written[] = "written";

/* The fragment of a link that leads into the page; NULL: it leads elsewhere. */
static const char *own_fragment(tmpl_aims_t *aims, const char *href)
{
    const tmpl_hrefs_t *hrefs = &aims->content->hrefs;
    const char *hash = href != NULL ? strchr(href, '#') : NULL;
    if (hash == NULL || hash[1] == '\0' || strlen(hash) > LONGEST) {
        return NULL;
    }
    if (hrefs->url == NULL) {
        return hash == href ? hash + 1 : NULL;
    }
    apr_size_t len = strcspn(hrefs->url, "#");
    tmpl_buf_clear(&aims->address);
    tmpl_href_resolve(&aims->address, hrefs, href);
    int own = aims->address.len > len && aims->address.at[len] == '#' &&
              memcmp(aims->address.at, hrefs->url, len) == 0;
    return own ? hash + 1 : NULL;
}

static const char *decoded(const tmpl_aims_t *aims, const char *fragment)
{
    return xmlURIUnescapeString(fragment, 0, apr_palloc(aims->pool, strlen(fragment) + 1));
}

static void look_at_link(tmpl_aims_t *aims, const xmlNode *link)
{
    const tmpl_page_t *page = aims->content->page;
    const tmpl_known_attr_t *href =
        tmpl_node_attr(page, &page->nodes[tmpl_dom_node(link)], TMPL_ATTR_HREF);
    if (href == NULL ||
        memchr(page->src + href->value.start, '#', tmpl_span_len(href->value)) == NULL) {
        return; /* most links end here */
    }
    const char *fragment = own_fragment(aims, tmpl_dom_attribute(link, "href"));
    if (fragment == NULL || (aims->ids != NULL && apr_hash_count(aims->ids) == MOST)) {
        return;
    }
    const char *id = decoded(aims, fragment);
    if (id[strcspn(id, " \t\n\r\f")] == '\0') {
        aims->ids = aims->ids != NULL ? aims->ids : tmpl_hash_make(aims->pool);
        apr_hash_set(aims->ids, id, APR_HASH_KEY_STRING, wanted);
    }
}

/* The id or name of an element if links want it; *is: what is known of it. */
static const char *wanted_id(const tmpl_aims_t *aims, const xmlNode *element, const char **is)
{
    static const char *const names[] = { "id", "name" };
    const tmpl_page_t *page = aims->content->page;
    const tmpl_node_t *node = &page->nodes[tmpl_dom_node(element)];
    static const tmpl_attr_name_e known[] = { TMPL_ATTR_ID, TMPL_ATTR_NAME };
    for (int i = 0; i < 1 + (node->tag == TMPL_TAG_A); i++) {
        const char *id = tmpl_node_attr(page, node, known[i]) != NULL
                             ? tmpl_dom_attribute(element, names[i])
                             : NULL;
        *is = id != NULL ? apr_hash_get(aims->ids, id, APR_HASH_KEY_STRING) : NULL;
        if (*is != NULL) {
            return id;
        }
    }
    return NULL;
}

void tmpl_aims_find(tmpl_aims_t *aims, const tmpl_content_t *content, apr_pool_t *pool)
{
    const xmlNode *body = content->body, *node;
    *aims = (tmpl_aims_t){ .content = content, .pool = pool };
    tmpl_buf_init(&aims->address, pool);
    for (node = body; node != NULL; node = tmpl_dom_next(node, body, 0)) {
        if (tmpl_dom_tag(content->page, node) == TMPL_TAG_A) {
            look_at_link(aims, node);
        }
    }
    for (node = aims->ids != NULL ? body : NULL; node != NULL;) {
        const char *is;
        const char *id = node->type == XML_ELEMENT_NODE ? wanted_id(aims, node, &is) : NULL;
        if (id != NULL) {
            apr_hash_set(aims->ids, id, APR_HASH_KEY_STRING, found);
        }
        /* of what is in a pre, only the text is written */
        node = tmpl_dom_next(node, body, tmpl_tag_is_pre(tmpl_dom_tag(content->page, node)));
    }
}

const char *tmpl_aims_of(tmpl_aims_t *aims, const char *href)
{
    const char *fragment = aims->ids != NULL ? own_fragment(aims, href) : NULL;
    const char *is = fragment != NULL
                         ? apr_hash_get(aims->ids, decoded(aims, fragment), APR_HASH_KEY_STRING)
                         : NULL;
    return is != NULL && is != wanted ? fragment : NULL;
}

const char *tmpl_aims_id(tmpl_aims_t *aims, const xmlNode *element)
{
    const char *is;
    const char *id = aims->ids != NULL ? wanted_id(aims, element, &is) : NULL;
    if (id == NULL || is == written) {
        return NULL;
    }
    apr_hash_set(aims->ids, id, APR_HASH_KEY_STRING, written);
    return id;
}
