/* SPDX-License-Identifier: Apache-2.0 */
/* bytes -> page: which text is a segment of which block, with which key. */
#include "check.h"

#include <stdio.h>

#include "base/ascii.h"

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
        /* comments and processing instructions divide segments, too (Wang et al., 2.1) */
        { "<body>a<!-- x -->b<?pi?>c", "0:a|0:b|0:c" },
        /* what is not displayed is not a segment */
        { "<head><title>t</title><style>s</style></head><body>a<script>if (a<b) c</script>"
          "<textarea>d</textarea><select><option>e</select><noscript>f</noscript>"
          "<svg><text>g</text></svg><template>h</template>i",
          "0:a|0:i" },
        { "<body> \n&nbsp; \xc2\xa0<div>&#160;</div>a", "0:a" },
        /* an image and a link without text count by their address */
        { "<body><a href=/x><img src=l.png></a><a href=/y></a><img>a",
          "0:<img src=l.png>|0:<a href=/y>|0:a" },
        /* frequent markup of real pages */
        { "<p>a<p>b</p></p>c</div>d", "0:a|0:b|0:c|0:d" },
        { "</html><body>late<div>body</div></body>more", "0:late|1:body|2:more" },
        { "<div title='>' class=\"<p>\">a</div>", "0:a" },
        { "a < b <3 </ c>d", "0:a < b <3 |0:d" },
        { "<!--><div>a</div><!---><div>b</div><!-- --!>c", "0:a|1:b|2:c" },
        { "\xef\xbb\xbf<p>bom", "0:bom" },
        { "<script><!-- <script> </script> --></script>a", "0:a" },
        { "<script><!--- --> <script> </script>a", "0:a" },
        { "<script><!-- a <script> b </script> c </script>d", "0:d" },
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

/* The page's segments, with a space between boxes that a browser sets apart. */
static void boxes_that_touch_are_told_from_words(void **state)
{
    static const struct {
        const char *html, *text;
    } cases[] = {
        { "<li><span class=a>45 g</span><span class=b>sugar</span>", "45 g sugar" },
        { "<li><span>45</span><span>dl</span><span>mj\xc3\xb6lk</span>", "45 dl mj\xc3\xb6lk" },
        { "<li><label><i class=x>g</i></label><b>smak</b>", "g smak" },
        { "<p><span class=a>1,200</span><span class=b>plugins</span>", "1,200 plugins" },
        { "<p><a href=a>Home</a><a href=b>Away</a>", "Home Away" },
        { "<p><b>Time:</b><time>now</time>", "Time: now" },
        { "<li><span>Basic</span><span>$9</span>", "Basic $9" },
        { "<li><span class=a>In a box.</span><span class=b>Then</span>", "In a box. Then" },
        { "<p><b>Price:</b>Low <cite>Ann wrote:</cite>Yes", "Price: Low Ann wrote: Yes" },
        { "<h1><a>Gtk</a><span class=sep></span><a>Dialog</a><i class=sep></i>run</h1>",
          "Gtk Dialog run" },
        { "<dl><dt><cite>tags</cite><span class=a>list</span></dl>", "tags list" },
        { "<li><b class=a>\xf0\x9f\x94\xac</b><b>This</b>", "\xf0\x9f\x94\xac This" },
        /* the number of a step */
        { "<li><span>1</span>Preheat", "1 Preheat" },
        { "<p>2.<b>\xc3\x96l</b>", "2. \xc3\x96l" },
        { "<p><i class=a>3)</i><b>Wash</b>", "3) Wash" },
        { "<p><b>3</b>D, <b>2</b>nd <b>3</b>Be", "3D, 2nd 3Be" },
        { "<p><b>5</b>GHz", "5GHz" },
        { "<p><b>2</b>\xc3\xa8me", "2\xc3\xa8me" },
        { "<p><sup>1</sup>See", "1See" },
        { "<p><code><b>1</b>Ab</code>", "1Ab" },
        { "<p><b>2013</b>And", "2013And" },
        /* parts of words, numbers and names */
        { "<p><b>H</b>ello <span>T</span>he H<sub>2</sub>O", "Hello The H2O" },
        { "<p><span class=a>wor</span><span class=b>ds</span>", "words" },
        { "<p><em><span class=a>wor</span><span class=b>ds</span></em>", "words" },
        { "<li><span class=a>O</span><span class=a>nce</span>", "Once" },
        { "<li><span class=a>H</span><span class=a>i</span>", "Hi" },
        { "<li><span class=a>12</span><span class=a>99</span>", "1299" },
        { "<li><span style=x>wor</span><span style=x>ds</span>", "words" },
        { "<li><font class=a>wor</font><span class=a>ds</span>", "words" },
        { "<li><span class=a>std::</span><span class=a>map</span>", "std::map" },
        { "<li><span class=a>java.</span><span class=a>Util</span>", "java.Util" },
        { "<p>xsl:<b>If</b>:Home<b>a:</b>b", "xsl:If:Homea:b" },
        { "<p>wor<span class=a id=b></span>ds<span></span>", "words" },
        { "<li><a href=x>wor</a><a href=x>ds</a>", "words" },
        { "<li><code><span class=a>int</span><span class=a>x1</span></code>", "intx1" },
        { "<li><span class=a>(</span><span class=a>Ann</span><span class=a>,</span>", "(Ann," },
        { "<li><span class=a>\xe2\x80\x94</span><span class=a>Ann</span>", "\xe2\x80\x94"
                                                                           "Ann" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const tmpl_page_t *page = check_page(cases[i].html, *state);
        const char *text = "";
        for (uint32_t s = 0; s < page->n_segments; s++) {
            text = apr_pstrcat(*state, text, page->segments[s].boxed ? " " : "",
                               check_bytes(page, page->segments[s].span, *state), NULL);
        }
        assert_string_equal(text, cases[i].text);
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

/*
 * The address of a placeholder, which a script replaces, may differ by page though the picture does
 * not.
 */
static void a_picture_in_place_of_another_is_known_by_its_tag(void **state)
{
    static const struct {
        const char *html;
        uint32_t keys;
    } cases[] = {
        { "<p><img src=picture.gif alt=a><p><img src=picture.gif alt=b>", 1 },
        { "<p><img src=picture.gif data-src=a><p><img src=picture.gif data-src=b>", 2 },
        { "<p><img src=picture.gif data-src=a><p><img src=picture.gif data-src=a>", 1 },
        { "<p><img src='data:,xxxx' srcset=a><p><img src='data:,xxxx' srcset=b>", 2 },
        { "<p><img src='data:,xxxx'><p><img src='data:,xxxx'>", 1 },
        { "<p><img src=data.gif alt=a><p><img src=data.gif alt=b>", 1 },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const tmpl_page_t *page = check_page(cases[i].html, *state);
        assert_int_equal(page->n_segments, 2);
        assert_int_equal(page->n_keys, cases[i].keys);
    }
}

/* White space anywhere in texts of any length: the key is that of the collapsed text. */
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
        /* texts near the end of the page take another path */
        const char *behind = i % 2 == 0 ? "" : "<!-- more than sixteen bytes -->";
        const char *text = apr_pstrmemdup(pool, html, len);
        const tmpl_page_t *a = check_page(apr_pstrcat(pool, text, behind, NULL), pool);
        const tmpl_page_t *b = check_page(apr_pstrmemdup(pool, plain, n), pool);
        assert_int_equal(a->segments[0].length, n - 3);
        assert_true(a->keys[0] == b->keys[0]);
    }
}

/* Two spaces at any distance, anywhere in the text. */
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

/* NUL and broken UTF-8 are text. */
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

static void a_meta_element_forbids_the_index(void **state)
{
    static const struct {
        const char *html;
        int forbids;
    } cases[] = {
        { "<meta name=Robots content=' NOINDEX, follow'><p>a", 1 },
        { "<meta name=robots content=none><p>a", 1 },
        { "<meta name=robots content='index, noindexes'><p>a", 0 },
        { "<meta name=robots><meta name=generator content=noindex><p>a", 0 },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(check_page(cases[i].html, *state)->forbids_index, cases[i].forbids);
    }
}

/* Each text in an element may ask for its attributes. */
static void repeated_attributes_have_a_limit(void **state)
{
    enum { MANY = 1000 };
    char *html = apr_palloc(*state, 16 * MANY + 64);
    char *end = html + sprintf(html, "<p class=a");
    for (unsigned i = 0; i < MANY; i++) {
        end += sprintf(end, " class=b");
    }
    sprintf(end, " id=last>t");
    const tmpl_page_t *page = check_page(html, *state);
    const tmpl_node_t *p = &page->nodes[page->segments[0].node];
    const tmpl_known_attr_t *class = tmpl_node_attr(page, p, TMPL_ATTR_CLASS);
    const tmpl_known_attr_t *id = tmpl_node_attr(page, p, TMPL_ATTR_ID);
    assert_string_equal(check_bytes(page, class->value, *state), "a");
    assert_string_equal(check_bytes(page, id->value, *state), "last");
    assert_true(id - class < 64);
}

static const struct CMUnitTest tests[] = {
    CHECK(segments_stand_in_blocks),
    CHECK(boxes_that_touch_are_told_from_words),
    CHECK(every_node_has_its_tags),
    CHECK(a_picture_in_place_of_another_is_known_by_its_tag),
    CHECK(keys_are_text_and_path),
    CHECK(white_space_is_collapsed),
    CHECK(double_spaces_are_one),
    CHECK(a_secret_changes_every_key),
    CHECK(equal_text_has_an_equal_hash),
    CHECK(separators_can_be_chosen),
    CHECK(long_pages_are_whole),
    CHECK(odd_bytes_are_text),
    CHECK(a_meta_element_forbids_the_index),
    CHECK(repeated_attributes_have_a_limit),
};

TAP_MAIN(tests)
