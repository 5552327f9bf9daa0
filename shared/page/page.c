/* SPDX-License-Identifier: Apache-2.0 */
#include "page/page.h"

#include <string.h>

#include "html/attr.h"
#include "html/charset.h"
#include "page/build.h"
#include "page/places.h"

/* The href of a link with the word rel in its rel, or (rel NULL) of a base; empty if none. */
static tmpl_span_t href_of(const char *src, tmpl_span_t tag, const char *rel)
{
    tmpl_attr_t words;
    tmpl_attr_t href;
    int is_meant = rel == NULL || (tmpl_attr_find(&words, src, tag, "rel") &&
                                   tmpl_has_word(src, words.value, rel, tmpl_span_is));
    return is_meant && tmpl_attr_find(&href, src, tag, "href") ? href.value : (tmpl_span_t){ 0, 0 };
}

int tmpl_node_says(const tmpl_page_t *page, const tmpl_node_t *node, tmpl_attr_name_e name,
                   const char *text)
{
    const tmpl_known_attr_t *attr = tmpl_node_attr(page, node, name);
    return attr != NULL && memmem(page->src + attr->value.start, tmpl_span_len(attr->value), text,
                                  strlen(text)) != NULL;
}

/* Whether the start of a style keeps all white space: each text in an element may ask. */
static int is_style_pre(const char *src, tmpl_span_t style)
{
    static const char name[] = "white-space", pre[] = "pre";
    enum { LOOKED = 400 };
    uint32_t len = tmpl_span_len(style) < LOOKED ? tmpl_span_len(style) : LOOKED;
    const char *end = src + style.start + len;
    const char *at = memmem(src + style.start, len, name, sizeof(name) - 1);
    at = at != NULL ? at + sizeof(name) - 1 : end;
    while (at < end && (*at == ':' || tmpl_is_space(*at))) {
        at++;
    }
    return end - at >= 3 && memcmp(at, pre, 3) == 0 && (end - at == 3 || at[3] == ';');
}

/* Whether there is a line end where an element begins: many paragraphs have such a style, too. */
static int has_lines(const tmpl_page_t *page, const tmpl_node_t *node)
{
    enum { LOOKED = 1000 };
    uint32_t left = node->close.start > node->open.end ? node->close.start - node->open.end : 0;
    return memchr(page->src + node->open.end, '\n', left < LOOKED ? left : LOOKED) != NULL;
}

int tmpl_node_may_be_listing(const tmpl_page_t *page, const tmpl_node_t *node)
{
    if (node->tag == TMPL_TAG_CODE) {
        return tmpl_node_says(page, node, TMPL_ATTR_CLASS, "block") &&
               tmpl_has_word(page->src, tmpl_node_attr(page, node, TMPL_ATTR_CLASS)->value, "block",
                             tmpl_span_is);
    }
    const tmpl_known_attr_t *style = tmpl_node_attr(page, node, TMPL_ATTR_STYLE);
    return style != NULL && is_style_pre(page->src, style->value) && has_lines(page, node);
}

int tmpl_node_is_line(const tmpl_page_t *page, const tmpl_node_t *node)
{
    if (node->tag != TMPL_TAG_SPAN || !(node->flags & TMPL_NODE_NAMED) ||
        !tmpl_node_says(page, node, TMPL_ATTR_CLASS, "line")) {
        return 0;
    }
    const tmpl_node_t *next = &page->nodes[node->after];
    int is_followed = node->after < page->n_nodes && next->open.start == node->close.end &&
                      next->tag == TMPL_TAG_SPAN &&
                      tmpl_node_says(page, next, TMPL_ATTR_CLASS, "line");
    return tmpl_has_word(page->src, tmpl_node_attr(page, node, TMPL_ATTR_CLASS)->value,
                         is_followed ? "line code-line gatsby-highlight-code-line"
                                     : "gatsby-highlight-code-line",
                         tmpl_span_is_any);
}

int tmpl_forbids_index(const char *rule, apr_size_t len)
{
    static const char *const words[] = { "noindex", "none" };
    for (apr_size_t at = 0, end; at < len; at = end + 1) {
        for (end = at; end < len && strchr(" \t\r\n,;:", rule[end]) == NULL;) {
            end++;
        }
        for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
            if (end - at == strlen(words[i]) &&
                apr_cstr_casecmpn(rule + at, words[i], end - at) == 0) {
                return 1;
            }
        }
    }
    return 0;
}

static int meta_forbids(const char *src, tmpl_span_t tag)
{
    tmpl_attr_t name;
    tmpl_attr_t content;
    return tmpl_attr_find(&name, src, tag, "name") && tmpl_span_is(src, name.value, "robots") &&
           tmpl_attr_find(&content, src, tag, "content") &&
           tmpl_forbids_index(src + content.value.start, tmpl_span_len(content.value));
}

/* Finds the first canonical address, base and title. None of them can be at offset 0. */
static void find_head(tmpl_page_t *p, const tmpl_tokens_t *tokens)
{
    const tmpl_token_t *after = tokens->tokens + tokens->n;
    for (const tmpl_token_t *token = tokens->tokens; token < after; token++) {
        if (!(tmpl_tag_flags((tmpl_tag_e)token->tag) & TMPL_IS_HEAD) ||
            token->type != TMPL_TOKEN_START) {
            continue;
        }
        if (token->tag == TMPL_TAG_LINK && p->canonical.start == 0) {
            p->canonical = href_of(p->src, token->span, "canonical");
        }
        else if (token->tag == TMPL_TAG_BASE && p->base.start == 0) {
            p->base = href_of(p->src, token->span, NULL);
        }
        else if (token->tag == TMPL_TAG_META) {
            p->forbids_index |= meta_forbids(p->src, token->span);
        }
        else if (token->tag == TMPL_TAG_TITLE && p->title.start == 0 && token->is_paired) {
            p->title = (tmpl_span_t){ token->span.end, tokens->tokens[token->end].span.start };
        }
    }
}

/* Lists the tags in front of body. */
static void list_head(tmpl_page_t *p, const tmpl_tokens_t *tokens, apr_pool_t *pool)
{
    enum { MOST = 4096 };
    static const unsigned char is_listed[TMPL_TAG_COUNT] = {
        [TMPL_TAG_HTML] = 1, [TMPL_TAG_META] = 1,   [TMPL_TAG_LINK] = 1,
        [TMPL_TAG_BASE] = 1, [TMPL_TAG_SCRIPT] = 1,
    };
    apr_array_header_t *head = apr_array_make(pool, 32, sizeof(tmpl_head_tag_t));
    uint32_t body = tokens->body < tokens->n ? tokens->body : tokens->n;
    for (uint32_t i = 0; i < body && head->nelts < MOST && !tokens->tokens[i].is_node; i++) {
        const tmpl_token_t *token = &tokens->tokens[i];
        if (token->type != TMPL_TOKEN_START) {
            continue;
        }
        int has_end = token->end < tokens->n;
        if (is_listed[token->tag]) {
            uint32_t end = has_end ? tokens->tokens[token->end].span.start : token->span.end;
            APR_ARRAY_PUSH(head, tmpl_head_tag_t) =
                (tmpl_head_tag_t){ token->span, { token->span.end, end }, (tmpl_tag_e)token->tag };
        }
        if (has_end && (tmpl_tag_flags((tmpl_tag_e)token->tag) & TMPL_IS_QUIET)) {
            i = token->end;
        }
    }
    p->head = (const tmpl_head_tag_t *)head->elts;
    p->n_head = (uint32_t)head->nelts;
}

/* Lists the comments. */
static void find_comments(tmpl_page_t *p, const tmpl_tokens_t *tokens, apr_pool_t *pool)
{
    static const char begin[] = "<!--";
    apr_array_header_t *comments = apr_array_make(pool, 8, sizeof(tmpl_span_t));
    for (uint32_t i = 0; i < tokens->n; i++) {
        const tmpl_token_t *token = &tokens->tokens[i];
        if (token->type == TMPL_TOKEN_OTHER && tmpl_span_len(token->span) >= sizeof(begin) &&
            memcmp(p->src + token->span.start, begin, sizeof(begin) - 1) == 0) {
            APR_ARRAY_PUSH(comments, tmpl_span_t) = token->span;
        }
    }
    p->comments = (const tmpl_span_t *)comments->elts;
    p->n_comments = (uint32_t)comments->nelts;
}

/*
 * Whether the page is little more than tags, so that the parsed page would take too much memory for
 * its size, if each text has a key and a block of its own. tmpl_clean_observe() checks the memory
 * of the steps that follow.
 */
static int is_too_dense(const tmpl_build_t *build)
{
    enum { SLOT_BYTES = 10 };
    const tmpl_tokens_t *t = build->tokens;
    uint64_t segment =
        sizeof(tmpl_segment_t) + sizeof(tmpl_block_t) + sizeof(uint64_t) + SLOT_BYTES;
    uint64_t needed =
        (uint64_t)t->n * sizeof(tmpl_token_t) + (uint64_t)t->n_nodes * sizeof(tmpl_node_t) +
        (uint64_t)t->n_attrs * sizeof(tmpl_known_attr_t) + (uint64_t)t->n_segments * segment;
    return needed > tmpl_page_memory(build->page->len);
}

/* Builds the page from its bytes; the charset has been checked. */
static tmpl_decline_e write_page(tmpl_build_t *build)
{
    tmpl_page_t *p = build->page;
    tmpl_tokens_t *tokens = build->tokens;
    tmpl_decline_e decline = tmpl_construct(tokens, p->src, p->len, build->opts->max_tokens,
                                            build->opts->max_depth, build->pool, build->scratch);
    if (decline != TMPL_DECLINE_NONE) {
        return decline;
    }
    p->attrs = tokens->attrs;
    p->foreign_marks = tokens->foreign_marks;
    p->n_foreign_marks = tokens->n_foreign_marks;
    find_head(p, tokens);
    list_head(p, tokens, build->pool);
    if (build->opts->comments) {
        find_comments(p, tokens, build->pool);
    }
    if (build->opts->read != NULL) {
        tmpl_places_find(p, tokens, build->opts->read, build->opts->charset, build->pool);
    }
    if (is_too_dense(build)) {
        return TMPL_DECLINE_TOO_MANY;
    }
    tmpl_segments_init(build);
    decline = tmpl_tree_build(build);
    if (decline != TMPL_DECLINE_NONE) {
        return decline;
    }
    tmpl_segments_finish(build);
    return p->n_segments == 0 ? TMPL_DECLINE_EMPTY : TMPL_DECLINE_NONE;
}

static tmpl_decline_e page_declined(const tmpl_page_opts_t *opts, tmpl_decline_e reason,
                                    uint32_t at)
{
    if (opts->declined_at != NULL) {
        *opts->declined_at = at;
    }
    return reason;
}

tmpl_decline_e tmpl_page_parse(const tmpl_page_t **page, const char *src, apr_size_t len,
                               const tmpl_page_opts_t *opts, apr_pool_t *pool)
{
    tmpl_page_opts_t o = *opts;
    o.max_tokens = o.max_tokens != 0 ? o.max_tokens : TMPL_MAX_TOKENS;
    o.max_depth = o.max_depth != 0 ? o.max_depth : TMPL_MAX_DEPTH;
    if (len == 0) {
        return page_declined(&o, TMPL_DECLINE_EMPTY, TMPL_NONE); /* src may be NULL */
    }
    if (len >= TMPL_NONE) {
        return page_declined(&o, TMPL_DECLINE_TOO_LARGE, TMPL_NONE);
    }
    uint32_t at = TMPL_NONE;
    if (!tmpl_charset_is_ascii(tmpl_charset(src, len, o.charset, &at, pool))) {
        return page_declined(&o, TMPL_DECLINE_CHARSET, at);
    }
    tmpl_page_t *p = apr_pcalloc(pool, sizeof(*p));
    p->src = src;
    p->len = (uint32_t)len;
    p->names = apr_pcalloc(pool, TMPL_KNOWN_NAMES * sizeof(*p->names));
    tmpl_tokens_t tokens = { .declined_at = TMPL_NONE };
    tmpl_build_t build = { .page = p, .opts = &o, .tokens = &tokens, .pool = pool };
    build.separators = o.separators != NULL ? o.separators : &tmpl_separators_default;
    apr_pool_create(&build.scratch, pool);
    tmpl_decline_e decline = write_page(&build);
    apr_pool_destroy(build.scratch);
    if (decline != TMPL_DECLINE_NONE) {
        return page_declined(&o, decline, tokens.declined_at);
    }
    *page = p;
    return TMPL_DECLINE_NONE;
}
