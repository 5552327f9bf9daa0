/* SPDX-License-Identifier: Apache-2.0 */
/* Which pages are declined, and for which reason. */
#include <stdio.h>

#include <apr_strings.h>

#include "check.h"
#include "clean.h"

/* Markup that was declined once, and is not now. */
static void broken_and_foreign_markup_is_no_reason(void **state)
{
    static const char *const pages[] = {
        "<p>a<div",
        "<p>a<!-- b",
        "<p>a<script>b",
        "<p>a<textarea>b</textareas>",
        "<p>a<svg><g>",
        "<p>a<template>",
        "<p>a<svg><g></svg>b",
        "<p>a<svg><div></div></svg>b",
        "<p>a</svg>b",
        "<p>a<math><style><i></style></math>b",
        "<p>a<svg><title>b</title><use></use></svg>",
        "<p>a<noscript><!-- </noscript> --></noscript>b",
        "<form><noscript></form>a</noscript>b",
        "<p>a<noscript><noscript><img></noscript>b",
        "<p>a<noscript><div>b</noscript>",
        "<!doctype html public \"-//W3C//DTD HTML 4.0 Transitional//EN\"><p>a<table><td>b</table>",
    };
    for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
        check_page(pages[i], *state);
    }
}

static void declines_have_reasons(void **state)
{
    static const struct {
        const char *html;
        const char *reason;
    } cases[] = {
        { "", "empty" },
        { "<p></p> &nbsp;", "empty" },
        { "<frameset><frame></frameset>", "frameset" },
        { "<div></div><frameset><frame></frameset>", "frameset" },
        { "<p>a<plaintext>b", "plaintext" },
        { "\xff\xfe<\0p\0", "charset" },
        { "<meta charset=utf-16le><p>a", "charset" },
        { "<meta http-equiv=content-type content='text/html; charset=ISO-2022-JP'><p>a",
          "charset" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const tmpl_page_t *page;
        tmpl_page_opts_t opts = { 0 };
        tmpl_decline_e why =
            tmpl_page_parse(&page, cases[i].html, strlen(cases[i].html), &opts, *state);
        assert_string_equal(tmpl_decline_name(why), cases[i].reason);
        assert_true(strlen(tmpl_decline_text(why)) > 10);
    }
}

/* docs/troubleshooting.md is read from the repository's root, where tests are run. */
static void every_reason_is_documented(void **state)
{
    static char text[32768];
    FILE *file = fopen("docs/troubleshooting.md", "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    for (int i = 1; i < TMPL_DECLINE_COUNT; i++) {
        const char *row = apr_psprintf(*state, "\n| %s | ", tmpl_decline_name((tmpl_decline_e)i));
        if (strstr(text, row) == NULL) {
            fail_msg("docs/troubleshooting.md has no row for '%s'",
                     tmpl_decline_name((tmpl_decline_e)i));
        }
    }
}

static void limits_hold(void **state)
{
    const tmpl_page_t *page;
    const char *html = "<div><div><div><div>a</div></div></div></div>";
    tmpl_page_opts_t opts = { .max_depth = 3 };
    assert_int_equal(tmpl_page_parse(&page, html, strlen(html), &opts, *state),
                     TMPL_DECLINE_TOO_DEEP);
    opts.max_depth = 8;
    assert_int_equal(tmpl_page_parse(&page, html, strlen(html), &opts, *state), TMPL_DECLINE_NONE);
    html = "<form><div></form><form><div></form><form><div></form><form><div></form>a";
    assert_int_equal(tmpl_page_parse(&page, html, strlen(html), &opts, *state), TMPL_DECLINE_NONE);
    opts.max_depth = 7; /* HTML5's stack is no higher, but eight elements are in each other */
    assert_int_equal(tmpl_page_parse(&page, html, strlen(html), &opts, *state),
                     TMPL_DECLINE_TOO_DEEP);
    html = "<div><div><div><div>a</div></div></div></div>";
    opts.max_depth = 8;
    opts.max_tokens = 7;
    assert_int_equal(tmpl_page_parse(&page, html, strlen(html), &opts, *state),
                     TMPL_DECLINE_TOO_MANY);
    opts.max_tokens = 8;
    assert_int_equal(tmpl_page_parse(&page, html, strlen(html), &opts, *state), TMPL_DECLINE_NONE);
    assert_int_equal(tmpl_page_parse(&page, html, TMPL_NONE, &opts, *state),
                     TMPL_DECLINE_TOO_LARGE);
}

/* The searches for tags are limited for the page as a whole. */
static void many_tags_deep_down_are_declined(void **state)
{
    enum { DEEP = 500, TAGS = 70000 };
    const tmpl_page_t *page;
    tmpl_page_opts_t opts = { 0 };
    char *html = apr_palloc(*state, 5 * DEEP + 4 * TAGS);
    for (int i = 0; i < DEEP; i++) {
        memcpy(html + (apr_size_t)i * 5, "<div>", 5);
    }
    for (int i = 0; i < TAGS; i++) {
        memcpy(html + 5 * DEEP + (apr_size_t)i * 4, "</p>", 4);
    }
    assert_int_equal(tmpl_page_parse(&page, html, 5 * DEEP + 4 * TAGS, &opts, *state),
                     TMPL_DECLINE_TOO_MANY);
}

static tmpl_decline_e parse_many(const char *unit, unsigned n, apr_pool_t *pool)
{
    size_t len = strlen(unit);
    const tmpl_page_t *page;
    tmpl_page_opts_t opts = { 0 };
    char *html = apr_palloc(pool, n * len);
    for (unsigned i = 0; i < n; i++) {
        memcpy(html + i * len, unit, len);
    }
    return tmpl_page_parse(&page, html, n * len, &opts, pool);
}

/* The memory for a page is limited by its size; small pages may be dense. */
static void pages_of_little_but_tags_are_declined(void **state)
{
    assert_int_equal(parse_many("<li>x", 3500, *state), TMPL_DECLINE_NONE);
    assert_int_equal(parse_many("<li>x", 35000, *state), TMPL_DECLINE_TOO_MANY);
    assert_int_equal(parse_many("<p></p>", 60000, *state), TMPL_DECLINE_EMPTY);
    assert_int_equal(parse_many("<td>1</td>", 60000, *state), TMPL_DECLINE_NONE);
}

/* What a detector says of n numbered terms and descriptions with these words. */
static tmpl_decline_e clean_many(tmpl_detector_e detector, const char *words, unsigned n,
                                 apr_pool_t *pool)
{
    tmpl_clean_opts_t opts = tmpl_clean_opts_default();
    tmpl_outcome_t outcome;
    apr_array_header_t *units = apr_array_make(pool, (int)n, sizeof(const char *));
    opts.mode = TMPL_MODE_STRIP;
    opts.detector = detector;
    tmpl_models_builtin(&opts.detect.models, pool);
    for (unsigned i = 0; i < n; i++) {
        APR_ARRAY_PUSH(units, const char *) =
            apr_psprintf(pool, "<dt>T%u%s<dd>D%u%s", i, words, i, words);
    }
    tmpl_input_t input = { .body = apr_array_pstrcat(pool, units, 0), .site = "s", .uri = "/" };
    input.len = strlen(input.body);
    if (tmpl_clean_read(&outcome, &input, &opts, pool)) {
        tmpl_clean_observe(&outcome, &input, &opts, pool);
    }
    return outcome.decline;
}

/* Each key takes far more memory than its tags: also in the store, and until it is learnt. */
static void pages_of_little_but_different_texts_are_declined(void **state)
{
    for (int i = 0; i < TMPL_DETECTOR_COUNT; i++) {
        tmpl_detector_e detector = (tmpl_detector_e)i;
        assert_int_equal(clean_many(detector, "", 100000, *state), TMPL_DECLINE_TOO_MANY);
        assert_int_equal(clean_many(detector, "", 150, *state), TMPL_DECLINE_NONE);
        assert_int_equal(
            clean_many(detector, " and what is said of it in a sentence of a usual length, as here",
                       30000, *state),
            TMPL_DECLINE_NONE);
    }
    /* 1 MB of lines: what auto needs to judge is not there yet while the store is asked */
    assert_int_equal(
        clean_many(TMPL_DETECTOR_AUTO, " a line that is as short as in lists", 11000, *state),
        TMPL_DECLINE_NONE);
}

static const struct CMUnitTest tests[] = {
    CHECK(broken_and_foreign_markup_is_no_reason),
    CHECK(declines_have_reasons),
    CHECK(every_reason_is_documented),
    CHECK(limits_hold),
    CHECK(many_tags_deep_down_are_declined),
    CHECK(pages_of_little_but_tags_are_declined),
    CHECK(pages_of_little_but_different_texts_are_declined),
};

TAP_MAIN(tests)
