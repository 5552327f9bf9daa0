/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages of mode reader, read by our own parser: whatever the page is, each tag has an end tag where
 * it is due, and no element and no attribute is there but those of a table.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apr_general.h>
#include <apr_strings.h>

#include "html/attr.h"
#include "reader/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Of elements and attributes, each with a space on both sides. */
static const char elements[] =
    " body main article header footer section div span p h1 h2 h3 h4 h5 h6 ul ol li dl dt dd "
    "blockquote figure figcaption pre details summary table caption thead tbody tfoot tr th td img "
    "br hr wbr a abbr b bdi bdo cite code del dfn em i ins kbd mark q rt ruby s samp small strong "
    "sub sup time u var math ";
static const char attributes[] =
    " href src alt width height loading id class role tabindex aria-label lang dir title colspan "
    "rowspan scope start type reversed value datetime open display ";

static void stop(const char *html, const char *what)
{
    fprintf(stderr, "found %s in\n%s\n", what, html);
    abort();
}

static void check_name(const char *names, const char *html, tmpl_span_t span)
{
    char name[32] = "";
    if (tmpl_span_len(span) < sizeof(name) - 2) {
        apr_snprintf(name, sizeof(name), " %.*s ", (int)tmpl_span_len(span), html + span.start);
    }
    if (*name == '\0' || strstr(names, name) == NULL) {
        stop(html, *name != '\0' ? name : "a long name");
    }
}

static int is_void(tmpl_tag_e tag)
{
    return (tmpl_tag_flags(tag) & TMPL_IS_VOID) != 0;
}

static void check_tag(const char *html, const tmpl_node_t *node)
{
    tmpl_attr_t attr;
    uint32_t at = tmpl_attr_first(html, node->open);
    tmpl_span_t name = { node->open.start + 1,
                         tmpl_tag_name_end(html, node->open.end, node->open.start + 1) };
    check_name(elements, html, name);
    if (node->tag != TMPL_TAG_MATH) {
        while (tmpl_attr_next(&attr, html, node->open.end, &at) == TMPL_ATTR_FOUND) {
            check_name(attributes, html, attr.name);
        }
    }
    if (tmpl_span_len(node->close) == 0 && !is_void((tmpl_tag_e)node->tag)) {
        stop(html, "an element without an end tag");
    }
}

static void check_view(const char *html, apr_size_t len, apr_pool_t *pool)
{
    const tmpl_page_t *page;
    tmpl_page_opts_t opts = { 0 };
    if (strlen(html) != len) {
        stop(html, "a wrong length");
    }
    if (tmpl_page_parse(&page, html, len, &opts, pool) != TMPL_DECLINE_NONE) {
        stop(html, "a page that our parser declines");
    }
    for (uint32_t i = 1; i < page->n_nodes; i++) { /* without body */
        check_tag(html, &page->nodes[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int ready;
    const tmpl_page_t *page;
    tmpl_page_opts_t opts = { 0 };
    apr_pool_t *pool;
    if (!ready) {
        apr_initialize();
        ready = 1;
    }
    apr_pool_create(&pool, NULL);
    const char *html = apr_pstrmemdup(pool, (const char *)data, size);
    if (tmpl_page_parse(&page, html, size, &opts, pool) == TMPL_DECLINE_NONE) {
        tmpl_edits_t none = { 0 };
        tmpl_content_t content;
        tmpl_content_opts_t how = { "https://a.example/b", "utf-8", .languages = 1 };
        apr_size_t len;
        const char *view = tmpl_content_read(&content, page, &none, &how, pool)
                               ? tmpl_reader(&len, &content, pool)
                               : NULL;
        if (view != NULL) {
            check_view(view, len, pool);
        }
    }
    apr_pool_destroy(pool);
    return 0;
}
