/* SPDX-License-Identifier: Apache-2.0 */
/* Complete subdigraphs, overlap of their pages, and warm-up. */
#include "check.h"

#include <stdlib.h>

#include "methods/warm/warmup.h"

#define MOST_PAGES 12

/* A site of few pages, as a matrix of links. */
typedef struct {
    int n;
    int to[MOST_PAGES][MOST_PAGES];
} site_t;

static apr_array_header_t *links_to(const site_t *site, int from, apr_pool_t *pool)
{
    apr_array_header_t *links = apr_array_make(pool, MOST_PAGES, sizeof(tmpl_link_t));
    for (int i = 0; i < site->n; i++) {
        if (from < 0 || site->to[from][i]) {
            const char *uri = apr_psprintf(pool, "/%d", i);
            APR_ARRAY_PUSH(links, tmpl_link_t) = (tmpl_link_t){ uri, uri, 0 };
        }
    }
    return links;
}

static int is_complete(const site_t *site, unsigned set)
{
    for (int i = 0; i < site->n; i++) {
        for (int j = 0; j < site->n; j++) {
            if (i != j && (set >> i & 1) && (set >> j & 1) && !site->to[i][j]) {
                return 0;
            }
        }
    }
    return 1;
}

/* The size of the largest complete subdigraph among the first n pages, by trying every subset. */
static uint32_t largest(const site_t *site, int n)
{
    uint32_t most = 0;
    for (unsigned set = 0; set < 1u << n; set++) {
        uint32_t size = (uint32_t)__builtin_popcount(set);
        if (size > most && is_complete(site, set)) {
            most = size;
        }
    }
    return most;
}

static void check_best(const tmpl_subdigraph_t *graph, const site_t *site, int loaded,
                       uint32_t size)
{
    uint32_t n;
    const uint32_t *best = tmpl_subdigraph_best(graph, &n);
    unsigned set = 0;
    assert_int_equal(n, size);
    for (uint32_t i = 0; i < n; i++) {
        assert_true(best[i] < (uint32_t)loaded);
        set |= 1u << best[i];
    }
    assert_int_equal(__builtin_popcount(set), size);
    assert_true(is_complete(site, set));
}

static void draw(site_t *site, unsigned *seed)
{
    int density = 1 + rand_r(seed) % 9;
    site->n = 1 + rand_r(seed) % MOST_PAGES;
    for (int i = 0; i < site->n; i++) {
        for (int j = 0; j < site->n; j++) {
            site->to[i][j] = rand_r(seed) % 10 < density;
        }
    }
}

/* On random sites, after every page: the largest subdigraph, as soon as it is complete. */
static void finds_what_trying_every_subset_finds(void **state)
{
    unsigned seed = 7;
    for (int round = 0; round < 400; round++) {
        site_t site;
        draw(&site, &seed);
        uint32_t size = 1 + (uint32_t)rand_r(&seed) % 6;
        tmpl_subdigraph_t *graph = tmpl_subdigraph_make(links_to(&site, -1, *state), size, *state);
        check_best(graph, &site, 0, 0);
        for (int i = 0; i < site.n; i++) {
            uint32_t there = largest(&site, i + 1);
            uint32_t wanted = there < size ? there : size;
            int found = tmpl_subdigraph_add(graph, (uint32_t)i, links_to(&site, i, *state));
            assert_int_equal(found, wanted == size);
            check_best(graph, &site, i + 1, wanted);
        }
        apr_pool_clear(*state);
    }
}

/*
 * Section 3.1, figure 2: every page links to the main menu, pages of one section to the submenu,
 * too, and few pages to articles. 0 and 1: articles; 2 to 4: the submenu; 5 to 7: the main menu.
 */
static void a_menu_is_a_complete_subdigraph(void **state)
{
    site_t site = { .n = 8 };
    for (int i = 0; i < 8; i++) {
        for (int j = i < 5 ? 2 : 5; j < 8; j++) {
            site.to[i][j] = 1;
        }
    }
    tmpl_subdigraph_t *graph = tmpl_subdigraph_make(links_to(&site, -1, *state), 3, *state);
    static const int found[] = { 0, 0, 0, 0, 1, 1, 1, 1 };
    for (int i = 0; i < 8; i++) {
        assert_int_equal(tmpl_subdigraph_add(graph, (uint32_t)i, links_to(&site, i, *state)),
                         found[i]);
    }
    uint32_t n;
    const uint32_t *best = tmpl_subdigraph_best(graph, &n);
    assert_int_equal(n, 3); /* the submenu: it was complete first */
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(best[i], 2 + i);
    }
}

/*
 * Links to pages that the key page does not link to do not count, nor does a link to the same page.
 */
static void links_elsewhere_and_to_itself_do_not_count(void **state)
{
    site_t site = { .n = 2 };
    tmpl_subdigraph_t *graph = tmpl_subdigraph_make(links_to(&site, -1, *state), 2, *state);
    site.n = 5;
    for (int j = 0; j < 5; j++) {
        site.to[0][j] = j != 1;
        site.to[1][j] = 1;
    }
    assert_int_equal(tmpl_subdigraph_add(graph, 0, links_to(&site, 0, *state)), 0);
    assert_int_equal(tmpl_subdigraph_add(graph, 1, links_to(&site, 1, *state)), 0);
    uint32_t n;
    tmpl_subdigraph_best(graph, &n);
    assert_int_equal(n, 1);
}

/*
 * A site made for a long search: seven groups of pages, each of which links to all but its own
 * group, hold no subdigraph of eight. The search ends all the same.
 */
static void a_hostile_site_is_given_up(void **state)
{
    apr_array_header_t *links = apr_array_make(*state, 700, sizeof(tmpl_link_t));
    for (int i = 0; i < 700; i++) {
        const char *uri = apr_psprintf(*state, "/%d", i);
        APR_ARRAY_PUSH(links, tmpl_link_t) = (tmpl_link_t){ uri, uri, 0 };
    }
    tmpl_subdigraph_t *graph = tmpl_subdigraph_make(links, 8, *state);
    for (int i = 0; i < 200; i++) {
        apr_array_header_t *its = apr_array_make(*state, 600, sizeof(tmpl_link_t));
        for (int j = 0; j < 700; j++) {
            if (j % 7 != i % 7) {
                APR_ARRAY_PUSH(its, tmpl_link_t) = APR_ARRAY_IDX(links, j, tmpl_link_t);
            }
        }
        assert_int_equal(tmpl_subdigraph_add(graph, (uint32_t)i, its), 0);
    }
    uint32_t n;
    tmpl_subdigraph_best(graph, &n);
    assert_int_equal(n, 7);
}

static int add_page(tmpl_overlap_t *overlap, uint32_t i, const char *html, apr_pool_t *pool)
{
    const tmpl_page_t *page = check_page(html, pool);
    return tmpl_overlap_add(overlap, i, page->keys, page->n_keys, page->text);
}

/* Pages of 10 bytes of menu, 6 of footer, 4 of a box, and text of their own. */
static void overlap_is_settled_by_pages_of_its_own_text(void **state)
{
    static const uint32_t pages[] = { 0, 2 };
    const tmpl_page_t *key =
        check_page("<p>0123456789</p><div>footer</div><ul>box.</ul><ol>key</ol>", *state);
    tmpl_overlap_t *overlap = tmpl_overlap_make(key, 5, *state);
    assert_true(tmpl_overlap_settled(overlap, pages, 0, 1) == 1);
    assert_true(tmpl_overlap_settled(overlap, pages, 0, 2) == 0);
    assert_true(add_page(overlap, 0, "<p>0123456789</p><div>footer</div><ol>a</ol>", *state));
    assert_false(add_page(overlap, 1, "<p>0123456789</p><div>footer</div><ol>a</ol>", *state));
    assert_false(add_page(overlap, 1, key->src, *state));
    assert_true(add_page(overlap, 2, "<p>0123456789</p><div>footer</div><ul>box.</ul>", *state));
    assert_true(tmpl_overlap_settled(overlap, pages, 2, 3) == 1);
    assert_true(tmpl_overlap_settled(overlap, pages, 2, 4) == 0);
    assert_true(add_page(overlap, 4, "<div>footer</div><ul>box.</ul>", *state));
    assert_true(tmpl_overlap_settled(overlap, pages, 2, 4) == 6.0 / 16);
    assert_true(tmpl_overlap_settled(overlap, pages + 1, 1, 3) == 1);
    /* a page of another kind shares no text */
    assert_true(add_page(overlap, 3, "<b>other</b>", *state));
    assert_true(tmpl_overlap_settled(overlap, (const uint32_t[]){ 3 }, 1, 5) == 1);
    /* fewer than min_df pages were added */
    assert_true(tmpl_overlap_settled(overlap, (const uint32_t[]){ 3 }, 1, 6) == 0);
}

/* A page: a menu of two links, the same on every page, then links and text of its own. */
static const tmpl_page_t *warm_page(const char *path, const char *own, apr_pool_t *pool)
{
    return check_page(apr_pstrcat(pool,
                                  "<div><a href=/m1>menu one</a> <a href=/m2>menu two</a></div><p>",
                                  own, "</p><p>", path, NULL),
                      pool);
}

static void warm_add(tmpl_warmup_t *warmup, const char *uri, const char *own, apr_pool_t *pool)
{
    const tmpl_page_t *page = warm_page(uri, own, pool);
    tmpl_address_t address = { "http", "h", 80, uri };
    tmpl_warmup_add(warmup, tmpl_links(page, &address, pool), page->keys, page->n_keys, page->text);
}

/* The key page links to m1, m2 and a; m1 and m2 are a subdigraph of 2; min_df is 6. */
static void warmup_goes_on_until_the_template_is_known(void **state)
{
    static const char robots[] = "User-agent: *\nDisallow: /no\n";
    tmpl_address_t address = { "http", "h", 80, "/k" };
    const tmpl_page_t *key =
        warm_page("/k", "<a href=/a>a</a> <a href=/no>no</a> <a href=/missing>g</a>", *state);
    tmpl_warmup_opts_t opts = { 2, 100, 6, tmpl_robots_parse(robots, strlen(robots), "x", *state) };
    tmpl_warmup_t *warmup = tmpl_warmup_begin(key, &address, &opts, *state);
    assert_int_equal(tmpl_warmup_forbidden(warmup), 1);
    assert_string_equal(tmpl_warmup_next(warmup), "/m1");
    warm_add(warmup, "/m1", "<a href=/k>k</a> <a href=/no2>no</a> <a href=/m2>m</a>", *state);
    assert_string_equal(tmpl_warmup_next(warmup), "/a");
    warm_add(warmup, "/a", "<a href=/b>b</a> <a href=/c>c</a> <a href=/d>d</a>", *state);
    assert_string_equal(tmpl_warmup_next(warmup), "/m2");
    assert_int_equal(tmpl_warmup_found(warmup, *state)->nelts, 1);
    warm_add(warmup, "/m2", "x", *state);
    apr_array_header_t *found = tmpl_warmup_found(warmup, *state);
    assert_int_equal(found->nelts, 2);
    assert_string_equal(APR_ARRAY_IDX(found, 0, const char *), "/m1");
    assert_string_equal(APR_ARRAY_IDX(found, 1, const char *), "/m2");
    /* four pages have the menu: next are the key page's other links, then those of /a */
    assert_string_equal(tmpl_warmup_next(warmup), "/missing"); /* not added */
    assert_string_equal(tmpl_warmup_next(warmup), "/b");
    warm_add(warmup, "/a", "<a href=/b>b</a> <a href=/c>c</a> <a href=/d>d</a>",
             *state); /* the document /a again */
    assert_string_equal(tmpl_warmup_next(warmup), "/c");
    warm_add(warmup, "/c", "x", *state);
    assert_string_equal(tmpl_warmup_next(warmup), "/d");
    warm_add(warmup, "/d", "x", *state);
    assert_null(tmpl_warmup_next(warmup));
    assert_null(tmpl_warmup_next(warmup));
}

/* A page with a menu of 2 bytes, a footer and a box of this many bytes (0: none), and own. */
static const tmpl_page_t *settled_page(int footer, int box, const char *own, apr_pool_t *pool)
{
    static const char text[] =
        "oooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooo"
        "oooooooooooooooooooooooo";
    return check_page(apr_psprintf(pool,
                                   "<div><a href=/m1>1</a> <a href=/m2>2</a></div><ul>%.*s</ul>"
                                   "<dl>%.*s</dl><p>%s",
                                   footer, text, box, text, own),
                      pool);
}

/*
 * The subdigraph's pages share 100 bytes, of which the box is not on min_df pages. 90 are enough.
 */
static void nine_tenths_of_the_template_are_enough(void **state)
{
    tmpl_address_t address = { "http", "h", 80, "/k" };
    tmpl_warmup_opts_t opts = { 2, 100, 4, NULL };
    for (int box = 9; box <= 11; box++) {
        static const char *const loaded[] = { "/m1", "/a", "/m2" };
        const tmpl_page_t *key =
            settled_page(98 - box, box, "<a href=/a>a</a> <a href=/b>b</a>", *state);
        tmpl_warmup_t *warmup = tmpl_warmup_begin(key, &address, &opts, *state);
        for (int i = 0; i < 3; i++) {
            const tmpl_page_t *page = settled_page(98 - box, i == 1 ? 0 : box, loaded[i], *state);
            tmpl_address_t at = { "http", "h", 80, loaded[i] };
            assert_string_equal(tmpl_warmup_next(warmup), loaded[i]);
            tmpl_warmup_add(warmup, tmpl_links(page, &at, *state), page->keys, page->n_keys,
                            page->text);
        }
        assert_int_equal(tmpl_warmup_found(warmup, *state)->nelts, 2);
        const char *next = tmpl_warmup_next(warmup);
        assert_string_equal(next != NULL ? next : "none", box > 10 ? "/b" : "none");
    }
}

/* most includes the key page. Without a subdigraph all links of the key page are tried. */
static void warmup_has_an_end(void **state)
{
    tmpl_address_t address = { "http", "h", 80, "/k" };
    const tmpl_page_t *key = warm_page("/k", "<a href=/a>a</a> <a href=/b>b</a>", *state);
    tmpl_warmup_opts_t opts = { 3, 4, 9, NULL };
    tmpl_warmup_t *warmup = tmpl_warmup_begin(key, &address, &opts, *state);
    for (int i = 0; i < 3; i++) {
        assert_non_null(tmpl_warmup_next(warmup));
        warm_add(warmup, "/same", "<a href=/more>more</a> <a href=/m1>m</a>", *state);
    }
    assert_null(tmpl_warmup_next(warmup));
    /* one document with three addresses is one page */
    assert_int_equal(tmpl_warmup_found(warmup, *state)->nelts, 1);
    opts.min_df = 2;
    opts.most = 100;
    warmup = tmpl_warmup_begin(key, &address, &opts, *state);
    for (int i = 0; i < 4; i++) {
        const char *uri = tmpl_warmup_next(warmup);
        assert_non_null(uri);
        warm_add(warmup, uri, "<a href=/more>more</a>", *state);
    }
    assert_null(tmpl_warmup_next(warmup));
    assert_int_equal(tmpl_warmup_found(warmup, *state)->nelts, 2);
}

static const struct CMUnitTest tests[] = {
    CHECK(finds_what_trying_every_subset_finds),
    CHECK(a_menu_is_a_complete_subdigraph),
    CHECK(links_elsewhere_and_to_itself_do_not_count),
    CHECK(a_hostile_site_is_given_up),
    CHECK(overlap_is_settled_by_pages_of_its_own_text),
    CHECK(warmup_goes_on_until_the_template_is_known),
    CHECK(nine_tenths_of_the_template_are_enough),
    CHECK(warmup_has_an_end),
};

TAP_MAIN(tests)
