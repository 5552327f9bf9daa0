/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of pages: a pool for each test, and pages made of a string. */
#ifndef TMPL_CHECK_H
#define TMPL_CHECK_H

#include <string.h>

#include "tap.h"

#include <apr_strings.h>

#include "page/page.h"

static int check_setup(void **state)
{
    return apr_pool_create((apr_pool_t **)state, NULL) != APR_SUCCESS;
}

static int check_teardown(void **state)
{
    apr_pool_destroy(*state);
    return 0;
}

#define CHECK(test) cmocka_unit_test_setup_teardown(test, check_setup, check_teardown)

/* Parses html with the defaults; the test fails if it is declined. */
static inline const tmpl_page_t *check_page(const char *html, apr_pool_t *pool)
{
    const tmpl_page_t *page = NULL;
    tmpl_page_opts_t opts = { 0 };
    tmpl_decline_e decline = tmpl_page_parse(&page, html, strlen(html), &opts, pool);
    assert_string_equal(tmpl_decline_name(decline), "none");
    return page;
}

/* The bytes of a span, as a string. */
static inline const char *check_bytes(const tmpl_page_t *page, tmpl_span_t span, apr_pool_t *pool)
{
    return apr_pstrmemdup(pool, page->src + span.start, tmpl_span_len(span));
}

#endif
