/* SPDX-License-Identifier: Apache-2.0 */
/* A page while it is being written: tree.c adds nodes, segment.c segments and blocks. */
#ifndef TMPL_BUILD_H
#define TMPL_BUILD_H

#include "base/map.h"
#include "html/construct.h"
#include "page/collapse.h"
#include "page/page.h"

typedef struct {
    tmpl_page_t *page;
    const tmpl_page_opts_t *opts;
    tmpl_tokens_t *tokens;
    const tmpl_tag_set_t *separators;
    apr_pool_t *pool;    /* the page's */
    apr_pool_t *scratch; /* gone once the page is written */

    tmpl_map_t keys; /* of page->keys: index + 1 */
    char *text;      /* for a segment's collapsed text */
    uint32_t edge;   /* a separator was passed since the last segment */
} tmpl_build_t;

/*
 * tokens -> nodes, and through the functions below their segments: once construct.h has found out where
 * each element ends. Declines elements deeper in each other than max_depth.
 */
tmpl_decline_e tmpl_tree_build(tmpl_build_t *build);

/* Room for as many segments as there can be. */
void tmpl_segments_init(tmpl_build_t *build);

/* Text at span, directly in node; whether it may be cut. */
void tmpl_segment_text(tmpl_build_t *build, uint32_t node, tmpl_span_t span, int may_cut);

/* An image has begun, or a link has ended: a segment of its own if it has an address and no text. */
void tmpl_segment_image(tmpl_build_t *build, uint32_t node);
void tmpl_segment_link(tmpl_build_t *build, uint32_t node);

/* The segments are all there: the hash of the visible text. */
void tmpl_segments_finish(tmpl_build_t *build);

#endif
