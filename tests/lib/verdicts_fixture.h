/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of rules that change verdicts: a page of leaf blocks, and its verdicts as letters. */
#ifndef TESTS_VERDICTS_FIXTURE_H
#define TESTS_VERDICTS_FIXTURE_H

#include "check.h"

#include "detect/verdict.h"

static inline const tmpl_page_t *leaf_page(const char *html, apr_pool_t *pool)
{
    const tmpl_page_t *page;
    tmpl_page_opts_t opts = { .separators = &tmpl_separators_leaf };
    assert_int_equal(tmpl_page_parse(&page, html, strlen(html), &opts, pool), TMPL_DECLINE_NONE);
    return page;
}

/* t or c for each block. */
static inline const char *letters_of(const tmpl_verdict_t *verdicts, const tmpl_page_t *page,
                                     apr_pool_t *pool)
{
    char *letters = apr_pcalloc(pool, page->n_blocks + 1);
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        letters[b] = verdicts[b].template ? 't' : 'c';
    }
    return letters;
}

#endif
