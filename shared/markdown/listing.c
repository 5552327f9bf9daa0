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

/* Whether an element has lines of a listing for itself. */
static int is_line(const tmpl_page_t *page, const xmlNode *node)
{
    tmpl_tag_e tag = tmpl_grid_tag(page, node);
    return (tmpl_tag_flags(tag) & (TMPL_IS_CLOSES_P | TMPL_IS_PART)) != 0 || tag == TMPL_TAG_BUTTON;
}

/* Whether an element that has lines for itself ends where a node ends. */
static int ends_line(const tmpl_page_t *page, const xmlNode *node)
{
    while (node != NULL && !is_line(page, node)) {
        node = node->last;
    }
    return node != NULL;
}

static void begin_line(tmpl_buf_t *code)
{
    if (code->len > 0 && code->at[code->len - 1] != '\n') {
        tmpl_buf_add(code, "\n", 1);
    }
}

/* Removes blank lines at the begin, and white space at the end. */
static void trim(tmpl_buf_t *code)
{
    while (code->len > 0 && tmpl_is_space(code->at[code->len - 1])) {
        code->at[--code->len] = '\0';
    }
    apr_size_t blank = 0;
    for (apr_size_t i = 0; i < code->len && tmpl_is_space(code->at[i]); i++) {
        blank = code->at[i] == '\n' ? i + 1 : blank;
    }
    if (blank > 0) {
        code->len -= blank;
        memmove(code->at, code->at + blank, code->len + 1);
    }
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
        if (is_line(page, node) || ends_line(page, node->prev)) {
            begin_line(code);
        }
        if (node->type == XML_TEXT_NODE) {
            tmpl_buf_add_text(code, (const char *)node->content);
        }
        else if (tmpl_grid_tag(page, node) == TMPL_TAG_BR) {
            tmpl_buf_add(code, "\n", 1);
        }
        else if (language == NULL && tmpl_grid_tag(page, node) == TMPL_TAG_CODE) {
            language = language_of(page, node, pool);
        }
    }
    trim(code);
    return language;
}
