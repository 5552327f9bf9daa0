/* SPDX-License-Identifier: Apache-2.0 */
/* The headline, its byline and footnotes become content; records are judged whole. */
#include "verdicts_fixture.h"

#include "detect/kept_notes.h"
#include "detect/records.h"

#define TEXT "c Long enough to be the beginning of the text, as it has more than eighty bytes in it"

/*
 * Blocks that begin with c are content, the others template; of those with "sure" the detector is
 * sure. Of 10 pages all have segments with "all", 4 those with "some". Returns the verdicts after
 * the rules, t or c for each block.
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
        if (s == page->blocks[segment->block].first_segment) {
            int is_sure = strstr(bytes, "sure") != NULL;
            v[segment->block].template = *bytes != 'c';
            v[segment->block].ratio = !is_sure ? 0.5F : *bytes != 'c' ? 0.95F : 0.1F;
        }
    }
    tmpl_layout_t layout;
    tmpl_counts_t counts = { .records = with_counts ? records : NULL, .pages = 10 };
    tmpl_reading_t *reading = tmpl_read_blocks(page, pool);
    tmpl_layout_read(&layout, reading, pool);
    tmpl_read_text(reading, pool);
    tmpl_read_score(reading, pool);
    tmpl_ruled_t of = { v, reading, &counts, 5, NULL, NULL };
    tmpl_records_t of_records;
    tmpl_records_find(&of_records, page, &layout, pool);
    tmpl_records_judge(&of, &of_records, pool);
    tmpl_headline(&of);
    tmpl_kept_notes(&of, pool);
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
        /* no heading, but a block that is named as a title */
        { "<title>Red fox seen</title><div class=title>Red fox seen</div><p>" TEXT, "cc", "cc" },
        { "<title>Red fox all</title><div class=title>Red fox all</div><p>" TEXT, "cc", "tc" },
        { "<title>Red fox seen</title><div class=x>Red fox seen</div><p>" TEXT, "tc", "tc" },
        { "<title>Red fox seen</title><div class=title><a href=x>Red fox seen</a></div><p>" TEXT,
          "tc", "tc" },
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
        { HEAD "<p class=price>$ 12<p>" TEXT, "ccc", "ccc" },
        { HEAD "<p class=price><b><i>$ 12</i></b><p>" TEXT, "ccc", "ccc" },
        { HEAD "<p class=price><b><i><u>$ 12</u></i></b><p>" TEXT, "ctc", "ctc" },
        { HEAD "<p>$ 12<p>" TEXT, "ctc", "ctc" },
        { HEAD "<p>Share<p>" TEXT, "ctc", "ctc" },
        /* a few words beside it */
        { HEAD "<p>Share<p>Ida Holm<p>May 2025<p>Berlin<p>Share<div>" TEXT, "ctccctc", "ctccctc" },
        { HEAD "<p>One two three four five<p>May 2025<div>" TEXT, "ctcc", "ctcc" },
        /* before the headline, and behind the beginning of the text */
        { "<p>1 May 2025<p>" HEAD "<p>" TEXT "<div>2 May 2025", "ccct", "ccct" },
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

#define TEN      "1 2 3 4 5 6 7 8 9 10 "
#define HUNDREDS TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN

static void a_field_has_the_verdict_of_most_of_its_blocks(void **state)
{
    static const case_t cases[] = {
        { "<ul><li>c one<li>two<li>c three</ul>", "ccc", "ccc" },
        { "<ul><li>c one<li>two<li>three</ul>", "ttt", "ttt" },
        { "<ul><li>c one<li>two<li>c three<li>four</ul>", "cccc", "cccc" },
        /* what is sure: neither cut nor kept, but for names and dates */
        { "<ul><li>c one, sure<li>two<li>three</ul>", "ctt", "ctt" },
        { "<ul><li>c one<li>two, sure<li>c three</ul>", "ctc", "ctc" },
        { "<ul><li>c one<li class=date>two, sure<li>c three</ul>", "ctc", "ctc" },
        { "<p class=author>c one<p class=author>two, sure<p class=author>c three", "ccc", "ccc" },
        /* two blocks are too few */
        { "<ul><li>c one<li>two</ul>", "ct", "ct" },
        /* what is of the site */
        { "<ul><li>c one<li>all<li>c three</ul>", "ccc", "ctc" },
        { "<ul><li>c all<li>two<li>three</ul>", "ttt", "ttt" },
        /* a field goes over parents, and by layout path */
        { "<div><p>c one</div><div><p>two</div><div><p>c three</div>", "ccc", "ccc" },
        { "<p class=a1>c one<p class=a2>two<p class=a3>c three", "ccc", "ccc" },
        { "<p>c one<p class=a>two<p>c three", "ctc", "ctc" },
        /* more than 20 words stay where they are most of the field's */
        { "<p>c " TEN TEN "<p>two<p>three", "ctt", "ctt" },
        { "<p>c " TEN "9 8 7 6 5 4 3 2 1<p>two<p>three", "ttt", "ttt" },
        { "<p>c " TEN TEN "<p>" TEN TEN "0<p>three", "ttt", "ttt" },
    };
    check_cases(cases, COUNT(cases), *state);
}

#define ROW(place, button) "<tr><td>" place "<td>" button

static void each_column_of_a_table_is_a_field(void **state)
{
    static const case_t cases[] = {
        { "<table>" ROW("c Kiel", "Reply") ROW("Bonn", "Reply") ROW("c Ulm", "Reply") "</table>",
          "ctctct", "ctctct" },
        /* empty cells count */
        { "<table>" ROW("c Kiel", "Reply") ROW("", "Reply") ROW("c Ulm", "Reply")
              ROW("Bonn", "Reply") "</table>",
          "cttctct", "cttctct" },
        /* rows with content, for a column of which a cell is content */
        { "<table>" ROW("c Kiel", "c no") ROW("c Bonn", "yes") ROW("c Ulm", "yes") "</table>",
          "cccccc", "cccccc" },
        { "<table>" ROW("c Kiel", "c no") ROW("c Bonn", TEN TEN "1")
              ROW("c Ulm", TEN TEN "1") "</table>",
          "ctctct", "ctctct" },
        { "<table>" ROW("c Kiel", "yes") ROW("c Bonn", "yes") ROW("c Ulm", "yes") "</table>",
          "ctctct", "ctctct" },
        /* at first few names are content between the numbers */
        { "<table>" ROW("c Kiel", "1") ROW("c Bonn", "2") ROW("c Ulm", "3") ROW("Jena", "4")
              ROW("Gera", "5") ROW("Hof", "6") "</table>",
          "cccccccccccc", "cccccccccccc" },
        /* not in tables for layout: a table in a cell, and long rows */
        { "<table><tr><td><table>" ROW("c Kiel", "1") ROW("c Bonn", "2") ROW("c Ulm", "3")
              ROW("Jena", "4") ROW("Gera", "5") ROW("Hof", "6") "</table></table>",
          "ctctctctctct", "ctctctctctct" },
        { "<table>" ROW("c Kiel", "c no<td>") HUNDREDS ROW("c Bonn", "yes<td>")
              HUNDREDS ROW("c Ulm", "yes<td>") HUNDREDS "</table>",
          "cttcttctt", "cttcttctt" },
        { "<div><p class=a>c Kiel<p class=b>1</div><div><p class=a>c Bonn<p class=b>2</div><div><p "
          "class=a>c Ulm<p class=b>3</div><div><p class=a>Jena<p class=b>4</div><div><p "
          "class=a>Gera<p class=b>5</div><div><p class=a>Hof<p class=b>6</div>",
          "ctctctctctct", "ctctctctctct" },
    };
    check_cases(cases, COUNT(cases), *state);
}

#define POST(by, text)                                                                             \
    "<div class=post>" by "<p>c Text of some length " text "<p class=a>Reply</div>"
#define BY(name) "<div class=by>" name "</div>"
#define DATED    "<div><time>Monday</time></div>"

static void names_and_dates_of_records_are_content(void **state)
{
    static const case_t cases[] = {
        { POST(BY("Ida"), "one") POST(BY("Ben"), "two"), "cctcct", "cctcct" },
        { POST(BY(TEN TEN), "one") POST(BY(TEN "11"), "two"), "cctcct", "cctcct" },
        { POST(BY(TEN TEN "1"), "one") POST(BY(TEN TEN "2"), "two"), "tcttct", "tcttct" },
        /* the same text in all records, unless it says what it is */
        { POST(BY("Ida"), "one") POST(BY("Ida"), "two"), "tcttct", "tcttct" },
        { POST(DATED, "one") POST(DATED, "two"), "cctcct", "cctcct" },
        /* texts that only begin alike */
        { POST(BY("<b>from</b> Ida"), "one") POST(BY("<b>from</b> Ben"), "two"), "cctcct",
          "cctcct" },
        { POST(BY("<b>from</b> Ida"), "one") POST(BY("<b>from</b> Ida"), "two"), "tcttct",
          "tcttct" },
        { POST(BY("<b>from</b> Ida"), "one") POST(BY("<b>from</b>"), "two"), "cctcct", "cctcct" },
        /* what is of the site */
        { POST(BY("all Ida"), "one") POST(BY("Ben"), "two"), "cctcct", "tctcct" },
        /* records of which nothing stays, and those at the edge */
        { "<p>c Text" BY("Ida") BY("Ben") "<p>c Text", "cttc", "cttc" },
        { "<aside>" POST(BY("Ida"), "one") POST(BY("Ben"), "two") "</aside>", "tcttct", "tcttct" },
    };
    check_cases(cases, COUNT(cases), *state);
}

#define CARD(field, text)                                                                          \
    "<div class=card>" field "<p>c " text "<p class=a>Put one more of these into the bag</div>"
#define CARDS(before, after)                                                                       \
    CARD(before "One" after, "a") CARD(before "Two" after, "b") CARD(before "Six" after, "c")

static void of_records_that_go_mostly_only_names_dates_and_prices_stay(void **state)
{
    static const case_t cases[] = {
        { CARDS("<div>", "</div>"), "tcttcttct", "tcttcttct" },
        { CARDS("<div class=author>", "</div>"), "cctcctcct", "cctcctcct" },
        { CARDS("<div><time>", "</time></div>"), "cctcctcct", "cctcctcct" },
        { CARDS("<div class=price>", "</div>"), "cctcctcct", "cctcctcct" },
        { CARDS("<h3>", "</h3>"), "cctcctcct", "cctcctcct" },
        /* a label, as "Unit price", is no price */
        { CARD("<div class=price>Each</div>", "a") CARD("<div class=price>Each</div>", "b"),
          "tcttct", "tcttct" },
    };
    check_cases(cases, COUNT(cases), *state);
}

static void a_run_is_around_all_blocks_of_a_field(void **state)
{
    const tmpl_page_t *page =
        leaf_page("<ul><li><p>one<b>x</b></p><li><p>two</p></ul><p>three", *state);
    tmpl_reading_t *reading = tmpl_read_blocks(page, *state);
    tmpl_layout_t layout;
    tmpl_records_t records;
    tmpl_layout_read(&layout, reading, *state);
    tmpl_records_find(&records, page, &layout, *state);
    assert_int_equal(records.n_fields, 2);
    assert_int_equal(records.field[1], records.field[0]);
    assert_int_equal(records.next[0], 1);
    assert_int_equal(records.next[1], TMPL_NONE);
    const tmpl_field_t *field = &records.fields[records.field[0]];
    assert_int_equal(field->n, 2);
    assert_int_equal(page->nodes[tmpl_records_run(&records, field)].tag, TMPL_TAG_UL);
    field = &records.fields[records.field[2]];
    assert_int_equal(page->nodes[tmpl_records_run(&records, field)].tag, TMPL_TAG_P);
}

#define REF(to, label) "<sup><a href='#" to "'>" label "</a></sup>"

static void a_lead_is_content(void **state)
{
    static const case_t cases[] = {
        { "<hgroup><h1>c</h1><div>x<p>A lead of no less than six words</div></hgroup>", "ctc",
          "ctc" },
        { "<div><h1>c</h1><div>x<p>A lead of no less than six words</div></div>", "ctt", "ctt" },
        { "<h1>c</h1><p>A lead of no less than six words.<p>One more of six words or so.", "cct",
          "cct" },
        { "<h1>c</h1><p><a href=x>A lead of no less than six words.</a>", "ct", "ct" },
        { "<hgroup><h1>c</h1><p>A sure lead of no less than six words.</hgroup>", "ct", "ct" },
        { "<header><h1>c</h1><p>a<p>$ 449.00</header>", "ctc", "ctc" },
        { "<header><h1>c</h1><p>a<p>449.00</header>", "ctt", "ctt" },
        { "<header><h1>c</h1></header><p>\xE2\x82\xAC 449.00", "ct", "ct" },
        { "<h1>c</h1><aside><p>A lead of no less than six words.</aside>", "ct", "ct" },
    };
    check_cases(cases, COUNT(cases), *state);
}

static void notes_of_content_are_content(void **state)
{
    static const case_t cases[] = {
        { "<div>c" REF("n", "1") "</div><ol><li id=n>x <li id=m>y</ol>", "cct", "cct" },
        { "<div>c" REF("n", "1") "</div><ol><li><a id=n>^</a> x <p>z<li>y</ol>", "ccct", "ccct" },
        { "<div>c<a href='#n'>[1]</a></div><section>y</section><p><a id=n></a>x", "ctc", "ctc" },
        { "<div>c<a href='#n' class=footnote>*</a></div><h5><a id=n>(1)</a></h5><p>x<p>y", "ccct",
          "ccct" },
        /* no label, no sign of a reference, no reference in content, or in front of the note */
        { "<div>c" REF("n", "more") "</div><p id=n>x", "ct", "ct" },
        { "<div>c<a href='#n'>1</a></div><p id=n>x", "ct", "ct" },
        { "<div>t" REF("n", "1") "</div><p id=n>x", "tt", "tt" },
        { "<p id=n>x<div>c" REF("n", "1"), "tc", "tc" },
        /* in the middle of a text, in a footer, of the site */
        { "<div>c" REF("n", "1") "</div><p>x <a id=n>y</a>", "ct", "ct" },
        { "<div>c" REF("n", "1") "</div><footer><p id=n>x</footer>", "ct", "ct" },
        { "<div>c" REF("n", "1") "</div><p id=n>all", "cc", "ct" },
        /* by the page's own address, and by that of another */
        { "<link rel=canonical href=/p><p>c<a class=footnote href=/p#n>1</a><div class=n><a id=n "
          "href=/p#r>1</a><div>x</div></div>",
          "ccc", "ccc" },
        { "<link rel=canonical href=/p><p>c<a class=footnote href=/q#n>1</a><div class=n><a id=n "
          "href=/p#r>1</a><div>x</div></div>",
          "ctt", "ctt" },
    };
    check_cases(cases, COUNT(cases), *state);
}

static const struct CMUnitTest tests[] = {
    CHECK(the_headline_is_content),
    CHECK(a_byline_is_content),
    CHECK(a_lead_is_content),
    CHECK(notes_of_content_are_content),
    CHECK(a_field_has_the_verdict_of_most_of_its_blocks),
    CHECK(each_column_of_a_table_is_a_field),
    CHECK(names_and_dates_of_records_are_content),
    CHECK(of_records_that_go_mostly_only_names_dates_and_prices_stay),
    CHECK(a_run_is_around_all_blocks_of_a_field),
};

TAP_MAIN(tests)
