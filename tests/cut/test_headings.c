/* SPDX-License-Identifier: Apache-2.0 */
/* Headings and their sections. */
#include "check.h"

#include "cut/steps.h"

/*
 * Blocks that begin with c are content, with s surely content, with y bylines, the others template.
 * Returns the verdicts after tmpl_headings, a letter t or c for each block.
 */
static const char *judged(const char *html, const tmpl_tag_set_t *separators, apr_pool_t *pool)
{
    const tmpl_page_t *page;
    tmpl_page_opts_t opts = { .separators = separators };
    assert_int_equal(tmpl_page_parse(&page, html, strlen(html), &opts, pool), TMPL_DECLINE_NONE);
    tmpl_verdict_t *v = apr_pcalloc(pool, page->n_blocks * sizeof(*v));
    char *letters = apr_pcalloc(pool, page->n_blocks + 1);
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        const tmpl_segment_t *first = &page->segments[page->blocks[b].first_segment];
        char mark = page->src[first->span.start];
        v[b].template = mark != 'c' && mark != 's' && mark != 'y';
        v[b].ratio = v[b].template ? 0.7F : mark == 's' ? 0.2F : 0.4F;
        v[b].part = mark == 'y' ? TMPL_PART_BYLINE : TMPL_PART_TEMPLATE;
    }
    tmpl_headings(v, page, pool);
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        letters[b] = v[b].template ? 't' : 'c';
    }
    return letters;
}

static void headings_follow_their_sections(void **state)
{
    static const struct {
        const char *html;
        const char *verdicts;
    } cases[] = {
        /* rule 1: the section begins with content and is more than half content */
        { "<h2>t</h2><p>c<p>t<p>cc", "cctc" },
        { "<h2>t</h2><p>t<p>cccc", "ttc" },
        { "<h2>t</h2><p>cc<p>ttt", "tct" },
        { "<h2>t</h2>", "t" },
        { "<h2>t</h2><p>c<p>t", "tct" }, /* just half */
        { "<p>cccc<h2>t</h2><p>c<p>t<p>cc", "ccctc" },
        { "<p>cccc<h2>t</h2><p>c<p>tt", "ctct" },
        { "<p>c<h2>c</h2>", "cc" },
        /* the section ends at the next heading of its rank or above; one below is part of it */
        { "<h2>t</h2><p>t<h2>c</h2><p>c", "ttcc" },
        { "<h2>t</h2><h2>c</h2><p>c", "tcc" },
        { "<h2>t</h2><h1>c</h1><p>c", "tcc" },
        { "<h2>t</h2><h3>t</h3><p>ccc", "ccc" },
        /* the section is in the nearest ancestor with more text than the heading */
        { "<div><h2>t</h2></div><p>c", "cc" },
        { "<div><h2>t</h2><p>t</div><p>c", "ttc" },
        { "<div><h2>t</h2><p>c<p>t<p>t</div><p>cccc", "tcttc" },
        /* rule 3: below h1, a section of links and images */
        { "<h2>c</h2><a href=x>t</a><p><img src=x><a href=y>t</a><h2>c</h2><p>c", "tttcc" },
        { "<h2>c</h2><a href=x>t</a><p>tt<h2>c</h2><p>c", "cttcc" },
        { "<h1>c</h1><a href=x>t</a><h1>c</h1><p>c", "ctcc" },
        { "<h2>y</h2><a href=x>t</a><h2>c</h2><p>c", "ctcc" },
        { "<h2>s</h2><a href=x>t</a><h2>c</h2><p>c", "ctcc" },
        { "<aside><h2>s</h2><a href=x>t</a></aside><p>c", "ttc" },
        { "<p>c<form><h2>c</h2><textarea></textarea><p>t</form>", "ctt" },
        { "<p>c<div><h2>c</h2><textarea></textarea><p>t</div>", "cct" },
        { "<h2>c</h2><a href=x>t</a><p><a href=x>c</a>", "ctc" },
        { "<p>cc<a href=z>c</a><h2>c</h2><a href=x>t <b>t</b></a><h2>c</h2><p>c", "cttcc" },
        { "<p>cc<h2>c</h2><a href=x>t</a><p>t<h2>c</h2><p>c", "ccttcc" },
        /* rules 4, 2 and 5: terms, parts of tables, captions */
        { "<dl><dt>t<dd>c<dt>t<dd>t</dl>", "cctt" },
        { "<dl><dt>c<dd><a href=x>t</a><dd>t<dt>t<dd>t</dl>", "ccctt" },
        { "<dt>t<dd>c", "tc" },
        { "<table><caption>t</caption><thead><tr><th>t<tbody><tr><td>t<tr><td>c</table>", "cctc" },
        { "<table><caption>t</caption><thead><tr><th>t<tbody><tr><td>t</table><p>c", "tttc" },
        { "<table><tr><th>t<th>t<tr><td>t<tr><td>t<td>c</table>", "cctcc" },
        { "<table><tr><th>t<td>t<tr><td>c</table>", "ttc" },
        { "<table><tr><th>t<tr><td>t</table>c", "ttc" },
        { "<table><tr><td>t<td><p>c</p><p>t</p></table>", "tct" }, /* a table for layout */
        { "<figure><p>c</p><figcaption>t</figcaption></figure>", "cc" },
        { "<p>c</p><figure><figcaption>t</figcaption><p>t</p></figure><p>c", "cttc" },
        { "<figure><figcaption>c</figcaption><a href=x>t</a></figure>", "ct" },
        { "<h2>t</h2><figure><figcaption>c</figcaption><p>c</figure>", "ccc" },
        { "<table><tr><td>t<td><p>t</p><p>t</p><tr><td>c</table>", "tttc" },
        { "<fieldset><legend>t</legend>c</fieldset>", "cc" },
        { "<details><summary>t</summary>c</details>", "cc" },
        { "<details><summary>t</summary>t</details>c", "ttc" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_string_equal(judged(cases[i].html, &tmpl_separators_leaf, *state),
                            cases[i].verdicts);
    }
}

/* A block that is more than the heading keeps its verdict. */
static void a_heading_without_a_block_of_its_own_is_left_alone(void **state)
{
    const char *html = "<div><h2>t</h2><p>t</div><div>c</div><div><h2>t</h2></div><div>c</div>";
    assert_string_equal(judged(html, NULL, *state), "tccc");
    assert_string_equal(judged("t<h2>t</h2><div>c</div>", NULL, *state), "tc");
}

static const struct CMUnitTest tests[] = {
    CHECK(headings_follow_their_sections),
    CHECK(a_heading_without_a_block_of_its_own_is_left_alone),
};

TAP_MAIN(tests)
