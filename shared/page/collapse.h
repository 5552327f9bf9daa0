/* SPDX-License-Identifier: Apache-2.0 */
/* White space in a text collapsed to single spaces: what of a text makes its key. */
#ifndef TMPL_COLLAPSE_H
#define TMPL_COLLAPSE_H

#include <stdint.h>

typedef struct {
    const char *text;
    uint32_t length;
} tmpl_collapsed_t;

/* The room must be larger than the text by so many bytes. */
#define TMPL_COLLAPSE_ROOM 16

/*
 * The text from at to end, which begins and ends with a byte that is no white space. The result is
 * the text itself if it is collapsed already, or a copy in room. Nothing is read from limit on.
 */
tmpl_collapsed_t tmpl_collapse(char *room, const char *at, const char *end, const char *limit);

#endif
