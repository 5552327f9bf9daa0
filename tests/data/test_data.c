/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages as data. The part of a block is what its text begins with: L: byline, C: caption, H:
 * headline, T: template; else it is body.
 */
#include "check.h"

#include "data/page_data.h"

static const tmpl_verdict_t *verdicts_of(const tmpl_page_t *page, apr_pool_t *pool)
{
    tmpl_verdict_t *verdicts = apr_pcalloc(pool, (page->n_blocks + 1) * sizeof(*verdicts));
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        uint32_t segment = page->blocks[b].first_segment;
        char first = page->src[page->segments[segment].span.start];
        verdicts[b].template = first == 'T';
        verdicts[b].part = first == 'T'   ? TMPL_PART_TEMPLATE
                           : first == 'L' ? TMPL_PART_BYLINE
                           : first == 'C' ? TMPL_PART_CAPTION
                           : first == 'H' ? TMPL_PART_HEADLINE
                                          : TMPL_PART_BODY;
    }
    return verdicts;
}

static const char *data_of(const char *body, int judged, const char *declined, apr_pool_t *pool)
{
    apr_size_t len;
    tmpl_edits_t none = { 0 };
    tmpl_content_opts_t as = { .url = "http://a.example/dir/page", .charset = "utf-8" };
    tmpl_content_t content;
    const tmpl_page_t *page =
        check_page(apr_pstrcat(pool, "<!DOCTYPE html><body>", body, NULL), pool);
    as.verdicts = judged ? verdicts_of(page, pool) : NULL;
    assert_true(tmpl_content_read(&content, page, &none, &as, pool));
    tmpl_data_opts_t opts = { declined, 0.5, NULL, 0 };
    const char *json = tmpl_data(&len, &content, &opts, pool);
    assert_non_null(json);
    assert_int_equal(strlen(json), len);
    return json;
}

typedef struct {
    const char *html, *list, *json;
} data_row_t;

static void lists(void **state)
{
    static const data_row_t rows[] = {
        /* a part ends where another begins, also in a list: its Markdown stands alone */
        { "<div>H1<p></p></div><div>One<ul><li>two</ul></div>", "parts",
          "{\"part\":\"headline\",\"text\":\"H1\",\"markdown\":\"H1\"},"
          "{\"part\":\"body\",\"text\":\"One\\ntwo\",\"markdown\":\"One\\n\\n- two\"}" },
        { "<ul><li><div>L1</div><div>text</div><div>more</div></ul>", "parts",
          "{\"part\":\"byline\",\"text\":\"L1\",\"markdown\":\"- L1\"},"
          "{\"part\":\"body\",\"text\":\"text\\nmore\",\"markdown\":\"text\\n\\nmore\"}" },
        /* template is left out, as text, table, listing and image */
        { "<div>T</div><div>a</div><div>T<img src=i></div><div>b</div>", "parts",
          "{\"part\":\"body\",\"text\":\"a\\nb\",\"markdown\":\"a\\n\\nb\"}" },
        { "<div>a</div><pre>T\nx</pre><table><tr><th>T<th>T<tr><td>T<td>T</table>", "parts",
          "{\"part\":\"body\",\"text\":\"a\",\"markdown\":\"a\"}" },
        /* rules are left out; cells have tabs between them */
        { "<div>a<hr></div>", "parts", "{\"part\":\"body\",\"text\":\"a\",\"markdown\":\"a\"}" },
        { "<table><tr><th>a<th>b<tr><td><td>c</table>", "parts",
          "{\"part\":\"body\",\"text\":\"a\\tb\\n\\tc\",\"markdown\":"
          "\"| a | b |\\n| --- | --- |\\n|  | c |\"}" },
        { "<p>a \"b\"\\<br>c<b>d</b> <img src=i> e", "parts",
          "{\"part\":\"body\",\"text\":\"a \\\"b\\\"\\\\\\ncd e\",\"markdown\":"
          "\"a \\\"b\\\"\\\\\\\\\\\\\\nc**d** ![](http://a.example/dir/i) e\"}" },
        /* links: an image's text, links beside each other, links within the page */
        { "<a href=/x><img alt=A src=i></a> <a href=/x>two<br>lines</a>", "links",
          "{\"text\":\"two lines\",\"address\":\"http://a.example/x\",\"part\":\"body\"}" },
        { "<a href=/x>one</a> <a href=/x>two</a> <a href=/y><img alt=A src=i></a>", "links",
          "{\"text\":\"one two\",\"address\":\"http://a.example/x\",\"part\":\"body\"},"
          "{\"text\":\"A\",\"address\":\"http://a.example/y\",\"part\":\"body\"}" },
        { "<a href=#x>one</a> <a href=page#y>two</a> <a href='javascript:1'>three</a>", "links",
          "" },
        /* images: the line behind is its caption if it is one */
        { "<div><img alt=A src=i></div><div>C <b>d</b></div><div><img src=j></div><div>b</div>",
          "images",
          "{\"address\":\"http://a.example/dir/i\",\"alt\":\"A\",\"caption\":\"C d\",\"part\":"
          "\"body\"},{\"address\":\"http://a.example/dir/j\",\"alt\":\"\",\"part\":\"body\"}" },
        { "<div>C<img alt=A src=i></div>", "images",
          "{\"address\":\"http://a.example/dir/i\",\"alt\":\"A\",\"caption\":\"C\",\"part\":"
          "\"caption\"}" },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *json = data_of(rows[i].html, 1, NULL, *state);
        const char *member =
            apr_pstrcat(*state, "\"", rows[i].list, "\":[", rows[i].json, "]", NULL);
        if (strstr(json, member) == NULL) {
            assert_string_equal(json, member);
        }
    }
}

static void whole_pages(void **state)
{
    const char *json = data_of("<div>T</div><div>a</div>", 1, "min-keep", *state);
    assert_non_null(strstr(json, "{\"part\":\"template\",\"text\":\"T\",\"markdown\":\"T\"}"));
    assert_non_null(strstr(json, "\"declined\":\"min-keep\",\"confidence\":0.500}\n"));
    json = data_of("<div>T</div><div>a</div>", 0, NULL, *state);
    assert_non_null(
        strstr(json, "[{\"part\":\"body\",\"text\":\"T\\na\",\"markdown\":\"T\\n\\na\"}]"));
    assert_null(strstr(json, "confidence"));
    json = data_of("<div>T</div>", 1, NULL, *state);
    assert_string_equal(json,
                        "{\"schema\":1,\"address\":\"http://a.example/dir/page\",\"parts\":[],"
                        "\"records\":[],\"links\":[],\"images\":[],\"confidence\":0.500}\n");
}

#define COMMENT(author, day, text, more)                                                           \
    "<li itemprop=comment itemscope itemtype='http://schema.org/Comment' class=comment>"           \
    "<div>L <span itemprop=author>" author                                                         \
    "</span> <time itemprop=dateCreated datetime=2024-01-" day                                     \
    ">x</time></div><div itemprop=text>" text "</div>" more "</li>"

/* The parts of a record are its own, and its lists stand alone. */
static void records(void **state)
{
    const char *json =
        data_of("<div>a</div><ol>" COMMENT(
                    "Ann", "01", "One is a sentence of some words.",
                    "<ol>" COMMENT("Bo", "02", "Second is a sentence of some words.", "") "</ol>")
                    COMMENT("Cy", "03", "Further is a sentence of some words.", "") "</ol>",
                1, NULL, *state);
    assert_non_null(strstr(json, "{\"part\":\"body\",\"text\":\"One is a sentence of some "
                                 "words.\",\"markdown\":\"One is a sentence of some words.\"}"));
    assert_non_null(strstr(json, "{\"part\":\"body\",\"text\":\"Second is a sentence of some "
                                 "words.\",\"markdown\":\"Second is a sentence of some words.\"}"));
    assert_non_null(
        strstr(json, "\"records\":[{\"kind\":\"comment\",\"items\":[{\"kind\":\"comment\",\"id\":0,"
                     "\"author\":\"Ann\",\"date\":\"2024-01-01\",\"when\":\"x\",\"text\":\"One is "
                     "a sentence of some words.\",\"parts\":"
                     "[1,2]},{\"kind\":\"comment\",\"id\":1,\"parent\":0,\"author\":\"Bo\""));
    assert_non_null(
        strstr(json, "\"text\":\"Further is a sentence of some words.\",\"parts\":[5,6]}]}]"));
}

/* What stands beside a record's text is told by its element, not by the part it is judged to be. */
static void text_of_records_is_whole(void **state)
{
    const char *json = data_of(COMMENT("Ann", "01", "Lines of a text that is judged as byline.", "")
                                   COMMENT("Bo", "02", "Second is a sentence of some words.", ""),
                               1, NULL, *state);
    assert_non_null(
        strstr(json, "\"text\":\"Lines of a text that is judged as byline.\",\"parts\""));
}

#define ANSWER(prop, author, text)                                                                 \
    "<div itemprop=" prop " itemscope itemtype=http://schema.org/Answer class=answer>"             \
    "<div>L <span itemprop=author>" author                                                         \
    "</span> <time itemprop=dateCreated datetime=2024-02-03>x</time> "                             \
    "<span itemprop=upvoteCount>12</span></div><div itemprop=text>" text "</div></div>"

/* A question stands alone, around its answers: its type says that it is a record. */
static void questions_have_answers(void **state)
{
    const char *json = data_of(
        "<div itemscope itemtype='http://schema.org/Question'><div>"
        "<div>L <span itemprop=author>Quin</span></div><div itemprop=text>How does one ask a "
        "question that has more than forty bytes of text?</div></div>" ANSWER(
            "acceptedAnswer", "Ann", "One writes it down, and that is all of it.")
            ANSWER("suggestedAnswer", "Bo", "Second, one waits for the others to answer.") "</div>",
        1, NULL, *state);
    assert_non_null(strstr(json, "\"kind\":\"answer\",\"id\":1,\"parent\":0,\"author\":\"Ann\","
                                 "\"date\":\"2024-02-03\",\"when\":\"x\",\"votes\":12,\"accepted\":"
                                 "true,\"text\":\"One writes it down, and that is all of it.\""));
    assert_non_null(strstr(json, "\"kind\":\"question\",\"id\":0,\"author\":\"Quin\""));
}

#define CARD_OF(page)                                                                              \
    "<li class=card><h3><a href=/" page ">Page " page "</a></h3><time>2026-05-0" page "</time>"    \
    "<p>What the page says.</li>"
#define CARDS "<ul>" CARD_OF("1") CARD_OF("2") CARD_OF("3") "</ul>"

/* Cards of a listing are records with dates of their own; cards beside an article are none. */
static void cards_are_of_listings(void **state)
{
    const char *json = data_of("<h1>Pages</h1>" CARDS, 1, NULL, *state);
    assert_non_null(strstr(json, "\"records\":[{\"kind\":\"card\""));
    assert_null(strstr(json, "\"published\""));
    json = data_of("<script type=application/ld+json>{\"@type\":\"Article\"}</script><h1>Pages</h1>"
                   "<p>An article, which has more text than the cards behind it have, and so they "
                   "are other pages that are like it.<p>More of it, for it is a long one." CARDS,
                   1, NULL, *state);
    assert_non_null(strstr(json, "\"records\":[],"));
    /* links in sentences are no titles */
    const char *text = "<p class=title>As <a href=/x>they</a> say, a sentence has words.</p>";
    json =
        data_of(apr_psprintf(*state, "<div>%s</div><div>%s</div><div>%s</div>", text, text, text),
                1, NULL, *state);
    assert_non_null(strstr(json, "\"records\":[],"));
}
#undef CARD_OF
#undef CARDS

static void metadata_are_members(void **state)
{
    static const char ld[] =
        "<script type=application/ld+json>{\"@type\":\"Product\",\"name\":\"A  \\\"b\\\"\\n\","
        "\"aggregateRating\":{\"ratingValue\":\"4.5\",\"bestRating\":\"10\"},\"offers\":"
        "{\"price\":\"007.50\",\"priceCurrency\":\"EUR\"}}</script>x";
    const char *json = data_of(ld, 0, NULL, *state);
    assert_non_null(strstr(
        json, "\"title\":\"A \\\"b\\\"\",\"type\":\"product\",\"price\":7.50,\"currency\":\"EUR\","
              "\"rating\":{\"value\":4.5,\"best\":10}"));
}

static void values(void **state)
{
    static const struct {
        const char *text;
        int is;
    } numbers[] = { { "10", 1 }, { "0.5", 1 }, { "1.50", 1 }, { "01", 0 },    { ".5", 0 },
                    { "1.", 0 }, { "1,5", 0 }, { "1e5", 0 },  { "1.2.3", 0 }, { "NaN", 0 } };
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        const char *json = data_of(apr_psprintf(*state,
                                                "<script type=application/ld+json>{\"@type\":"
                                                "\"Product\",\"aggregateRating\":{\"ratingValue\":"
                                                "\"%s\",\"bestRating\":\"20\"}}</script>x",
                                                numbers[i].text),
                                   0, NULL, *state);
        assert_int_equal(strstr(json, "\"rating\":{") != NULL, numbers[i].is);
    }
    const char *json = data_of("<pre>a\t\"\\\nb</pre><a href=javascript:1>c</a>", 0, NULL, *state);
    assert_non_null(strstr(json, "a\\t\\\"\\\\\\nb"));
    assert_non_null(strstr(json, "\"links\":[]"));
}

static const struct CMUnitTest tests[] = {
    CHECK(lists),
    CHECK(whole_pages),
    CHECK(records),
    CHECK(questions_have_answers),
    CHECK(text_of_records_is_whole),
    CHECK(cards_are_of_listings),
    CHECK(metadata_are_members),
    CHECK(values),
};

TAP_MAIN(tests)
