/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tokens -> skeleton: the page with every tag reduced to its name and every text to one letter, for
 * libxml2 to build a tree from.
 *
 * libxml2 is asked only what it is good at, the nesting of HTML as people write it. It never sees
 * attributes, comments, scripts, charsets or odd bytes, so it cannot stumble over them and does not
 * spend time on them, and each of its events is known by its position in the skeleton.
 *
 * The skeleton is never held: whoever reads it goes over the tokens mark by mark. The parser's input is
 * written by one walk, its events are told apart by another that follows behind.
 */
#ifndef TMPL_SKELETON_H
#define TMPL_SKELETON_H

#include "page/scan.h"

/* What a walk will meet. */
typedef struct {
    uint32_t elements;     /* start tags */
    uint32_t segments;     /* texts, images and links: as many segments at most */
    uint32_t longest_text; /* bytes of source */
} tmpl_skeleton_t;

/*
 * Notes in the tokens (shown, text_shown) what the skeleton holds, and counts it. Left out: html, head
 * and body, what stands in the head, what is inside elements whose text is not visible, blank text.
 */
void tmpl_skeleton(tmpl_skeleton_t *skeleton, tmpl_tokens_t *tokens, const char *src, uint32_t len);

/* What the skeleton begins with, in front of the first mark. */
#define TMPL_SKELETON_HEAD "<html><body>"

/* Room for the bytes of any mark: a start and an end tag of the longest names. */
#define TMPL_MARK_BYTES 48

/* A walk over the skeleton, and the mark where it stands: a tag, or a text. */
typedef struct {
    const tmpl_tokens_t *tokens;
    uint32_t
        at; /* where the parser stands when it tells of it: at '>' of a start tag, else behind */
    uint32_t end;   /* where the next mark begins, in bytes of the skeleton */
    uint32_t token; /* the tag; for text the token behind it, or n of the tokens */
    unsigned char is_text;
    unsigned char done; /* there are no more marks */
} tmpl_walk_t;

/* Stands at the first mark. */
void tmpl_walk_begin(tmpl_walk_t *walk, const tmpl_tokens_t *tokens);

/* Goes to the next mark; walk->done if there is none. */
void tmpl_walk_next(tmpl_walk_t *walk);

/* Writes the bytes of the mark and a NUL, at most TMPL_MARK_BYTES; returns how many they are without it. */
uint32_t tmpl_walk_bytes(const tmpl_walk_t *walk, char *bytes);

/* Whether the mark is a tag of that name, as the parser calls it. */
int tmpl_walk_is(const tmpl_walk_t *walk, const char *name);

/* Whether the bytes hold nothing to see: white space and no-break spaces, as bytes or as entities. */
int tmpl_text_is_blank(const char *src, tmpl_span_t span);

#endif
