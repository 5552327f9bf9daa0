/* SPDX-License-Identifier: Apache-2.0 */
/* JSON of pages and their blocks, in the form of jansson. */
#ifndef CTL_JSON_H
#define CTL_JSON_H

#include <jansson.h>

#include "render.h"

/* Bytes as a string: JSON is UTF-8, names of files and elements need not be. */
json_t *ctl_json_string(const char *bytes, apr_size_t len, apr_pool_t *pool);

/* A span, as a list of two offsets. */
json_t *ctl_json_span(tmpl_span_t span);

/* The JSON object that mode json writes for a page. */
json_t *ctl_json_page(const ctl_page_t *page, apr_pool_t *pool);

/* Prints json and a newline to standard output, and frees it. CTL_FAILED if there is no memory. */
int ctl_json_print(json_t *json);

#endif
