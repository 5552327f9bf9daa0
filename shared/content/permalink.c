/* SPDX-License-Identifier: Apache-2.0 */
#include "content/permalink.h"

#include <string.h>

#include "base/chars.h"
#include "dom/dom.h"

int tmpl_permalink_is_symbols(const char *text, apr_size_t len)
{
    static const struct {
        uint32_t first, last;
    } symbols[] = {
        { 0, ')' },         { '+', '/' },       { ':', '@' },         { '[', '`' },
        { '{', 0xB1 },      { 0xB4, 0xB8 },     { 0x2000, 0x200F },   /* spaces */
        { 0x2190, 0x2BFF }, { 0xE000, 0xF8FF }, { 0x1F000, 0x1FAFF }, /* arrows and more; icons */
        { 0xFE00, 0xFE0F },
    };
    apr_size_t used;
    int is = 1;
    for (; is && len > 0; text += used, len -= used) {
        uint32_t c = tmpl_utf8_next(text, len, &used);
        is = 0;
        for (apr_size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]) && !is; i++) {
            is = c >= symbols[i].first && c <= symbols[i].last;
        }
    }
    return is;
}

/*
 * Whether a heading or term has words beside a link. Reads its first nodes and bytes only, because
 * very many links may be in one heading.
 */
static int has_words_beside(const xmlNode *leaf, const xmlNode *link)
{
    enum { FEW = 32, SHORT = 64 };
    const xmlNode *node = leaf->children;
    apr_size_t left = SHORT;
    int has = 0;
    for (int n = 0; !has && n < FEW && node != NULL; n++) {
        if (node->type == XML_TEXT_NODE) {
            apr_size_t len = strnlen((const char *)node->content, left);
            has = !tmpl_permalink_is_symbols((const char *)node->content, len);
            left -= len;
        }
        node = tmpl_dom_next(node, leaf, node == link);
    }
    return has;
}

int tmpl_permalink_is(const tmpl_page_t *page, const xmlNode *leaf, const xmlNode *link,
                      const char *href)
{
    int is = *href == '#';
    for (const xmlNode *node = link->children; is && node != NULL;
         node = tmpl_dom_next(node, link, 0)) {
        const char *text = (const char *)node->content;
        is = node->type == XML_TEXT_NODE ? tmpl_permalink_is_symbols(text, strlen(text))
                                         : tmpl_dom_tag(page, node) != TMPL_TAG_IMG;
    }
    return is && has_words_beside(leaf, link);
}

int tmpl_permalink_is_whole(const xmlNode *leaf, const xmlNode *link, const char *href)
{
    return *href == '#' && !has_words_beside(leaf, link);
}
