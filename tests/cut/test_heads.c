/* SPDX-License-Identifier: Apache-2.0 */
/* Heads go, and stay, with what they head. */
#include "check.h"

#include "cut/heads.h"

/* The blocks' verdicts, t or c, by what they begin with, and as tmpl_heads leaves them. */
static const char *judged(const char *html, const tmpl_tag_set_t *separators, apr_pool_t *pool)
{
    const tmpl_page_t *page;
    tmpl_page_opts_t opts = { .separators = separators };
    assert_int_equal(tmpl_page_parse(&page, html, strlen(html), &opts, pool), TMPL_DECLINE_NONE);
    tmpl_verdict_t *v = apr_pcalloc(pool, page->n_blocks * sizeof(*v));
    char *letters = apr_pcalloc(pool, page->n_blocks + 1);
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        const tmpl_segment_t *first = &page->segments[page->blocks[b].first_segment];
        v[b].template = page->src[first->span.start] != 'c';
    }
    tmpl_heads(v, page, pool);
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        letters[b] = v[b].template ? 't' : 'c';
    }
    return letters;
}

static void heads_go_with_what_they_head(void **state)
{
    static const struct {
        const char *html;
        const char *verdicts;
    } cases[] = {
        /* a heading stays over a section that begins with content and is mostly that */
        { "<h2>t</h2><p>c<p>t<p>cc", "cctc" },
        { "<h2>t</h2><p>t<p>cccc", "ttc" },
        { "<h2>t</h2><p>cc<p>ttt", "tct" },
        { "<h2>t</h2>", "t" },
        /* up to the next one of its rank, or above; one below begins its section */
        { "<h2>t</h2><p>t<h2>c</h2><p>c", "ttcc" },
        { "<h2>t</h2><h2>c</h2><p>c", "tcc" },
        { "<h2>t</h2><h1>c</h1><p>c", "tcc" },
        { "<h2>t</h2><h3>t</h3><p>ccc", "ccc" },
        /* in the element around it, and in that around what holds nothing else */
        { "<div><h2>t</h2></div><p>c", "cc" },
        { "<div><h2>t</h2><p>t</div><p>c", "ttc" },
        /* one below h1 goes with a section of links and pictures */
        { "<h2>c</h2><a href=x>t</a><p><img src=x><a href=y>t</a><h2>c</h2><p>c", "tttcc" },
        { "<h2>c</h2><a href=x>t</a><p>tt<h2>c</h2><p>c", "cttcc" },
        { "<h1>c</h1><a href=x>t</a><h1>c</h1><p>c", "ctcc" },
        { "<h2>c</h2><a href=x>t</a><p><a href=x>c</a>", "ctc" },
        /* terms, and heads of tables and the like */
        { "<dl><dt>t<dd>c<dt>t<dd>t</dl>", "cctt" },
        { "<dl><dt>c<dd><a href=x>t</a><dd>t<dt>t<dd>t</dl>", "ccctt" },
        { "<dt>t<dd>c", "tc" },
        { "<table><caption>t</caption><thead><tr><th>t<tbody><tr><td>t<tr><td>c</table>", "cctc" },
        { "<table><caption>t</caption><thead><tr><th>t<tbody><tr><td>t</table><p>c", "tttc" },
        { "<table><tr><th>t<th>t<tr><td>t<tr><td>t<td>c</table>", "cctcc" },
        { "<table><tr><th>t<td>t<tr><td>c</table>", "ttc" },
        { "<table><tr><th>t<tr><td>t</table>c", "ttc" },
        { "<table><tr><td>t<td><p>c</p><p>t</p></table>", "tct" }, /* of layout */
        { "<figure><p>c</p><figcaption>t</figcaption></figure>", "cc" },
        { "<fieldset><legend>t</legend>c</fieldset>", "cc" },
        { "<details><summary>t</summary>c</details>", "cc" },
        { "<details><summary>t</summary>t</details>c", "ttc" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_string_equal(judged(cases[i].html, &tmpl_separators_leaf, *state),
                            cases[i].verdicts);
    }
}

/* Where a block is more than the head it begins with, the detector has judged both. */
static void a_head_without_a_block_of_its_own_is_left_alone(void **state)
{
    const char *html = "<div><h2>t</h2><p>t</div><div>c</div><div><h2>t</h2></div><div>c</div>";
    assert_string_equal(judged(html, NULL, *state), "tccc");
    assert_string_equal(judged("t<h2>t</h2><div>c</div>", NULL, *state), "tc");
}

static const struct CMUnitTest tests[] = {
    CHECK(heads_go_with_what_they_head),
    CHECK(a_head_without_a_block_of_its_own_is_left_alone),
};

TAP_MAIN(tests)
