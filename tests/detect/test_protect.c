/* SPDX-License-Identifier: Apache-2.0 */
/* The headline, its byline, and rows of groups become content. */
#include "verdicts_fixture.h"

#include "detect/protect.h"
#include "feature/score.h"

#define TEXT "c Long enough to be the beginning of the text, as it has more than eighty bytes in it"

/*
 * Blocks that begin with c are content, the others template; of 10 pages all have segments with
 * "all", 4 those with "some". Returns the verdicts after the rules, t or c for each block.
 */
static const char *judged(const char *html, int with_counts, apr_pool_t *pool)
{
    const tmpl_page_t *page = leaf_page(html, pool);
    tmpl_verdict_t *v = apr_pcalloc(pool, page->n_blocks * sizeof(*v));
    tmpl_record_t *records = apr_pcalloc(pool, page->n_keys * sizeof(*records));
    for (uint32_t s = 0; s < page->n_segments; s++) {
        const tmpl_segment_t *segment = &page->segments[s];
        const char *bytes = check_bytes(page, segment->span, pool);
        records[segment->key].df = strstr(bytes, "all") != NULL    ? 10
                                   : strstr(bytes, "some") != NULL ? 4
                                                                   : 1;
        v[segment->block].template |= *bytes != 'c';
    }
    tmpl_layout_t layout;
    tmpl_counts_t counts = { .records = with_counts ? records : NULL, .pages = 10 };
    tmpl_reading_t *reading = tmpl_read_blocks(page, pool);
    tmpl_layout_read(&layout, reading, pool);
    tmpl_read_text(reading, pool);
    tmpl_read_score(reading, pool);
    tmpl_judged_t of = { v, reading, &layout, &counts, 5, NULL };
    tmpl_groups(&of, pool);
    tmpl_headline(&of);
    return letters_of(v, page, pool);
}

typedef struct {
    const char *html;
    const char *cold;
    const char *known;
} case_t;

static void check_cases(const case_t *cases, size_t n, apr_pool_t *pool)
{
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(judged(cases[i].html, 0, pool), cases[i].cold);
        assert_string_equal(judged(cases[i].html, 1, pool), cases[i].known);
    }
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void the_headline_is_content(void **state)
{
    static const case_t cases[] = {
        { "<title>Red fox seen</title><h2>Red fox seen</h2><p>" TEXT, "cc", "cc" },
        { "<title>Red fox seen</title><h2>Red fox seen yet again</h2><p>" TEXT, "tc", "tc" },
        /* the only h1, whatever it says */
        { "<title>Red fox seen</title><h1>Yet another</h1><p>" TEXT, "cc", "cc" },
        { "<title>Red fox seen</title><h1>Yet another</h1><h1>One more</h1><p>" TEXT, "ttc",
          "ttc" },
        /* more of the title, then h1, then the nearest */
        { "<title>Red fox seen - A site</title><h1>A site</h1><h2>Red fox seen</h2><p>" TEXT, "ccc",
          "ccc" },
        { "<title>Red fox seen by night in May - A site</title><h1>A site</h1>"
          "<h2>Red fox seen by night in May</h2><p>" TEXT,
          "tcc", "tcc" },
        { "<title>Red fox seen</title><h1>Red fox</h1><h2>Red fox seen</h2><p>" TEXT, "ccc",
          "ccc" },
        { "<title>Red fox seen</title><h2>Red</h2><p>" TEXT, "tc", "tc" },
        /* an answer that quotes the headline of the question */
        { "<title>Red fox seen</title><h1>Red fox seen</h1><p>Where?<blockquote><h1>Red fox seen"
          "</h1></blockquote><p>" TEXT,
          "ctcc", "ctcc" },
        { "<title>Red fox seen</title><h2>Red fox</h2><h3>Red fox</h3><p>" TEXT, "tcc", "tcc" },
        /* what is of the site */
        { "<title>Red fox all</title><h1>Red fox all</h1><p>" TEXT, "cc", "tc" },
        { "<title>Red fox some</title><h1>Red fox some</h1><p>" TEXT, "cc", "cc" },
        { "<title></title><h2>Red</h2><p>" TEXT, "tc", "tc" },
        { "<title>Red fox seen</title><p>Red fox seen", "t", "t" },
    };
    check_cases(cases, COUNT(cases), *state);
}

#define HEAD "<title>Red fox seen</title><h1>Red fox seen</h1>"

static void a_byline_is_content(void **state)
{
    static const case_t cases[] = {
        { HEAD "<p><time>Monday</time><p>" TEXT, "ccc", "ccc" },
        { HEAD "<p><a rel='nofollow author'>Ida</a><p>" TEXT, "ccc", "ccc" },
        { HEAD "<p itemprop=datePublished><i>Monday</i><p>" TEXT, "ccc", "ccc" },
        { HEAD "<p class=byline>Ida<p>" TEXT, "ccc", "ccc" },
        { HEAD "<p>May 3, 2025<p>" TEXT, "ccc", "ccc" },
        { HEAD "<p>3.5.1999<p>" TEXT, "ccc", "ccc" },
        { HEAD "<p>No. 20251<p>" TEXT, "ctc", "ctc" },
        { HEAD "<p>Room 2045<p>" TEXT, "ctc", "ctc" },
        { HEAD "<p itemprop=price>$ 12<p>" TEXT, "ccc", "ccc" },
        { HEAD "<p>$ 12<p>" TEXT, "ctc", "ctc" },
        { HEAD "<p>Share<p>" TEXT, "ctc", "ctc" },
        /* a few words beside it */
        { HEAD "<p>Share<p>Ida Holm<p>May 2025<p>Berlin<p>Share<p>" TEXT, "ctccctc", "ctccctc" },
        { HEAD "<p>One two three four five<p>May 2025<p>" TEXT, "ctcc", "ctcc" },
        /* before the headline, and behind the beginning of the text */
        { "<p>1 May 2025<p>" HEAD "<p>" TEXT "<p>2 May 2025", "ccct", "ccct" },
        /* what is of the site */
        { HEAD "<p>all 2025<p>" TEXT, "ccc", "ctc" },
        { HEAD "<p>some 2025<p>" TEXT, "ccc", "ccc" },
    };
    check_cases(cases, COUNT(cases), *state);

    /* as many segments as a byline may have, and one more: each costs a look at the tags around */
    const char *dots = "";
    for (int i = 1; i < 32; i++) {
        dots = apr_pstrcat(*state, dots, "<b>.</b>", NULL);
    }
    for (int more = 0; more < 2; more++) {
        const char *html = apr_psprintf(*state, HEAD "<p itemprop=author>Ida%s%s<p>" TEXT, dots,
                                        more ? "<i>.</i>" : "");
        assert_string_equal(judged(html, 0, *state), more ? "ctc" : "ccc");
    }
}

#define POST(by, text) "<div class=post><p>" by "<p>c Text of some length " text "<p>Reply</div>"

static void parts_of_rows_are_content(void **state)
{
    static const case_t cases[] = {
        { POST("Ida", "one") POST("Ben", "two"), "cctcct", "cctcct" },
        { POST("Ida", "one") POST("Ben", "two") POST("Ida", "six"), "cctcctcct", "cctcctcct" },
        /* by the same in all rows */
        { POST("Ida", "one") POST("Ida", "two") POST("Ida", "six"), "tcttcttct", "tcttcttct" },
        { POST("all Ida", "one") POST("all Ben", "two"), "cctcct", "tcttct" },
        { "<nav>" POST("Ida", "one") POST("Ben", "two") "</nav>", "tcttct", "tcttct" },
        /* rows are not alike */
        { POST("Ida", "one") "<p>Ben<p>c Text of some length", "tcttc", "tcttc" },
    };
    check_cases(cases, COUNT(cases), *state);
}

static void rows_of_a_group_of_content_are_content(void **state)
{
    static const case_t cases[] = {
        { "<ul><li>c one<li>two<li>c three</ul>", "ccc", "ccc" },
        { "<ul><li>c one<li>two<li>three</ul>", "ctt", "ctt" },
        { "<ul><li>c one<li>all<li>c three</ul>", "ccc", "ctc" },
        { "<ul><li class=odd>c one<li>two<li class=odd>c three</ul>", "ccc", "ccc" },
        { "<div class=a>c one</div><div class=b>two</div><div class=a>c three</div>", "ctc",
          "ctc" },
        { "<ul><li>c one<li>two</ul>", "ct", "ct" },
    };
    check_cases(cases, COUNT(cases), *state);
}

#define ROW(label, value) "<tr><td>" label "<td>" value
#define TABLE(rows)       "<p>c Text<table>" rows "</table>"
#define PAIRS             ROW("Weight", "1 kg") ROW("Length", "2 m") ROW("Made of", "Ash")

static void pairs_are_content(void **state)
{
    static const case_t cases[] = {
        { TABLE(PAIRS), "ccccccc", "ccccccc" },
        { TABLE(ROW("all Weight", "1 kg") ROW("Length", "2 m") ROW("Made of", "all")), "ccccccc",
          "ctcccct" },
        { "<p>Text<table>" PAIRS "</table>", "ttttttt", "ttttttt" },
        { "<footer>" TABLE(PAIRS) "</footer>", "ctttttt", "ctttttt" },
        { "<p>c Text<ul><li>Weight<li>Length<li>Made of</ul>", "cttt", "cttt" },
        { TABLE(ROW("<a href=a>Weight</a>", "1") ROW("<a href=b>Length</a>", "2")
                    ROW("<a href=c>Made of</a>", "3")),
          "ctttttt", "ctttttt" },
        { TABLE(ROW("Weight", "1 kg") ROW("Length", "2 m")), "ctttt", "ctttt" },
        { TABLE(PAIRS "<tr><td>Price<td>3<td>4"), "cttttttttt", "cttttttttt" },
        { "<p>c Text<dl><dt>Weight<dd>1 kg<dt>Length<dd>2 m<dt>Made of<dd>Ash</dl>", "ctctctc",
          "ctctctc" },
    };
    check_cases(cases, COUNT(cases), *state);
}

static const struct CMUnitTest tests[] = {
    CHECK(the_headline_is_content),   CHECK(a_byline_is_content),
    CHECK(parts_of_rows_are_content), CHECK(rows_of_a_group_of_content_are_content),
    CHECK(pairs_are_content),
};

TAP_MAIN(tests)
