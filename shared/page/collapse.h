/* SPDX-License-Identifier: Apache-2.0 */
/* White space in a text collapsed to single spaces: what of a text makes its key. */
#ifndef TMPL_COLLAPSE_H
#define TMPL_COLLAPSE_H

#include <stdint.h>

#include "base/processor.h"

typedef struct {
    const char *text;
    uint32_t length;
} tmpl_collapsed_t;

/* So many bytes more than the text has there must be room for. */
#define TMPL_COLLAPSE_ROOM 32

/*
 * The text from at to end, which begins and ends with what is no white space: as it stands, or in room. From limit on
 * nothing is read.
 */
typedef tmpl_collapsed_t tmpl_collapse_t(char *room, const char *at, const char *end,
                                         const char *limit);

/* For any processor; and the one for this one, which gives the same. */
tmpl_collapse_t tmpl_collapse_anywhere;
tmpl_collapse_t *tmpl_collapse_here(void);

#ifdef TMPL_FOR_AVX2
tmpl_collapse_t tmpl_collapse_avx2;
#endif

#endif
