/* SPDX-License-Identifier: Apache-2.0 */
/* Elements that scripts look up stay as empty boxes; so do the boxes of such scripts. */
#include "check.h"

#include "rewrite/rewrite.h"

typedef struct {
    const char *html;
    const char *left;
} case_t;

#define BODY "<body>"

/* A block that begins with t is template. */
static tmpl_verdict_t *verdicts_of(const tmpl_page_t *page, apr_pool_t *pool)
{
    tmpl_verdict_t *verdicts = apr_pcalloc(pool, page->n_blocks * sizeof(*verdicts));
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        const tmpl_segment_t *first = &page->segments[page->blocks[b].first_segment];
        verdicts[b].template = page->src[first->span.start] == 't';
    }
    return verdicts;
}

static const char *cut(const tmpl_page_t *page, tmpl_verdict_t *verdicts, apr_pool_t *pool)
{
    tmpl_guards_t guards = { .min_keep = 0 };
    tmpl_closure_t closure;
    tmpl_edits_t edits;
    apr_size_t len;
    tmpl_closure(&closure, page, verdicts, &guards, TMPL_NODE_CUT, NULL, pool);
    tmpl_strip(&edits, &closure, pool);
    return tmpl_edits_apply(&len, &edits, page->src, page->len, pool);
}

static const char *stripped(const char *html, apr_pool_t *pool)
{
    const tmpl_page_t *page = check_page(apr_pstrcat(pool, BODY, html, NULL), pool);
    return cut(page, verdicts_of(page, pool), pool) + strlen(BODY);
}

static void check_cases(const case_t *cases, size_t n, apr_pool_t *pool)
{
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(stripped(cases[i].html, pool), cases[i].left);
    }
}

#define CHECK_CASES(cases, pool) check_cases(cases, sizeof(cases) / sizeof((cases)[0]), pool)

/*
 * A page of template, content and a script. CUT expects that nothing of the template is left, STAYS
 * that its empty box is.
 */
#define NAV        "<nav id=n class='a b'><ul><li>t</ul></nav>"
#define PAGE(x, s) x "<p>c c c c</p><script>" s "</script>"
#define CUT(s)                                                                                     \
    {                                                                                              \
        PAGE(NAV, s), PAGE("", s)                                                                  \
    }
#define STAYS(s)                                                                                   \
    {                                                                                              \
        PAGE(NAV, s), PAGE("<nav id=n class='a b'></nav>", s)                                      \
    }

static void what_a_script_names_stays(void **state)
{
    static const case_t cases[] = {
        STAYS("document.getElementById('n').x()"),
        STAYS("document.getElementById(\"n\").x()"),
        STAYS("document.getElementById( `n` ).x()"),
        STAYS("document.querySelector('#n').x()"),
        STAYS("document.querySelector('#n > ul').x()"),
        STAYS("document.querySelector('.b').x()"),
        STAYS("document.querySelector('.b:hover').x()"),
        STAYS("document.getElementsByClassName('a')[0].x()"),
        STAYS("document.title = ''; document.getElementById('n').x()"),
        CUT("document.getElementById('nn').x()"),
        CUT("document.getElementById('a').x()"),
        CUT("document.getElementById(n).x()"),
        CUT("document.getElementById(xnx)"),
        CUT("document_getElementById('n').x()"),
        CUT("document.getElementById('n"),
        CUT("document.getElementById("),
        CUT("document.getElementById('')"),
        CUT("document.querySelector('n').x()"),
        CUT("document.querySelector('.n').x()"),
        CUT("document.querySelector('#').x()"),
        CUT("document.querySelectorAll('.a')"),
        CUT("document."),
        CUT("x('n')"),
    };
    CHECK_CASES(cases, *state);
}

static void names_end_where_selectors_do(void **state)
{
    static const char *const ends[] = { "", " b", ".b", ":hover", "[b]", ">b", "\x7F" };
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        const char *script =
            apr_pstrcat(*state, "document.querySelector('#a-b_9\u00FC\x80", ends[i], "').x", NULL);
        const char *html =
            apr_pstrcat(*state, "<div id='a-b_9\u00FC\x80'>t</div><p>c c c c</p><script>", script,
                        "</script>", NULL);
        const char *left =
            apr_pstrcat(*state, "<div id='a-b_9\u00FC\x80'></div><p>c c c c</p><script>", script,
                        "</script>", NULL);
        assert_string_equal(stripped(html, *state), left);
    }
    /* a class is not a title or a name */
    static const case_t cases[] = {
        { PAGE("<div title=z name=z role=z>t</div>", "document.querySelector('.z').x"),
          PAGE("", "document.querySelector('.z').x") },
    };
    CHECK_CASES(cases, *state);
}

static void only_the_first_with_a_name_stays(void **state)
{
    static const case_t cases[] = {
        { PAGE("<div id=x>t</div><div id=x>t</div>", "document.getElementById('x').y"),
          PAGE("<div id=x></div>", "document.getElementById('x').y") },
        { PAGE("<p class=x>c</p><div class=x>t</div>", "document.querySelector('.x').y"),
          PAGE("<p class=x>c</p>", "document.querySelector('.x').y") },
    };
    CHECK_CASES(cases, *state);
}

static void boxes_around_stay_and_nothing_else(void **state)
{
    static const case_t cases[] = {
        { PAGE("<div hidden><p>t</p><div><b id=x>t</b></div><hr></div>",
               "document.getElementById('x').y"),
          PAGE("<div hidden><div><b id=x></b></div></div>", "document.getElementById('x').y") },
        { PAGE("<nav id=x><br>t<br></nav>", "document.getElementById('x').y"),
          PAGE("<nav id=x></nav>", "document.getElementById('x').y") },
        { PAGE("<nav>t<div id=x><hr></div>t</nav>", "document.getElementById('x').y"),
          PAGE("<nav><div id=x></div></nav>", "document.getElementById('x').y") },
        /* controls and visible elements do not stay */
        { PAGE("<form><div>t<input id=x></div><b>t</b></form>", "document.getElementById('x').y"),
          PAGE("", "document.getElementById('x').y") },
        { PAGE("<div>t<hr id=x></div>", "document.getElementById('x').y"),
          PAGE("", "document.getElementById('x').y") },
        { PAGE("<form id=x><div>t<input></div></form>", "document.getElementById('x').y"),
          PAGE("<form id=x></form>", "document.getElementById('x').y") },
    };
    CHECK_CASES(cases, *state);
}

#define HIDES  "<script>document.currentScript.parentElement.hidden=true</script>"
#define WRITES "<script>document.write('<div hidden>')</script>"
#define FRONT  "<script>document.currentScript.previousElementSibling.hidden=true</script>"

static void a_script_that_looks_for_its_position_keeps_its_box(void **state)
{
    static const case_t cases[] = {
        { "<main><p>c</p><div class=ad><p>t</p><hr>" HIDES "</div></main>",
          "<main><p>c</p><div class=ad>" HIDES "</div></main>" },
        { "<main><p>c</p><div><div>t" WRITES "</div></div></main>",
          "<main><p>c</p><div><div>" WRITES "</div></div></main>" },
        { "<main><p>c</p><div><b>t</b></div>" FRONT "</main>",
          "<main><p>c</p><div></div>" FRONT "</main>" },
        { "<main><p>c</p><div><b><i>t</i></b><s>t</s></div>" FRONT "</main>",
          "<main><p>c</p><div></div>" FRONT "</main>" },
        { "<main><p>c</p><div>t<script>x()</script></div></main>",
          "<main><p>c</p><script>x()</script></main>" },
        { "<main><p>c</p><div>t<script>document.title=1</script></div></main>",
          "<main><p>c</p><script>document.title=1</script></main>" },
        { "<main><p>c</p><div>t<script>document.write</script></div></main>",
          "<main><p>c</p><div><script>document.write</script></div></main>" },
    };
    CHECK_CASES(cases, *state);
}

static void the_box_of_a_template_with_an_id_stays(void **state)
{
    static const case_t cases[] = {
        { "<div><!--$?--><template id=B:0></template><p>t</p><!--/$--></div><main>c</main>",
          "<div><!--$?--><template id=B:0></template><!--/$--></div><main>c</main>" },
        { "<div>t<!--$?--><template id=B:0></template>t<!--/$-->t</div><main>c</main>",
          "<div><!--$?--><template id=B:0></template><!--/$--></div><main>c</main>" },
        { "<div>t<!--1--><template></template></div><main>c</main>",
          "<template></template><main>c</main>" },
    };
    CHECK_CASES(cases, *state);
}

#define LOOKS "<script>document.getElementById('n').x</script>"
#define ROOT  "<template shadowrootmode=open><style>*{display:none}</style></template>"

static void a_shadow_root_goes_with_its_host(void **state)
{
    static const case_t cases[] = {
        { "<div><div>t<x-y>" ROOT "</x-y></div><main>c c c</main></div>",
          "<div><main>c c c</main></div>" },
        { "<div><div>t<x-y>" ROOT "</x-y><script></script></div><main>c c c</main></div>",
          "<div><script></script><main>c c c</main></div>" },
        { "<div>" ROOT "<main>c c c</main><p>t</p></div>",
          "<div>" ROOT "<main>c c c</main></div>" },
        { "<div>t" ROOT "t<main>c c c</main></div>", "<div>" ROOT "<main>c c c</main></div>" },
        /* it stays with its host */
        { "<div id=n>t<x-y>" ROOT "</x-y></div><p>c c c</p>" LOOKS,
          "<div id=n></div><p>c c c</p>" LOOKS },
        { "<div id=n>" ROOT "t</div><p>c c c</p>" LOOKS,
          "<div id=n>" ROOT "</div><p>c c c</p>" LOOKS },
    };
    CHECK_CASES(cases, *state);
}

/* annotate does not cut, so scripts need no exceptions. */
static void annotate_marks_all_template(void **state)
{
    const tmpl_page_t *page =
        check_page(PAGE("<div><nav id=n>t</nav></div>", "document.getElementById('n').x"), *state);
    tmpl_verdict_t verdicts[] = { { 0, 1, 0 }, { 0, 0, 0 } };
    tmpl_guards_t guards = { .min_keep = 0 };
    tmpl_closure_t closure;
    tmpl_closure(&closure, page, verdicts, &guards, TMPL_NODE_MARK, NULL, *state);
    assert_int_equal(closure.n_cuts, 1);
    assert_string_equal(check_bytes(page, closure.cuts[0].span, *state),
                        "<div><nav id=n>t</nav></div>");
}

static const struct CMUnitTest tests[] = {
    CHECK(what_a_script_names_stays),
    CHECK(names_end_where_selectors_do),
    CHECK(only_the_first_with_a_name_stays),
    CHECK(boxes_around_stay_and_nothing_else),
    CHECK(a_script_that_looks_for_its_position_keeps_its_box),
    CHECK(the_box_of_a_template_with_an_id_stays),
    CHECK(a_shadow_root_goes_with_its_host),
    CHECK(annotate_marks_all_template),
};

TAP_MAIN(tests)
