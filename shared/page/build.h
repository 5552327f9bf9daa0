/* SPDX-License-Identifier: Apache-2.0 */
/* A page while it is being written: tree.c adds nodes, segment.c segments and blocks. */
#ifndef TMPL_BUILD_H
#define TMPL_BUILD_H

#include "base/map.h"
#include "html/construct.h"
#include "page/collapse.h"
#include "page/page.h"

typedef struct {
    tmpl_page_t *page;
    const tmpl_page_opts_t *opts;
    tmpl_tokens_t *tokens;
    const tmpl_tag_set_t *separators;
    apr_pool_t *pool;    /* the page's */
    apr_pool_t *scratch; /* gone once the page is written */

    tmpl_map_t keys; /* of page->keys: index + 1 */
    char *text;      /* for a segment's collapsed text */
    uint32_t edge;   /* a separator was passed since the last segment */
} tmpl_build_t;

#endif
