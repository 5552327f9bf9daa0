/* SPDX-License-Identifier: Apache-2.0 */
/* bytes -> page: tokens, spans, segmentation, what is declined. */
#include <stdio.h>

#include "check.h"

#include "page/attr.h"
#include "page/charset.h"
#include "page/scan.h"
#include "page/selector.h"

/* The page's segments as "block:text|block:text". */
static const char *segments(const tmpl_page_t *page, apr_pool_t *pool)
{
    const char *out = "";
    for (uint32_t i = 0; i < page->n_segments; i++) {
        const tmpl_segment_t *s = &page->segments[i];
        out = apr_psprintf(pool, "%s%s%u:%s", out, i > 0 ? "|" : "", s->block,
                           check_bytes(page, s->span, pool));
    }
    return out;
}

static void segments_stand_in_blocks(void **state)
{
    static const struct {
        const char *html;
        const char *segments;
    } cases[] = {
        /* a text node is a segment, a separator opens and closes a block */
        { "<body>a<b>c</b>d<div>e</div>f", "0:a|0:c|0:d|1:e|2:f" },
        { "<body><ul><li>1<li>2</ul><p>x</p>y", "0:1|0:2|1:x|1:y" },
        /* comments and processing instructions part segments too (Wang et al., 2.1) */
        { "<body>a<!-- x -->b<?pi?>c", "0:a|0:b|0:c" },
        /* what is not visible is no segment */
        { "<head><title>t</title><style>s</style></head><body>a<script>if (a<b) c</script>"
          "<textarea>d</textarea><select><option>e</select><noscript>f</noscript>"
          "<svg><text>g</text></svg><template>h</template>i",
          "0:a|0:i" },
        { "<body> \n&nbsp; \xc2\xa0<div>&#160;</div>a", "0:a" },
        /* an image and a link without text count by their address */
        { "<body><a href=/x><img src=l.png></a><a href=/y></a><img>a",
          "0:<img src=l.png>|0:<a href=/y>|0:a" },
        /* the markup of other people */
        { "<p>a<p>b</p></p>c</div>d", "0:a|0:b|0:c|0:d" },
        { "</html><body>late<div>body</div></body>more", "0:late|1:body|2:more" },
        { "<div title='>' class=\"<p>\">a</div>", "0:a" },
        { "a < b <3 </ c>d", "0:a < b <3 |0:d" },
        { "<!--><div>a</div><!---><div>b</div><!-- --!>c", "0:a|1:b|2:c" },
        { "\xef\xbb\xbf<p>bom", "0:bom" },
        { "<script><!-- <script> </script> --></script>a", "0:a" },
        { "<title></titles></title><p>a", "0:a" },
        /* end tags that close nothing, with nothing behind them */
        { "<div>a</div></div>", "0:a" },
        { "<p>a</span></x></body></html>\n", "0:a" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const tmpl_page_t *page = check_page(cases[i].html, *state);
        assert_string_equal(segments(page, *state), cases[i].segments);
    }
}

static void every_node_has_its_tags(void **state)
{
    const tmpl_page_t *page =
        check_page("<html><body><div class=a><P >x</p ><img src=i><br/>y</DIV>", *state);
    static const struct {
        const char *open;
        const char *close;
    } nodes[] = { { "<body>", "" },
                  { "<div class=a>", "</DIV>" },
                  { "<P >", "</p >" },
                  { "<img src=i>", "" },
                  { "<br/>", "" } };
    assert_int_equal(page->n_nodes, 5);
    for (uint32_t i = 0; i < page->n_nodes; i++) {
        assert_string_equal(check_bytes(page, page->nodes[i].open, *state), nodes[i].open);
        assert_string_equal(check_bytes(page, page->nodes[i].close, *state), nodes[i].close);
    }
    assert_int_equal(page->nodes[1].after, 5);
    assert_int_equal(page->nodes[2].parent, 1);
}

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
        /* the adoption agency: the block leaves what ends in it */
        { "<b>a<i>b<div>c</b>d<u>e</u></div>f", ".b ..i .div ..u" },
        { "<a>a<span><div>b<a>c</a></div></span><p>d", ".a ..span .div ..a .p" },
        { "<a>a<table><a>b<table><i>c", ".a ..table ...a .table ..i" },
        /* and does no more than eight rounds: a copy of the first link stays open around the second one */
        { "<a><div><div><div><div><div><div><div><center><a></a><font>y z</a><em>",
          ".a .div ..div ...div ....div .....div ......div .......div ........center "
          ".........a .........font .........em" },
        { "<a><div><div><div><div><div><div><center><a></a><font>y z</a><em>",
          ".a .div ..div ...div ....div .....div ......div .......center "
          "........a ........font .........em" },
        /* a form that is ended holds what is open in it, unless that leaves it */
        { "<form><div></form>a<p>b</p></div><p>c", ".form ..div ...p .p" },
        { "<form><b></form>a<p>b</b>c", ".form ..b .p" },
        { "<form><b></form>a<i>b</b>c", ".form ..b ...i" },
        { "<form><form><div></form></form><form>a", ".form ..div ...form" },
        { "<table><form><tr><td>a</form></table>", ".table ..form ..tr ...td" },
        { "<form><a></form><table><a>b</table><p>c", ".form ..a ...table ....a .p" },
        { "<form><a></form><table><a>b", ".form ..a ...table ....a" },
        { "<b><form><div>a</form></b>c", ".b ..form .div" },
        /* tags that are dropped */
        { "<td>a<tr>b<div>c</td>d<p>e", ".div ..p" },
        { "<select><div><option>a</select>b<p>c", ".select .p" },
        /* what is not seen, and what stands in the head */
        { "<link><svg><g/></svg><object><div><i></i></div></object><p>a", ".svg .object .p" },
        { "<script></script>a<script></script><meta>", ".script .meta" },
        { "<noscript><img src=i></noscript><p>a", ".p" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const tmpl_page_t *page = check_page(cases[i].html, *state);
        assert_string_equal(tree(page, *state), cases[i].tree);
    }
}

/* Same text on the same path: one key, whatever the white space and the case of tags. */
static void keys_are_text_and_path(void **state)
{
    const tmpl_page_t *a = check_page("<div><p>one  two</p></div><span>x</span>", *state);
    const tmpl_page_t *b =
        check_page("<DIV class=q><P>\none\ttwo </P></DIV><p>one two</p><b>x</b>", *state);
    assert_true(a->keys[0] == b->keys[0]);
    assert_true(b->keys[0] != b->keys[1]);
    assert_true(a->keys[1] != b->keys[2]);
    const tmpl_page_t *twice = check_page("<p>x</p><p>x</p><p>y</p>", *state);
    assert_int_equal(twice->n_segments, 3);
    assert_int_equal(twice->n_keys, 2);
    assert_int_equal(twice->segments[1].key, twice->segments[0].key);
}

/* White space anywhere in texts of any length: the key is that of the same text without what is too much. */
static void white_space_is_collapsed(void **state)
{
    static const char pieces[] = { 'a',  'b',  '\xc3', '\x01', ' ',   ' ',
                                   '\n', '\t', '\r',   '\f',   '\x1f' };
    uint64_t seed = 88172645463325252u;
    apr_pool_t *pool;
    apr_pool_create(&pool, *state);
    for (int i = 0; i < 4000; i++) {
        char html[160] = "<p>x";
        char plain[160] = "<p>x";
        size_t n = 4;
        size_t len = 4 + (size_t)i % 120;
        unsigned rare = 1 + (unsigned)i % 40;
        for (size_t p = 4; p < len; p++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            char c = (seed >> 33) % rare == 0 ? pieces[(seed >> 40) % sizeof(pieces)] : 'y';
            html[p] = c;
            c = tmpl_is_space(c) ? ' ' : c;
            if (c != ' ' || plain[n - 1] != ' ') {
                plain[n++] = c;
            }
        }
        n -= plain[n - 1] == ' ';
        apr_pool_clear(pool);
        /* texts are read in another way where the page ends soon */
        const char *behind = i % 2 == 0 ? "" : "<!-- more than sixteen bytes -->";
        const char *text = apr_pstrmemdup(pool, html, len);
        const tmpl_page_t *a = check_page(apr_pstrcat(pool, text, behind, NULL), pool);
        const tmpl_page_t *b = check_page(apr_pstrmemdup(pool, plain, n), pool);
        assert_int_equal(a->segments[0].length, n - 3);
        assert_true(a->keys[0] == b->keys[0]);
    }
}

/* What a p ends, and a p that ends in a table without a cell, is out of place there: browsers move it. */
static void a_tag_behind_a_p_is_where_the_p_was(void **state)
{
    const tmpl_page_t *page = check_page("<table><tr><p>\n<p>a</p></table>b", *state);
    const tmpl_page_t *cell = check_page("<table><tr><td><p>\n<p>a</p></table>b", *state);
    assert_int_equal(page->nodes[page->n_nodes - 1].tag, TMPL_TAG_P);
    assert_int_equal(page->nodes[page->n_nodes - 1].flags, 0);
    assert_int_equal(cell->nodes[cell->n_nodes - 1].flags, TMPL_NODE_MARK | TMPL_NODE_RUN);
}

/* However far from each other two spaces stand, and wherever in the text. */
static void double_spaces_are_one(void **state)
{
    const char *word = "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy";
    for (int before = 1; before < 40; before++) {
        for (int tab = 0; tab < 2; tab++) {
            const char *twice =
                apr_psprintf(*state, "<p>%s%.*s  %s", tab ? " \t" : " ", before, word, word);
            const char *once = apr_psprintf(*state, "<p>%.*s %s", before, word, word);
            assert_true(check_page(twice, *state)->keys[0] == check_page(once, *state)->keys[0]);
        }
    }
}

/* Of four formatting elements that are alike three come back behind the p, of four others all. */
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

/* What may be done with the n-th element, body being 0. */
static unsigned may_of(const char *html, uint32_t n, apr_pool_t *pool)
{
    const tmpl_page_t *page = check_page(html, pool);
    assert_true(n < page->n_nodes);
    return page->nodes[n].flags & (TMPL_NODE_MARK | TMPL_NODE_CUT);
}

static void ends_that_parsers_see_elsewhere_take_no_mark(void **state)
{
    const unsigned all = TMPL_NODE_MARK | TMPL_NODE_CUT;
    /* each list ends a div: libxml2 gives that the end tag of the div around, and so on */
    const char *torn = "<body><div><section><ul><li>a</li><div>b</ul></section></div><div>c</div>";
    assert_int_equal(may_of(torn, 1, *state), TMPL_NODE_CUT); /* div */
    assert_int_equal(may_of(torn, 2, *state), TMPL_NODE_CUT); /* section */
    assert_int_equal(may_of(torn, 3, *state), TMPL_NODE_CUT); /* ul */
    assert_int_equal(may_of(torn, 4, *state), all);           /* li */
    assert_int_equal(may_of(torn, 6, *state), all);           /* the div behind */
    /* but no further than the cell, whose end tag ends all in it for everybody */
    const char *cell = "<body><div><table><tr><td><ul><div>b</ul></td></tr></table></div>";
    assert_int_equal(may_of(cell, 1, *state) & TMPL_NODE_MARK, TMPL_NODE_MARK);
    assert_int_equal(may_of(cell, 5, *state) & TMPL_NODE_MARK, 0);
    static const char *const whole[] = { "<body><div><table><tr><td><div>b</td></tr></table></div>",
                                         "<body><div><table><tr><td><div>b</table></div>" };
    for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++) {
        assert_int_equal(may_of(whole[i], 1, *state) & TMPL_NODE_MARK, TMPL_NODE_MARK);
    }
}

/* An end tag whose element is not the innermost active one leaves that one active, and it comes back. */
static void an_end_tag_ends_its_own_element(void **state)
{
    /* of four b the outermost is no longer active when it ends: the i still is, and stands in the div, too */
    const char *fourth = "<p><i><b><b><b><b>a</b></b></b></b></p><div><span>b</span></div>";
    const char *third = "<p><i><b><b><b>a</b></b></b></i></p><div><span>b</span></div>";
    assert_int_equal(may_of(fourth, 8, *state), TMPL_NODE_MARK);
    assert_int_equal(may_of(third, 7, *state), TMPL_NODE_MARK | TMPL_NODE_CUT);
    /* the cell's end clears the list to the object's marker; its own stays, so that the b does not come back */
    const char *marker = "<b><table><tr><td><object>a</table></b><div><span>b</span></div>";
    assert_int_equal(may_of(marker, 7, *state), TMPL_NODE_MARK | TMPL_NODE_CUT);
    /* what came back and ends in the div would go on behind it if the div were cut */
    assert_int_equal(may_of("<p><b>a</p><div><img></b>b</div>c", 3, *state), 0);
}

/* Of what is between a formatting element and a block three are opened anew around it: others are active no longer. */
static void three_come_along_with_a_block(void **state)
{
    const char *three =
        "<section><b><i><u><s><div>a</b></div></s></u></section><div><span>b</span></div>";
    const char *four =
        "<section><b><i><u><s><em><div>a</b></div></em></s></u></section><div><span>b</span></div>";
    assert_int_equal(may_of(three, 8, *state), TMPL_NODE_MARK); /* brings the i back */
    assert_int_equal(may_of(four, 9, *state), TMPL_NODE_MARK | TMPL_NODE_CUT);
}

static void attributes_too_many_to_compare_are_declined(void **state)
{
    /* the same name again and again: only the first counts, but each has to be looked at */
    for (unsigned n = 256; n <= 257; n++) {
        const tmpl_page_t *page;
        tmpl_page_opts_t opts = { 0 };
        char *tag = apr_palloc(*state, 2 * n + 4);
        memcpy(tag, "<b", 2);
        for (unsigned i = 0; i < n; i++) {
            memcpy(tag + 2 + (apr_size_t)2 * i, " x", 2);
        }
        memcpy(tag + 2 + (apr_size_t)2 * n, ">", 2);
        const char *html =
            apr_pstrcat(*state, "<p>", tag, tag, tag, tag, "a</p></b></b></b></b>b", NULL);
        assert_int_equal(tmpl_page_parse(&page, html, strlen(html), &opts, *state),
                         n > 256 ? TMPL_DECLINE_UNCOVERED : TMPL_DECLINE_NONE);
    }
}

static void a_secret_changes_every_key(void **state)
{
    const tmpl_page_t *page[2];
    const char *html = "<div>a</div><p>b";
    for (int i = 0; i < 2; i++) {
        tmpl_page_opts_t opts = { .seed = (uint64_t)i };
        assert_int_equal(tmpl_page_parse(&page[i], html, strlen(html), &opts, *state), 0);
    }
    assert_true(page[0]->keys[0] != page[1]->keys[0]);
    assert_true(page[0]->text != page[1]->text);
}

static void equal_text_has_an_equal_hash(void **state)
{
    const tmpl_page_t *a = check_page("<p class=x>a</p><p>b</p><!-- 1 -->", *state);
    const tmpl_page_t *b = check_page("<p>a</p>\n<p id=y>b</p>", *state);
    const tmpl_page_t *c = check_page("<p>b</p><p>a</p>", *state);
    assert_true(a->text == b->text);
    assert_true(a->text != c->text);
}

static void separators_can_be_chosen(void **state)
{
    const char *html = "<p>a</p><p>b</p><div>c</div>d";
    tmpl_tag_set_t only_p = { { 0 } };
    tmpl_error_t err;
    const tmpl_page_t *page;
    assert_int_equal(tmpl_tag_set_add(&only_p, " P\t", &err), APR_SUCCESS);
    tmpl_page_opts_t opts = { .separators = &only_p };
    assert_int_equal(tmpl_page_parse(&page, html, strlen(html), &opts, *state), 0);
    assert_string_equal(segments(page, *state), "0:a|1:b|2:c|2:d");
    assert_int_equal(tmpl_tag_set_add(&only_p, "div blink!", &err), APR_EINVAL);
    assert_non_null(strstr(err.text, "'blink!'"));
}

static void declines_have_reasons(void **state)
{
    static const struct {
        const char *html;
        const char *reason;
    } cases[] = {
        { "", "empty" },
        { "<p></p> &nbsp;", "empty" },
        { "<p>a<div", "truncated" },
        { "<p>a<!-- b", "truncated" },
        { "<p>a<script>b", "truncated" },
        { "<p>a<textarea>b</textareas>", "truncated" },
        { "<p>a<svg><g>", "truncated" },
        { "<p>a<template>", "truncated" },
        { "<frameset><frame></frameset>", "frameset" },
        { "<p>a<plaintext>b", "plaintext" },
        { "<p>a<svg><g></svg>b", "foreign" },
        { "<p>a<svg><div></div></svg>b", "foreign" },
        { "<p>a<noscript><!-- </noscript> --></noscript>b", "uncovered" },
        { "<form><noscript></form>a</noscript>", "uncovered" },
        { "<div><form><noscript></form>a</noscript></div>", "uncovered" },
        { "\xff\xfe<\0p\0", "charset" },
        { "<meta charset=utf-16le><p>a", "charset" },
        { "<meta http-equiv=content-type content='text/html; charset=ISO-2022-JP'><p>a",
          "charset" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const tmpl_page_t *page;
        tmpl_page_opts_t opts = { 0 };
        tmpl_decline_e why =
            tmpl_page_parse(&page, cases[i].html, strlen(cases[i].html), &opts, *state);
        assert_string_equal(tmpl_decline_name(why), cases[i].reason);
        assert_true(strlen(tmpl_decline_text(why)) > 10);
    }
}

/*
 * Tags that are not in the table are known by a number. Two of these names have the same one (XXH32, without its
 * top bit), and others may be the same name to browsers, who read NUL and broken UTF-8 as U+FFFD.
 */
static void unknown_names_are_told_apart(void **state)
{
#define PAGE(html) html, sizeof(html) - 1
    static const struct {
        const char *html;
        size_t len;
        const char *reason;
    } cases[] = {
        { PAGE("<x-48401>a</X-48401><x-48402>b</x-48402>"), "none" },
        { PAGE("<x-217644>a</x-217644>"), "none" },
        { PAGE("<x-48401>a</x-48401><x-217644>b</x-217644>c"), "uncovered" },
        { PAGE("<x-48401><b>a</x-217644>b"), "uncovered" },
        { PAGE("<x\xe9>a</x\xe9>"), "none" },
        { PAGE("<x\xe9>a</x\xc9>"), "uncovered" },
        { PAGE("<x\0>a</x\xef\xbf\xbd>"), "uncovered" },
        { PAGE("<x>a</x\0>"), "uncovered" },
        { PAGE("<p\0>a"), "none" },
    };
#undef PAGE
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const tmpl_page_t *page;
        tmpl_page_opts_t opts = { .charset = "utf-8" };
        tmpl_decline_e why = tmpl_page_parse(&page, cases[i].html, cases[i].len, &opts, *state);
        assert_string_equal(tmpl_decline_name(why), cases[i].reason);
    }
}

/* More names than their table begins with, some that part only behind their first 64 bytes. */
static void unknown_names_may_be_many_and_long(void **state)
{
    enum { NAMES = 3000, ROOM = 256 };
    char *html = apr_palloc(*state, NAMES * ROOM);
    char *to = html;
    for (int i = 0; i < NAMES; i++) {
        to += snprintf(to, ROOM, "<x-%0*d>a</X-%0*d>", i % 3 == 0 ? 100 : 1, i / 2,
                       i % 3 == 0 ? 100 : 1, i / 2);
    }
    const tmpl_page_t *page = check_page(html, *state);
    assert_int_equal(page->n_nodes, NAMES + 1);
    for (uint32_t i = 1; i <= NAMES; i++) {
        assert_true(tmpl_span_len(page->nodes[i].close) > 0);
    }
    const tmpl_page_t *page_of_two;
    tmpl_page_opts_t opts = { 0 };
    const char *two = apr_pstrcat(*state, html, "<x-48401></x-48401><x-217644></x-217644>", NULL);
    assert_int_equal(tmpl_page_parse(&page_of_two, two, strlen(two), &opts, *state),
                     TMPL_DECLINE_UNCOVERED);
    const tmpl_page_t *apart =
        check_page(apr_psprintf(*state, "<x-%0*d><y>a</x-%0*d>b</y>c", 100, 1, 100, 2), *state);
    assert_int_equal(tmpl_span_len(apart->nodes[1].close), 0);
    assert_true(tmpl_span_len(apart->nodes[2].close) > 0);
}

/* A name may hold a NUL, which is none of the table's. */
static void names_with_a_nul_are_unknown(void **state)
{
    (void)state;
    for (int tag = 1; tag < TMPL_TAG_COUNT; tag++) {
        char name[16] = { 0 };
        strcpy(name, tmpl_tag_name((tmpl_tag_e)tag));
        assert_int_equal(tmpl_tag_find(name, strlen(name)), tag);
        for (size_t len = strlen(name) + 1; len <= 10; len++) {
            assert_int_equal(tmpl_tag_find(name, len), TMPL_TAG_OTHER);
        }
    }
}

/*
 * Browsers drop NUL from text, so that it does not bring back formatting elements as other text does: b comes
 * back with the last text here, and not in front of the div.
 */
static void a_nul_brings_nothing_back(void **state)
{
    static const char html[] = "<p><b>a</p>\0<div>b</div>c";
    static const char closed[] = "<p><b>a</b></p>\0<div>b</div>c";
    const tmpl_page_t *page;
    tmpl_page_opts_t opts = { 0 };
    assert_int_equal(tmpl_page_parse(&page, html, sizeof(html) - 1, &opts, *state),
                     TMPL_DECLINE_UNCOVERED);
    assert_int_equal(tmpl_page_parse(&page, closed, sizeof(closed) - 1, &opts, *state),
                     TMPL_DECLINE_NONE);
}

/* docs/declines.md is read from the repository's root, where tests are run. */
static void every_reason_is_documented(void **state)
{
    static char text[32768];
    FILE *file = fopen("docs/declines.md", "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    for (int i = 1; i < TMPL_DECLINE_COUNT; i++) {
        const char *row = apr_psprintf(*state, "\n| %s | ", tmpl_decline_name((tmpl_decline_e)i));
        if (strstr(text, row) == NULL) {
            fail_msg("docs/declines.md has no row for '%s'", tmpl_decline_name((tmpl_decline_e)i));
        }
    }
}

static void limits_hold(void **state)
{
    const tmpl_page_t *page;
    const char *html = "<div><div><div><div>a</div></div></div></div>";
    tmpl_page_opts_t opts = { .max_depth = 3 };
    assert_int_equal(tmpl_page_parse(&page, html, strlen(html), &opts, *state),
                     TMPL_DECLINE_TOO_DEEP);
    opts.max_depth = 8;
    assert_int_equal(tmpl_page_parse(&page, html, strlen(html), &opts, *state), TMPL_DECLINE_NONE);
    html = "<form><div></form><form><div></form><form><div></form><form><div></form>a";
    assert_int_equal(tmpl_page_parse(&page, html, strlen(html), &opts, *state), TMPL_DECLINE_NONE);
    opts.max_depth = 7; /* HTML5's stack is no higher, but eight elements are in each other */
    assert_int_equal(tmpl_page_parse(&page, html, strlen(html), &opts, *state),
                     TMPL_DECLINE_TOO_DEEP);
    html = "<div><div><div><div>a</div></div></div></div>";
    opts.max_depth = 8;
    opts.max_tokens = 7;
    assert_int_equal(tmpl_page_parse(&page, html, strlen(html), &opts, *state),
                     TMPL_DECLINE_TOO_MANY);
    opts.max_tokens = 8;
    assert_int_equal(tmpl_page_parse(&page, html, strlen(html), &opts, *state), TMPL_DECLINE_NONE);
}

/* What each tag has to be searched for in is bounded for the page as a whole. */
static void many_tags_deep_down_are_declined(void **state)
{
    enum { DEEP = 500, TAGS = 70000 };
    const tmpl_page_t *page;
    tmpl_page_opts_t opts = { 0 };
    char *html = apr_palloc(*state, 5 * DEEP + 4 * TAGS);
    for (int i = 0; i < DEEP; i++) {
        memcpy(html + (apr_size_t)i * 5, "<div>", 5);
    }
    for (int i = 0; i < TAGS; i++) {
        memcpy(html + 5 * DEEP + (apr_size_t)i * 4, "</p>", 4);
    }
    assert_int_equal(tmpl_page_parse(&page, html, 5 * DEEP + 4 * TAGS, &opts, *state),
                     TMPL_DECLINE_TOO_MANY);
}

static tmpl_decline_e parse_many(const char *unit, unsigned n, apr_pool_t *pool)
{
    size_t len = strlen(unit);
    const tmpl_page_t *page;
    tmpl_page_opts_t opts = { 0 };
    char *html = apr_palloc(pool, n * len);
    for (unsigned i = 0; i < n; i++) {
        memcpy(html + i * len, unit, len);
    }
    return tmpl_page_parse(&page, html, n * len, &opts, pool);
}

/* What a page takes is bounded by its size; a small one may be as dense as it likes. */
static void pages_of_little_but_tags_are_declined(void **state)
{
    assert_int_equal(parse_many("<li>x", 6000, *state), TMPL_DECLINE_NONE);
    assert_int_equal(parse_many("<li>x", 60000, *state), TMPL_DECLINE_TOO_MANY);
    assert_int_equal(parse_many("<p></p>", 60000, *state), TMPL_DECLINE_EMPTY);
    assert_int_equal(parse_many("<td>1</td>", 60000, *state), TMPL_DECLINE_NONE);
}

static void long_pages_are_whole(void **state)
{
    enum { ELEMENTS = 4000, LEN = 14 };
    static const char unit[] = "<em>text</em>\n";
    const tmpl_page_t *page;
    tmpl_page_opts_t opts = { 0 };
    char *html = apr_palloc(*state, LEN * ELEMENTS);
    for (uint32_t i = 0; i < ELEMENTS; i++) {
        memcpy(html + (apr_size_t)i * LEN, unit, LEN);
    }
    assert_int_equal(tmpl_page_parse(&page, html, LEN * ELEMENTS, &opts, *state),
                     TMPL_DECLINE_NONE);
    assert_int_equal(page->n_nodes, ELEMENTS + 1);
    assert_int_equal(page->n_segments, ELEMENTS);
    for (uint32_t i = 0; i < ELEMENTS; i++) {
        assert_int_equal(page->nodes[i + 1].open.start, i * LEN);
        assert_int_equal(page->nodes[i + 1].close.end, i * LEN + 13);
        assert_int_equal(page->segments[i].span.start, i * LEN + 4);
        assert_int_equal(page->segments[i].node, i + 1);
    }
}

/* NUL bytes and broken UTF-8 are text like any other. */
static void odd_bytes_are_text(void **state)
{
    static const char html[] = "<p>a\0b</p><div>\xff\xfe\x80</div><p\0x>c";
    const tmpl_page_t *page;
    tmpl_page_opts_t opts = { .charset = "utf-8" };
    assert_int_equal(tmpl_page_parse(&page, html, sizeof(html) - 1, &opts, *state),
                     TMPL_DECLINE_NONE);
    assert_int_equal(page->n_segments, 3);
    assert_int_equal(page->segments[0].length, 3);
}

static void attributes_as_html5_reads_them(void **state)
{
    static const char tag[] =
        "<a one two = 2 THREE='3 \"' four=\"x>y\"five /six=a/b =seven one=again/>";
    static const struct {
        const char *name;
        const char *value;
    } expected[] = { { "one", "" },  { "two", "2" },   { "THREE", "3 \"" }, { "four", "x>y" },
                     { "five", "" }, { "six", "a/b" }, { "=seven", "" },    { "one", "again/" } };
    uint32_t at = 2;
    tmpl_attr_t attr;
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        assert_int_equal(tmpl_attr_next(&attr, tag, sizeof(tag) - 1, &at), TMPL_ATTR_FOUND);
        assert_string_equal(apr_pstrmemdup(*state, tag + attr.name.start, tmpl_span_len(attr.name)),
                            expected[i].name);
        assert_string_equal(
            apr_pstrmemdup(*state, tag + attr.value.start, tmpl_span_len(attr.value)),
            expected[i].value);
    }
    assert_int_equal(tmpl_attr_next(&attr, tag, sizeof(tag) - 1, &at), TMPL_ATTR_TAG_END);
    assert_int_equal(at, sizeof(tag) - 1);
    assert_true(tmpl_attr_find(&attr, tag, (tmpl_span_t){ 0, sizeof(tag) - 1 }, "one"));
    assert_int_equal(tmpl_span_len(attr.value), 0); /* the first one counts */
    assert_false(tmpl_attr_find(&attr, tag, (tmpl_span_t){ 0, sizeof(tag) - 1 }, "eight"));
}

/* What looks like a name and a value in quotes at a glance. */
static void quotes_behind_names_may_be_no_values(void **state)
{
    static const char none[] = "<a =\"x\" y=\"z\">";
    uint32_t at = 2;
    tmpl_attr_t attr;
    assert_int_equal(tmpl_attr_next(&attr, none, sizeof(none) - 1, &at), TMPL_ATTR_FOUND);
    assert_int_equal(tmpl_span_len(attr.name), 4);
    assert_int_equal(tmpl_span_len(attr.value), 0);
    const tmpl_page_t *page = check_page("<p x>\"a\" b</p><p>text behind</p>", *state);
    assert_int_equal(page->segments[0].span.start, 5);
    assert_int_equal(page->n_segments, 2);
}

static void charsets_by_mark_header_and_meta(void **state)
{
    static const struct {
        const char *bytes;
        const char *header;
        const char *charset;
    } cases[] = {
        { "<meta charset=koi8-r>", NULL, "koi8-r" },
        { "<meta charset=koi8-r>", "big5", "big5" },
        { "\xef\xbb\xbf<meta charset=koi8-r>", "big5", "utf-8" },
        { "<META http-equiv=x content=\"text/html; charset = EUC-KR\">", NULL, "EUC-KR" },
        { "<p>charset=x</p>", NULL, NULL },
        { "<p>\x1b$B$\"\x1b(B", NULL, "iso-2022-jp" },
        { "<p>\x1b(Ja", NULL, "iso-2022-jp" },
        { "<p>\x1b$B", "utf-8", "utf-8" },
        { "<p>\x1b[1m", NULL, NULL },
        { "<p>\x1b", NULL, NULL },
        { "<p>~{<:Ky~} +ADw-", NULL, NULL },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *found =
            tmpl_charset(cases[i].bytes, strlen(cases[i].bytes), cases[i].header, *state);
        assert_string_equal(found != NULL ? found : "-",
                            cases[i].charset != NULL ? cases[i].charset : "-");
    }
    static const char *const plain[] = { "utf-8",   "windows-1252", "shift_jis",
                                         "gb18030", "euc-jp",       "big5" };
    static const char *const odd[] = { "UTF-16",      "utf-16be",   "utf-7",
                                       "ISO-2022-JP", "hz-gb-2312", "utf-32" };
    for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
        assert_true(tmpl_charset_is_ascii(plain[i]));
        assert_false(tmpl_charset_is_ascii(odd[i]));
    }
    assert_true(tmpl_charset_is_ascii(NULL));
}

static void selectors_match(void **state)
{
    const tmpl_page_t *page =
        check_page("<div id=top class='a note b' role=doc data-x=''>t</div>", *state);
    static const struct {
        const char *selector;
        int matches;
    } cases[] = { { "div", 1 },        { "DIV", 1 },          { "p", 0 },
                  { "#top", 1 },       { "#to", 0 },          { ".note", 1 },
                  { ".not", 0 },       { "div.note#top", 1 }, { "div.note.c", 0 },
                  { "[role]", 1 },     { "[role=doc]", 1 },   { "[role='doc']", 1 },
                  { "[role=do]", 0 },  { "[data-x]", 1 },     { "[data-y]", 0 },
                  { "p[role=doc]", 0 } };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const tmpl_selector_t *selector;
        assert_int_equal(tmpl_selector_parse(&selector, cases[i].selector, NULL, *state),
                         APR_SUCCESS);
        assert_int_equal(tmpl_selector_matches(selector, page, 1), cases[i].matches);
    }
    static const char *const bad[] = { "",   "div p",  "div,p", "#",       ".", "[",
                                       "[x", "[x='y]", "div>",  "a:hover", "*" };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        const tmpl_selector_t *selector;
        tmpl_error_t err;
        assert_int_equal(tmpl_selector_parse(&selector, bad[i], &err, *state), APR_EINVAL);
        assert_non_null(strstr(err.text, bad[i]));
    }
}

static void tags_by_name(void **state)
{
    (void)state;
    assert_int_equal(tmpl_tag_find("BlockQuote", 10), TMPL_TAG_BLOCKQUOTE);
    assert_int_equal(tmpl_tag_find("blockquotes", 11), TMPL_TAG_OTHER);
    assert_int_equal(tmpl_tag_find("h\x16", 2), TMPL_TAG_OTHER); /* '6' but for the bit of case */
    assert_int_equal(tmpl_tag_find("", 0), TMPL_TAG_OTHER);
    for (int tag = 1; tag < TMPL_TAG_COUNT; tag++) {
        const char *name = tmpl_tag_name((tmpl_tag_e)tag);
        assert_int_equal(tmpl_tag_find(name, strlen(name)), tag);
    }
}

static const struct CMUnitTest tests[] = {
    CHECK(segments_stand_in_blocks),
    CHECK(every_node_has_its_tags),
    CHECK(nodes_stand_as_html5_has_them),
    CHECK(keys_are_text_and_path),
    CHECK(white_space_is_collapsed),
    CHECK(quotes_behind_names_may_be_no_values),
    CHECK(a_tag_behind_a_p_is_where_the_p_was),
    CHECK(double_spaces_are_one),
    CHECK(three_of_a_kind_come_back),
    CHECK(ends_that_parsers_see_elsewhere_take_no_mark),
    CHECK(an_end_tag_ends_its_own_element),
    CHECK(three_come_along_with_a_block),
    CHECK(attributes_too_many_to_compare_are_declined),
    CHECK(a_secret_changes_every_key),
    CHECK(equal_text_has_an_equal_hash),
    CHECK(separators_can_be_chosen),
    CHECK(declines_have_reasons),
    CHECK(unknown_names_are_told_apart),
    CHECK(unknown_names_may_be_many_and_long),
    CHECK(names_with_a_nul_are_unknown),
    CHECK(a_nul_brings_nothing_back),
    CHECK(every_reason_is_documented),
    CHECK(limits_hold),
    CHECK(many_tags_deep_down_are_declined),
    CHECK(pages_of_little_but_tags_are_declined),
    CHECK(long_pages_are_whole),
    CHECK(odd_bytes_are_text),
    CHECK(attributes_as_html5_reads_them),
    CHECK(charsets_by_mark_header_and_meta),
    CHECK(selectors_match),
    CHECK(tags_by_name),
};

TAP_MAIN(tests)
