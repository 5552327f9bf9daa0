/* SPDX-License-Identifier: Apache-2.0 */
/* Where a byte of a page's source is, for people. */
#ifndef TMPL_PLACE_H
#define TMPL_PLACE_H

#include "base/tmpl.h"

/* Bytes of a tag that are shown at most. */
#define TMPL_PLACE_TAG 80

typedef struct {
    uint32_t line;   /* from 1 */
    tmpl_span_t tag; /* from the byte up to the end of its tag, TMPL_PLACE_TAG bytes at most */
} tmpl_place_t;

/* The place of offset at < len of src. Reads all of src before it. */
tmpl_place_t tmpl_place(const char *src, uint32_t len, uint32_t at);

#endif
