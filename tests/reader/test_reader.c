/* SPDX-License-Identifier: Apache-2.0 */
/* Pages for reading, a row for each rule; what attackers write comes out as text. */
#include "check.h"

#include "reader/reader.h"

/* part: of all blocks; -1: the page was not judged. */
static const char *judged_view_of(const char *html, const char *url, int part, apr_pool_t *pool)
{
    apr_size_t len;
    tmpl_edits_t none = { 0 };
    tmpl_content_t content;
    const tmpl_page_t *page = check_page(html, pool);
    tmpl_verdict_t *verdicts = apr_pcalloc(pool, page->n_blocks * sizeof(*verdicts));
    for (uint32_t i = 0; i < page->n_blocks; i++) {
        verdicts[i].part = (unsigned char)part;
    }
    tmpl_content_opts_t opts = { .url = url,
                                 .charset = "utf-8",
                                 .verdicts = part < 0 ? NULL : verdicts,
                                 .posts = 1,
                                 .languages = 1 };
    assert_true(tmpl_content_read(&content, page, &none, &opts, pool));
    const char *view = tmpl_reader(&len, &content, pool);
    if (view != NULL) {
        assert_int_equal(strlen(view), len);
    }
    return view;
}

static const char *view_of(const char *html, const char *url, apr_pool_t *pool)
{
    return judged_view_of(html, url, -1, pool);
}

/* What is between the header and the end of the article, without line breaks behind end tags. */
static const char *body_of(const char *body, const char *url, apr_pool_t *pool)
{
    const char *html = apr_pstrcat(pool, "<!DOCTYPE html><title>T</title><body>", body, NULL);
    const char *view = view_of(html, url, pool);
    const char *start = strstr(view, "</header>\n") + strlen("</header>\n");
    const char *footer = strstr(start, "<footer>");
    const char *end = footer != NULL ? footer : strstr(start, "</article>");
    char *text = apr_pstrmemdup(pool, start, (apr_size_t)(end - start));
    char *to = text;
    for (const char *from = text; *from != '\0'; from++) {
        if (*from != '\n' || from == text || from[-1] != '>') {
            *to++ = *from;
        }
    }
    *to = '\0';
    return text;
}

typedef struct {
    const char *html, *view;
} view_row_t;

static void check_views(const view_row_t *rows, size_t n, const char *url, apr_pool_t *pool)
{
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(body_of(rows[i].html, url, pool), rows[i].view);
    }
}

#define CHECK_VIEWS(rows, url) check_views(rows, sizeof(rows) / sizeof((rows)[0]), url, *state)

static void blocks(void **state)
{
    static const view_row_t rows[] = {
        { "a<p>b</p><div>c<div>d</div></div>", "<p>a</p><p>b</p><p>c</p><p>d</p>" },
        { "<b>a<h2>b</h2>c</b>", "<p><b>a</b></p><h2><b>b</b></h2><p><b>c</b></p>" },
        { "<p>a<br>b<br><br>c<br></p>", "<p>a<br>b</p><p>c</p>" },
        { "<h4>a</h4><h6>b</h6><h1>c</h1><h2>d</h2>", "<h2>a</h2><h3>b</h3><h2>c</h2><h3>d</h3>" },
        { "<h2>a<div>b</div></h2><h3> </h3><h3><img src=/x></h3>x",
          "<h2>a b</h2><p><img src=\"/x\" alt=\"\" loading=\"lazy\"></p><p>x</p>" },
        { "<h1>T</h1><p>x</p>", "<p>x</p>" },
        { "<h1>T&shy;<a href=#x>\xC2\xB6</a></h1><p>x</p>", "<p>x</p>" },
        { "x<hr><hr>y<hr>", "<p>x</p><hr><p>y</p>" },
        { "<blockquote>a<blockquote>b</blockquote></blockquote>",
          "<blockquote><p>a</p><blockquote><p>b</p></blockquote></blockquote>" },
        { "<details open onclick=x()><summary>a</summary>b</details><summary>c</summary>",
          "<details><summary>a</summary><p>b</p></details><p>c</p>" },
        { "<figure><img src=/x alt=y><figcaption>z</figcaption></figure><figcaption>q",
          "<figure><p><img src=\"/x\" alt=\"y\" loading=\"lazy\"></p><figcaption>z</figcaption>"
          "</figure><p>q</p>" },
        { "<pre>\n a\n  b &lt;</pre><pre class='language-c'><b>x</b></pre>",
          "<pre><code> a\n  b &lt;</code></pre><pre><code class=\"language-c\">x</code></pre>" },
        { "<div class='admonition note'>x</div>",
          "<div class=\"note\" role=\"note\"><p>x</p></div>" },
        { "<section></section><ul><li></li></ul><p> </p>x", "<p>x</p>" },
    };
    CHECK_VIEWS(rows, NULL);
}

static void lists(void **state)
{
    static const view_row_t rows[] = {
        { "<ul>x<li>a<p>b</p><ul><li>c</ul><ul><li>d</ul></ul>",
          "<ul><li>x</li><li>a<p>b</p><ul><li>c</li></ul><ul><li>d</li></ul></li></ul>" },
        { "<ul><li>a</li><ol><li>b</ol></ul>", "<ul><li>a</li><li><ol><li>b</li></ol></li></ul>" },
        { "<ol start=3 reversed type=a><li value=7>a<li value=x>b</ol>",
          "<ol start=\"3\" type=\"a\" reversed><li value=\"7\">a</li><li>b</li></ol>" },
        { "<li>a<dd>b<dt>c", "<p>a</p><p>b</p><p>c</p>" },
        { "<dl><dt>a<dd>b<p>c</dl>", "<dl><dt>a</dt><dd>b<p>c</p></dd></dl>" },
        { "<dl><div><dt>a<dd>b</div>x</dl>", "<dl><dt>a</dt><dd>b</dd><dd>x</dd></dl>" },
        { "<dl><dt>a</dl><dl><dd>b</dl>", "<p>a</p><p>b</p>" },
    };
    CHECK_VIEWS(rows, NULL);
}

static void tables(void **state)
{
#define BOX "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"Table 1\"><table>"
    static const view_row_t rows[] = {
        { "<table><tr><th>a<th>b<tr><td>c<td><svg><title>Yes</title></svg></table>",
          BOX "<tbody><tr><th scope=\"col\">a</th><th scope=\"col\">b</th></tr>"
              "<tr><td>c</td><td>Yes</td></tr></tbody></table></div>" },
        { "<table><caption>C</caption><tr><th>a<th>b<tr><th>c<td colspan=2 rowspan=9999>d</table>",
          BOX "<caption>C</caption><tbody><tr><th scope=\"col\">a</th><th scope=\"col\">b</th></tr>"
              "<tr><th scope=\"row\">c</th><td colspan=\"2\">d</td></tr></tbody></table></div>" },
        { "<table><thead><tr><td>a<td>b<tbody><tr><td>c<td></table>",
          BOX "<thead><tr><th scope=\"col\">a</th><th scope=\"col\">b</th></tr></thead><tbody><tr>"
              "<td>c</td><td></td></tr></tbody></table></div>" },
        { "<table><tr><td>a<td><h2>b</h2>c</table>", "<p>a</p><h2>b</h2><p>c</p>" },
        { "<table><tr><th>x<th><h3>a</h3><tr><td>b<td>c</table>", BOX
          "<tbody><tr><th scope=\"col\">x</th><th scope=\"col\">a</th></tr><tr><td>b</td><td>c</td>"
          "</tr></tbody></table></div>" },
        { "<table><tr><td>a<td>b<ul><li>c</ul><tr><td>d<td>e</table>",
          BOX "<tbody><tr><td>a</td><td>b<ul><li>c</li></ul></td></tr><tr><td>d</td><td>e</td></tr>"
              "</tbody></table></div>" },
    };
    CHECK_VIEWS(rows, NULL);
}

static void links(void **state)
{
    static const view_row_t rows[] = {
        { "<a href='b?c=1&amp;copy=2#d'>x</a>",
          "<p><a href=\"https://a.example/p/b?c=1&amp;copy=2#d\">x</a></p>" },
        /* a heading needs no link to the page itself */
        { "<h2><a href=q>a</a></h2><h2><a href=r>b</a></h2>",
          "<h2>a</h2><h2><a href=\"https://a.example/p/r\">b</a></h2>" },
        { "<a href='javascript:x()'>a</a> <a href=' JAVA&#9;SCRIPT:x()'>b</a> <a "
          "href=data:,x>c</a> "
          "<a href=ftp://x/>d</a> <a href=mailto:a@b>e</a>",
          "<p>a b c <a href=\"ftp://x/\">d</a> <a href=\"mailto:a@b\">e</a></p>" },
        { "<a href=/x>a<b>b</b></a><a href=/y>c</a>",
          "<p><a href=\"https://a.example/x\">a<b>b</b></a> <a href=\"https://a.example/y\">c</a>"
          "</p>" },
        { "<a href=/x>or</a><a href=/x>der</a><a href=/x>S</a>",
          "<p><a href=\"https://a.example/x\">or</a><a href=\"https://a.example/x\">der</a> "
          "<a href=\"https://a.example/x\">S</a></p>" },
        { "<a href=/x><img src=i.png></a> <a href=/x><img src=i.png alt=I width=10 height=x></a>",
          "<p><img src=\"https://a.example/p/i.png\" alt=\"\" loading=\"lazy\"> "
          "<a href=\"https://a.example/x\"><img src=\"https://a.example/p/i.png\" alt=\"I\" "
          "width=\"10\" loading=\"lazy\"></a></p>" },
        { "<a href=/x><div>a</div><h3>b</h3>c</a>",
          "<p>a</p><h2><a href=\"https://a.example/x\">b</a></h2><p>c</p>" },
        { "<a href=/x><div>a</div><div>c</div></a>",
          "<p><a href=\"https://a.example/x\">a</a></p><p>c</p>" },
        { "x<a href=#n>1</a><p id=n>y<p id=q>z<a href=#m>m</a>",
          "<p>x<a href=\"#n\">1</a></p><p><span id=\"n\"></span>y</p>"
          "<p>z<a href=\"https://a.example/p/q#m\">m</a></p>" },
        { "<a href='https://a.example/p/q#n'>1</a><a name=n></a>y",
          "<p><a href=\"#n\">1</a> <span id=\"n\"></span>y</p>" },
        { "x<video controls title='V&gt;'><source src=/v.mp4></video><audio src=data:,></audio>",
          "<p>x</p><p><a href=\"https://a.example/v.mp4\">V&gt;</a></p>" },
    };
    CHECK_VIEWS(rows, "https://a.example/p/q");
}

static void texts(void **state)
{
    static const view_row_t rows[] = {
        { "&lt;script&gt;x&lt;/script&gt; &amp;amp; &quot;", "<p>&lt;script&gt;x&lt;/script&gt; "
                                                             "&amp;amp; &quot;</p>" },
        { "<p onclick=x() style=color:red class=a>x<img src=/x onerror=x() alt='\"><script>'>",
          "<p>x<img src=\"/x\" alt=\"&quot;&gt;&lt;script&gt;\" loading=\"lazy\"></p>" },
        { "ab\xC2\x9F\xC2\xA0", "<p>ab\xC2\xA0</p>" },
        { "<em>a<em>b</em>c</em><tt>d</tt><strike>e</strike><font color=red>f</font>",
          "<p><em>abc</em><code>d</code><s>e</s>f</p>" },
        { "<p lang=fr>a</p><span lang=de dir=LTR>b</span><span lang='x\"'>c</span><i dir=rtl>d</i>",
          "<div lang=\"fr\"><p>a</p></div><p><span lang=\"de\" dir=\"LTR\">b</span><span>c</span>"
          "<i dir=\"rtl\">d</i></p>" },
        { "x<math display=block href=javascript:x()><mi "
          "onclick=x()>a<b>b</b></mi><script>x</script>"
          "<annotation>t</annotation></math>",
          "<p>x</p><div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"Formula 1\"><p>"
          "<math display=\"block\"><mi>ab</mi>x</math></p></div>" },
        { "<ruby>a<rp>(</rp><rt>b</rt><rp>)</rp></ruby><time datetime='2025-01-02' x=y>c</time>",
          "<p><ruby>a<rt>b</rt></ruby><time datetime=\"2025-01-02\">c</time></p>" },
    };
    CHECK_VIEWS(rows, NULL);
}

static void posts(void **state)
{
    static const char one[] = "<div class=comment><span class=author>Ann Lee</span> "
                              "<time datetime=2025-01-02>2 Jan 2025</time><p>A comment that says "
                              "something about the article, in a sentence.</p></div>";
    const char *body = body_of(
        apr_pstrcat(*state, "<p>Text of the article.</p><div>", one, one, one, "</div>", NULL),
        NULL, *state);
    assert_non_null(strstr(body, "<details open><summary lang=\"en\">Comments (3)</summary>"
                                 "<section class=\"post\"><h2 class=\"by\">Ann Lee \xC2\xB7"));
    assert_non_null(strstr(body, "</section></details>"));
}

/* The heading says who and when: what says it again goes, with numbers; names in the text stay. */
static void posts_say_once(void **state)
{
    static const char post[] =
        "<article class=message><div class=head><a class=username href=/ann>Ann Lee</a> \xC2\xB7 "
        "<a href=#p1>#3</a> \xC2\xB7 Posted <time datetime=2025-01-02T10:00:00Z>2 Jan</time></div>"
        "<div class=message-body><p>As <b>Ann Lee</b> says: a sentence of some words on it.</p>"
        "<p>Further words, which stand in a second sentence.</p></div></article>";
    const char *body = body_of(apr_pstrcat(*state, post, post, post, NULL), NULL, *state);
    static const char one[] =
        "<section class=\"post\"><h2 class=\"by\">Ann Lee \xC2\xB7 <time "
        "datetime=\"2025-01-02T10:00:00Z\">2 Jan</time></h2><p>As <b>Ann Lee</b> says: a sentence "
        "of some words on it.</p><p>Further words, which stand in a second sentence.</p></section>";
    assert_string_equal(body, apr_pstrcat(*state, one, one, one, NULL));
    body =
        body_of("<div class=comment><span class=author>Ann</span><time "
                "datetime=2025-01-02T10:00:00Z></time><p>A sentence of some words on it.</p></div>"
                "<div class=comment><span class=author>Bo</span><time "
                "datetime=2025-01-03T10:00:00Z></time><p>Words of another sentence.</p></div>",
                NULL, *state);
    assert_non_null(strstr(body, "<time datetime=\"2025-01-02T10:00:00Z\">2025-01-02</time>"));
}

static void head(void **state)
{
    const char *view = view_of("<html lang=AR><title>A &lt; B</title><link rel=canonical "
                               "href='https://a.example/x?a&amp;b'><body>text",
                               NULL, *state);
    assert_non_null(strstr(view, "<html lang=\"AR\" dir=\"rtl\">"));
    assert_non_null(strstr(view, "<title>A &lt; B</title>"));
    assert_non_null(strstr(view, "<h1>A &lt; B</h1>"));
    assert_non_null(strstr(view, "rel=\"canonical\" href=\"https://a.example/x?a&amp;b\""));
    assert_non_null(
        strstr(view, "<footer><p lang=\"en\"><a href=\"https://a.example/x?a&amp;b\">"));
    assert_non_null(strstr(view, tmpl_reader_policy));
    view = view_of("<html lang=English><title>A</title><script type=application/ld+json>{\"@type\":"
                   "\"Product\",\"name\":\"A\",\"aggregateRating\":{\"ratingValue\":\"4.2484\","
                   "\"bestRating\":\"5\"},"
                   "\"publisher\":{\"name\":\"https://a.example/#me\"}}</script><body>text",
                   NULL, *state);
    assert_non_null(strstr(view, "<html>"));
    assert_non_null(strstr(view, "<p>4.25/5</p>"));
    assert_true(strlen(tmpl_reader_style) < 3 * 1024);
}

/* A block below the headline that says its line again is left out; other blocks stay. */
static void byline(void **state)
{
    static const struct {
        const char *block;
        int stays;
    } rows[] = { { "By <a href=/ann>Ann Lee</a>", 0 },
                 { "Ann Lee \xE2\x80\xA2 Published on 3rd of May 2025", 0 },
                 { "Ver\xC3\xB6"
                   "ffentlicht am Samstag, 3. Mai 2025 von Ann Lee",
                   0 },
                 { "Updated 3 May 2025", 1 },
                 { "Ann Lee \xE2\x80\xA2 Posted on May 3rd, 2025", 0 },
                 { "3 May 2025", 0 },
                 { "Ann Lee and Ann Lee, 7:47 am EST on May 3, 2025", 0 },
                 { "Ann Lee, EST", 1 },
                 { "2025-05-03", 0 },
                 { "4 May 2025", 1 },
                 { "3", 1 },
                 { "By Bo Hu", 1 },
                 { "Boats\xE2\x84\xA2 of \xC3\xA9", 1 },
                 { "\xE2\x84\xA2 \xE2\x84\xA2", 1 },
                 { "Ann Lee, reporter", 1 } };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        static const struct {
            int part, stays;
        } judged[] = { { -1, 0 }, { TMPL_PART_BYLINE, 0 }, { TMPL_PART_BODY, 1 } };
        int is_date = strchr("34", *rows[i].block) != NULL || *rows[i].block == '2';
        const char *html =
            apr_pstrcat(*state,
                        "<title>A title of words</title><meta name=author content='Ann Lee'>"
                        "<meta property=article:published_time content=2025-05-03T10:00:00Z>"
                        "<h1>A title of words</h1><div>",
                        rows[i].block, "</div><p>Text.</p>", NULL);
        for (size_t k = 0; k < sizeof(judged) / sizeof(judged[0]); k++) {
            const char *view = judged_view_of(html, NULL, judged[k].part, *state);
            const char *body = strstr(view, "</header>\n");
            assert_int_equal(strncmp(body + 10, "<p>Text.</p>", 12) != 0,
                             rows[i].stays || (is_date && judged[k].stays));
        }
    }
}

/* Deep nesting is flat, and what would be very long is none. */
static void limits(void **state)
{
    const char *deep = "", *links = "";
    for (int i = 0; i < 400; i++) {
        deep = apr_pstrcat(*state, deep, "<blockquote>", NULL);
        links = apr_pstrcat(*state, links, "<a href=x>y</a>", NULL);
    }
    const char *body = body_of(apr_pstrcat(*state, deep, "x", NULL), NULL, *state);
    assert_non_null(strstr(body, "<p>x</p></blockquote>"));
    char *base = memset(apr_pcalloc(*state, 2001), 'a', 2000);
    assert_null(
        view_of(apr_pstrcat(*state, "<base href='https://a.example/", base, "/'>", links, NULL),
                "https://a.example/", *state));
}

static const struct CMUnitTest tests[] = {
    CHECK(blocks), CHECK(lists),          CHECK(tables), CHECK(links),  CHECK(texts),
    CHECK(posts),  CHECK(posts_say_once), CHECK(head),   CHECK(byline), CHECK(limits),
};

TAP_MAIN(tests)
