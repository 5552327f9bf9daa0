/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages as Markdown, read by cmark-gfm: a page has no headings, links, images, code, lists, quotes,
 * tables or HTML in Markdown that it does not have in HTML, whatever its text says.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apr_general.h>
#include <apr_strings.h>
#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>

#include "markdown/markdown.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Whether the page has an element of that name. */
static int has(const tmpl_page_t *page, const char *name)
{
    tmpl_tag_e tag = tmpl_tag_find(name, strlen(name));
    for (uint32_t i = 1; i < page->n_nodes; i++) {
        if (page->nodes[i].tag == tag) {
            return 1;
        }
    }
    return 0;
}

static int has_any(const tmpl_page_t *page, const char *const *names)
{
    while (*names != NULL && !has(page, *names)) {
        names++;
    }
    return *names != NULL;
}

/* What each kind of node of Markdown may come from. */
static const struct {
    const char *kind;
    const char *names[13];
} sources[] = {
    { "heading", { "h1", "h2", "h3", "h4", "h5", "h6" } },
    { "image", { "img" } },
    { "list", { "li", "dd", "dt" } },
    { "block_quote", { "blockquote" } },
    { "code_block", { "pre", "listing" } },
    { "code", { "code", "kbd", "samp", "tt" } },
    { "thematic_break", { "hr" } },
    { "html_block", { "table" } },
    { "html_inline", { "sup", "sub", "table" } },
    { "table", { "table" } },
    { "strong", { "b", "strong", "dt", "summary" } },
    { "emph", { "i", "em", "cite", "dfn", "var" } },
    { "strikethrough", { "del", "s", "strike" } },
};

static void fail(const char *markdown, const char *what)
{
    fprintf(stderr, "found %s in\n%s\n", what, markdown);
    abort();
}

/* The footnotes that Markdown says it has, if the page's text cannot say so. */
static int footnotes_in(const char *markdown)
{
    int n = 0;
    while ((markdown = strstr(markdown, "[^")) != NULL) {
        markdown += 2 + strspn(markdown + 2, "0123456789");
        n += strncmp(markdown, "]: ", 3) == 0;
    }
    return n;
}

/* The page's title, above a page that has no headline. */
static int is_title(cmark_node *node)
{
    return cmark_node_get_type(node) == CMARK_NODE_HEADING &&
           cmark_node_get_heading_level(node) == 1 && cmark_node_previous(node) == NULL &&
           cmark_node_get_type(cmark_node_parent(node)) == CMARK_NODE_DOCUMENT;
}

/* Several paragraphs or lines that begin with a sign of items. */
static int is_of_signs(cmark_node *node)
{
    return cmark_node_get_type(node) == CMARK_NODE_LIST &&
           cmark_node_get_list_type(node) == CMARK_BULLET_LIST &&
           cmark_node_first_child(node) != cmark_node_last_child(node);
}

static void check_node(const tmpl_page_t *page, cmark_node *node, const char *markdown)
{
    const char *kind = cmark_node_get_type_string(node);
    for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
        if (strcmp(kind, sources[i].kind) == 0 && !has_any(page, sources[i].names) &&
            !is_title(node) && !is_of_signs(node)) {
            fail(markdown, kind);
        }
    }
    /* cmark-gfm makes a link of every mail address, escaped or not */
    if (strcmp(kind, "link") == 0 && !has(page, "a") &&
        strncmp(cmark_node_get_url(node), "mailto:", 7) != 0) {
        fail(markdown, kind);
    }
    const char *text = cmark_node_get_literal(node);
    if (strcmp(kind, "html_block") == 0 && strncmp(text, "<table>\n<tr><t", 14) != 0) {
        fail(markdown, text);
    }
}

/* The Markdown behind the front matter: a page without a head may have one by its lines. */
static const char *behind_front(const char *markdown)
{
    const char *end = strncmp(markdown, "---\n", 4) == 0 ? strstr(markdown, "\n---\n\n") : NULL;
    return end != NULL ? end + strlen("\n---\n\n") : markdown;
}

static void check(const tmpl_page_t *page, const char *markdown, size_t len)
{
    static const char *const extensions[] = { "table", "strikethrough", "autolink" };
    cmark_parser *parser = cmark_parser_new(CMARK_OPT_FOOTNOTES);
    int footnotes = 0;
    cmark_event_type event;
    for (size_t i = 0; i < sizeof(extensions) / sizeof(extensions[0]); i++) {
        cmark_parser_attach_syntax_extension(parser, cmark_find_syntax_extension(extensions[i]));
    }
    const char *body = behind_front(markdown);
    len -= (size_t)(body - markdown);
    markdown = body;
    cmark_parser_feed(parser, markdown, len);
    cmark_node *root = cmark_parser_finish(parser);
    cmark_iter *iter = cmark_iter_new(root);
    while ((event = cmark_iter_next(iter)) != CMARK_EVENT_DONE) {
        if (event == CMARK_EVENT_ENTER) {
            cmark_node *node = cmark_iter_get_node(iter);
            check_node(page, node, markdown);
            footnotes += cmark_node_get_type(node) == CMARK_NODE_FOOTNOTE_DEFINITION;
        }
    }
    /*
     * cmark-gfm leaves out a footnote that is read as text, and one without a reference: that may
     * have stood in what is left out in front of the headline.
     */
    int may_say =
        memchr(page->src, '[', page->len) != NULL || memchr(page->src, '&', page->len) != NULL;
    if ((!may_say && footnotes > footnotes_in(markdown)) ||
        (footnotes > 0 && !has(page, "a") && !has(page, "sup"))) {
        fail(markdown, "other footnotes");
    }
    cmark_iter_free(iter);
    cmark_node_free(root);
    cmark_parser_free(parser);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int ready;
    const tmpl_page_t *page;
    tmpl_page_opts_t opts = { 0 };
    apr_pool_t *pool;
    apr_size_t len;
    if (!ready) {
        apr_initialize();
        cmark_gfm_core_extensions_ensure_registered();
        ready = 1;
    }
    if (size == 0) {
        return 0;
    }
    apr_pool_create(&pool, NULL);
    /* the first byte draws what is cut, as strip does it: an element */
    const char *html = apr_pstrmemdup(pool, (const char *)data + 1, size - 1);
    if (tmpl_page_parse(&page, html, size - 1, &opts, pool) == TMPL_DECLINE_NONE) {
        static const char *const nothing[] = { "" };
        const tmpl_node_t *node = &page->nodes[data[0] % page->n_nodes];
        uint32_t end = tmpl_span_len(node->close) > 0 ? node->close.end : node->open.end;
        tmpl_edit_t edit = { { node->open.start, end }, 0 };
        tmpl_edits_t edits = { &edit, (node->flags & TMPL_NODE_CUT) != 0, nothing };
        tmpl_content_opts_t how = { .charset = "utf-8" };
        tmpl_content_t content;
        const char *markdown = tmpl_content_read(&content, page, &edits, &how, pool)
                                   ? tmpl_markdown(&len, &content, NULL, pool)
                                   : NULL;
        const char *body = markdown;
        if (markdown != NULL && (strlen(markdown) != len || len > tmpl_markdown_most(size - 1))) {
            fail(markdown, "a wrong length");
        }
        if (markdown != NULL && strncmp(markdown, "---\n", 4) == 0) {
            body = strstr(markdown, "\n---\n\n") + 6;
        }
        /* cmark-gfm knows no formulas: it reads TeX as Markdown */
        if (markdown != NULL && strchr(body, '$') == NULL) {
            check(page, body, strlen(body));
        }
    }
    apr_pool_destroy(pool);
    return 0;
}
