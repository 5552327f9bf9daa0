/* SPDX-License-Identifier: Apache-2.0 */
/* References within a page: links to template, and controls of panels. */
#include "check.h"

#include "cut/steps.h"

typedef enum { LINKS, CONTROLS } rule_e;

/*
 * Applies a rule to a page. Blocks that begin with t are template, the others content. Returns the
 * verdicts after the rule, a letter t or c for each block.
 */
static const char *judged(const char *html, rule_e rule, apr_pool_t *pool)
{
    const tmpl_page_t *page;
    tmpl_page_opts_t opts = { .separators = &tmpl_separators_leaf };
    assert_int_equal(tmpl_page_parse(&page, html, strlen(html), &opts, pool), TMPL_DECLINE_NONE);
    tmpl_verdict_t *v = apr_pcalloc(pool, page->n_blocks * sizeof(*v));
    char *letters = apr_pcalloc(pool, page->n_blocks + 1);
    const tmpl_verdict_t *before = v;
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        const tmpl_segment_t *first = &page->segments[page->blocks[b].first_segment];
        v[b].template = page->src[first->span.start] == 't';
    }
    if (rule == LINKS) {
        tmpl_refs_links(v, page, pool);
    }
    else {
        v = tmpl_refs_controls(v, page, pool);
    }
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        const tmpl_segment_t *first = &page->segments[page->blocks[b].first_segment];
        int was = page->src[first->span.start] == 't';
        letters[b] = v[b].template ? 't' : 'c';
        if (rule == CONTROLS) {
            assert_int_equal(before[b].template, was);
        }
    }
    return letters;
}

static void links_to_template_are_template(void **state)
{
    static const struct {
        const char *html;
        const char *verdicts;
    } cases[] = {
        { "<p><a href=#x>c</a><p id=x>t<p>c", "ttc" },
        { "<p><a href=#x><img src=c></a><p id=x>t<p>c", "ttc" },
        { "<p><a href='#x'>c</a><p id=x>c", "cc" },
        { "<p><a href=#x>c</a><p id=y>t", "ct" },
        { "<p><a href=#>c</a><p id=''>t", "ct" },
        { "<p><a href=/x>c</a><p id=x>t", "ct" },
        /* a block with anything but such links stays */
        { "<p><a href=#x>c</a> and<p id=x>t", "ct" },
        { "<p><a href=#x>c</a> <a href=#y>c</a><p id=x>t<p id=y>c", "ctc" },
        { "<p><a href=#x>c</a> <a href=#y>c</a><p id=x>t<p id=y>t", "ttt" },
        { "<p><a href=#x>c <b>c</b></a> <a href=y>c</a><p id=x>t", "ct" },
        /* the first element with the id, or an a with that name */
        { "<p><a href=#x>c</a><p id=x>c<p id=x>t", "cct" },
        { "<p><a href=#x>c</a><p><a name=x>t</a><p>c", "ttc" },
        { "<p><a href=#x>c</a><p><a name=x>t</a><p id=x>c", "ctc" },
        /* a target without text counts as its box does */
        { "<p><a href=#x>c</a><div><a id=x></a><p>t</div><p>c", "ttc" },
        { "<p><a href=#x>c</a><div><a id=x></a><p>t<p>c</div>", "ctc" },
        { "<p><a href=#x>c</a><a id=x></a><p>t", "ct" },
        /* references of a block that stays do not change those of others */
        { "<p><a href=#x>c</a> c<p><a href=#x>c</a><p id=x>t", "ctt" },
        { "<p><a href=#y>c</a> c<p><a href=#x>c</a><p id=x>t", "ctt" },
        { "<p><a href=#x>c</a> <a href=#y>c</a> c<p><a href=#y>c</a><p id=x>t<p id=y>c", "cctc" },
        /* a heading's section may stay */
        { "<p><a href=#x>c</a><h2 id=x>t</h2><p>c", "ctc" },
        { "<p><a href=#x>c</a><h2><a id=x>t</a></h2><p>c", "ctc" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_string_equal(judged(cases[i].html, LINKS, *state), cases[i].verdicts);
    }
}

static void a_control_stays_with_its_panel(void **state)
{
    static const struct {
        const char *html;
        const char *verdicts;
    } cases[] = {
        { "<ul><li class=a aria-controls=x><a href=#x>t</a><li>t</ul><div id=x>c</div>", "ctc" },
        { "<ul><li><a role=tab href=#x>t</a><li><a href=#y>t</a></ul><div id=x>c</div><p id=y>c",
          "ctcc" },
        { "<p><a data-toggle=tab href=#x>t</a><p><a data-bs-toggle=collapse href=#y>t</a><p "
          "id=x>t<p "
          "id=y>c",
          "tctc" },
        { "<div><button data-target=#x>t</button></div><div><button data-bs-target='#y' "
          "href=#x>t</button></div><div id=x>c</div><div id=y>t<p>c</div>",
          "ccctc" },
        { "<p><a aria-controls=x href=#y data-toggle=tab>t</a><p id=x>t<p id=y>c", "ttc" },
        { "<p><a role=link href=#x>t</a><p id=x>c", "tc" },
        { "<p><a data-target=.x>t</a><p class=x id=.x>c", "tc" },
        { "<p><a data-target=#x>t</a><p>c", "tc" },
        { "<p><a data-target=#x>t</a><div id=x></div><p>c", "tc" },
        { "<p><b aria-controls=x>t</b><p id=x>c", "tc" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_string_equal(judged(cases[i].html, CONTROLS, *state), cases[i].verdicts);
    }
}

static const struct CMUnitTest tests[] = {
    CHECK(links_to_template_are_template),
    CHECK(a_control_stays_with_its_panel),
};

TAP_MAIN(tests)
