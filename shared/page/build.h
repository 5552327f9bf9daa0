/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page that is being built, in three files: page.c reads the head of the page, tree.c adds nodes,
 * segment.c segments and blocks.
 */
#ifndef TMPL_BUILD_H
#define TMPL_BUILD_H

#include "base/hash.h"
#include "html/construct.h"
#include "page/page.h"

typedef struct {
    tmpl_page_t *page;
    const tmpl_page_opts_t *opts;
    tmpl_tokens_t *tokens;
    const tmpl_tag_set_t *separators;
    apr_pool_t *pool;    /* pool of the page */
    apr_pool_t *scratch; /* lives until the page is complete */

    tmpl_numbering_t keys; /* keys of the segments: becomes page->keys */
    char *text;            /* room for the collapsed text of a segment */
    uint32_t edge;         /* a separator was passed since the last segment */
    uint32_t apart;        /* not 0: what was passed since the last segment separates words */
} tmpl_build_t;

/* --- tree.c --- */

/* Adds all nodes, and their segments. Declines nodes deeper than max_depth. */
tmpl_decline_e tmpl_tree_build(tmpl_build_t *build);

/* --- segment.c --- */

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

/* --- boxes.c --- */

/*
 * Whether a browser probably sets the text apart from the segment before it, although nothing is
 * between their elements, which are siblings or in siblings. node: the element of the text.
 */
int tmpl_boxes_are_apart(const tmpl_page_t *page, const tmpl_segment_t *before, uint32_t node,
                         tmpl_span_t text);

/* A text with each run of white space as one space: keys are made of it. */
typedef struct {
    const char *text;
    uint32_t length;
} tmpl_collapsed_t;

/* The room must have this many bytes more than the text. */
#define TMPL_COLLAPSE_ROOM 16

/*
 * Collapses the text from at to end, which begins and ends with a byte other than white space.
 * Returns the text itself if it is collapsed already, or a copy in room. Does not read from limit
 * on.
 */
tmpl_collapsed_t tmpl_collapse(char *room, const char *at, const char *end, const char *limit);

#endif
