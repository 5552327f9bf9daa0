/* SPDX-License-Identifier: Apache-2.0 */
#include "content/hidden.h"

#include <string.h>

/* Bytes of text that is short. */
#define SHORT 400

static int is_undisplayed(const tmpl_page_t *page, tmpl_span_t style)
{
    static const char display[] = "display:", none[] = "none";
    enum { BEFORE = sizeof(display) - 1, NONE = sizeof(none) - 1 };
    const char *value = page->src + style.start;
    uint32_t len = tmpl_span_len(style);
    if (len < BEFORE + NONE || memcmp(value, display, BEFORE) != 0) {
        return 0;
    }
    uint32_t at = value[BEFORE] == ' ' ? BEFORE + 1 : BEFORE;
    return len - at >= NONE && memcmp(value + at, none, NONE) == 0;
}

int tmpl_hidden_is(const tmpl_page_t *page, uint32_t node)
{
    const tmpl_node_t *own = &page->nodes[node];
    const tmpl_known_attr_t *style =
        own->flags & TMPL_NODE_NAMED ? tmpl_node_attr(page, own, TMPL_ATTR_STYLE) : NULL;
    if (style == NULL || !is_undisplayed(page, style->value)) {
        return 0;
    }
    uint32_t length = 0;
    for (uint32_t s = own->first_segment; s < own->after_segment && length <= SHORT; s++) {
        length += page->segments[s].length;
    }
    return length <= SHORT;
}
