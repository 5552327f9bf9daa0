/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where elements and blocks are in a page, for people ("html/body/div/ul", and spans), and JSON of
 * pages and their blocks, in the form of jansson.
 */
#ifndef CTL_JSON_H
#define CTL_JSON_H

#include <jansson.h>

#include "clean.h"
#include "render.h"

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
