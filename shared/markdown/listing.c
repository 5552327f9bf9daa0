/* SPDX-License-Identifier: Apache-2.0 */
#include "markdown/listing.h"

#include <string.h>

#include <apr_strings.h>

#include "base/ascii.h"
#include "markdown/grid.h"

/*
 * The language that a class names: "language-c", "lang-c", "highlight-source-c". NULL: none, or the
 * start tag is long: it could be read again for each of very many listings in the element.
 */
static const char *language_of(const tmpl_page_t *page, const xmlNode *node, apr_pool_t *pool)
{
    enum { LONGEST = 1000 };
    static const char *const prefixes[] = { "language-", "lang-", "highlight-source-" };
    const char *class = tmpl_span_len(page->nodes[tmpl_dom_node(node)].open) <= LONGEST
                            ? tmpl_dom_attribute(node, "class")
                            : NULL;
    while (class != NULL && *(class += strspn(class, " \t\n")) != '\0') {
        apr_size_t len = strcspn(class, " \t\n");
        for (apr_size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
            apr_size_t prefix = strlen(prefixes[i]);
            if (len > prefix && len < prefix + 32 && strncmp(class, prefixes[i], prefix) == 0) {
                apr_size_t n = prefix;
                while (tmpl_is_alnum(class[n]) || (n < len && strchr("+#-_.", class[n]) != NULL)) {
                    n++;
                }
                return n == len ? apr_pstrmemdup(pool, class + prefix, len - prefix) : NULL;
            }
        }
        class += len;
    }
    return NULL;
}

const char *tmpl_listing_read(tmpl_buf_t *code, const tmpl_page_t *page, const xmlNode *pre,
                              apr_pool_t *pool)
{
    const char *language = language_of(page, pre, pool);
    if (language == NULL) {
        language = language_of(page, pre->parent, pool);
    }
    for (const xmlNode *node = tmpl_dom_next(pre, pre, 0); node != NULL;
         node = tmpl_dom_next(node, pre, 0)) {
        if (node->type == XML_TEXT_NODE) {
            const char *text = (const char *)node->content;
            /* browsers drop a line break at the begin of a pre */
            int first = code->len == 0 && node == pre->children;
            tmpl_buf_add(code, text + (first && *text == '\n'),
                         strlen(text) - (first && *text == '\n'));
        }
        else if (tmpl_grid_tag(page, node) == TMPL_TAG_BR) {
            tmpl_buf_add(code, "\n", 1);
        }
        else if (language == NULL && tmpl_grid_tag(page, node) == TMPL_TAG_CODE) {
            language = language_of(page, node, pool);
        }
        /* a line of a listing may be an element of its own */
        tmpl_tag_e tag = tmpl_grid_tag(page, node);
        if (tmpl_tag_flags(tag) & TMPL_IS_CLOSES_P && code->len > 0 &&
            code->at[code->len - 1] != '\n') {
            tmpl_buf_add(code, "\n", 1);
        }
    }
    while (code->len > 0 && tmpl_is_space(code->at[code->len - 1])) {
        code->at[--code->len] = '\0';
    }
    return language;
}
