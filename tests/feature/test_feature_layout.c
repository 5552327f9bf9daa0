/* SPDX-License-Identifier: Apache-2.0 */
/* Where a block is: the elements around it, and the paths of the page's layout. */
#include "feature_fixture.h"

static void elements_around(void **state)
{
    read_t r = read_html("<main class=content><article><h2>a</h2><ul><li>b<p>c</p></ul>"
                         "<div role=navigation><p>d</div></article></main><pre>e</pre>",
                         *state);
    IS(0, IN_MAIN, 1);
    IS(0, IN_ARTICLE, 1);
    IS(0, HEADING, 1);
    IS(0, GOOD_NEAR, 1.0F / 3); /* h2, article, main */
    IS(0, NEARER, 1);
    IS(1, ITEM, 1);
    IS(1, IN_LIST, 1);
    IS(2, ITEM, 0); /* the p is nearer */
    IS(2, PARAGRAPH, 1);
    IS(3, IN_NAV, 1);
    IS(4, VERBATIM, 1);
    IS(4, IN_MAIN, 0);
    r = read_html("<figure><figcaption>a</figcaption></figure><blockquote><p>b</p></blockquote>",
                  *state);
    IS(0, IN_FIGURE, 1);
    IS(0, IN_QUOTE, 0);
    IS(1, IN_FIGURE, 0);
    IS(1, IN_QUOTE, 1);
}

/*
 * A box holds more blocks than the one inside; wrappers are skipped, and the root stays the last.
 */
static void boxes_skip_wrappers(void **state)
{
    read_t r = read_html("<div><div><div><p>a <a href=x>b</a></p></div><p>c d</p></div>"
                         "<p>e <a href=x>f g h</a></p></div><p>i j</p>",
                         *state);
    IS(0, BOX1_LINKED, 1.0F / 4);
    IS(0, BOX2_LINKED, 4.0F / 8);
    IS(0, BOX3_LINKED, 4.0F / 10);
    IS(0, BOX4_LINKED, 4.0F / 10);
    IS(2, BOX1_LINKED, 4.0F / 8);
    IS(3, BOX1_LINKED, 4.0F / 10);
}

static void place_and_neighbours(void **state)
{
    read_t r =
        read_html("<h1>a</h1><p>b <a href=x>c</a><p>1 2 3 4 5 6 7 8 9 10 11 12<p>d<p>e", *state);
    IS(0, TITLED, 0);
    IS(1, TITLED, 1);
    IS(1, BEFORE, 1.0F / 17);
    IS(1, REST, 14);
    IS(1, LONG_NEAR, 0.5);
    IS(2, LONG_NEAR, 1);
    IS(4, LONG_NEAR, 1.0F / 3);
    IS(1, LONG_NEXT, 0.5);
    IS(1, LONG_LAST, 1.0F / 6); /* no such box */
    IS(4, LONG_LAST, 1.0F / 3);
    IS(4, LONG_NEXT, 1.0F / 6);
    IS(0, FREE_NEXT_3, 14.0 / 3);
    IS(0, FREE_LAST_3, 0);
    IS(3, LINKED_LAST_3, 1.0F / 15);
    IS(3, LINKED_NEXT_3, 0);
    IS(4, FREE_NEXT_3, 0);
    IS(0, FREE_8, 16.0 / 5);
    IS(0, LINKED_8, 1.0F / 17);
    IS(1, LONG_BEFORE, 0);
    IS(3, LONG_BEFORE, 1);
    IS(0, FREE_NEXT, 1);
    IS(0, LINKED_NEXT, 0.5);
    IS(0, FREE_LAST, 0);
    IS(0, LINKED_1, 1.0F / 3);
    IS(4, FREE_1, 1);
    for (int times = 0; times < 2; times++) { /* as many words, in two blocks and in three */
        r = read_html("<p>1 2<p>3 4<p>5<p>6<p>7 8<p>9 10", *state);
        IS(0, FREE_1, 2);
        IS(2, FREE_1, 4.0 / 3);
        IS(5, FREE_1, 2);
    }
}

static void the_best_container(void **state)
{
    const char *text =
        "A long sentence, with a comma or two, and many words in it that say something.";
    read_t r = read_html(
        apr_psprintf(*state,
                     "<div><p>a<p>b</div><div><p>%s<p>%s<p>%s</div><ul><li><a href=x>%s</a></ul>",
                     text, text, text, text),
        *state);
    IS(0, BEST, 0);
    IS(2, BEST, 1);
    IS(4, BEST, 1);
    IS(5, BEST, 0);
    IS(2, SCORE, 1);
    IS(0, BEST_BEFORE, 0);
    IS(2, BEST_BEFORE, 0);
    IS(3, BEST_BEFORE, 1.0F / 3);
    IS(5, BEST_BEFORE, 1);
    assert_true(OF(0, SCORE) < OF(0, SCORE_2) + 1 && OF(2, SCORE_2) < 1);
    assert_true(OF(0, BEST_SHARE) > 0.7 && OF(0, BEST_SHARE) < 0.8);
}

/* But in a thread, by its address, posts are named so. */
static void a_comment_is_not_the_best_container(void **state)
{
    static const char text[] =
        "A long sentence, with a comma or two, and many words in it that say something.";
    static const char *const names[] = { "comments", "reviews" };
    for (unsigned i = 0; i < 4; i++) {
        const char *thread = i < 2 ? "" : "<link rel=canonical href=http://a/thread/1>";
        read_t r = read_html(
            apr_psprintf(*state, "%s<div><p>a<p>%s</div><div class=%s><p>%s<p>%s<p>%s</div>",
                         thread, text, names[i % 2], text, text, text),
            *state);
        IS(1, BEST, i < 2);
        IS(3, BEST, i >= 2);
    }
    read_t r = read_html(apr_psprintf(*state,
                                      "<main><div><p>a<p>%s</div></main><div><p>%s<p>%s<p>%s</div>",
                                      text, text, text, text),
                         *state);
    IS(1, BEST, 1);
    IS(3, BEST, 0);
}

/* Weights are words in halves and 1: 3, 5, 3, 7. */
static void what_the_first_trees_say(void **state)
{
    static const float first[] = { 1, 0.5F, 0, 0.25F };
    read_t r = read_html("<h1>a</h1><div><p>b c<p>d</div><ul><li>e f g</ul>", *state);
    tmpl_evidence_t nothing = { 0 };
    tmpl_rows_t *rows = tmpl_rows_of(r.reading, &r.layout, &nothing, *state);
    IS(1, FIRST, 0);
    IS(1, FIRST_BOX1, 0);
    tmpl_rows_judged(rows, first, *state);
    tmpl_rows_list(r.rows, rows);
    IS(1, FIRST, 0.5);
    IS(1, FIRST_BOX1, 2.5F / 8);
    IS(1, FIRST_BOX2, 7.25F / 18);
    IS(3, FIRST_BOX1, 7.25F / 18);
    IS(0, FIRST_LAST, 0.5); /* there is no such block */
    IS(1, FIRST_LAST, 1);
    IS(3, FIRST_LAST_3, 5.5F / 11);
    IS(3, FIRST_LAST_8, 5.5F / 11);
    IS(1, FIRST_NEXT, 0);
    IS(0, FIRST_NEXT_3, 4.25F / 15);
    IS(0, FIRST_NEXT_8, 4.25F / 15);
    IS(1, FIRST_LIKE, 2.5F / 8);
    IS(2, FIRST_LIKE, 2.5F / 8);
    IS(2, FIRST_LIKE_BLOCKS, 2);
    IS(3, FIRST_LIKE, 0.25);
    IS(2, FIRST_PAGE, 7.25F / 18);
    IS(0, FIRST_BEFORE, 0);
    IS(2, FIRST_BEFORE, 2.5F / 10.75F);
    IS(0, FIRST_CONTENT, 10.75F / 2);
}

static uint64_t path_key(const read_t *r, uint32_t block, uint32_t level)
{
    return r->layout.keys[r->layout.blocks[block].paths[level] - r->page->n_keys];
}

/* Classes and ids are part of a layout path; digits and the body's class are not. */
static void layout_paths(void **state)
{
    read_t r =
        read_html("<body class=z><div class=a id=n1><p>1</p></div><div class=a id=n2><p>2</p></div>"
                  "<div class=b id=n1><p>3</p></div><div class=a id=n1><ul><li>4<li>5</ul></div>",
                  *state);
    assert_int_equal(r.layout.blocks[0].paths[0], r.layout.blocks[1].paths[0]);
    assert_int_not_equal(r.layout.blocks[0].paths[0], r.layout.blocks[2].paths[0]);
    assert_int_not_equal(r.layout.blocks[0].paths[0], r.layout.blocks[3].paths[0]);
    assert_int_equal(r.layout.blocks[3].paths[1], r.layout.blocks[4].paths[1]); /* the list */
    assert_int_not_equal(r.layout.blocks[0].paths[0], r.layout.blocks[0].paths[1]);
    read_t other = read_html("<body class=y><div class=a id=n9><p>6</p></div>", *state);
    assert_int_equal(path_key(&other, 0, 0), path_key(&r, 0, 0));
    for (uint32_t i = 0; i < r.layout.n_keys; i++) {
        for (uint32_t k = 0; k < i; k++) {
            assert_int_not_equal(r.layout.keys[i], r.layout.keys[k]);
        }
    }
}

/* The same tag in other contexts, and tags that differ in one attribute, however it is written. */
static void paths_of_tags_alike(void **state)
{
    read_t r =
        read_html("<div class=a><p id=x>1</p></div><div class=b><p id=x>2</p></div><p id=x>3</p>"
                  "<p>4</p><p ID=y>5</p><p title=t CLASS=z>6</p><p title=t>7</p><p id=x>8</p>"
                  "<div class=b><p id=x>9</p></div>",
                  *state);
    static const unsigned like[] = { 0, 1, 2, 3, 4, 5, 3, 2, 1 };
    for (unsigned i = 0; i < sizeof(like) / sizeof(like[0]); i++) {
        for (unsigned k = 0; k < i; k++) {
            assert_int_equal(path_key(&r, i, 0) == path_key(&r, k, 0), like[i] == like[k]);
        }
    }
}

/* A role is not part of a path, but of the context. */
static void a_path_with_two_roles(void **state)
{
    read_t r =
        read_html("<div class=menu role=navigation><p>1</p></div><div class=menu><p>2</p></div>"
                  "<div class=menu role=navigation><p>3</p></div>",
                  *state);
    for (uint32_t b = 1; b < 3; b++) {
        for (uint32_t level = 0; level < TMPL_PATH_LEVELS; level++) {
            assert_int_equal(r.layout.blocks[b].paths[level], r.layout.blocks[0].paths[level]);
        }
        IS(b, NAMED_MENU, 0.5);
    }
    IS(0, IN_NAV, 1);
    IS(1, IN_NAV, 0);
    IS(2, IN_NAV, 1);
}

/* More contexts than the map begins with. */
static void a_page_of_many_places(void **state)
{
    enum { PLACES = 700 };
    const char *html = "";
    for (int i = 0; i < PLACES; i++) {
        html = apr_psprintf(*state, "%s<div class=%c%c%c><p>x</p></div>", html, 'h' + i % 10,
                            'h' + i / 10 % 10, 'h' + i / 100);
    }
    read_t r = read_html(apr_pstrcat(*state, html, html, NULL), *state);
    assert_int_equal(r.page->n_blocks, 2 * PLACES);
    for (uint32_t b = 0; b < PLACES; b++) {
        assert_int_equal(path_key(&r, b, 0), path_key(&r, PLACES + b, 0));
        assert_true(b == 0 || path_key(&r, b, 0) != path_key(&r, b - 1, 0));
    }
    assert_int_equal(r.layout.n_keys, PLACES + 2);
}

/* Counts up to 255 fit into a byte; here characters do not, then commas. */
static void counts_of_large_blocks(void **state)
{
    for (uint32_t n = 80; n < 260; n++) {
        const char *html = "<p>";
        for (uint32_t i = 0; i < n; i++) {
            html = apr_pstrcat(*state, html, "A1, ", NULL);
        }
        read_t r = read_html(apr_pstrcat(*state, html, "&copy;.<p>b! c.", html, NULL), *state);
        IS(0, COMMAS, n);
        IS(0, WORDS, n);
        IS(0, CAPITALS, 1);
        IS(0, DIGITS, (float)n / (float)(3 * n + 2));
        IS(0, RIGHTS, 1);
        IS(0, ENDS, 1);
        IS(0, STOPS_3, 3.0F / (float)(2 * n + 2));
        IS(1, STOPS_3, 3.0F / (float)(2 * n + 2));
        IS(1, WORDS, 2);
        IS(1, COMMAS, 0);
        IS(1, LOWER, 1);
        IS(2, DIGITS, 1.0F / 3);
        IS(2, RIGHTS, 0);
    }
    read_t r = read_html(apr_psprintf(*state, "<p>a%0255d<p>%0256d", 0, 0), *state);
    IS(0, DIGITS, 255.0F / 256);
    IS(1, DIGITS, 1);
}

/* The observation: the same keys, all text once, every block with its paths. */
static void the_store_is_told(void **state)
{
    read_t r = read_html("<p>a <b>b</b></p><ul><li>c<li>c</ul>", *state);
    tmpl_observation_t o = { 0 };
    tmpl_layout_observation(&o, r.page, &r.layout, *state);
    assert_int_equal(o.n, r.page->n_keys + r.layout.n_keys);
    assert_int_equal(o.keys[0].kind, TMPL_KIND_SEGMENT);
    assert_int_equal(o.keys[r.page->n_keys].kind, TMPL_KIND_PATH);
    assert_int_equal(o.keys[r.page->n_keys].hash, r.layout.keys[0] & TMPL_HASH_MASK);
    assert_int_equal(o.n_shares, 4);
    assert_int_equal(o.n_blocks, 3);
    assert_int_equal(o.shares[2].key, o.shares[3].key);
    assert_int_equal(o.blocks[0].after, 2);
    assert_int_equal(o.blocks[1].paths[0], o.blocks[2].paths[0]);
    assert_int_equal(o.keys[o.blocks[0].paths[0]].hash, r.layout.keys[0] & TMPL_HASH_MASK);
    assert_int_equal(o.blocks[0].paths[1], r.page->n_keys + 1);
}

static const struct CMUnitTest tests[] = {
    CHECK(elements_around),
    CHECK(boxes_skip_wrappers),
    CHECK(place_and_neighbours),
    CHECK(the_best_container),
    CHECK(a_comment_is_not_the_best_container),
    CHECK(what_the_first_trees_say),
    CHECK(layout_paths),
    CHECK(paths_of_tags_alike),
    CHECK(a_path_with_two_roles),
    CHECK(a_page_of_many_places),
    CHECK(counts_of_large_blocks),
    CHECK(the_store_is_told),
};

TAP_MAIN(tests)
