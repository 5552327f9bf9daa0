/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which form an Accept field asks for, and what the backend is told instead: t/http/65-markdown.t
 * has what clients send.
 *
 * accept.c and fields.c are included.
 */
#include "tap.h"

#include "mod_tmpl/fields.c"
/* behind fields.c, of which parameters have the name of a table */
#include "mod_tmpl/accept.c"

enum {
    MD = TMPL_VARIANT(TMPL_MODE_MARKDOWN),
    BOTH = TMPL_VARIANT(TMPL_MODE_MARKDOWN) | TMPL_VARIANT(TMPL_MODE_JSON)
};

static void assert_mode(const char *accept, unsigned offers, tmpl_mode_e mode)
{
    if (tmpl_accept_mode(accept, offers) != mode) {
        fail_msg("Accept: %s", accept != NULL ? accept : "is missing");
    }
}

/* Fields that ask for HTML, where Markdown is offered. */
static void html_is_sent(void **state)
{
    static const char *const fields[] = {
        "",
        "*/*",
        "text/*",
        "text/html",
        "text/html, */*",
        "text/html, text/markdown",
        "text/html, */*, text/markdown",
        "text/html, text/markdown, text/html",
        "text/markdown;q=0.5, text/html;q=0.8, text/html;q=0.5",
        "text/markdown;q=0",
        "text/markdown;q=0.0",
        "text/markdown; q=0",
        "text/markdown;q=0, */*;q=0",
        "text/markdown;q=0, text/html;q=0",
        "text/html;q=0.5, text/markdown;q=0.5",
        "text/markdown;q=0.5, text/html;q=0.501",
        "text/markdown;q=0.19, text/html;q=0.2",
        "text/markdown;q=0.5, */*;q=0.6, text/*;q=0.6",
        "text/html;level=1, text/markdown;q=0.9",
        /* other ranges */
        "application/json",
        "text/markdownish",
        "text/mark",
        "text/x-markdown",
        "application/text/markdown",
        /* weights that do not exist */
        "text/markdown;q=2",
        "text/markdown;q=-1",
        "text/markdown;q=",
        "text/markdown;q=1.0001",
        "text/markdown;q=1.001",
        "text/markdown;q=1.1",
        "text/markdown;q=0.5x",
        "text/markdown;q=0.0001",
        "text/markdown;q=/",
        /* the first q counts */
        "text/markdown;q=0.2;q=1, text/html;q=0.5",
    };
    size_t i;

    (void)state;
    assert_mode(NULL, MD, TMPL_MODE_OFF);
    for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        assert_mode(fields[i], MD, TMPL_MODE_OFF);
    }
}

static void markdown_is_sent(void **state)
{
    static const char *const fields[] = {
        "text/markdown",
        "TEXT/Markdown",
        " \t, text/markdown ,",
        "text/markdown, text/html",
        /* what is named beats what a wildcard allows, wherever it stands */
        "text/markdown, */*",
        "*/*, text/markdown",
        "text/*, text/markdown",
        "text/html;q=0.9, text/markdown",
        "text/html;q=0.2, text/markdown, text/html",
        "text/markdown;q=0.2, text/markdown, text/html;q=0.5",
        /* a weight of HTML's own comes before one of a wildcard */
        "text/markdown, text/html;q=0.9, */*;q=1",
        "text/html;q=0, text/*;q=1, text/markdown;q=0.5",
        "text/html;q=0, text/markdown;q=0.1",
        "text/markdown;q=0.5, text/*;q=0.4, */*;q=0.6",
        "text/markdown;q=0.5",
        "text/markdown;q=0.001",
        "text/markdown;q=1.000, text/html;q=0.999",
        "text/markdown;q=1., text/html;q=0.999",
        "text/markdown;q=0.5, text/html;q=0.5",
        "text/markdown;q=0.501, text/html;q=0.5",
        "text/markdown;q=0.51, text/html;q=0.502",
        "*/*;q=0.1, text/markdown;q=0.2",
        "text/markdown;Q=0.3, text/html;Q=0.2",
        "text/markdown; q=0.4 , text/html ; q=0.3",
        /* parameters */
        "text/markdown;charset=utf-8",
        "text/markdown, q=0, text/html;q=0.6", /* which is no parameter */
        "text/markdown;q=0.7;variant=a, text/html;q=0.6",
        "text/markdown;qs=0;q=0.7, text/html;q=0.6",
        "text/plain;a=\"\\\\\", text/markdown",
        "application/json, text/markdown",
    };
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        assert_mode(fields[i], MD, TMPL_MODE_MARKDOWN);
    }
    assert_mode("text/markdown", 0, TMPL_MODE_OFF);
    assert_mode("text/markdown", TMPL_VARIANT(TMPL_MODE_JSON), TMPL_MODE_OFF);
}

/* JSON is preferred only if it is named before HTML: scripts name it with a wildcard behind. */
static void json_or_markdown_is_sent(void **state)
{
    static const struct {
        const char *field;
        tmpl_mode_e mode;
    } rows[] = {
        { "application/json", TMPL_MODE_JSON },
        { "application/json, text/plain, */*", TMPL_MODE_OFF },
        { "application/json, text/*", TMPL_MODE_OFF },
        { "application/json, */*;q=0.9", TMPL_MODE_JSON },
        { "application/json, text/html", TMPL_MODE_JSON },
        { "text/html, application/json", TMPL_MODE_OFF },
        { "application/json, text/markdown", TMPL_MODE_JSON },
        { "text/markdown, application/json", TMPL_MODE_MARKDOWN },
        { "text/markdown;q=0.5, application/json", TMPL_MODE_JSON },
        { "text/markdown, application/json;q=0.5", TMPL_MODE_MARKDOWN },
        { "application/json;q=0.4, text/markdown;q=0.3, text/html;q=0.2", TMPL_MODE_JSON },
        { "text/markdown;q=0.3, application/json;q=0.2, text/html;q=0.4", TMPL_MODE_OFF },
    };
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_mode(rows[i].field, BOTH, rows[i].mode);
    }
}

/* A backend that chooses a page by Accept gets a field by which it chooses HTML. */
static void the_backend_is_asked_for_html(void **state)
{
    static const char *const rows[][2] = {
        /* a client that accepts HTML, and does not prefer a variant */
        { "text/html", "text/html" },
        { "*/*", "*/*" },
        { "text/*;q=0.001, image/png", "text/*;q=0.001, image/png" },
        { "text/html, text/markdown", "text/html, text/markdown" },
        /* a client that does not accept HTML */
        { "", "text/html;q=0.100" },
        { "image/png", "image/png, text/html;q=0.100" },
        { "text/html;q=0, image/png ", "image/png , text/html;q=0.100" },
        { "text/markdown;q=0", "text/markdown;q=0, text/html;q=0.100" },
        /* one that prefers a variant: HTML is just below, wildcards of the same weight lower */
        { "text/markdown", "text/markdown, text/html;q=0.999" },
        { "text/markdown, text/html;q=0.2", "text/markdown, text/html;q=0.999" },
        { "text/markdown;a=\"b\";q=0.5,text/plain;q=0.1",
          "text/markdown;a=\"b\";q=0.5, text/plain;q=0.1, text/html;q=0.499" },
        { "text/markdown, text/*, */*;q=0.8",
          "text/markdown, */*;q=0.8, text/html;q=0.999, text/*;q=0.998" },
        { "*/*, text/*;q=0.3, text/markdown",
          "text/*;q=0.3, text/markdown, text/html;q=0.999, */*;q=0.998" },
        { "application/json;q=0.7", "application/json;q=0.7, text/html;q=0.699" },
        /* the least weights */
        { "text/markdown;q=0.003, */*;q=0.003",
          "text/markdown;q=0.003, text/html;q=0.002, */*;q=0.001" },
        { "text/markdown;q=0.002, */*;q=0.002",
          "text/markdown;q=0.002, text/html;q=0.001, */*;q=0.001" },
        { "text/markdown;q=0.001, */*;q=0.001",
          "text/markdown;q=0.001, text/html;q=0.001, */*;q=0.001" },
    };
    apr_pool_t *pool;
    size_t i;

    (void)state;
    apr_pool_create(&pool, NULL);
    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_string_equal(tmpl_accept_html(rows[i][0], BOTH, pool), rows[i][1]);
    }
    assert_string_equal(tmpl_accept_html("text/markdown", TMPL_VARIANT(TMPL_MODE_JSON), pool),
                        "text/markdown, text/html;q=0.100");
    apr_pool_destroy(pool);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(html_is_sent),
    cmocka_unit_test(markdown_is_sent),
    cmocka_unit_test(json_or_markdown_is_sent),
    cmocka_unit_test(the_backend_is_asked_for_html),
};

TAP_MAIN(tests)
