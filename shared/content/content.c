/* SPDX-License-Identifier: Apache-2.0 */
#include "content/content.h"

#include <string.h>

#include <apr_cstr.h>

#include "base/ascii.h"
#include "dom/dom.h"
#include "text/reference.h"

/* The page as a tree, without the parts that edits delete. */
static xmlDoc *tree_without_edits(const tmpl_content_t *content, apr_pool_t *pool)
{
    const tmpl_edits_t *edits = content->edits;
    tmpl_span_t *without = apr_palloc(pool, (edits->n + 1) * sizeof(*without));
    for (uint32_t i = 0; i < edits->n; i++) {
        without[i] = edits->edits[i].span;
    }
    tmpl_dom_opts_t opts = { &content->decoder, without,       edits->n,
                             .displayed = 1,    .data = 1,     .on_demand = 1,
                             .no_spans = 1,     .formulas = 1, .languages = content->languages };
    return tmpl_dom(content->page, &opts, pool);
}

/* Whether a name stands in front of the byte at, behind white space. */
static int is_name_before(const char *at, const char *name, apr_size_t len)
{
    return apr_cstr_casecmpn(at - len, name, len) == 0 && tmpl_is_space(at[-1 - (int)len]);
}

/* Whether elements of the body may say in which language they are. */
static int has_languages(const tmpl_page_t *page)
{
    enum { FIRST = sizeof("<p lang") - 1 };
    const char *end = page->src + page->len, *at = page->src + page->nodes[0].open.end + FIRST;
    while (at < end && (at = memchr(at, '=', (apr_size_t)(end - at))) != NULL) {
        if (is_name_before(at, "lang", 4) || is_name_before(at, "dir", 3)) {
            return 1;
        }
        at++;
    }
    return 0;
}

/* The address that a page names as its own; NULL if it names none, or not in full. */
static const char *canonical_of(const tmpl_page_t *page, apr_pool_t *pool)
{
    const char *url = tmpl_value_decode(page->src, page->canonical, pool);
    return strlen(url) > strlen("https://") && strncmp(url, "http", 4) == 0 ? url : NULL;
}

/* The href of the first base element in head that has one; NULL if there is none. */
static const char *page_base(const xmlNode *head)
{
    const char *base = NULL;
    for (const xmlNode *node = head->children; node != NULL && base == NULL; node = node->next) {
        if (strcmp((const char *)node->name, "base") == 0) {
            base = tmpl_dom_attribute(node, "href");
        }
    }
    return base;
}

int tmpl_content_read(tmpl_content_t *content, const tmpl_page_t *page, const tmpl_edits_t *edits,
                      const tmpl_content_opts_t *opts, apr_pool_t *pool)
{
    content->page = page;
    content->edits = edits;
    tmpl_decoder_find(&content->decoder, page->src, page->len, opts->charset, pool);
    content->languages = opts->languages && has_languages(page);
    const xmlDoc *doc = tree_without_edits(content, pool);
    if (doc == NULL) {
        return 0;
    }
    content->html = xmlDocGetRootElement(doc);
    content->body = content->html->last;
    tmpl_hrefs_init(&content->hrefs, opts->url != NULL ? opts->url : canonical_of(page, pool),
                    page_base(content->html->children), pool);
    tmpl_metadata_source_t source = { page, edits, &content->decoder, content->html, opts->url };
    tmpl_metadata_read(&content->metadata, &source, pool);
    return 1;
}
