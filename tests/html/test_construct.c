/* SPDX-License-Identifier: Apache-2.0 */
/* Where each element ends and what may be edited, by the rules of HTML5's tree construction. */
#include "check.h"

/* The tags of the page's nodes, each with as many dots in front as it is deep. */
static const char *tree(const tmpl_page_t *page, apr_pool_t *pool)
{
    const char *out = "";
    for (uint32_t i = 1; i < page->n_nodes; i++) {
        out = apr_pstrcat(pool, out, i > 1 ? " " : "", NULL);
        for (unsigned d = 0; d < page->nodes[i].depth; d++) {
            out = apr_pstrcat(pool, out, ".", NULL);
        }
        out = apr_pstrcat(pool, out, tmpl_tag_name((tmpl_tag_e)page->nodes[i].tag), NULL);
    }
    return out;
}

static void nodes_stand_as_html5_has_them(void **state)
{
    static const struct {
        const char *html;
        const char *tree;
    } cases[] = {
        { "<div><p>a<ul><li>b<li>c</ul>d</div><hr>", ".div ..p ..ul ...li ...li .hr" },
        { "<dl><dt>a<dd>b<div><dt>c</dl>", ".dl ..dt ..dd ...div ..dt" },
        { "<table><tr><td>a<td><table><td>b</table>c<tr><th>d</table><p>",
          ".table ..tr ...td ...td ....table .....td ..tr ...th .p" },
        { "<a><p>a<table><td>b</table></p></a><b><p>c</p></b>", ".a ..p ...table ....td .b ..p" },
        /* the adoption agency: the block leaves the elements that end in it */
        { "<b>a<i>b<div>c</b>d<u>e</u></div>f", ".b ..i .div ..u" },
        { "<a>a<span><div>b<a>c</a></div></span><p>d", ".a ..span .div ..a .p" },
        { "<a>a<table><a>b<table><i>c", ".a ..table ...a .table ..i" },
        /* but in eight rounds at most: a copy of the first link stays open around the second one */
        { "<a><div><div><div><div><div><div><div><center><a></a><font>y z</a><em>",
          ".a .div ..div ...div ....div .....div ......div .......div ........center "
          ".........a .........font .........em" },
        { "<a><div><div><div><div><div><div><center><a></a><font>y z</a><em>",
          ".a .div ..div ...div ....div .....div ......div .......center "
          "........a ........font .........em" },
        /* a form that ends closes what is open in it, unless that leaves it */
        { "<form><div></form>a<p>b</p></div><p>c", ".form ..div ...p .p" },
        { "<form><b></form>a<p>b</b>c", ".form ..b .p" },
        { "<form><b></form>a<i>b</b>c", ".form ..b ...i" },
        { "<form><form><div></form></form><form>a", ".form ..div ...form" },
        { "<table><form><tr><td>a</form></table>", ".table ..form ..tr ...td" },
        { "<form><a></form><table><a>b</table><p>c", ".form ..a ...table ....a .p" },
        { "<form><a></form><table><a>b", ".form ..a ...table ....a" },
        { "<b><form><div>a</form></b>c", ".b ..form .div" },
        { "<p>a<xmp><b></b></xmp>c", ".p .xmp" },
        { "<head><html lang=a></template><title>t</title></head></template></head><p>a", ".p" },
        { "<table><input type=hidden name=a><tr><td>b</table>", ".table ..input ..tr ...td" },
        { "<table><colgroup></col><col><html lang=a></colgroup><tr><td>a</table>",
          ".table ..colgroup ...col ..tr ...td" },
        /* ignored tags */
        { "<table><tr></tfoot><td>a</table>", ".table ..tr ...td" },
        { "<table><tbody></tfoot><tr><td>a</table>", ".table ..tbody ...tr ....td" },
        { "<td>a<tr>b<div>c</td>d<p>e", ".div ..p" },
        { "<select><div><option>a</select>b<p>c", ".select .p" },
        /* what is not displayed, and the head */
        { "<link><svg><g/></svg><object><div><i></i></div></object><p>a", ".svg .object .p" },
        { "<script></script>a<script></script><meta>", ".script .meta" },
        { "<noscript><img src=i></noscript><p>a", ".p" },
        { "<head></head><template><td>x</template><p>a", ".p" },
        /* with scripts off a noscript in the head is read, which closes the head */
        { "<head><noscript><noscript></b></noscript><p>a", ".p" },
        { "<head><noscript></br></noscript><p>a", ".p" },
        { "<head><noscript><meta><b></noscript><p>a", ".p" },
        /* svg and math: their end closes what is open in them, and tags of HTML only end them */
        { "<b>a<svg><path d=m></svg><i>b</i></b>", ".b ..svg ..i" },
        { "<b>a<svg><title>t</title><use></use></svg><i>b</i></b>", ".b ..svg ..i" },
        { "<b>a<svg><g><p>b</svg></p><i>c</i></b>", ".b ..svg ..p ..i" },
        { "<b>a<svg><desc><p>b</p></desc></svg><i>c</i></b>", ".b ..svg ..i" },
        { "<b>a<svg><font color=x>b</font></svg><i>c</i></b>", ".b ..svg ..font ..i" },
        { "<b>a<svg><font>b</font></svg><i>c</i></b>", ".b ..svg ..i" },
        { "<b>a<svg><style><i>b</i></style></svg></b>", ".b ..svg ..i" },
        { "<b>a</svg></math><i>b</i></b>", ".b ..i" },
        { "<b>a<math><mi>b<p>c</mi></math><i>d</i></b>", ".b ..math" },
        { "<b>a<math><mi>b<u>c</u></mi></math><i>d</i></b>", ".b ..math ..i" },
        { "<b>a<svg><![CDATA[<i>]]></svg></b>", ".b ..svg" },
        { "<b>a<math><annotation-xml "
          "encoding=text/html><p>b</p></annotation-xml></math><i>c</i></b>",
          ".b ..math ..i" },
        { "<b>a<math><annotation-xml><p>b</p></annotation-xml></math><i>c</i></b>",
          ".b ..math ..p ..i" },
        /*
         * noscript is text, template is not displayed, except shadow roots of elements that may
         * have one
         */
        { "<b>a<noscript><noscript><i></noscript><u>b</u></b>", ".b ..noscript ..u" },
        { "<b>a<noscript><style></i></style></noscript><u>b</u></b>", ".b ..noscript ..u" },
        { "<b>a<noscript><style>i</style></noscript><u>b</u></b>", ".b ..noscript ..u" },
        { "<b>a<template><td><b></template><i>b</i></b>", ".b ..template ..i" },
        { "<div><template shadowrootmode=open><p>a</template><i>b</i></div>",
          ".div ..template ...p ..i" },
        { "<x-y><template shadowrootmode=CLOSED><p>a</template><template "
          "shadowrootmode=open><p>a</template></x-y>",
          ". ..template ...p ..template" },
        { "<i><template shadowrootmode=open><p>a</template>b</i>", ".i ..template" },
        { "<div><template shadowrootmode=x><p>a</template>b</div>", ".div ..template" },
        /* new elements; a select may contain any */
        { "<p>a<dialog>b</dialog><p>c<search>d</search>", ".p .dialog .p .search" },
        { "<x-a/><i>a</i></x-a><b>c</b>", ". ..i .b" },
        { "<select><button><b>a</button></b><hr><option>b</select><i>c</i>", ".select .i" },
        { "<ruby>a<rb>b<rtc>c<rt>d<rp>e</ruby>f", ".ruby ..rb ..rtc ...rt ...rp" },
        /* the source ends early */
        { "<b>a</b><i>b</i><div cl", ".b .i" },
        { "<b>a</b><i>b<!-- c </i>", ".b .i" },
        { "<b>a</b><textarea>b</i>", ".b .textarea" },
        { "<b>a</b><i>b</", ".b .i" },
        /* behind body */
        { "<body><b>a</b></body><html lang=x><i>c</i>", ".b .i" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const tmpl_page_t *page = check_page(cases[i].html, *state);
        assert_string_equal(tree(page, *state), cases[i].tree);
    }
}

/* In quirks mode only, a table is inside the p. */
static void doctypes_mean_quirks_or_not(void **state)
{
    static const struct {
        const char *doctype;
        int quirks;
    } cases[] = {
        { "", 1 },
        { "<!DOCTYPE html>", 0 },
        { "<!-- a --> <?xml?><!doctype HTML >", 0 },
        { "a<!doctype html>", 1 },
        { "<!doctype htm>", 1 },
        { "<!doctype html SYSTEM 'about:legacy-compat'>", 0 },
        { "<!doctype html system \"http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd\">",
          1 },
        { "<!doctype html x>", 1 },
        { "<!doctype html public>", 1 },
        { "<!doctype html public 'x>", 1 },
        { "<!doctype html public \"html\">", 1 },
        { "<!doctype html public \"-//W3C//DTD HTML 4.01 Transitional//EN\">", 1 },
        { "<!doctype html public \"-//W3C//DTD HTML 4.01 Transitional//EN\" \"x\">", 0 },
        { "<!doctype html public \"-//W3C//DTD HTML 4.01//EN\">", 0 },
        { "<!doctype html public \"-//W3C//DTD HTML 4.0 Transitional//EN\" \"x\">", 1 },
        { "<!doctype html public '-//W3C//DTD XHTML 1.0 Transitional//EN'>", 0 },
        { "<!doctype html PUBLIC \"-//IETF//DTD HTML//EN\">", 1 },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *html = apr_pstrcat(*state, cases[i].doctype, "<p>b<table><td>c", NULL);
        const char *found = tree(check_page(html, *state), *state);
        if (strcmp(found, cases[i].quirks ? ".p ..table ...td" : ".p .table ..td") != 0) {
            fail_msg("%s: %s", html, found);
        }
    }
}

/*
 * What a p closes, and a p that ends in a table without a cell, may not stand there: browsers move
 * it.
 */
static void a_tag_behind_a_p_is_where_the_p_was(void **state)
{
    const tmpl_page_t *page = check_page("<table><tr><p>\n<p>a</p></table>b", *state);
    const tmpl_page_t *cell = check_page("<table><tr><td><p>\n<p>a</p></table>b", *state);
    assert_int_equal(page->nodes[page->n_nodes - 1].tag, TMPL_TAG_P);
    assert_int_equal(page->nodes[page->n_nodes - 1].flags, 0);
    assert_int_equal(cell->nodes[cell->n_nodes - 1].flags, TMPL_NODE_MARK | TMPL_NODE_RUN);
}

/*
 * Of four equal formatting elements three are reconstructed behind the p, of four different ones
 * all.
 */
static void three_of_a_kind_come_back(void **state)
{
    static const struct {
        const char *html;
        unsigned may;
    } cases[] = {
        { "<p><b><b><b><b>a</p></b></b></b>b", TMPL_NODE_CUT },
        { "<p><b><b><b><b>a</p></b></b>b", 0 },
        { "<p><b x=1 y=2><b y=2 x=1><b X=1 y='2'><b x=1 y=2 x=3>a</p></b></b></b>b",
          TMPL_NODE_CUT },
        { "<p><b x=1><b x=2><b x=3><b x=4>a</p></b></b></b>b", 0 },
        { "<p><b x=1><b><b x=1><b x=1><b x=1><b>a</p></b></b></b></b>b", 0 },
        { "<p><b x=1><b><b x=1><b x=1><b x=1><b>a</p></b></b></b></b></b>b", TMPL_NODE_CUT },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const tmpl_page_t *page = check_page(cases[i].html, *state);
        assert_int_equal(page->n_segments, 2);
        assert_int_equal(page->segments[1].may, cases[i].may);
    }
}

/* The edits of the n-th element; body is 0. */
static unsigned may_of(const char *html, uint32_t n, apr_pool_t *pool)
{
    const tmpl_page_t *page = check_page(html, pool);
    assert_true(n < page->n_nodes);
    return page->nodes[n].flags & (TMPL_NODE_MARK | TMPL_NODE_CUT);
}

static void ends_that_parsers_see_elsewhere_take_no_mark(void **state)
{
    const unsigned all = TMPL_NODE_MARK | TMPL_NODE_CUT;
    /* each list ends a div: libxml2 pairs that end tag with the div around, and so on outwards */
    const char *html = "<body><div><section><ul><li>a</li><div>b</ul></section></div><div>c</div>";
    assert_int_equal(may_of(html, 1, *state), TMPL_NODE_CUT); /* div */
    assert_int_equal(may_of(html, 2, *state), TMPL_NODE_CUT); /* section */
    assert_int_equal(may_of(html, 3, *state), TMPL_NODE_CUT); /* ul */
    assert_int_equal(may_of(html, 4, *state), all);           /* li */
    assert_int_equal(may_of(html, 6, *state), all);           /* the div behind */
    /* but only up to the cell, whose end tag ends all in it for every parser */
    const char *cell = "<body><div><table><tr><td><ul><div>b</ul></td></tr></table></div>";
    assert_int_equal(may_of(cell, 1, *state) & TMPL_NODE_MARK, TMPL_NODE_MARK);
    assert_int_equal(may_of(cell, 5, *state) & TMPL_NODE_MARK, 0);
    static const char *const whole[] = { "<body><div><table><tr><td><div>b</td></tr></table></div>",
                                         "<body><div><table><tr><td><div>b</table></div>" };
    for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++) {
        assert_int_equal(may_of(whole[i], 1, *state) & TMPL_NODE_MARK, TMPL_NODE_MARK);
    }
}

/*
 * An end tag whose element is not the innermost active one leaves that one active: it is
 * reconstructed.
 */
static void an_end_tag_ends_its_own_element(void **state)
{
    /*
     * of four b the outermost is no longer active when it ends: the i is, and is inside the div,
     * too
     */
    const char *fourth = "<p><i><b><b><b><b>a</b></b></b></b></p><div><span>b</span></div>";
    const char *third = "<p><i><b><b><b>a</b></b></b></i></p><div><span>b</span></div>";
    assert_int_equal(may_of(fourth, 8, *state), TMPL_NODE_MARK);
    assert_int_equal(may_of(third, 7, *state), TMPL_NODE_MARK | TMPL_NODE_CUT);
    /*
     * the cell's end clears the list to the object's marker; its own stays, so the b is not
     * reconstructed
     */
    const char *marker = "<b><table><tr><td><object>a</table></b><div><span>b</span></div>";
    assert_int_equal(may_of(marker, 7, *state), TMPL_NODE_MARK | TMPL_NODE_CUT);
    /* the reconstructed b ends in the div, and would continue behind it if the div were cut */
    assert_int_equal(may_of("<p><b>a</p><div><img></b>b</div>c", 3, *state), 0);
}

/*
 * Of the elements between a formatting element and a block three are opened again around it; more
 * are no longer active.
 */
static void three_come_along_with_a_block(void **state)
{
    const char *three =
        "<section><b><i><u><s><div>a</b></div></s></u></section><div><span>b</span></div>";
    const char *four =
        "<section><b><i><u><s><em><div>a</b></div></em></s></u></section><div><span>b</span></div>";
    assert_int_equal(may_of(three, 8, *state), TMPL_NODE_MARK); /* reconstructs the i */
    assert_int_equal(may_of(four, 9, *state), TMPL_NODE_MARK | TMPL_NODE_CUT);
}

/*
 * Browsers drop NUL from text, so it does not reconstruct formatting elements: b is reconstructed
 * at the last text here, not in front of the div.
 */
static void a_nul_brings_nothing_back(void **state)
{
    static const char html[] = "<p><b>a</p>\0<div>b</div>c";
    const tmpl_page_t *page;
    tmpl_page_opts_t opts = { 0 };
    assert_int_equal(tmpl_page_parse(&page, html, sizeof(html) - 1, &opts, *state),
                     TMPL_DECLINE_NONE);
    assert_int_equal(page->nodes[3].flags & TMPL_NODE_CUT, TMPL_NODE_CUT);
    assert_int_equal(page->segments[2].may, 0);
    assert_int_equal(may_of("<p><b>a</p>x<div>b</div>c", 3, *state),
                     TMPL_NODE_MARK | TMPL_NODE_CUT);
}

/* The parser is in body then, and a head comes too late. */
static void a_nul_in_front_of_body_opens_it(void **state)
{
    static const char html[] = "<title>t</title>\0<noframes><b></noframes><p>a";
    const tmpl_page_t *page;
    tmpl_page_opts_t opts = { 0 };
    assert_int_equal(tmpl_page_parse(&page, html, sizeof(html) - 1, &opts, *state),
                     TMPL_DECLINE_NONE);
    assert_string_equal(tree(page, *state), ".noframes .p");
}

/* Formatting elements with n attributes. */
static const char *formatting(int n, apr_pool_t *pool)
{
    const char *tag = "<b";
    for (int i = 0; i < n; i++) {
        tag = apr_psprintf(pool, "%s a%d", tag, i);
    }
    return apr_pstrcat(pool, tag, ">", tag, ">", tag, ">", tag, ">", NULL);
}

/* With more attributes than are compared it is not known whether the elements are alike. */
static void too_many_attributes_forbid_edits(void **state)
{
    static const int counts[] = { 5, 300 };
    for (int i = 0; i < 2; i++) {
        const char *html = apr_pstrcat(*state, "<div>", formatting(counts[i], *state),
                                       "a</b></b></b></b></div><i>b</i>", NULL);
        assert_int_equal(may_of(html, 1, *state) == 0, i);
    }
}

/* There are more of them than there is room for at first. */
static void many_formatting_elements_come_back(void **state)
{
    const char *html = "<p>";
    for (int i = 0; i < 100; i++) {
        html = apr_psprintf(*state, "%s<b id=x%d>", html, i);
    }
    html = apr_pstrcat(*state, html, "a</p><div>b</div>c", NULL);
    const tmpl_page_t *page = check_page(html, *state);
    const tmpl_page_t *one = check_page("<p><b id=x>a</p><div>b</div>c", *state);
    assert_int_equal(page->n_segments, one->n_segments);
    for (uint32_t i = 0; i < one->n_segments; i++) {
        assert_int_equal(page->segments[i].may, one->segments[i].may);
    }
}

/* A noscript that is too deep to be read with scripts off: then nothing is edited. */
static void a_noscript_that_cannot_be_read_forbids_edits(void **state)
{
    const char *html = "<div>a<noscript><i><s><u><em><tt><big></noscript></div><p>b</p>";
    const tmpl_page_t *page;
    tmpl_page_opts_t opts = { .max_depth = 5 };
    assert_int_equal(tmpl_page_parse(&page, html, strlen(html), &opts, *state), TMPL_DECLINE_NONE);
    assert_int_equal(page->nodes[1].flags & (TMPL_NODE_MARK | TMPL_NODE_CUT), 0);
    opts.max_depth = 20;
    assert_int_equal(tmpl_page_parse(&page, html, strlen(html), &opts, *state), TMPL_DECLINE_NONE);
    assert_int_not_equal(page->nodes[page->n_nodes - 1].flags & (TMPL_NODE_MARK | TMPL_NODE_CUT),
                         0);
}

static const struct CMUnitTest tests[] = {
    CHECK(nodes_stand_as_html5_has_them),
    CHECK(doctypes_mean_quirks_or_not),
    CHECK(a_tag_behind_a_p_is_where_the_p_was),
    CHECK(three_of_a_kind_come_back),
    CHECK(ends_that_parsers_see_elsewhere_take_no_mark),
    CHECK(an_end_tag_ends_its_own_element),
    CHECK(three_come_along_with_a_block),
    CHECK(a_nul_brings_nothing_back),
    CHECK(a_nul_in_front_of_body_opens_it),
    CHECK(too_many_attributes_forbid_edits),
    CHECK(many_formatting_elements_come_back),
    CHECK(a_noscript_that_cannot_be_read_forbids_edits),
};

TAP_MAIN(tests)
