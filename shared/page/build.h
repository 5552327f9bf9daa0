/* SPDX-License-Identifier: Apache-2.0 */
/* A page that is being built: tree.c adds nodes, segment.c segments and blocks. */
#ifndef TMPL_BUILD_H
#define TMPL_BUILD_H

#include "base/hash.h"
#include "html/construct.h"
#include "page/collapse.h"
#include "page/page.h"

typedef struct {
    tmpl_page_t *page;
    const tmpl_page_opts_t *opts;
    tmpl_tokens_t *tokens;
    const tmpl_tag_set_t *separators;
    apr_pool_t *pool;    /* pool of the page */
    apr_pool_t *scratch; /* lives until the page is complete */

    tmpl_numbering_t keys; /* keys of the segments: becomes page->keys */
    char *text;            /* room for the collapsed text of a segment */
    uint32_t edge;         /* a separator was passed since the last segment */
    uint32_t apart;        /* not 0: what was passed since the last segment separates words */
} tmpl_build_t;

#endif
