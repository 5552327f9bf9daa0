/* SPDX-License-Identifier: Apache-2.0 */
/* The outputs of pages: one function per --mode, and JSON. */
#ifndef CTL_RENDER_H
#define CTL_RENDER_H

#include <jansson.h>

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

/*
 * --- where elements and blocks are in a page, for people ("html/body/div/ul", and spans), and JSON
 * of pages and their blocks, in the form of jansson ---
 */

/* The tag names from the root down to the node, from pool; "" for TMPL_NONE. */
const char *ctl_node_path(const tmpl_page_t *page, uint32_t node, apr_pool_t *pool);

/* The span from a block's first segment to its last segment; 0, 0 without segments. */
tmpl_span_t ctl_block_span(const tmpl_page_t *page, const tmpl_block_t *block);

/* Bytes as a string: JSON is UTF-8, names of files and elements need not be. NULL as null. */
json_t *ctl_json_string(const char *bytes, apr_size_t len, apr_pool_t *pool);
json_t *ctl_json_text(const char *text, apr_pool_t *pool);

/* A span, as a list of two offsets. */
json_t *ctl_json_span(tmpl_span_t span);

/* The JSON object that mode blocks writes for a page. */
json_t *ctl_json_page(const ctl_page_t *page, apr_pool_t *pool);

/* JSON as text of pool, with a newline behind it; frees json. flags are of json_dumps(). */
const char *ctl_json_line(json_t *json, size_t flags, apr_pool_t *pool);

/* Prints json and a newline to standard output, and frees it. CTL_OK: main sees if that failed. */
int ctl_json_print(json_t *json);

#endif
