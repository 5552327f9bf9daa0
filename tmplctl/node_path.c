/* SPDX-License-Identifier: Apache-2.0 */
#include "node_path.h"

#include <string.h>

#include <apr_strings.h>

#include "base/ascii.h"

/* Bytes of a name that are shown. */
#define NAME_MOST 32

/* Names that the library's tag table does not have are read from the source. */
static const char *name_of_node(const tmpl_page_t *page, uint32_t index, apr_pool_t *pool)
{
    const tmpl_node_t *node = &page->nodes[index];
    if (node->tag != TMPL_TAG_OTHER) {
        return tmpl_tag_name(node->tag);
    }
    char name[NAME_MOST + 1];
    apr_size_t n = 0;
    for (uint32_t at = node->open.start + 1; at < node->open.end && n < NAME_MOST; at++) {
        char c = page->src[at];
        if (!tmpl_is_alnum(c) && c != '-' && c != ':' && c != '_') {
            break;
        }
        name[n++] = tmpl_lower(c);
    }
    return n > 0 ? apr_pstrmemdup(pool, name, n) : "?";
}

const char *ctl_node_path(const tmpl_page_t *page, uint32_t node, apr_pool_t *pool)
{
    if (node == TMPL_NONE) {
        return "";
    }
    apr_array_header_t *names = apr_array_make(pool, 16, sizeof(const char *));
    apr_size_t len = 0;
    for (uint32_t i = node; i != TMPL_NONE; i = page->nodes[i].parent) {
        const char *name = name_of_node(page, i, pool);
        len += strlen(name) + 1;
        APR_ARRAY_PUSH(names, const char *) = name;
    }
    char *path = apr_palloc(pool, len);
    char *at = path;
    for (int i = names->nelts - 1; i >= 0; i--) {
        at = apr_cpystrn(at, APR_ARRAY_IDX(names, i, const char *), (apr_size_t)(path + len - at));
        *at = i > 0 ? '/' : '\0';
        at++;
    }
    return path;
}

tmpl_span_t ctl_block_span(const tmpl_page_t *page, const tmpl_block_t *block)
{
    tmpl_span_t span = { 0, 0 };
    if (block->first_segment < block->after_segment) {
        span.start = page->segments[block->first_segment].span.start;
        span.end = page->segments[block->after_segment - 1].span.end;
    }
    return span;
}
