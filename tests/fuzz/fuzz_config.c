/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strings of the configuration and of requests: a refusal must have a message, and nothing may
 * crash.
 */
#include <stdlib.h>
#include <string.h>

#include <apr_general.h>
#include <apr_strings.h>

#include "address/address.h"
#include "clean.h"
#include "dom/xpath.h"
#include "html/charset.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* There is a message if, and only if, there is an error. */
static void must(apr_status_t rv, const tmpl_error_t *err)
{
    if ((rv != APR_SUCCESS) != (err->text[0] != '\0')) {
        abort();
    }
}

static void try_xpath(const char *text, const tmpl_page_t *page, apr_pool_t *pool)
{
    tmpl_decoder_t decoder = { .name = "UTF-8" };
    tmpl_dom_opts_t opts = { .decoder = &decoder };
    uint32_t *nodes, n;
    tmpl_error_t err = { 0 };
    apr_status_t rv = tmpl_xpath_check(text, &err);
    must(rv, &err);
    if (rv == APR_SUCCESS) {
        tmpl_xpath_select(&nodes, &n, text, tmpl_dom(page, &opts, pool), pool);
    }
}

static void try_selector(const char *text, apr_pool_t *pool)
{
    static const char html[] = "<div id=a class='b c' x=y>t<p>u<b>v</b></p></div><p>w</p>";
    apr_array_header_t *list = apr_array_make(pool, 1, sizeof(const tmpl_selector_t *));
    const tmpl_page_t *page;
    tmpl_error_t err = { 0 };
    tmpl_page_opts_t opts = { 0 };
    apr_status_t rv = tmpl_selector_parse(list, text, &err);
    must(rv, &err);
    if (rv != APR_SUCCESS ||
        tmpl_page_parse(&page, html, sizeof(html) - 1, &opts, pool) != TMPL_DECLINE_NONE) {
        return;
    }
    for (int k = 0; k < list->nelts; k++) {
        const tmpl_selector_t *selector = APR_ARRAY_IDX(list, k, const tmpl_selector_t *);
        const char *xpath = tmpl_selector_xpath(selector);
        if (xpath != NULL) {
            try_xpath(xpath, page, pool);
        }
        for (uint32_t i = 0; xpath == NULL && i < page->n_nodes; i++) {
            tmpl_selector_matches(selector, page, i, NULL);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    apr_pool_t *pool;
    tmpl_error_t err = { 0 };
    tmpl_tag_set_t set = { { 0 } };
    apr_initialize();
    apr_pool_create(&pool, NULL);
    const char *text = apr_pstrmemdup(pool, (const char *)data, size);
    try_selector(text, pool);
    must(tmpl_store_check_uri(text, &err, pool), &err);
    err.text[0] = '\0';
    must(tmpl_tag_set_add(&set, text, &err), &err);
    err.text[0] = '\0';
    if (tmpl_mode_find(text) >= TMPL_MODE_COUNT) {
        abort();
    }
    const char *identity = tmpl_uri_identity(text, pool);
    if (strcmp(identity, tmpl_uri_identity(identity, pool)) != 0) {
        abort(); /* the identity of an identity is the same */
    }
    tmpl_charset_is_ascii(tmpl_charset((const char *)data, size, NULL, NULL, pool));
    apr_pool_destroy(pool);
    return 0;
}
