/* SPDX-License-Identifier: Apache-2.0 */
#include "content/element_kinds.h"

#include <string.h>

#include <apr_cstr.h>

#include "base/ascii.h"
#include "html/attr.h"

/* What classes call a callout, and the alert of GitHub for it. */
static const struct {
    const char *line, *kinds;
} alerts[] = {
    { "[!NOTE]", "note info abstract summary question faq example seealso primary secondary" },
    { "[!TIP]", "tip hint success" },
    { "[!IMPORTANT]", "important" },
    { "[!WARNING]", "warning attention" },
    { "[!CAUTION]", "danger error caution" },
};

/* Whether a word is a name of boxes, or begins with one: "alert", "alert-info". */
static int is_box(const char *word, apr_size_t len)
{
    static const char *const boxes[] = { "callout", "admonition", "alert", "markdown-alert",
                                         "theme-admonition" };
    for (apr_size_t i = 0; i < sizeof(boxes) / sizeof(boxes[0]); i++) {
        apr_size_t n = strlen(boxes[i]);
        if (*word == *boxes[i] && len >= n && memcmp(word, boxes[i], n) == 0) {
            return len == n || word[n] == '-' || strncmp(word + n, "block", 5) == 0;
        }
    }
    return 0;
}

/* The alert for the kind at the end of a word: "info" or "alert-info". */
static const char *line_for(const char *word, apr_size_t len)
{
    const char *dash = memrchr(word, '-', len);
    uint32_t from = dash != NULL ? (uint32_t)(dash + 1 - word) : 0;
    for (apr_size_t i = 0; i < sizeof(alerts) / sizeof(alerts[0]); i++) {
        if (tmpl_span_is_any(word, (tmpl_span_t){ from, (uint32_t)len }, alerts[i].kinds)) {
            return alerts[i].line;
        }
    }
    return NULL;
}

const char *tmpl_callout_of(const tmpl_page_t *page, const xmlNode *element)
{
    const tmpl_node_t *node = &page->nodes[tmpl_dom_node(element)];
    const tmpl_known_attr_t *class =
        node->flags & TMPL_NODE_NAMED ? tmpl_node_attr(page, node, TMPL_ATTR_CLASS) : NULL;
    if (class == NULL || (node->tag != TMPL_TAG_DIV && node->tag != TMPL_TAG_ASIDE &&
                          node->tag != TMPL_TAG_BLOCKQUOTE && node->tag != TMPL_TAG_SECTION)) {
        return NULL;
    }
    const char *line = NULL;
    int box = 0;
    tmpl_span_t word = { class->value.start, class->value.start };
    while (tmpl_word_next(&word, page->src, class->value)) {
        const char *at = page->src + word.start;
        int is = is_box(at, tmpl_span_len(word));
        /* the class of a part: "callout-title" */
        line = line == NULL && (is || box) ? line_for(at, tmpl_span_len(word)) : line;
        box |= is && (line != NULL || memchr(at, '-', tmpl_span_len(word)) == NULL ||
                      tmpl_span_is(page->src, word, "markdown-alert") ||
                      tmpl_span_is(page->src, word, "theme-admonition"));
    }
    if (box && line == NULL) {
        const char *kind = tmpl_dom_attribute(element, "data-callout");
        line = kind != NULL ? line_for(kind, strlen(kind)) : NULL;
    }
    return box ? line : NULL;
}

const xmlNode *tmpl_callout_title(const xmlNode *element, const char *line)
{
    const xmlNode *node = element;
    while (node != NULL && (node->type != XML_TEXT_NODE || tmpl_dom_is_blank(node))) {
        node = tmpl_dom_next(node, element, 0);
    }
    if (node == NULL) {
        return NULL;
    }
    const char *text = (const char *)node->content + strspn((const char *)node->content, " \t\n");
    apr_size_t len = strcspn(line, "]") - strlen("[!");
    return apr_cstr_casecmpn(text, line + 2, len) == 0 &&
                   text[len + strspn(text + len, ": \n\t")] == '\0'
               ? node
               : NULL;
}
