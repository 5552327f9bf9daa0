/* SPDX-License-Identifier: Apache-2.0 */
#include "reader/targets.h"

#include <libxml/uri.h>

#include "base/hash.h"
#include "html/attr.h"
#include "dom/dom.h"

enum { MOST = 10000, /* ids at most */ LONGEST = 200 /* bytes of one */ };

/* What is known of an id. */
static const char wanted[] = "wanted", found[] = "found", written[] = "written";

/* The fragment of a link that leads into the page; NULL: it leads elsewhere. */
static const char *own_fragment(tmpl_targets_t *targets, const char *href)
{
    const tmpl_hrefs_t *hrefs = &targets->content->hrefs;
    const char *hash = href != NULL ? strchr(href, '#') : NULL;
    if (hash == NULL || hash[1] == '\0' || strlen(hash) > LONGEST) {
        return NULL;
    }
    if (hrefs->url == NULL) {
        return hash == href ? hash + 1 : NULL;
    }
    apr_size_t len = strcspn(hrefs->url, "#");
    tmpl_buf_clear(&targets->address);
    tmpl_href_resolve(&targets->address, hrefs, href);
    int own = targets->address.len > len && targets->address.at[len] == '#' &&
              memcmp(targets->address.at, hrefs->url, len) == 0;
    return own ? hash + 1 : NULL;
}

static const char *decoded(const tmpl_targets_t *targets, const char *fragment)
{
    return xmlURIUnescapeString(fragment, 0, apr_palloc(targets->pool, strlen(fragment) + 1));
}

static void look_at_link(tmpl_targets_t *targets, const xmlNode *link)
{
    const tmpl_page_t *page = targets->content->page;
    const tmpl_known_attr_t *href =
        tmpl_node_attr(page, &page->nodes[tmpl_dom_node(link)], TMPL_ATTR_HREF);
    if (href == NULL ||
        memchr(page->src + href->value.start, '#', tmpl_span_len(href->value)) == NULL) {
        return; /* most links end here */
    }
    const char *fragment = own_fragment(targets, tmpl_dom_attribute(link, "href"));
    if (fragment == NULL || (targets->ids != NULL && apr_hash_count(targets->ids) == MOST)) {
        return;
    }
    const char *id = decoded(targets, fragment);
    if (id[strcspn(id, " \t\n\r\f")] == '\0') {
        targets->ids = targets->ids != NULL ? targets->ids : tmpl_hash_make(targets->pool);
        apr_hash_set(targets->ids, id, APR_HASH_KEY_STRING, wanted);
    }
}

/* The id or name of an element if links want it; *is: what is known of it. */
static const char *wanted_id(const tmpl_targets_t *targets, const xmlNode *element, const char **is)
{
    static const char *const names[] = { "id", "name" };
    const tmpl_page_t *page = targets->content->page;
    const tmpl_node_t *node = &page->nodes[tmpl_dom_node(element)];
    static const tmpl_attr_name_e known[] = { TMPL_ATTR_ID, TMPL_ATTR_NAME };
    for (int i = 0; i < 1 + (node->tag == TMPL_TAG_A); i++) {
        const char *id = tmpl_node_attr(page, node, known[i]) != NULL
                             ? tmpl_dom_attribute(element, names[i])
                             : NULL;
        *is = id != NULL ? apr_hash_get(targets->ids, id, APR_HASH_KEY_STRING) : NULL;
        if (*is != NULL) {
            return id;
        }
    }
    return NULL;
}

void tmpl_targets_find(tmpl_targets_t *targets, const tmpl_content_t *content, apr_pool_t *pool)
{
    const xmlNode *body = content->body, *node;
    *targets = (tmpl_targets_t){ .content = content, .pool = pool };
    tmpl_buf_init(&targets->address, pool);
    for (node = body; node != NULL; node = tmpl_dom_next(node, body, 0)) {
        if (tmpl_dom_tag(content->page, node) == TMPL_TAG_A) {
            look_at_link(targets, node);
        }
    }
    for (node = targets->ids != NULL ? body : NULL; node != NULL;) {
        const char *is;
        const char *id = node->type == XML_ELEMENT_NODE ? wanted_id(targets, node, &is) : NULL;
        if (id != NULL) {
            apr_hash_set(targets->ids, id, APR_HASH_KEY_STRING, found);
        }
        /* of what is in a pre, only the text is written */
        node = tmpl_dom_next(node, body, tmpl_tag_is_pre(tmpl_dom_tag(content->page, node)));
    }
}

const char *tmpl_targets_of(tmpl_targets_t *targets, const char *href)
{
    const char *fragment = targets->ids != NULL ? own_fragment(targets, href) : NULL;
    const char *is = fragment != NULL ? apr_hash_get(targets->ids, decoded(targets, fragment),
                                                     APR_HASH_KEY_STRING)
                                      : NULL;
    return is != NULL && is != wanted ? fragment : NULL;
}

const char *tmpl_targets_id(tmpl_targets_t *targets, const xmlNode *element)
{
    const char *is;
    const char *id = targets->ids != NULL ? wanted_id(targets, element, &is) : NULL;
    if (id == NULL || is == written) {
        return NULL;
    }
    apr_hash_set(targets->ids, id, APR_HASH_KEY_STRING, written);
    return id;
}
