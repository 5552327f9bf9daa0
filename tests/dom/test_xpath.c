/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree of a page, and XPath in it: which nodes an expression selects, which expressions are
 * refused, and how many steps an expression may take.
 */
#include "check.h"

#include <libxml/tree.h>

#include "cut/steps.h"
#include "dom/xpath.h"

static xmlDoc *tree_of(const tmpl_page_t *page, apr_pool_t *pool)
{
    tmpl_decoder_t decoder;
    tmpl_decoder_find(&decoder, page->src, page->len, NULL, pool);
    tmpl_dom_opts_t opts = { .decoder = &decoder };
    xmlDoc *doc = tmpl_dom(page, &opts, pool);
    assert_non_null(doc);
    return doc;
}

/* The paths of what an expression selects, in a line. */
static const char *selected(const char *html, const char *text, apr_pool_t *pool)
{
    const tmpl_page_t *page = check_page(html, pool);
    xmlDoc *doc = tree_of(page, pool);
    const char *paths = "";
    uint32_t *nodes, n;
    assert_int_equal(tmpl_xpath_check(text, NULL), APR_SUCCESS);
    assert_true(tmpl_xpath_select(&nodes, &n, text, doc, pool));
    for (uint32_t i = 0; i < n; i++) {
        xmlNode *top = xmlDocGetRootElement(doc);
        for (const xmlNode *node = top; node != NULL; node = tmpl_dom_next(node, top, 0)) {
            if (node->type == XML_ELEMENT_NODE && tmpl_dom_node(node) == nodes[i]) {
                xmlChar *path = xmlGetNodePath(node);
                paths = apr_pstrcat(pool, paths, i > 0 ? " " : "", (const char *)path, NULL);
                xmlFree(path);
            }
        }
    }
    return paths;
}

static void elements_are_selected(void **state)
{
    static const char html[] =
        "<!DOCTYPE html><html lang=en><head><title>t</title></head><body class=b><div ID=x "
        "class='a promo'>one <B>two</B></div><DIV class=x>&lt;three&gt;<script>s</script></DIV>"
        "<x-y data-z='1&amp;2' data-z=3>four</x-y><p>five<p>six<i> <!-- -->seven</i>";
    static const struct {
        const char *text, *paths;
    } rows[] = {
        { "//div[contains(@class,'promo')]", "/html/body/div[1]" },
        { "//div[@id='x']/b", "/html/body/div[1]/b" },
        { "/html/body/*[last()]", "/html/body/p[2]" },
        { "//x-y[@data-z='1&2']", "/html/body/x-y" },
        { "//x-y[@data-z='3']", "" },
        { "//p[text()='six'] | //b", "/html/body/div[1]/b /html/body/p[2]" },
        { "//text()[contains(.,'<three>')]", "/html/body/div[2]" },
        { "//b/text()", "/html/body/div[1]/b" },
        { "//i[contains(text(),'seven')]", "/html/body/p[2]/i" }, /* contains() reads one text */
        { "//@data-z", "/html/body/x-y" },
        { "//script", "/html/body/div[2]/script" },
        { "/html[@lang='en']/body", "/html/body" },
        { "/html/head/title", "" }, /* nothing of the head is a block */
        { "//nosuch", "" },
        { "(//i[@x='/' or ../i/text()])[1]", "/html/body/p[2]/i" },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_string_equal(selected(html, rows[i].text, *state), rows[i].paths);
    }
}

/* Names that XML forbids, many attributes, control characters. */
static void the_tree_is_valid(void **state)
{
    const char *html = "<body><a:b! 1x=\"\x01y\" \"=z>text</a:b!>";
    assert_string_equal(selected(html, "//a_b_[@_x='y'][@_='z']", *state), "/html/body/a_b_");
    for (int i = 0; i < 100; i++) {
        html = apr_psprintf(*state, "%s%d",
                            i == 0 ? "<body><p a" : apr_pstrcat(*state, html, " a", NULL), i);
    }
    html = apr_pstrcat(*state, html, ">text", NULL);
    assert_string_equal(selected(html, "//p[@a63]", *state), "/html/body/p");
    assert_string_equal(selected(html, "//p[@a64]", *state), "");
}

static void errors_name_the_place(void **state)
{
    const struct {
        const char *text, *says;
    } rows[] = {
        { "//div[", "invalid at character 7" },
        { "", "invalid at character 1" },
        { "//div[@id='x]", "invalid at character" },
        { "div)", "invalid at character 4" },
        { "count(//p)", "selects no elements" },
        { "'text'", "selects no elements" },
        { "$x", "a variable" },
        { "//no:div", "a prefix" },
        { "//p[string-length(/) > 5]", "begins at an element" },
        { "//p[a = '[/' or //b]", "begins at an element" },
        { apr_psprintf(*state, "//p[@id='%01000d']", 1), "longer than 1000 bytes" },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        tmpl_error_t err;
        assert_int_equal(tmpl_xpath_check(rows[i].text, &err), APR_EINVAL);
        if (strstr(err.text, rows[i].says) == NULL) {
            assert_string_equal(err.text, rows[i].says);
        }
    }
}

/* A page of 2,047 paragraphs. */
static const tmpl_page_t *paragraphs(apr_pool_t *pool)
{
    const char *html = "<body>";
    for (int i = 0; i < 11; i++) {
        html = apr_pstrcat(pool, html, html, "<p>x</p>", NULL);
    }
    return check_page(html, pool);
}

/* An expression that looks at all elements for each of them ends, and selects nothing. */
static void steps_are_limited(void **state)
{
    uint32_t *nodes, n;
    const tmpl_page_t *page = paragraphs(*state);
    xmlDoc *doc = tree_of(page, *state);
    assert_true(tmpl_xpath_select(&nodes, &n, "//p[contains(., 'x')]", doc, *state));
    assert_int_equal(n, 2047);
    assert_false(tmpl_xpath_select(&nodes, &n, "//p[count(preceding::p) > 5]", doc, *state));
    assert_int_equal(n, 0);
}

/* A page with n paragraphs. */
static xmlDoc *long_tree(unsigned n, apr_pool_t *pool)
{
    tmpl_buf_t html;
    tmpl_buf_init(&html, pool);
    for (unsigned i = 0; i < n; i++) {
        const char *unit = apr_psprintf(
            pool,
            "<p><b>some</b> text that is not very dense, for trees are limited <i>in %u</i></p>",
            i);
        tmpl_buf_add_text(&html, unit);
    }
    return tree_of(check_page(html.at, pool), pool);
}

static void costs_have_a_limit(void **state)
{
    static const struct {
        const char *text;
        int is_taken;
    } rows[] = {
        { "//p[contains(., 'text')]", 1 },
        { "//p[. = 'some other text']", 1 },
        { "//div[@id = 'x']/p[last()]", 1 },
        { "//b/../i/..", 0 },
        { "//i | //b", 0 },
        { "//p//text()/..//b", 0 },
        { "//b/following::i/preceding::b", 0 },
    };
    xmlDoc *doc = long_tree(8000, *state);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint32_t *nodes, n;
        int taken = tmpl_xpath_select(&nodes, &n, rows[i].text, doc, *state);
        if (taken != rows[i].is_taken) {
            print_error("%s\n", rows[i].text);
        }
        assert_int_equal(taken, rows[i].is_taken);
    }
}

/* Plain paths are states of a stream in libxml2, of which nested elements make billions. */
static void nested_elements_take_few_steps(void **state)
{
    const char *html = "<body>";
    uint32_t *nodes, n;
    for (int i = 0; i < 500; i++) {
        html = apr_pstrcat(*state, html, "<div>", NULL);
    }
    const tmpl_page_t *page = check_page(apr_pstrcat(*state, html, "x", NULL), *state);
    xmlDoc *doc = tree_of(page, *state);
    assert_true(tmpl_xpath_select(&nodes, &n, "//div//div//div//div//div", doc, *state));
    assert_int_equal(n, 496);
    assert_true(tmpl_xpath_select(&nodes, &n, "//div/div/div/div", doc, *state));
    assert_int_equal(n, 497);
}

static apr_array_header_t *selectors(const char *text, apr_pool_t *pool)
{
    apr_array_header_t *list = apr_array_make(pool, 1, sizeof(const tmpl_selector_t *));
    tmpl_error_t err;
    assert_int_equal(tmpl_selector_parse(list, text, &err), APR_SUCCESS);
    return list;
}

/* XPath and CSS may be mixed; keep wins over drop. */
static void guards_take_xpath(void **state)
{
    const tmpl_page_t *page =
        check_page("<body><div>one</div><div class=ad>two</div><div>three</div>", *state);
    tmpl_verdict_t verdicts[3] = { { .template = 1 } };
    tmpl_guards_t guards = { .drop = selectors("xpath://div[position() > 1]", *state),
                             .keep = selectors(".ad", *state) };
    assert_int_equal(page->n_blocks, 3);
    tmpl_decline_e decline = TMPL_DECLINE_NONE;
    const unsigned char *matched =
        tmpl_guards_apply(verdicts, page, &guards, &decline, NULL, *state);
    assert_true(matched[0] && matched[1]);
    assert_int_equal(decline, TMPL_DECLINE_NONE);
    assert_true(verdicts[0].template && !verdicts[1].template && verdicts[2].template);
    guards.keep = selectors("xpath:/html/body", *state);
    tmpl_guards_apply(verdicts, page, &guards, &decline, NULL, *state);
    assert_false(verdicts[0].template || verdicts[1].template || verdicts[2].template);
}

/* A page is declined if a selector takes too many steps, whatever the others do. */
static void a_page_is_declined_if_a_selector_takes_too_long(void **state)
{
    static const char slow[] = "xpath://p[count(preceding::p) > 5]";
    const tmpl_page_t *page = paragraphs(*state);
    tmpl_verdict_t *verdicts = apr_pcalloc(*state, page->n_blocks * sizeof(*verdicts));
    const apr_array_header_t *quick = selectors("xpath://p", *state);
    tmpl_guards_t cases[] = {
        { .drop = quick, .keep = selectors(slow, *state) },
        { .drop = selectors(slow, *state), .keep = quick },
        { .drop = selectors(slow, *state) },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tmpl_decline_e decline = TMPL_DECLINE_NONE;
        tmpl_guards_apply(verdicts, page, &cases[i], &decline, NULL, *state);
        assert_int_equal(decline, TMPL_DECLINE_XPATH);
        tmpl_guards_apply(verdicts, page, &cases[i], NULL, NULL, *state);
    }
    tmpl_guards_t none = { 0 };
    assert_null(tmpl_guards_apply(verdicts, page, &none, NULL, NULL, *state));
}

static const struct CMUnitTest tests[] = {
    CHECK(elements_are_selected),
    CHECK(the_tree_is_valid),
    CHECK(errors_name_the_place),
    CHECK(steps_are_limited),
    CHECK(guards_take_xpath),
    CHECK(costs_have_a_limit),
    CHECK(nested_elements_take_few_steps),
    CHECK(a_page_is_declined_if_a_selector_takes_too_long),
};

TAP_MAIN(tests)
