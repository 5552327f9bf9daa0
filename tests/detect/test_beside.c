/* SPDX-License-Identifier: Apache-2.0 */
/* What stands beside content. */
#include "verdicts_fixture.h"

#include "detect/beside.h"

#define TEXT                                                                                       \
    "c Long enough to be a text, as a reader of pages would call it, of twenty words or more"

/*
 * Blocks that begin with c are content, the others template; of those with "sure" the detector is
 * sure. Returns the verdicts after the rules: t or c, r if it goes as related,
 * b if it stays as body.
 */
static const char *judged(const char *html, apr_pool_t *pool)
{
    const tmpl_page_t *page = leaf_page(html, pool);
    tmpl_verdict_t *v = apr_pcalloc(pool, page->n_blocks * sizeof(*v));
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        const tmpl_block_t *block = &page->blocks[b];
        const char *bytes = check_bytes(page, page->segments[block->first_segment].span, pool);
        v[b].template = *bytes != 'c';
        v[b].ratio = strstr(bytes, "sure") == NULL ? 0.6F : *bytes != 'c' ? 0.95F : 0.1F;
        v[b].part =
            page->nodes[block->node].tag == TMPL_TAG_H1 ? TMPL_PART_HEADLINE : TMPL_PART_TEMPLATE;
    }
    tmpl_layout_t layout;
    tmpl_counts_t counts = { .records = NULL, .pages = 10 };
    tmpl_reading_t *reading = tmpl_read_blocks(page, pool);
    tmpl_layout_read(&layout, reading, pool);
    tmpl_read_text(reading, pool);
    tmpl_ruled_t of = { v, reading, &counts, 5, NULL, NULL };
    tmpl_beside(&of);
    char *letters = apr_pcalloc(pool, page->n_blocks + 1);
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        letters[b] = v[b].part == TMPL_PART_RELATED ? 'r'
                     : v[b].part == TMPL_PART_BODY  ? 'b'
                     : v[b].template                ? 't'
                                                    : 'c';
    }
    return letters;
}

typedef struct {
    const char *html;
    const char *verdicts;
} case_t;

#define CHECK_CASES(cases, pool)                                                                   \
    for (size_t i = 0; i < sizeof(cases) / sizeof((cases)[0]); i++) {                              \
        assert_string_equal(judged((cases)[i].html, pool), (cases)[i].verdicts);                   \
    }

#define THREAD "<link rel=canonical href=/forum/1>"

static void quotes_stay_beside_content(void **state)
{
    static const case_t cases[] = {
        { "<p>c<blockquote><p>x<p>y</blockquote>", "ccc" },
        { "<div><blockquote>x</blockquote></div><p>c", "cc" },
        { "<p>t<blockquote>x</blockquote><p>t", "ttt" },
        { "<p>c<blockquote><p>x<p>sure</blockquote>", "cct" },
        { "<p>c<footer><p>c<blockquote>x</blockquote></footer>", "cct" },
        /* a thread repeats its posts */
        { THREAD "<p>c<blockquote>x</blockquote>", "ct" },
        { THREAD "<p>c<blockquote><b>c Ida said:</b><p>x x x x</blockquote>", "ctt" },
        { THREAD "<p>c<blockquote><b>c sure</b><p>x x x x</blockquote>", "cct" },
        { THREAD "<p>c<blockquote><b>x</b><p>c x x x</blockquote>", "ctc" },
    };
    CHECK_CASES(cases, *state);
}

static void captions_stay_with_their_figures(void **state)
{
    static const case_t cases[] = {
        { "<figure><p>c</p><figcaption><p>x<p>y</figcaption></figure>", "ccc" },
        { "<figure><p>x</p><figcaption><p>x<p>c</figcaption></figure>", "tcc" },
        { "<figure><p>x</p><figcaption><p>x</figcaption></figure><p>c", "ttc" },
        { "<div><p>c</p><figcaption><p>x</figcaption></div>", "ct" },
    };
    CHECK_CASES(cases, *state);
}

static void lists_stay_behind_a_colon(void **state)
{
    static const case_t cases[] = {
        { "<p>c This one: <ul><li>x<li>y</ul>", "cbb" },
        { "<p>c \xE4\xB8\x80\xEF\xBC\x9A<table><tr><td>x<td>y</table>", "cbb" },
        { "<p>c This one <ul><li>x<li>y</ul>", "ctt" },
        { "<p>This one: <ul><li>x<li>y</ul>", "ttt" },
        { "<div><p>c This one:</div><div><ul><li>x<li>y</ul></div>", "cbb" },
        { "<div><p>c This one:</div><div><ul><li>x<li>y</ul><p>x</div>", "cttt" },
        { "<form><p>c This one: <ul><li>x</ul></form>", "ct" },
    };
    CHECK_CASES(cases, *state);
}

static void a_card_keeps_its_name(void **state)
{
    static const case_t cases[] = {
        { "<article><header>x<h3>A name</h3></header><p>" TEXT "</article>", "tcc" },
        { "<ul><li><h3>A name</h3><p>" TEXT "<h3>Another</h3></ul>", "cct" },
        { "<article><h3>A name</h3><p>c</article>", "tc" },
        { "<div><h3>A name</h3><p>" TEXT "</div>", "tc" },
        { THREAD "<article><h3>A name</h3><p>" TEXT "</article>", "tc" },
    };
    CHECK_CASES(cases, *state);
}

#define LINK "<a href=/x>c one two three</a>"

static void links_alone_are_related(void **state)
{
    static const case_t cases[] = {
        { "<p>c<aside><h2>x</h2><p>" LINK "</aside>", "crr" },
        { "<p>c<aside><p>" LINK "<p>c</aside>", "ccc" },
        { "<p>c<aside><p><a href=#x>c</a></aside>", "cc" },
        { "<article><p>c One and two.<ul><li>" LINK "<li>" LINK "<li>" LINK "</ul>", "crrr" },
        { "<article><p>c One and two.<ul><li>" LINK "<li>" LINK "</ul>", "ccc" },
        { "<p>c One and two.<ul><li>" LINK "<li>" LINK "<li>" LINK "</ul>", "cccc" },
        { "<article><p>c One and two<ul><li>" LINK "<li>" LINK "<li>" LINK "</ul>", "cccc" },
        { "<article><h2>c One and two.</h2><ul><li>" LINK "<li>" LINK "<li>" LINK "</ul>", "cccc" },
    };
    CHECK_CASES(cases, *state);
}

static void a_heading_goes_with_its_text(void **state)
{
    static const case_t cases[] = {
        { "<h2>c<p>c</p><h2>c</h2><p>x<h2>c</h2><p>c", "ccttcc" },
        { "<h2>c<p>c</p><h2>c</h2><h3>c</h3><p>x<h2>c</h2><p>c", "cctttcc" },
        { "<h2>c<p>c</p><h3>c</h3><p>x", "cctt" },
        { "<h2>c<p>c</p><h2>c</h2><p>x<h3>c</h3><p>c", "ccctcc" },
        /* a list of features; sure; a sentence; of what may be text; the first one; an h1 */
        { "<h2>c<p>c</p><h2>c</h2><h2>c</h2><p>c", "ccccc" },
        { "<h2>c<p>c</p><h2>c sure</h2><p>x", "ccct" },
        { "<h2>c<p>c</p><h2>c Is it?</h2><p>x", "ccct" },
        { "<h2>c<p>c</p><h2>c</h2><p>x x x x x x", "ccct" },
        { "<h2>c<p>c</p><h2><a href=/x>c</a></h2><p>x x x x x x", "cctt" },
        { "<h2>c<p>x</p><h2>c</h2><p>c", "ctcc" },
        { "<p>c<h1>c</h1><p>x", "cct" },
        { "<h2>c<p>c</p><h2>c</h2><p>x<h2>c</h2><p>x<h2>c</h2><p>x", "ccctctct" },
    };
    CHECK_CASES(cases, *state);
}

static const struct CMUnitTest tests[] = {
    CHECK(quotes_stay_beside_content), CHECK(captions_stay_with_their_figures),
    CHECK(lists_stay_behind_a_colon),  CHECK(a_card_keeps_its_name),
    CHECK(links_alone_are_related),    CHECK(a_heading_goes_with_its_text),
};

TAP_MAIN(tests)
