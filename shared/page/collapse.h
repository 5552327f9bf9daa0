/* SPDX-License-Identifier: Apache-2.0 */
/* Collapses white space to single spaces: keys are made of collapsed text. */
#ifndef TMPL_COLLAPSE_H
#define TMPL_COLLAPSE_H

#include <stdint.h>

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
