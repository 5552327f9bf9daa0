/* SPDX-License-Identifier: Apache-2.0 */
/* Segments, their keys, and the blocks that they make up. */
#ifndef TMPL_SEGMENT_H
#define TMPL_SEGMENT_H

#include "page/build.h"

/* The hash of a path and what follows it: the name of an element, or the hash of a text. */
static inline uint64_t tmpl_path_mix(uint64_t path, uint64_t next)
{
    uint64_t h = (path ^ next) * 0x9E3779B97F4A7C15u;
    return h ^ (h >> 29);
}

/* Makes room for as many segments as the tokens can make at most. */
void tmpl_segments_init(tmpl_build_t *build);

/* Adds the text at span, directly in node; may_cut says whether it may be cut. */
void tmpl_segment_text(tmpl_build_t *build, uint32_t node, tmpl_span_t span, int may_cut);

/*
 * Adds a segment for an image or for a link without text, if it has an address. Call at the image's
 * start, and at the link's end.
 */
void tmpl_segment_image(tmpl_build_t *build, uint32_t node);
void tmpl_segment_link(tmpl_build_t *build, uint32_t node);

/* Sets page->text once all segments are added. */
void tmpl_segments_finish(tmpl_build_t *build);

#endif
