/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tokens -> skeleton: the page with every tag reduced to its name and every text to one letter, for
 * libxml2 to build a tree from.
 *
 * libxml2 is asked only what it is good at, the nesting of HTML as people write it. It never sees
 * attributes, comments, scripts, charsets or odd bytes, so it cannot stumble over them and does not
 * spend time on them, and each of its events is known by its position in the skeleton.
 */
#ifndef TMPL_SKELETON_H
#define TMPL_SKELETON_H

#include "page/scan.h"

/* What ends at a position of the skeleton. */
typedef struct {
    uint32_t start; /* first byte in the skeleton */
    uint32_t
        at; /* where the parser stands when it tells of it: at '>' of a start tag, else behind */
    uint32_t token; /* the tag; for text the token behind it, or n of the tokens */
    unsigned char is_text;
} tmpl_mark_t;

typedef struct {
    char *bytes;
    uint32_t len;
    tmpl_mark_t *marks; /* in order of at */
    uint32_t n_marks;
    uint32_t max_segments; /* texts, images and links */
} tmpl_skeleton_t;

/*
 * The skeleton of the tokens, from pool. Left out: html, head and body, what stands in the head, what
 * is inside elements whose text is not visible, blank text. Begins with TMPL_SKELETON_HEAD.
 */
void tmpl_skeleton(tmpl_skeleton_t *skeleton, const tmpl_tokens_t *tokens, const char *src,
                   uint32_t len, apr_pool_t *pool);

#define TMPL_SKELETON_HEAD "<html><body>"

/* Whether the bytes hold nothing to see: white space and no-break spaces, as bytes or as entities. */
int tmpl_text_is_blank(const char *src, tmpl_span_t span);

#endif
