/* SPDX-License-Identifier: Apache-2.0 */
#include "feature/box.h"

uint32_t tmpl_box_around(const tmpl_page_t *page, uint32_t node)
{
    const tmpl_node_t *inner = &page->nodes[node];
    uint32_t first = tmpl_first_block(page, node);
    uint32_t after = tmpl_after_block(page, node);
    /* an element with the same segments holds the same blocks: comparing segments is quicker */
    while (node != 0) {
        node = page->nodes[node].parent;
        const tmpl_node_t *outer = &page->nodes[node];
        if ((outer->first_segment < inner->first_segment && tmpl_first_block(page, node) < first) ||
            (outer->after_segment > inner->after_segment && tmpl_after_block(page, node) > after)) {
            break;
        }
    }
    return node;
}

uint32_t tmpl_box_innermost(const tmpl_page_t *page, uint32_t leaf)
{
    return tmpl_after_block(page, leaf) - tmpl_first_block(page, leaf) > 1
               ? leaf
               : tmpl_box_around(page, leaf);
}

void tmpl_climb(uint32_t boxes[TMPL_BOXES], const tmpl_page_t *page, uint32_t innermost)
{
    if (boxes[0] == innermost) {
        return;
    }
    boxes[0] = innermost;
    for (int i = 1; i < TMPL_BOXES; i++) {
        boxes[i] = tmpl_box_around(page, boxes[i - 1]);
    }
}
