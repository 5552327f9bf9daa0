/* SPDX-License-Identifier: Apache-2.0 */
/* The outputs of tmplctl clean: one function per --mode. */
#ifndef CTL_RENDER_H
#define CTL_RENDER_H

#include "clean.h"

/* A page that was judged. */
typedef struct {
    const char *path;
    const char *address; /* the address of a page of a mirror; else NULL */
    const char *url;     /* the URL of a page from the web; else NULL */
    const tmpl_input_t *input;
    const tmpl_outcome_t *outcome;
    const tmpl_clean_opts_t *opts; /* by which it was judged; for mode json */
} ctl_page_t;

/* An output. */
typedef struct {
    const char *bytes; /* from pool, or the page's own */
    apr_size_t len;
    int edited;       /* something was marked, deleted or left out */
    const char *lost; /* what is missing from bytes; NULL: nothing */
} ctl_rendered_t;

typedef struct {
    const char *name;
    tmpl_mode_e mode; /* what tmpl_clean is to do; LEARN: the page is observed only */
    int is_line;      /* a page is one line, so that standard output may have many */
    const char *suffix;
    const char *type, *column; /* in archives: its type, and its column in lines; NULL: it is not */
    void (*render)(ctl_rendered_t *rendered, const ctl_page_t *page, apr_pool_t *pool);
} ctl_mode_t;

/* Finds the mode of that name. APR_EINVAL, with the valid names, if there is no such mode. */
apr_status_t ctl_mode_parse(const ctl_mode_t **mode, const char *name, tmpl_error_t *err);

/* The blocks mode: verdicts, and the cuts of strip, as a JSON object. For render.c's table. */
void ctl_render_blocks(ctl_rendered_t *rendered, const ctl_page_t *page, apr_pool_t *pool);

#endif
