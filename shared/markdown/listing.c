/* SPDX-License-Identifier: Apache-2.0 */
#include "markdown/listing.h"

#include <string.h>

#include <apr_strings.h>

#include "base/ascii.h"
#include "html/attr.h"
#include "markdown/grid.h"

/* The language that a word of a class names: "language-c"; NULL: none. */
static const char *language_in(const char *word, apr_size_t len, apr_pool_t *pool)
{
    static const char *const prefixes[] = { "language-", "lang-", "highlight-source-" };
    for (apr_size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        apr_size_t n = strlen(prefixes[i]);
        if (len > n && len < n + 32 && memcmp(word, prefixes[i], n) == 0) {
            return apr_pstrmemdup(pool, word + n, len - n);
        }
    }
    return NULL;
}

/* Whether a language can be written behind a fence. */
static int is_language_writable(const char *language)
{
    while (tmpl_is_alnum(*language) || (*language != '\0' && strchr("+#-_.", *language) != NULL)) {
        language++;
    }
    return *language == '\0';
}

/*
 * The language that a class names first; NULL: none, or the start tag is long: it could be read
 * again for each of very many listings in the element. For the same reason, the class is read
 * where it stands: a copy for each listing would take many times the page's memory.
 */
static const char *language_of(const tmpl_page_t *page, const xmlNode *node, apr_pool_t *pool)
{
    enum { LONGEST = 1000 };
    tmpl_span_t open = page->nodes[tmpl_dom_node(node)].open;
    tmpl_attr_t class;
    if (tmpl_span_len(open) > LONGEST || !tmpl_attr_find(&class, page->src, open, "class")) {
        return NULL;
    }
    const char *language = NULL;
    tmpl_span_t word = { class.value.start, class.value.start };
    while (language == NULL && tmpl_word_next(&word, page->src, class.value)) {
        language = language_in(page->src + word.start, tmpl_span_len(word), pool);
    }
    return language != NULL && is_language_writable(language) ? language : NULL;
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
