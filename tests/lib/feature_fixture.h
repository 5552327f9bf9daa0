/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of features: a page with its layout and rows, and the features of a block. */
#ifndef TESTS_FEATURE_FIXTURE_H
#define TESTS_FEATURE_FIXTURE_H

#include "check.h"

#include <math.h>

#include "feature/layout.h"
#include "feature/rows.h"

typedef struct {
    const tmpl_page_t *page;
    tmpl_reading_t *reading;
    tmpl_layout_t layout;
    float *rows;
    apr_pool_t *pool;
} read_t;

static inline void set_rows(read_t *r, const tmpl_evidence_t *evidence)
{
    r->rows = apr_palloc(r->pool, r->page->n_blocks * TMPL_BLOCK_FEATURE_COUNT * sizeof(*r->rows));
    tmpl_rows_list(r->rows, tmpl_rows_of(r->reading, &r->layout, evidence, r->pool));
}

/* Reads a page of a site without counts; returns 0 if the parser declines it. */
static inline int try_read(read_t *r, const char *html, apr_pool_t *pool)
{
    static const tmpl_evidence_t nothing = { 0 };
    tmpl_page_opts_t opts = { .separators = &tmpl_separators_leaf };
    r->pool = pool;
    if (tmpl_page_parse(&r->page, html, strlen(html), &opts, pool) != TMPL_DECLINE_NONE) {
        return 0;
    }
    r->reading = tmpl_read_blocks(r->page, pool);
    tmpl_layout_read(&r->layout, r->reading, pool);
    set_rows(r, &nothing);
    return 1;
}

static inline read_t read_html(const char *html, apr_pool_t *pool)
{
    read_t r;
    assert_true(try_read(&r, html, pool));
    return r;
}

static inline float of(const read_t *r, uint32_t block, tmpl_block_feature_e feature)
{
    assert_true(block < r->page->n_blocks);
    return r->rows[block * TMPL_BLOCK_FEATURE_COUNT + feature];
}

#define OF(block, id)        of(&r, block, TMPL_BLOCK_FEATURE_##id)
#define IS(block, id, value) assert_float_equal(OF(block, id), value, 1e-5)

#endif
