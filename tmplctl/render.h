/* SPDX-License-Identifier: Apache-2.0 */
/* What clean writes of a page, one function a --mode. */
#ifndef CTL_RENDER_H
#define CTL_RENDER_H

#include "clean.h"

/* A page that has been judged. */
typedef struct {
    const char *path;
    const tmpl_input_t *input;
    const tmpl_outcome_t *outcome;
} ctl_page_t;

/* The bytes to write, from pool or the page itself. */
typedef struct {
    const char *bytes;
    apr_size_t len;
    int edited;       /* something was marked, cut or left out */
    const char *lost; /* why bytes are not all that there should be; NULL: they are */
} ctl_rendered_t;

typedef struct {
    const char *name;
    tmpl_mode_e mode; /* what the library is asked for */
    const char *suffix;
    void (*render)(ctl_rendered_t *rendered, const ctl_page_t *page, apr_pool_t *pool);
} ctl_mode_t;

/* The mode of that name; NULL if there is none. */
const ctl_mode_t *ctl_mode_find(const char *name);

/* json.c: the verdicts and the cuts of strip, as a JSON object. */
void ctl_render_json(ctl_rendered_t *rendered, const ctl_page_t *page, apr_pool_t *pool);

#endif
