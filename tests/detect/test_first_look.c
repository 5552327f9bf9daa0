/* SPDX-License-Identifier: Apache-2.0 */
/* What repeats inside a known page's records and main text stays. */
#include "detector_fixture.h"

#include "verdicts_fixture.h"

/* Blocks with DF above 0.2 of the pages are template, and those that are links on any page. */
static const char *model = "tmpl-trees 2\nthreshold 0.5\nbias 0\ntree 5\nsplit linked 0.5 1 2\n"
                           "split df 0.2 3 4\nleaf 4\nleaf -4\nleaf 1.5\nend\n";

#define PAGES 12

/*
 * The last page of a site, of which all have html with "#" replaced by their number. What is
 * between { and } is on PART pages only, the last ones. Returns t or c for each block.
 */
#define PART 8

static const char *page_of(const char *html, int i, apr_pool_t *pool)
{
    char *page = apr_psprintf(pool, "<title>Fox %d</title>", i);
    int left_out = 0;
    for (const char *c = html; *c != 0; c++) {
        left_out = *c == '{' ? i < PAGES - PART : *c != '}' && left_out;
        const char *text =
            *c == '#' ? apr_itoa(pool, i) : apr_pstrndup(pool, c, *c != '{' && *c != '}' ? 1 : 0);
        page = apr_pstrcat(pool, page, left_out ? "" : text, NULL);
    }
    return page;
}

static const char *known(const char *html, apr_pool_t *pool)
{
    tmpl_store_t *store = open_store(empty_store_uri(pool), NULL, pool);
    tmpl_clean_opts_t opts = opts_of(TMPL_DETECTOR_AUTO, trees_of(model, pool), pool);
    tmpl_outcome_t outcome = { 0 };
    for (int i = 0; i < PAGES; i++) {
        outcome = clean(page_of(html, i, pool), apr_psprintf(pool, "/%d", i), &opts, store,
                        TMPL_LEARNING_NOW, pool);
    }
    return letters_of(outcome.verdicts, outcome.page, pool);
}

typedef struct {
    const char *html;
    const char *verdicts;
} known_case_t;

static void check_known(const known_case_t *cases, size_t n, apr_pool_t *pool)
{
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(known(cases[i].html, pool), cases[i].verdicts);
    }
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define PROSE                                                                                      \
    "<p>The fox # of the wood # ran over the hill # to the river # and then home # by night "      \
    "#.</p>"
#define CLAUSE "<p class=clause>Details are laid down by ordinance.</p>"

static void a_repeated_text_beside_the_headline_stays(void **state)
{
    static const known_case_t cases[] = {
        { "<div><h1>Fox #</h1>" PROSE "{" CLAUSE "}</div>", "ccc" },
        /* on all pages, without records */
        { "<div><h1>Fox #</h1>" PROSE CLAUSE "</div>", "cct" },
        /* but an author of all pages */
        { "<div><h1>Fox #</h1><p>Ida Storm</p>" PROSE "</div>", "ccc" },
        /* among paragraphs that stay */
        { "<div><h1>Fox #</h1>" PROSE PROSE "<p>Section 4 applies.</p></div>", "cccc" },
        /* it would be template on a first page, too */
        { "<div><h1>Fox #</h1>" PROSE "{<p class=a><a href=/>More</a></p>}</div>", "cct" },
    };
    check_known(cases, COUNT(cases), *state);
}

static void what_stands_elsewhere_goes(void **state)
{
    static const known_case_t cases[] = {
        { "<main><div><h1>Fox #</h1>" PROSE "</div><div>{" CLAUSE "}</div></main>", "cct" },
        { "<div><h1>Fox #</h1>" PROSE "<aside>{" CLAUSE "}</aside></div>", "cct" },
        { "<div><h1>Fox #</h1>" PROSE "<nav>{" CLAUSE "}</nav></div>", "cct" },
        { "<div><h1>Fox #</h1>" PROSE "<form>{" CLAUSE "}</form></div>", "cct" },
        { "<div><h1>Fox #</h1>" PROSE "<div class=sidebar>{" CLAUSE "}</div></div>", "cct" },
        { "<div class=sidebar><div class=content><h1>Fox #</h1>" PROSE "{" CLAUSE "}</div></div>",
          "ccc" },
        { PROSE "{" CLAUSE "}", "ct" },
        /* a name around the headline, too, says nothing; a title is a headline */
        { "<form class=nav><h1>Fox #</h1>" PROSE "{" CLAUSE "}</form>", "ccc" },
        { "<div><font>Fox #</font>" PROSE "{" CLAUSE "}</div>", "ccc" },
    };
    check_known(cases, COUNT(cases), *state);
}

#define DATE "<p class=a><a href=/>1 April 2026</a></p>"

static void what_stands_with_the_headline_alone_may_be_a_byline(void **state)
{
    static const known_case_t cases[] = {
        { "<div><div><h1>Fox #</h1>{" DATE "}</div><p><a href=/b>Tides</a></p></div>", "cct" },
    };
    check_known(cases, COUNT(cases), *state);
}

#define CARD(n) "<div><h2>Fox " n " of #</h2><p class=a>Monday</p></div>"
#define ITEM(n) "<li class=a><div>Fox " n " of #</div><div class=b>Vik</div></li>"
#define ROWS                                                                                       \
    "<table><tr><td class=a>Fox one of #<tr><td class=b>Fox two of #<tr><td class=c>{<a "          \
    "href=/>Vik</a>}</table>"

static void values_of_records_stay(void **state)
{
    static const known_case_t cases[] = {
        { "<div><h1>Fox #</h1>" CARD("one") CARD("two") CARD("six") "</div>", "ccccccc" },
        /* two are too few */
        { "<div><h1>Fox #</h1>" PROSE CARD("one") CARD("two") "</div>", "ccctct" },
        { "<div><h1>Fox #</h1><ul>" ITEM("one") ITEM("two") ITEM("six") "</ul></div>", "ccccccc" },
        /* with half of their table, but not of one for layout */
        { "<div><h1>Fox #</h1>" PROSE ROWS "</div>", "ccccc" },
        { "<div><h1>Fox #</h1>" PROSE "<table><tr><td>" ROWS "</table></div>", "cccct" },
        { "<table><tr><td><h1>Fox #</h1>" PROSE "{<div><a href=/>Vik</a></div>}</table>", "cct" },
    };
    check_known(cases, COUNT(cases), *state);
}

#define JOBS "<ul><li>Welder, Vik<li>Cook for the canteen, Halden<li>Driver for the yard, Vik</ul>"

static void a_list_that_all_pages_have_stays_if_they_have_nothing_else(void **state)
{
    static const known_case_t cases[] = {
        { "<div><h1>Fox #</h1>" JOBS "</div>", "cccc" },
        { "<div><h1>Fox #</h1>" PROSE JOBS "</div>", "ccttt" },
        { "<div><h1>Fox #</h1>" JOBS "</div><div>" PROSE "</div>", "ctttc" },
        { "<main><div><h1>Fox #</h1>" JOBS "</div><div><p>Birch and oak<p>Mill hill</div></main>",
          "cccctt" },
    };
    check_known(cases, COUNT(cases), *state);
}

#define CELLS(n) "<table><tr><td>" n "<tr><td>Vik<tr><td>" n "</table>"
#define LEFT     "<div class=a><ul><li>Oak<li>Elm<li>Ash<li>Yew<li>Fir</ul></div>"

static void a_fact_that_all_pages_have_stays(void **state)
{
    static const known_case_t cases[] = {
        { "<div><h1>Fox #</h1>" PROSE "<p>Open from 9 to 5</p></div>", "ccc" },
        { "<div><h1>Fox #</h1>" PROSE "<nav><p>Open from 9 to 5</p></nav></div>", "cct" },
        { "<div><h1>Fox #</h1>" PROSE PROSE CELLS("by day") "</div>", "cccccc" },
        /* nor do others of its layout take it away */
        { "<div class=a><h1>Fox #</h1>" PROSE "<ul><li>Open from 9 to 5</ul></div>" LEFT,
          "cccttttt" },
    };
    check_known(cases, COUNT(cases), *state);
}

static void a_menu_in_a_table_goes(void **state)
{
    static const known_case_t cases[] = {
        { "<div><h1>Fox #</h1>" PROSE PROSE CELLS("<a href=/>by day</a>") "</div>", "cccttt" },
    };
    model =
        "tmpl-trees 2\nthreshold 0.5\nbias 0\ntree 3\nsplit df 0.2 1 2\nleaf -4\nleaf 1.5\nend\n";
    check_known(cases, COUNT(cases), *state);
}

static void no_vote_cuts_what_stands_with_the_headline(void **state)
{
    static const known_case_t cases[] = {
        { "<div class=a><h1>Fox #</h1>" PROSE "{" CLAUSE "}<ul><li>Oil of #</ul></div>" LEFT,
          "ccccttttt" },
    };
    model =
        "tmpl-trees 2\nthreshold 0.5\nbias 0\ntree 3\nsplit df 0.2 1 2\nleaf -.4\nleaf 1.5\nend\n";
    check_known(cases, COUNT(cases), *state);
}

static const struct CMUnitTest tests[] = {
    CHECK(a_repeated_text_beside_the_headline_stays),
    CHECK(what_stands_elsewhere_goes),
    CHECK(what_stands_with_the_headline_alone_may_be_a_byline),
    CHECK(values_of_records_stay),
    CHECK(a_list_that_all_pages_have_stays_if_they_have_nothing_else),
    CHECK(a_fact_that_all_pages_have_stays),
    CHECK(a_menu_in_a_table_goes),
    CHECK(no_vote_cuts_what_stands_with_the_headline),
};

TAP_MAIN(tests)
