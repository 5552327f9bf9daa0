/* SPDX-License-Identifier: Apache-2.0 */
/* verdicts -> cuts -> edits -> bytes: the rules of closure.h, and the guards. */
#include "check.h"

#include <time.h>

#include <apr_strings.h>

#include "cut/closure.h"
#include "letters.h"
#include "rewrite/rewrite.h"

static const char *edited(const char *html, const char *letters, int strip, apr_pool_t *pool)
{
    const tmpl_page_t *page = check_page(html, pool);
    tmpl_guards_t guards = { 0 };
    tmpl_closure_t closure;
    tmpl_edits_t edits;
    apr_size_t len;
    tmpl_closure(&closure, page, letters_verdicts(page, letters, pool), &guards,
                 strip ? TMPL_NODE_CUT : TMPL_NODE_MARK, NULL, pool);
    for (uint32_t i = 0; i < closure.n_cuts; i++) {
        assert_true(tmpl_span_len(closure.cuts[i].span) > 0);
        assert_true(i == 0 || closure.cuts[i].span.start >= closure.cuts[i - 1].span.end);
    }
    if (strip) {
        tmpl_strip(&edits, &closure, pool);
    }
    else {
        tmpl_annotate(&edits, page, &closure, NULL, pool);
    }
    return tmpl_edits_apply(&len, &edits, html, strlen(html), pool);
}

static void the_topmost_template_elements_are_edited(void **state)
{
    static const struct {
        const char *html;
        const char *annotated;
        const char *stripped;
    } cases[] = {
        /* t is template, c is content; rule 1 */
        { "<body><nav><ul><li>t<li>t</ul></nav><main>c</main></body>",
          "<body><nav data-tmpl=\"\"><ul><li>t<li>t</ul></nav><main>c</main></body>",
          "<body><main>c</main></body>" },
        /* rule 2: a run in an element that is not template */
        { "<div>t <b>t</b> t<div>c</div>t</div>",
          "<div><!--tmpl-->t <b>t</b> t<!--/tmpl--><div>c</div><!--tmpl-->t<!--/tmpl--></div>",
          "<div><div>c</div></div>" },
        /* a text that stays ends a run */
        { "<div>t<div></div>c<div></div>t</div>",
          "<div><!--tmpl-->t<!--/tmpl--><div></div>c<div></div><!--tmpl-->t<!--/tmpl--></div>",
          "<div><div></div>c<div></div></div>" },
        /* a run has br and empty elements in it, but no script */
        { "<div>t<br>t<i></i>t<div>c</div></div>",
          "<div><!--tmpl-->t<br>t<i></i>t<!--/tmpl--><div>c</div></div>",
          "<div><div>c</div></div>" },
        { "<div>t<script></script>t<div>c</div></div>",
          "<div><!--tmpl-->t<script></script>t<!--/tmpl--><div>c</div></div>",
          "<div><script></script><div>c</div></div>" },
        /* without the pre the second p would be another one; what stays keeps its lines */
        { "<body><div><p><pre>t<br>t<br></pre></p></div>c",
          "<body><div><p><pre data-tmpl=\"\">t<br>t<br></pre></p></div>c",
          "<body><div><p><pre>t<br>t<br></pre></p></div>c" },
        /* but for one that does not end a text */
        { "<body><div><p><pre>t<br>t<i></i><br></pre></p></div>c",
          "<body><div><p><pre data-tmpl=\"\">t<br>t<i></i><br></pre></p></div>c",
          "<body><div><p><pre>t<br>t</pre></p></div>c" },
        /* attributes stay as they are, also malformed ones */
        { "<body>c<div a='>' CLASS=x/>t</div>", "<body>c<div a='>' CLASS=x/ data-tmpl=\"\">t</div>",
          "<body>c" },
        /* rules 3 and 4: code stays, and so does body */
        { "<body><div><script>x()</script><p>t</p></div>c",
          "<body><div data-tmpl=\"\"><script>x()</script><p>t</p></div>c",
          "<body><script>x()</script>c" },
        /* rule 8: a form is cut whole or keeps its controls */
        { "<body><form>c<div>t<input "
          "name=a></div><div><button>t</button></div><div>t</div></form>c",
          "<body><form>c<div data-tmpl=\"\">t<input name=a></div><div data-tmpl=\"\">"
          "<button>t</button></div><div data-tmpl=\"\">t</div></form>c",
          "<body><form>c<div><input name=a></div><div><button></button></div></form>c" },
        { "<body><form><div>t<input></div></form><div>t<button>t</button></div><hr>c",
          "<body><form data-tmpl=\"\"><div>t<input></div></form><div data-tmpl=\"\">"
          "t<button>t</button></div><hr>c",
          "<body><hr>c" },
        /* also controls outside of it: in tables, with crossed end tags, by the attribute form */
        { "<table><tr><form><td><div>c</div>c<td><div>t<input></div></form></"
          "table><hr><div>t<input></"
          "div>",
          "<table><tr><form><td><div>c</div>c<td><div "
          "data-tmpl=\"\">t<input></div></form></table><hr>"
          "<div data-tmpl=\"\">t<input></div>",
          "<table><tr><form><td><div>c</div>c<td><div><input></div></form></table><hr>" },
        { "<body><div><form>c</div><div>t<input></div></form><div>t<input></div><hr>c",
          "<body><div><form>c</div><div data-tmpl=\"\">t<input></div></form><div "
          "data-tmpl=\"\">t<input></div><hr>c",
          "<body><div><form>c</div><div><input></div></form><hr>c" },
        { "<body><form>c<div></form><p>t<input></p></div><p>t<input></p><hr>",
          "<body><form>c<div></form><p data-tmpl=\"\">t<input></p></div><p "
          "data-tmpl=\"\">t<input></p><hr>",
          "<body><form>c<div></form><p><input></p></div><hr>" },
        { "<body><form id=f>c</form><div>t<input form=f></div><hr><div>t<input form=g></div>",
          "<body><form id=f>c</form><div data-tmpl=\"\">t<input form=f></div><hr><div "
          "data-tmpl=\"\">t<input form=g></div>",
          "<body><form id=f>c</form><div><input form=f></div><hr>" },
        { "<body><div>t<b><input form=f></b></div><p>c</p><div><form id=f>t</form></div><hr><form "
          "id=f>t</form>",
          "<body><div data-tmpl=\"\">t<b><input form=f></b></div><p>c</p><div data-tmpl=\"\"><form "
          "id=f>t</form></div><hr><form id=f data-tmpl=\"\">t</form>",
          "<body><div><b><input form=f></b></div><p>c</p><div><form id=f></form></div><hr>" },
        { "<body><div><form id=f>t<div>t<input></div></form><p>t<input form=f></p></div><hr>c",
          "<body><div data-tmpl=\"\"><form id=f>t<div>t<input></div></form><p>t<input "
          "form=f></p></div><hr>c",
          "<body><hr>c" },
        /* rule 3: boxes, bullets and white space around code are cut */
        { "<body><ul> <li> <link rel=x> t</li> <li><b><style></style><script></script> </b></ul>c",
          "<body><ul data-tmpl=\"\"> <li> <link rel=x> t</li> "
          "<li><b><style></style><script></script> "
          "</b></ul>c",
          "<body><link rel=x><style></style><script></script>c" },
        /* not where the parser would move the code */
        { "<body><table><tbody><tr><td>t<link></table><hr>c",
          "<body><table data-tmpl=\"\"><tbody><tr><td>t<link></table><hr>c", "<body><link><hr>c" },
        { "<body><table><tbody><tr><td><p>c</p><div>c</div></td></tr><tr><td><div>t</div><link></"
          "td>"
          "</tr></table>",
          "<body><table><tbody><tr><td><p>c</p><div>c</div></td></tr><tr data-tmpl=\"\"><td><div>t"
          "</div><link></td></tr></table>",
          "<body><table><tbody><tr><td><p>c</p><div>c</div></td></tr><tr><td><link></td></tr></"
          "table>" },
        /* nor where it would become a property of another item */
        { "<body>c<div>t<i>t</i><b><script></script><meta itemprop=x></b></div>",
          "<body>c<div data-tmpl=\"\">t<i>t</i><b><script></script><meta itemprop=x></b></div>",
          "<body>c<div><b><script></script><meta itemprop=x></b></div>" },
        { "<body>c<div>t<b><link itemprop=x></b></div>",
          "<body>c<div data-tmpl=\"\">t<b><link itemprop=x></b></div>",
          "<body>c<div><b><link itemprop=x></b></div>" },
        /* an item's properties are cut with it, but not if it is a property itself */
        { "<body>c<ol itemscope><li itemprop=x itemscope>t<meta itemprop=y><script></script></ol>",
          "<body>c<ol itemscope data-tmpl=\"\"><li itemprop=x itemscope>t<meta "
          "itemprop=y><script></script></ol>",
          "<body>c<script></script>" },
        { "<body><div>c</div><div><b itemscope>t<link itemprop=x></b><meta></div>",
          "<body><div>c</div><div data-tmpl=\"\"><b itemscope>t<link itemprop=x></b><meta></div>",
          "<body><div>c</div><meta>" },
        { "<body>c<div><b itemscope>t<link itemprop=x></b><b itemscope><link itemprop=y></b></div>",
          "<body>c<div data-tmpl=\"\"><b itemscope>t<link itemprop=x></b><b itemscope>"
          "<link itemprop=y></b></div>",
          "<body>c" },
        { "<body>c<div itemscope>t<b itemscope></b><link itemprop=y></div>",
          "<body>c<div itemscope data-tmpl=\"\">t<b itemscope></b><link itemprop=y></div>",
          "<body>c" },
        { "<body>c<div itemscope itemprop=x>t<link itemprop=y></div>",
          "<body>c<div itemscope itemprop=x data-tmpl=\"\">t<link itemprop=y></div>",
          "<body>c<div itemscope itemprop=x><link itemprop=y></div>" },
        { "<body>c<div><b itemscope>t<meta itemprop=x></b>t<link itemprop=y></div>",
          "<body>c<div data-tmpl=\"\"><b itemscope>t<meta itemprop=x></b>t<link itemprop=y></div>",
          "<body>c<div><link itemprop=y></div>" },
        /* rule 11: everything in an opened template element is cut */
        { "<body><nav><form>t<input></form>t<script></script></nav>c",
          "<body><nav data-tmpl=\"\"><form>t<input></form>t<script></script></nav>c",
          "<body><script></script>c" },
        { "<body><form>t<p><input><i "
          "class=x></i><script></script></p><iframe></iframe></form><hr>c",
          "<body><form data-tmpl=\"\">t<p><input><i "
          "class=x></i><script></script></p><iframe></iframe></form><hr>c",
          "<body><script></script><hr>c" },
        { "<body><form><p>t<input></form><hr>c",
          "<body><form data-tmpl=\"\"><p>t<input></form><hr>c", "<body><hr>c" },
        { "<body><form><p>t<i><script></script></i><script></script></form><hr>c",
          "<body><form data-tmpl=\"\"><p>t<i><script></script></i><script></script></form><hr>c",
          "<body><script></script><script></script><hr>c" },
        /* not if a form begins outside, nor in content */
        { "<body><form>c<div>t<i><input></i><script></script></div></form>",
          "<body><form>c<div data-tmpl=\"\">t<i><input></i><script></script></div></form>",
          "<body><form>c<div><i><input></i><script></script></div></form>" },
        /* nor if a control may not be cut, as in a table: the form needs the others */
        { "<body>c<div><form>t<input><table><input></table></form><script></script></div>",
          "<body>c<div><form><!--tmpl-->t<!--/tmpl--><input><table><input></table></form><script></"
          "script></div>",
          "<body>c<div><form><input><table><input></table></form><script></script></div>" },
        { "<body><div>c<i></i><nav>t</nav><i></i><script></script></div>",
          "<body><div>c<i></i><nav data-tmpl=\"\">t</nav><i></i><script></script></div>",
          "<body><div>c<i></i><i></i><script></script></div>" },
        { "<body>t</body>", "<body><!--tmpl-->t<!--/tmpl--></body>", "<body></body>" },
        /* rule 5: the div closes the p; without it, the p would go on */
        { "<body>c<hr><p>c<div>t</div>c", "<body>c<hr><p>c<div data-tmpl=\"\">t</div>c",
          "<body>c<hr><p>c<div></div>c" },
        /* rule 5: text that the parser moves out of the table */
        { "<body>c<table><tr>t<td><div>c</div></table>",
          "<body>c<table><tr>t<td><div>c</div></table>",
          "<body>c<table><tr>t<td><div>c</div></table>" },
        /* foreign marks are renamed */
        { "<body data-tmpl>c<!-- tmpl --><div DATA-TMPL=1>c</div><!--/tmpl--><i "
          "data-tmpl='>'>c</i><hr><div data-tmpl>t</div>",
          "<body data-x-tmpl>c<!-- x-tmpl --><div DATA-x-TMPL=1>c</div><!--/x-tmpl--><i "
          "data-x-tmpl='>'>c</i><hr>"
          "<div data-x-tmpl data-tmpl=\"\">t</div>",
          "<body data-tmpl>c<!-- tmpl --><div DATA-TMPL=1>c</div><!--/tmpl--><i "
          "data-tmpl='>'>c</i><hr>" },
        /* in all forms that a comment has */
        { "<body>c<!tmpl><//tmpl><?tmpl></ tmpl><! /tmpl><div>t</div><!--tmpl",
          "<body>c<!x-tmpl><//x-tmpl><?x-tmpl></ x-tmpl><! /x-tmpl><div data-tmpl=\"\">t</div>"
          "<!--x-tmpl",
          "<body>c<!tmpl><//tmpl><?tmpl></ tmpl><! /tmpl><!--tmpl" },
        /* also behind what JavaScript's trim() removes */
        { "<body>c<!--\vtmpl--><!--\u00A0tmpl--><!tmp><div>t</div>",
          "<body>c<!--\vx-tmpl--><!--\u00A0x-tmpl--><!tmp><div data-tmpl=\"\">t</div>",
          "<body>c<!--\vtmpl--><!--\u00A0tmpl--><!tmp>" },
        /* steps.h: a link to a template element is template */
        { "<body><nav id=x>t</nav><div><a href=#x>c</a></div><p>c</p>",
          "<body><nav id=x data-tmpl=\"\">t</nav><div data-tmpl=\"\"><a "
          "href=#x>c</a></div><p>c</p>",
          "<body><p>c</p>" },
        /* steps.h: a control whose panel stays is template, but not cut */
        { "<ul><li class=x aria-controls=a>t</li></ul><ul><li class=x "
          "aria-controls=b>t</li></ul><div "
          "id=a>c</div><div id=b>t</div>",
          "<ul data-tmpl=\"\"><li class=x aria-controls=a>t</li></ul><ul data-tmpl=\"\"><li "
          "class=x "
          "aria-controls=b>t</li></ul><div id=a>c</div><div id=b data-tmpl=\"\">t</div>",
          "<ul><li class=x aria-controls=a>t</li></ul><div id=a>c</div>" },
        /* steps.h: a heading stays with its section */
        { "<nav><h2>t</h2></nav><div>c</div>", "<nav><h2>t</h2></nav><div>c</div>",
          "<nav><h2>t</h2></nav><div>c</div>" },
        /* rule 10: text that would be read as something new */
        { "<body>c &am<div>t</div>p; c", "<body>c &am<div data-tmpl=\"\">t</div>p; c",
          "<body>c &am<div>t</div>p; c" },
        { "<body>c <<div>t</div>b>c", "<body>c <<div data-tmpl=\"\">t</div>b>c",
          "<body>c <<div>t</div>b>c" },
        { "<body>c &amp;<div>t</div>p; c", "<body>c &amp;<div data-tmpl=\"\">t</div>p; c",
          "<body>c &amp;p; c" },
        { "<body>c<div>c</div>", "<body>c<div>c</div>", "<body>c<div>c</div>" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_string_equal(edited(cases[i].html, "t", 0, *state), cases[i].annotated);
        assert_string_equal(edited(cases[i].html, "t", 1, *state), cases[i].stripped);
    }
}

/* Rule 10: a cut stays where the texts around it would be read as something new. */
static void texts_that_would_join_stay_apart(void **state)
{
    static const char letters39[] = "ccccccccccccccccccccccccccccccccccccccc";
    static const struct {
        const char *left, *right;
        int joins;
    } cases[] = {
        { "c", "c", 0 },
        /* a tag, a line's end */
        { "c <", "b>c", 1 },
        { "c <", "<b>c", 0 },
        { "c\r", "\nc", 1 },
        { "c\r", "c", 0 },
        { "c", "\nc", 0 },
        /* a character in UTF-8: the last byte of 2, 3 and 4, and more than one */
        { "c \xC3", "\xA9 c", 1 },
        { "c \xE2\x82", "\xAC c", 1 },
        { "c \xF0\x9F\x98", "\x80 c", 1 },
        { "c \xE2", "\x82\xAC c", 1 },
        { "c \xF0\x9F", "\x98\x80 c", 1 },
        { "c \xC0", "\x80 c", 1 },
        { "c \xE0\xA0", "\x80 c", 1 },
        { "c \xDF\xBF", "\x80 c", 0 },
        { "c \xEF\xBF\xBD", "\x80 c", 0 },
        { "c \xC3", "c", 0 },
        { "c \xC3\xA9", "\xA9 c", 0 },
        { "c \xE2\x82\xAC", "\xA9 c", 0 },
        { "c \xF0\x9F\x98\x80", "\x80 c", 0 },
        { "c a", "\xA9 c", 0 },
        { "c \x80\x80\x80\x80", "\x80 c", 0 },
        /* a character reference */
        { "c &", "amp; c", 1 },
        { "c &#3", "8; c", 1 },
        { "c &a b", "mp; c", 0 },
        { "c amp", "; c", 0 },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *html = apr_pstrcat(*state, "<body><p>c</p>", cases[i].left, "<div>t</div>",
                                       cases[i].right, NULL);
        const char *without =
            apr_pstrcat(*state, "<body><p>c</p>", cases[i].left, cases[i].right, NULL);
        assert_string_equal(edited(html, "t", 1, *state), cases[i].joins ? html : without);
    }
    /* no name of a reference has 40 letters: what is in front of them is not looked for */
    const char *html = apr_pstrcat(*state, "<body>", letters39, "<div>t</div>a", NULL);
    assert_string_equal(edited(html, "t", 1, *state),
                        apr_pstrcat(*state, "<body>", letters39, "a", NULL));
    html = apr_pstrcat(*state, "<body>", letters39, "cc<div>t</div>a", NULL);
    assert_string_equal(edited(html, "t", 1, *state), html);
    /* at the page's begin and end */
    assert_string_equal(edited("\xC3<div>t</div>\xA9<p>c", "t", 1, *state),
                        "\xC3<div>t</div>\xA9<p>c");
    assert_string_equal(edited("&<div>t</div>amp;<p>c", "t", 1, *state), "&<div>t</div>amp;<p>c");
    assert_string_equal(edited("<p>c</p>&<div>t</div>", "t", 1, *state), "<p>c</p>&");
}

/* Cuts that touch are one for rule 10, and others stay cuts. */
static void cuts_that_touch_join_texts_together(void **state)
{
    assert_string_equal(
        edited("<body><i>c</i><div>t</div>c &<div>t</div><div>t</div>x;<p>c</p><div>t</div>c", "t",
               1, *state),
        "<body><i>c</i>c &<div>t</div><div>t</div>x;<p>c</p>c");
}

/* Template that was opened does not go on opening what is behind it. */
static void a_control_that_stays_keeps_only_its_own_box(void **state)
{
    static const char script[] = "<script>document.getElementById('a').x;"
                                 "document.getElementById('b').x</script>";
    const char *html = apr_pstrcat(*state, "<body>c<div id=a>t<table><input></table></div>",
                                   "<div id=b>t<input>t<i></i></div>c", script, NULL);
    assert_string_equal(edited(html, "t", 1, *state),
                        apr_pstrcat(*state, "<body>c<div id=a><table><input></table></div>",
                                    "<div id=b></div>c", script, NULL));
}

/* Text and elements beside each other are one cut; so there are fewer edits. */
static void siblings_are_one_cut(void **state)
{
    const tmpl_page_t *page = check_page("<div>t <b>t</b> t<div>c</div>t</div>", *state);
    tmpl_guards_t guards = { 0 };
    tmpl_closure_t closure;
    tmpl_closure(&closure, page, letters_verdicts(page, "t", *state), &guards, TMPL_NODE_CUT, NULL,
                 *state);
    assert_int_equal(closure.n_cuts, 2);
}

/* Rule 3 makes more cuts than there are texts. */
static void code_is_left_between_many_cuts(void **state)
{
    const char *html = "<body>c<div>t", *left = "<body>c";
    for (int i = 0; i < 9; i++) {
        const char *script = apr_psprintf(*state, "<script>%d</script>", i);
        html = apr_pstrcat(*state, html, "<i></i>", script, script, NULL);
        left = apr_pstrcat(*state, left, script, script, NULL);
    }
    assert_string_equal(edited(apr_pstrcat(*state, html, "</div>", NULL), "t", 1, *state), left);
}

/* Rule 7: what may hold more than half of the content, which two texts or more are expected to. */
static void an_element_with_half_of_the_content_is_opened(void **state)
{
    static const struct {
        float ratio; /* of the first block; the others are 0 */
        const char *cut;
    } cases[] = {
        { 1.0F, "<nav>tt<i>tt</i></nav>" },
        { 0.75F, "<nav>tt<i>tt</i></nav>" }, /* one byte of four of three */
        { 0.5F, "<nav>tt<i>tt</i></nav>" },  /* two of four: just half */
        { 0.4F, "tt<i>tt</i>" },
    };
    const tmpl_page_t *page = check_page("<body><nav>tt<i>tt</i></nav><p>cc", *state);
    tmpl_guards_t guards = { 0 };
    tmpl_closure_t closure;
    assert_int_equal(page->n_blocks, 2);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tmpl_verdict_t verdicts[] = { { cases[i].ratio, 1, 0 }, { 0, 0, 0 } };
        tmpl_closure(&closure, page, verdicts, &guards, TMPL_NODE_MARK, NULL, *state);
        assert_int_equal(closure.n_cuts, 1);
        assert_string_equal(check_bytes(page, closure.cuts[0].span, *state), cases[i].cut);
        assert_float_equal(closure.ratio, 4.0 / 6, 1e-6);
    }
}

static apr_array_header_t *selectors(const char *text, apr_pool_t *pool)
{
    apr_array_header_t *list = apr_array_make(pool, 1, sizeof(const tmpl_selector_t *));
    assert_int_equal(tmpl_selector_parse(list, text, NULL), APR_SUCCESS);
    return list;
}

static const char *stripped(const char *html, const tmpl_guards_t *guards, apr_pool_t *pool)
{
    const tmpl_page_t *page = check_page(html, pool);
    tmpl_closure_t closure;
    tmpl_edits_t edits;
    apr_size_t len;
    tmpl_closure(&closure, page, letters_verdicts(page, "t", pool), guards, TMPL_NODE_CUT, NULL,
                 pool);
    tmpl_strip(&edits, &closure, pool);
    return tmpl_edits_apply(&len, &edits, html, strlen(html), pool);
}

static void guards_overrule_the_detector(void **state)
{
    const tmpl_page_t *page =
        check_page("<div id=a>t</div><div id=b>cccc</div><div class=k>t</div>", *state);
    tmpl_guards_t guards = { .keep = selectors(".k", *state), .drop = selectors("#b", *state) };
    tmpl_closure_t closure;
    tmpl_closure(&closure, page, letters_verdicts(page, "t", *state), &guards, TMPL_NODE_MARK, NULL,
                 *state);
    assert_int_equal(closure.n_cuts, 2);
    assert_string_equal(check_bytes(page, closure.cuts[0].span, *state), "<div id=a>t</div>");
    assert_string_equal(check_bytes(page, closure.cuts[1].span, *state), "<div id=b>cccc</div>");
    assert_int_equal(closure.template_blocks, 2);
    assert_int_equal(closure.blocks, 3);
    assert_float_equal(closure.ratio, 5.0 / 6.0, 1e-6);
    /* drop wins over steps.h */
    guards.keep = NULL;
    guards.drop = selectors("li", *state);
    assert_string_equal(
        stripped("<body><ul><li class=x aria-controls=a>t</ul><ul>c</ul><div id=a>c</div>", &guards,
                 *state),
        "<body><ul>c</ul><div id=a>c</div>");
    guards.keep = selectors(".k", *state);
    /* keep wins over drop */
    guards.drop = selectors("div", *state);
    tmpl_closure(&closure, page, letters_verdicts(page, "", *state), &guards, TMPL_NODE_MARK, NULL,
                 *state);
    assert_int_equal(closure.n_cuts, 2);
}

/* The selector of each block; a selector matches if it matches an element with text. */
static void selectors_are_noted(void **state)
{
    static const char html[] = "<div class=a>t<p class=b>t</div><div class=b>c</div><div>c</div>"
                               "<div class=a></div><section>c</section><div class=e></div>";
    static const char *const noted[] = { ".a", ".b", NULL, "xpath://section" };
    const tmpl_page_t *page = check_page(html, *state);
    apr_array_header_t *drop = apr_array_make(*state, 5, sizeof(const tmpl_selector_t *));
    tmpl_guards_t guards = { .drop = drop };
    tmpl_explain_t explain = { .pool = *state };
    tmpl_closure_t closure;
    static const char *const texts[] = { ".e", ".a", ".b", "xpath://section",
                                         "xpath://*[@class='e']" };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        apr_array_cat(drop, selectors(texts[i], *state));
    }
    tmpl_closure(&closure, page, letters_verdicts(page, "", *state), &guards, TMPL_NODE_CUT,
                 &explain, *state);
    assert_memory_equal(closure.matched, "\0\1\1\1", 5);
    assert_int_equal(page->n_blocks, 4);
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        const tmpl_selector_t *selector = explain.blocks[b].selector;
        if (noted[b] == NULL) {
            assert_null(selector);
            assert_int_equal(closure.verdicts[b].template, 0);
            continue;
        }
        assert_string_equal(tmpl_selector_text(selector), noted[b]);
        assert_int_equal(closure.verdicts[b].template, 1);
    }
}

/* b is body, m is comment, n is notice, t is template; comment and notice go. */
static void parts_go_before_the_guards(void **state)
{
    static const char html[] = "<h2>b</h2><div>bbbb</div><div class=k>nn</div><div>n</div>"
                               "<div id=d>b</div><div>t</div><div><h3>b</h3><div>m</div></div>"
                               "<div class=k>t</div>";
    tmpl_page_opts_t opts = { .separators = &tmpl_separators_leaf };
    const tmpl_page_t *page = NULL;
    tmpl_guards_t guards = { .keep = selectors(".k", *state),
                             .drop = selectors("#d", *state),
                             .without = TMPL_PART_BIT(TMPL_PART_COMMENT) |
                                        TMPL_PART_BIT(TMPL_PART_NOTICE) };
    tmpl_explain_t explain = { .pool = *state };
    tmpl_closure_t closure;
    char said[64] = "";
    assert_int_equal(tmpl_page_parse(&page, html, strlen(html), &opts, *state), TMPL_DECLINE_NONE);
    tmpl_verdict_t *v = letters_verdicts(page, "t", *state);
    letters_part(v, page, "b", TMPL_PART_BODY, *state);
    letters_part(v, page, "m", TMPL_PART_COMMENT, *state);
    letters_part(v, page, "n", TMPL_PART_NOTICE, *state);
    tmpl_closure(&closure, page, v, &guards, TMPL_NODE_CUT, &explain, *state);
    /* a letter for the part (large: template), a digit for the rule */
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        char letter = tmpl_part_name((tmpl_part_e)v[b].part)[0];
        apr_snprintf(said + 3 * b, 4, "%c%c ", v[b].template ? letter - 'a' + 'A' : letter,
                     tmpl_rule_name(explain.blocks[b].rule)[0]);
        assert_int_equal(explain.blocks[b].verdict.part, v[b].part);
    }
    /* what TmplKeep keeps has its part, or is body; what TmplDrop drops is template */
    assert_string_equal(said, "bd bd nk Np Td Td bd Cp bk ");
    assert_ptr_equal(closure.verdicts, v);
    assert_int_equal(closure.parts,
                     TMPL_PART_BIT(TMPL_PART_COMMENT) | TMPL_PART_BIT(TMPL_PART_NOTICE));
    /* a part takes its heading with it */
    static const char links[] = "<div>b</div><aside><h3>h</h3><ul><li><a href=/>m</a></ul>";
    guards.keep = guards.drop = NULL;
    assert_int_equal(tmpl_page_parse(&page, links, strlen(links), &opts, *state),
                     TMPL_DECLINE_NONE);
    v = letters_verdicts(page, "t", *state);
    letters_part(v, page, "m", TMPL_PART_COMMENT, *state);
    tmpl_closure(&closure, page, v, &guards, TMPL_NODE_CUT, NULL, *state);
    assert_int_equal(v[0].template, 0);
    assert_int_equal(v[1].template, 1);
    assert_int_equal(v[2].template, 1);
    /* a row that steps.h would make whole */
    static const char row[] = "<table><tr><th>m<td>b</table><div>b</div>";
    assert_int_equal(tmpl_page_parse(&page, row, strlen(row), &opts, *state), TMPL_DECLINE_NONE);
    v = letters_verdicts(page, "t", *state);
    letters_part(v, page, "m", TMPL_PART_COMMENT, *state);
    tmpl_closure(&closure, page, v, &guards, TMPL_NODE_CUT, NULL, *state);
    assert_int_equal(v[0].template, 1);
    assert_int_equal(v[1].template, 0);
    assert_int_equal(v[1].part, TMPL_PART_BODY);
    /* a row that becomes content is body, and may go as such */
    guards.without = TMPL_PART_BIT(TMPL_PART_BODY);
    v = letters_verdicts(page, "m", *state);
    letters_part(v, page, "b", TMPL_PART_NOTICE, *state);
    tmpl_closure(&closure, page, v, &guards, TMPL_NODE_CUT, NULL, *state);
    assert_int_equal(v[0].template, 1);
    assert_int_equal(v[0].part, TMPL_PART_BODY);
    guards.without = 0;
    v = letters_verdicts(page, "t", *state);
    tmpl_closure(&closure, page, v, &guards, TMPL_NODE_CUT, NULL, *state);
    assert_int_equal(closure.parts, 0);
    assert_int_equal(closure.template_blocks, 0);
}

/* Each ancestor's tag is read once: reading it for each element would take minutes. */
static void selectors_of_deep_pages_are_quick(void **state)
{
    enum { DEEP = 400, ATTRIBUTES = 2500, LEAVES = 5000 };
    char *html = apr_palloc(*state, DEEP * (6 + 8 * ATTRIBUTES) + LEAVES * 9 + 1), *at = html;
    for (int i = 0; i < DEEP; i++) {
        at = apr_cpystrn(at, "<div ", 6);
        for (int k = 0; k < ATTRIBUTES; k++) {
            at += apr_snprintf(at, 9, "a%d=1 ", k);
        }
        at = apr_cpystrn(at, ">", 2);
    }
    for (int i = 0; i < LEAVES; i++) {
        at = apr_cpystrn(at, "<i>t </i>", 10);
    }
    const tmpl_page_t *page = check_page(html, *state);
    tmpl_guards_t guards = { .keep = selectors("[x] i", *state) };
    tmpl_closure_t closure;
    clock_t begin = clock();
    tmpl_closure(&closure, page, letters_verdicts(page, "t", *state), &guards, TMPL_NODE_CUT, NULL,
                 *state);
    assert_true(clock() - begin < 10 * CLOCKS_PER_SEC);
}

/* Without <html> in the source, body is the first node. */
static void body_can_be_kept(void **state)
{
    static const char *const pages[] = { "<body><div>t</div><p>c</p>",
                                         "<html><body><div>t</div><p>c</p></body></html>" };
    tmpl_guards_t guards = { .keep = selectors("body", *state) };
    tmpl_closure_t closure;
    for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
        const tmpl_page_t *page = check_page(pages[i], *state);
        tmpl_verdict_t *verdicts = letters_verdicts(page, "t", *state);
        assert_int_equal(verdicts[0].template, 1);
        tmpl_closure(&closure, page, verdicts, &guards, TMPL_NODE_CUT, NULL, *state);
        assert_int_equal(closure.n_cuts, 0);
        assert_int_equal(closure.template_blocks, 0);
    }
}

static void a_page_with_too_little_content_is_declined(void **state)
{
    const tmpl_page_t *page = check_page("<div>ttttttttt</div><div>c</div>", *state);
    tmpl_guards_t guards = { .min_keep = 0.09 };
    tmpl_closure_t closure;
    tmpl_closure(&closure, page, letters_verdicts(page, "t", *state), &guards, TMPL_NODE_CUT, NULL,
                 *state);
    assert_int_equal(closure.decline, TMPL_DECLINE_NONE);
    assert_int_equal(closure.n_cuts, 1);
    guards.min_keep = 0.11;
    tmpl_closure(&closure, page, letters_verdicts(page, "t", *state), &guards, TMPL_NODE_CUT, NULL,
                 *state);
    assert_int_equal(closure.decline, TMPL_DECLINE_MIN_KEEP);
    assert_int_equal(closure.n_cuts, 0);
    assert_float_equal(closure.ratio, 0.9, 1e-6);
}

/*
 * A block of length l is content with the probability p: 2 * sum l p of kept / (l of kept + l p).
 */
static void a_page_with_too_little_confidence_is_declined(void **state)
{
    const tmpl_page_t *page = check_page("<div>tttt</div><div>cccccc</div>", *state);
    tmpl_verdict_t verdicts[] = { { 0.75F, 1, 0 }, { 0.5F, 0, 0 } };
    tmpl_guards_t guards = { .min_confidence = 0.59 };
    tmpl_closure_t closure;
    tmpl_closure(&closure, page, verdicts, &guards, TMPL_NODE_CUT, NULL, *state);
    assert_float_equal(closure.confidence, 2.0 * 3 / (6 + 3 + 1), 1e-6);
    assert_int_equal(closure.decline, TMPL_DECLINE_NONE);
    assert_int_equal(closure.n_cuts, 1);
    guards.min_confidence = 0.61;
    tmpl_closure(&closure, page, verdicts, &guards, TMPL_NODE_CUT, NULL, *state);
    assert_int_equal(closure.decline, TMPL_DECLINE_MIN_CONFIDENCE);
    assert_int_equal(closure.n_cuts, 0);
    /* TmplKeep and TmplDrop say nothing about the detector's confidence */
    guards.drop = selectors("body", *state);
    guards.keep = selectors("div", *state);
    tmpl_closure(&closure, page, verdicts, &guards, TMPL_NODE_CUT, NULL, *state);
    assert_float_equal(closure.confidence, 0.6, 1e-6);
    /* a page that keeps all its text loses nothing */
    assert_int_equal(closure.decline, TMPL_DECLINE_NONE);
}

static void confidence_without_content_is_none(void **state)
{
    tmpl_verdict_t verdicts[] = { { 1, 1, 0 }, { 0, 0, 0 } };
    tmpl_guards_t guards = { 0 };
    tmpl_closure_t closure;
    tmpl_closure(&closure, check_page("<div>t</div>", *state), verdicts, &guards, TMPL_NODE_CUT,
                 NULL, *state);
    assert_true(closure.confidence == 0); /* a NaN is equal to every assert_float_equal */
    assert_float_equal(closure.ratio, 1, 1e-6);
    tmpl_closure(&closure, check_page("<div>t</div><div>c</div>", *state), verdicts, &guards,
                 TMPL_NODE_CUT, NULL, *state);
    assert_float_equal(closure.confidence, 1, 1e-6);
}

/* Why the first block of the page that is template stays for strip. */
static const char *uncut(const char *html, const char *drop, apr_pool_t *pool)
{
    const tmpl_page_t *page = check_page(html, pool);
    tmpl_verdict_t *verdicts = apr_pcalloc(pool, page->n_blocks * sizeof(*verdicts));
    tmpl_guards_t guards = { .drop = selectors(drop, pool), .control_texts = 1 };
    tmpl_explain_t explain = { .pool = pool };
    tmpl_closure_t closure;
    tmpl_closure(&closure, page, verdicts, &guards, TMPL_NODE_CUT, &explain, pool);
    uint32_t b = 0;
    while (!explain.blocks[b].verdict.template) {
        b++;
    }
    static const char *const covered[] = {
        [TMPL_CUT_NONE] = "", [TMPL_CUT_PART] = ", part is cut", [TMPL_CUT_ALL] = ", all is cut"
    };
    return apr_psprintf(pool, "%s, %s%s", tmpl_rule_name(explain.blocks[b].rule),
                        tmpl_uncut_name(explain.blocks[b].uncut),
                        covered[explain.blocks[b].covered]);
}

static void the_closure_says_why_template_stays(void **state)
{
    static const struct {
        const char *html;
        const char *uncut;
    } cases[] = {
        { "<div id=x>all of it is cut</div><p>c", "none, all is cut" },
        { "<form>c<a id=x href='/'><input name=q></a></form>", "form, part is cut" },
        { "<body>c<a id=x href='/'><script>1</script></a><p>c", "none, all is cut" },
        { "<body><script>document.getElementById('i')</script><div id=x><a id=i "
          "href='/'></a></div><p>c",
          "script" },
        /* the script keeps the box; the image would stay without the script, too */
        { "<body><script>document.getElementById('x')</script><div id=x><table><img "
          "src=a></table></div><p>c",
          "unsafe" },
        { "c &am<div id=x>text</div>p; c", "joined" },
        /* more than half of the page's content, but one segment: rule 7 leaves it alone */
        { "c &am<div id=x>a long text that is more than all others</div>p; c", "joined" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_string_equal(uncut(cases[i].html, "#x", *state),
                            apr_pstrcat(*state, "drop, ", cases[i].uncut, NULL));
    }
}

static void the_closure_says_which_rule_decided(void **state)
{
    static const char *const rules[] = { "detector", "links", "heading", "detector" };
    const tmpl_page_t *page = check_page("<nav id=x>t</nav><div><a href=#x>c</a></div><div>"
                                         "<h2>t</h2></div><div>c</div>",
                                         *state);
    tmpl_guards_t guards = { 0 };
    tmpl_explain_t explain = { .pool = *state };
    tmpl_closure_t closure;
    tmpl_closure(&closure, page, letters_verdicts(page, "t", *state), &guards, TMPL_NODE_CUT,
                 &explain, *state);
    assert_int_equal(page->n_blocks, 4);
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        assert_string_equal(tmpl_rule_name(explain.blocks[b].rule), rules[b]);
    }
}

static void each_block_is_found_among_many_cuts(void **state)
{
    enum { PAIRS = 20 };
    const char *html = "<body>";
    for (int i = 0; i < PAIRS; i++) {
        html = apr_pstrcat(*state, html, "<div>t</div><div>c</div>", NULL);
    }
    const tmpl_page_t *page = check_page(html, *state);
    tmpl_guards_t guards = { 0 };
    tmpl_explain_t explain = { .pool = *state };
    tmpl_closure_t closure;
    tmpl_closure(&closure, page, letters_verdicts(page, "t", *state), &guards, TMPL_NODE_CUT,
                 &explain, *state);
    assert_int_equal(closure.n_cuts, PAIRS);
    for (uint32_t b = 0; b < 2 * PAIRS; b++) {
        assert_int_equal(explain.blocks[b].covered, b % 2 == 0 ? TMPL_CUT_ALL : TMPL_CUT_NONE);
        assert_int_equal(explain.blocks[b].uncut, TMPL_UNCUT_NONE);
    }
}

static void edits_apply_in_order(void **state)
{
    static const char *const texts[] = { "", "<", "xyz", ">" };
    static const tmpl_edit_t list[] = {
        { { 0, 0 }, 1 }, { { 1, 3 }, 0 }, { { 3, 4 }, 2 }, { { 5, 5 }, 3 }
    };
    tmpl_edits_t edits = { list, 4, texts };
    apr_size_t len;
    assert_string_equal(tmpl_edits_apply(&len, &edits, "abcde", 5, *state), "<axyze>");
    assert_int_equal(len, 7);
    edits.n = 0;
    assert_string_equal(tmpl_edits_apply(&len, &edits, "abcde", 5, *state), "abcde");
}

static const struct CMUnitTest tests[] = {
    CHECK(the_topmost_template_elements_are_edited),
    CHECK(a_control_that_stays_keeps_only_its_own_box),
    CHECK(siblings_are_one_cut),
    CHECK(code_is_left_between_many_cuts),
    CHECK(an_element_with_half_of_the_content_is_opened),
    CHECK(texts_that_would_join_stay_apart),
    CHECK(cuts_that_touch_join_texts_together),
    CHECK(guards_overrule_the_detector),
    CHECK(selectors_are_noted),
    CHECK(parts_go_before_the_guards),
    CHECK(selectors_of_deep_pages_are_quick),
    CHECK(body_can_be_kept),
    CHECK(a_page_with_too_little_content_is_declined),
    CHECK(a_page_with_too_little_confidence_is_declined),
    CHECK(confidence_without_content_is_none),
    CHECK(the_closure_says_why_template_stays),
    CHECK(the_closure_says_which_rule_decided),
    CHECK(each_block_is_found_among_many_cuts),
    CHECK(edits_apply_in_order),
};

TAP_MAIN(tests)
