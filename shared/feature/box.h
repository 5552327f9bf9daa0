/* SPDX-License-Identifier: Apache-2.0 */
/* The boxes of a block: elements around it that each hold more blocks than the one before. */
#ifndef TMPL_BOX_H
#define TMPL_BOX_H

#include "feature/reading.h"

/*
 * The nearest element around node that holds more blocks than node; the root if there is none. node
 * must hold text.
 */
uint32_t tmpl_box_around(const tmpl_page_t *page, uint32_t node);

/* The innermost box of a block whose element is leaf: leaf itself if it holds other blocks, too. */
uint32_t tmpl_box_innermost(const tmpl_page_t *page, uint32_t leaf);

/* Fills boxes from the innermost one outwards, unless boxes[0] is the innermost one already. */
void tmpl_climb(uint32_t boxes[TMPL_BOXES], const tmpl_page_t *page, uint32_t innermost);

/* The innermost box of a block, once the layout is read. */
static inline uint32_t tmpl_box_of(const tmpl_reading_t *reading, uint32_t block)
{
    uint32_t node = reading->page->blocks[block].node;
    unsigned back = reading->boxes[block];
    return back < TMPL_BOX_FAR ? node - back : tmpl_box_innermost(reading->page, node);
}

#endif
