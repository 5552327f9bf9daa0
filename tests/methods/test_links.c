/* SPDX-License-Identifier: Apache-2.0 */
/* Distances, the links of a page, and their order. */
#include "check.h"

#include "methods/warm/warmup.h"

static tmpl_address_t address_of(const char *url, apr_pool_t *pool)
{
    tmpl_address_t address;
    assert_int_equal(tmpl_address_parse(&address, url, NULL, NULL, pool), APR_SUCCESS);
    return address;
}

/* First the paper's examples below Definition 2; then its cases, each with and without a host. */
static void hyperlink_distance_is_definition_2(void **state)
{
    static const struct {
        const char *from;
        const char *to;
        int distance;
    } cases[] = {
        { "research/maths/", "research/maths/", 0 },
        { "research/maths/", "research/maths/geometry/", 1 },
        { "research/maths/", "research/", -1 },
        { "research/maths/", "research/physics/dynamics", -1 },
        { "research/maths/", "www.upv.es/research/", -2 },
        { "a/b/", "a/b/c/d/e/", 3 },
        { "a/b/c/d/", "a/", -3 },
        { "a/b/c/d/", "a/x/y/z/u/", -3 },
        { "a/b/", "x/y/z/", -2 },
        { "", "a/b/", 2 },
        { "a/b/", "", -2 },
        { "/a/b/page.html", "/a/b/other.html?x=/y/z/", 0 },
        { "/a/b/page.html?x=/y/z/", "/a/b/c/", 1 },
        { "/a/b", "/a/", 0 },
        { "/ab/", "/a/", -1 },
        { "/a/", "/ab/", -1 },
        { "/", "/", 0 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(tmpl_hyperlink_distance(cases[i].from, cases[i].to), cases[i].distance);
    }
}

static void link_relevance_is_definition_4(void **state)
{
    static const int order[] = { 0, 1, 2, 7, -1, -2, -7 };
    (void)state;
    for (int i = 0; i < 7; i++) {
        for (int j = 0; j < 7; j++) {
            int relevance = tmpl_link_relevance(order[i], order[j]);
            assert_int_equal((relevance > 0) - (relevance < 0), (i > j) - (i < j));
        }
    }
}

static uint32_t nth(const tmpl_page_t *page, tmpl_tag_e tag, uint32_t n)
{
    for (uint32_t i = 0; i < page->n_nodes; i++) {
        if (page->nodes[i].tag == tag && n-- == 0) {
            return i;
        }
    }
    fail();
    return 0;
}

static void dom_distance_is_definition_3(void **state)
{
    const tmpl_page_t *page = check_page("<body><ul><li><a href=1>1</a><li><a href=2>2</a></ul>"
                                         "<p><a href=3>3</a><a href=4>4</a>",
                                         *state);
    uint32_t a[] = { nth(page, TMPL_TAG_A, 0), nth(page, TMPL_TAG_A, 1), nth(page, TMPL_TAG_A, 2),
                     nth(page, TMPL_TAG_A, 3) };
    static const uint32_t distances[4][4] = {
        { 0, 4, 5, 5 }, { 4, 0, 5, 5 }, { 5, 5, 0, 2 }, { 5, 5, 2, 0 }
    };
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            assert_int_equal(tmpl_dom_distance(page, a[i], a[j]), distances[i][j]);
        }
    }
    assert_int_equal(tmpl_dom_distance(page, a[0], nth(page, TMPL_TAG_UL, 0)), 2);
}

/* The links of html at url as one string: in the order of the page if most is 0, else sorted. */
static const char *links_of(const char *html, const char *url, int most, apr_pool_t *pool)
{
    const tmpl_page_t *page = check_page(html, pool);
    tmpl_address_t address = address_of(url, pool);
    apr_array_header_t *links = tmpl_links(page, &address, pool);
    const char *all = "";
    if (most > 0) {
        tmpl_links_order(links, page, address.uri, most, pool);
    }
    for (int i = 0; i < links->nelts; i++) {
        all = apr_pstrcat(pool, all, i > 0 ? " " : "", APR_ARRAY_IDX(links, i, tmpl_link_t).uri,
                          NULL);
    }
    return all;
}

static void links_are_those_to_other_pages_of_the_site(void **state)
{
    static const char html[] =
        "<body><a href=b>b</a> <a href='/a/b#x'>again</a> <a href=page>self</a> <a>none</a>"
        "<a href=#top>self</a><a href='?utm_source=x'>self</a><a href='//b.example/x'>other</a>"
        "<a href='https://A.EXAMPLE/s'>s</a><a href='http://a.example:81/t'>other</a>"
        "<a href='mailto:a@b'>m</a><a href='c?x=1&amp;y=&#50;'>c</a><a href='c?y=2&x=1'>again</a>"
        "<a href='d.PDF'>file</a><a href='e.pdf?x'>file</a><a href='f.pdf/'>f</a><a "
        "href='.png'>g</a>"
        "<a href='a.b/png'>h</a><area href=area><link href=link>"
        "<template><a href=hidden>x</a></template><object><a href=unclosed>x</a>";
    assert_string_equal(links_of(html, "http://a.example/a/page", 0, *state),
                        "/a/b /s /a/c?x=1&y=2 /a/f.pdf/ /a/a.b/png");
}

static void base_moves_relative_links(void **state)
{
    assert_string_equal(links_of("<base target=x><base href='/x/y'><base href='/z/'><body>"
                                 "<a href=b>b</a><a href='/c'>c</a>",
                                 "http://a.example/a/page", 0, *state),
                        "/x/b /c");
    assert_string_equal(links_of("<base href='http://b.example/'><body><a href=b>b</a>"
                                 "<a href='http://a.example/c'>c</a>",
                                 "http://a.example/a/page", 0, *state),
                        "/c");
    assert_string_equal(links_of("<base href='mailto:x'><body><a href=b>b</a>",
                                 "http://a.example/a/page", 0, *state),
                        "/a/b");
}

/* The paper's example 2: another domain, the same directory, two levels up, a subdirectory. */
static void order_of_example_2(void **state)
{
    assert_string_equal(links_of("<body><a href='http://www.other.example/'>1</a>"
                                 "<a href='/sport/index.html'>3</a>"
                                 "<a href='geometry/index.html'>4</a><a href='staff.html'>2</a>",
                                 "http://www.upv.es/research/maths/index.html", 9, *state),
                        "/research/maths/staff.html /research/maths/geometry/index.html "
                        "/sport/index.html");
}

/* The paper's example 3: a menu and other parts of the page, all at one hyperlink distance. */
static void order_of_example_3(void **state)
{
    assert_string_equal(
        links_of(
            "<body><div><ul><li><a href=p1>1</a><li><a href=p2>2</a><li><a href=p3>3</a></ul></div>"
            "<p><a href=about>about</a><a href=terms>terms</a></p>"
            "<div><div><div><a href=news>news</a></div></div></div>",
            "http://shop.example/", 9, *state),
        /*
         * p1 is first; news is 8 from p1, about 6; terms is 2 from about; p2 and p3 are 4 from p1
         */
        "/p1 /news /about /p2 /p3 /terms");
}

/* Each class of relevance is sorted by itself; the first links are the same for every most. */
static void order_of_algorithm_1(void **state)
{
    static const char html[] =
        "<body><p><a href='/up'>1</a><a href=here1>2</a><a href='d/e/deep'>3</a></p>"
        "<p><a href='../up2'>4</a><a href=here2>5</a><a href='d/down'>6</a></p>"
        "<ul><li><a href='/x/far/out'>7</a><li><a href=here3>8</a></ul>";
    static const char *const order[] = {
        "/a/b/here1",    "/a/b/here3", "/a/b/here2", "/a/b/d/down",
        "/a/b/d/e/deep", "/a/up2",     "/up",        "/x/far/out"
    };
    const char *so_far = "";
    for (int most = 1; most <= 8; most++) {
        so_far = apr_pstrcat(*state, so_far, most > 1 ? " " : "", order[most - 1], NULL);
        assert_string_equal(links_of(html, "http://a.example/a/b/key", most, *state), so_far);
    }
    assert_string_equal(links_of(html, "http://a.example/a/b/key", 100, *state), so_far);
    assert_string_equal(links_of("<body>x", "http://a.example/", 5, *state), "");
}

static const struct CMUnitTest tests[] = {
    CHECK(hyperlink_distance_is_definition_2),
    CHECK(link_relevance_is_definition_4),
    CHECK(dom_distance_is_definition_3),
    CHECK(links_are_those_to_other_pages_of_the_site),
    CHECK(base_moves_relative_links),
    CHECK(order_of_example_2),
    CHECK(order_of_example_3),
    CHECK(order_of_algorithm_1),
};

TAP_MAIN(tests)
