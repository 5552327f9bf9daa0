/* SPDX-License-Identifier: Apache-2.0 */
/* What a script looks up in the document when it runs, as far as its text shows. */
#ifndef TMPL_SCRIPT_NAMES_H
#define TMPL_SCRIPT_NAMES_H

#include "base/tmpl.h"

/* How: by a name, by a selector that begins with no name, or by the script's own position. */
typedef enum {
    TMPL_LOOK_ID,
    TMPL_LOOK_CLASS,
    TMPL_LOOK_NAMES,
    TMPL_LOOK_SELECTOR = TMPL_LOOK_NAMES,
    TMPL_LOOK_POSITION
} tmpl_look_e;

typedef struct {
    uint32_t at; /* where the search goes on; set it to the start of the script's text first */
    tmpl_look_e by;
    tmpl_span_t name; /* may be empty */
} tmpl_script_look_t;

/* Finds the next look-up in front of the offset end. Returns 0 if there is none. */
int tmpl_script_look(tmpl_script_look_t *look, const char *src, uint32_t end);

#endif
