/* SPDX-License-Identifier: Apache-2.0 */
/* What elements are, whoever writes them: one page, as Markdown and as a reader view. */
#include "check.h"

#include "markdown/markdown.h"
#include "reader/reader.h"

#define SPACES_100                                                                                 \
    "                                                  "                                           \
    "                                                  "
#define SPACES_1000                                                                                \
    SPACES_100 SPACES_100 SPACES_100 SPACES_100 SPACES_100 SPACES_100 SPACES_100 SPACES_100        \
        SPACES_100 SPACES_100

/* The content of a page without a title, without what stands around it. */
static const char *form_of(const char *body, int view, apr_pool_t *pool)
{
    apr_size_t len;
    tmpl_edits_t none = { 0 };
    tmpl_content_t content;
    tmpl_content_opts_t opts = { .charset = "utf-8", .posts = 1, .languages = view };
    const char *html = apr_pstrcat(pool, "<!DOCTYPE html><body>", body, NULL);
    assert_true(tmpl_content_read(&content, check_page(html, pool), &none, &opts, pool));
    if (!view) {
        const char *markdown = tmpl_markdown(&len, &content, NULL, pool);
        return apr_pstrmemdup(pool, markdown, len - 1);
    }
    const char *at = strstr(tmpl_reader(&len, &content, pool), "</header>\n") + 10;
    const char *end = strstr(at, "\n</article>");
    char *text = apr_pstrmemdup(pool, at, (apr_size_t)(end - at)), *to = text;
    for (const char *from = text; *from != '\0'; from++) {
        if (*from != '\n') {
            *to++ = *from;
        }
    }
    *to = '\0';
    return text;
}

static void elements_mean_the_same(void **state)
{
    static const struct {
        const char *html, *markdown, *view;
    } rows[] = {
        { "<a href='/cdn-cgi/l/email-protection#422302276c2d3025'>[email&#160;protected]</a>",
          "[a@e.org](mailto:a@e.org)", "<p><a href=\"mailto:a@e.org\">a@e.org</a></p>" },
        { "<a href='/cdn-cgi/l/email-protection#422302276c2d3025'>Write</a>",
          "[Write](mailto:a@e.org)", "<p><a href=\"mailto:a@e.org\">Write</a></p>" },
        { "<div class=x role=heading aria-level=3>a</div>b", "### a\n\nb", "<h2>a</h2><p>b</p>" },
        { "<x-y class=x role=heading aria-level=2>a</x-y>b", "## a\n\nb", "<h2>a</h2><p>b</p>" },
        { "<div class=x role=heading aria-level=3><p>a</div>", "a", "<p>a</p>" },
        { "<i class=material-icons>arrow_forward</i> a", "a", "<p>a</p>" },
        { "<i class=other>a</i>", "_a_", "<p><i>a</i></p>" },
        { "a <img src=i class=wp-smiley alt=':-)'>", "a :-)", "<p>a :-)</p>" },
        { "a <img src=i alt=':roll:'>", "a :roll:", "<p>a :roll:</p>" },
        { "<img src=i alt=a><img src=i alt=a>", "![a](i)",
          "<p><img src=\"i\" alt=\"a\" loading=\"lazy\"></p>" },
        { "a<p><img src=i alt='Close icon'><img src=j alt='Loading...'><img src=k alt='+'>", "a",
          "<p>a</p>" },
        { "<h1>a</h1><div> <h2><a href=x>A</a></h2></div><h2>a b</h2>c",
          "---\ntitle: \"a\"\n---\n\n# a\n\n## a b\n\nc", "<h2>a b</h2><p>c</p>" },
        { "<ul><li><h3>a</h3><li>b<li>c<li><h3>d</h3><li>e</ul>",
          "### a\n\n- b\n- c\n\n### d\n\n- e",
          "<ul><li><h2>a</h2></li><li>b</li><li>c</li><li><h2>d</h2></li><li>e</li></ul>" },
        { "<ul><li><h3>a</h3><li><h3>b</h3></ul>", "- ### a\n- ### b",
          "<ul><li><h2>a</h2></li><li><h2>b</h2></li></ul>" },
        { "<a href=ftp://x/>a</a> <a href='sms:1'>b</a> <a href='data:,x'>c</a>",
          "[a](ftp://x/) [b](sms:1) c",
          "<p><a href=\"ftp://x/\">a</a> <a href=\"sms:1\">b</a> c</p>" },
        { "<aside class='alert alert-info'>a</aside>", "> [!NOTE]\n> a",
          "<div class=\"note\" role=\"note\"><p>a</p></div>" },
        { "<code class='block language-c'>a</code>", "```c\na\n```",
          "<pre><code class=\"language-c\">a</code></pre>" },
        { "<p>1 \xC2\xB7 <a class=src href=s>source</a><p>|<p><b>b</b> \xE2\x80\xA2<br>a "
          "\xE2\x80\xA2\xE2\x80\xA2",
          "1\n\n**b**\\\na \xE2\x80\xA2\xE2\x80\xA2",
          "<p>1</p><p><b>b</b><br>a \xE2\x80\xA2\xE2\x80\xA2</p>" },
        { "<dl><dt>,<dd>a</dl>", "- **,**: a", "<dl><dt>,</dt><dd>a</dd></dl>" },
        { "<table><tr><td>a<td><p>\xE2\x80\xA2</p><tr><td>b<td>|</table>",
          "|  |  |\n| --- | --- |\n| a | \xE2\x80\xA2 |\n| b | \\| |",
          "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"Table 1\"><table><tbody>"
          "<tr><td>a</td><td>\xE2\x80\xA2</td></tr><tr><td>b</td><td>|</td></tr></tbody></table></"
          "div>" },
        { "<div class='a d-none'><p>for two screens</div><div class=d-md-none><p>for two "
          "screens</div>"
          "<b class=t>5 b</b> <b class=mobile-t>5 b</b>",
          "for two screens\n\n**5 b** **5 b**",
          "<p>for two screens</p><p><b>5 b</b> <b>5 b</b></p>" },
        /* equal rows and items are no twins */
        { "<ul><li class=x>said by two</li><li class=hidden>said by "
          "two</li></ul><dl><dt>a<dd>/</dl>",
          "- said by two\n- said by two\n\n+ **a**: /",
          "<ul><li>said by two</li><li>said by two</li></ul><dl><dt>a</dt><dd>/</dd></dl>" },
        { "<h2 class=a>a column is one</h2><h2 class=b>a column is one</h2>",
          "## a column is one\n\n## a column is one",
          "<h2>a column is one</h2><h2>a column is one</h2>" },
        /* paragraphs that are items: a dash is a sign only behind a line break */
        { "<ul><li>x</ul><p>\xE2\x80\xA2"
          " a<p>\xE2\x80\xA2"
          " <b>b</b><br>c<p>d<p>\xE2\x80\xA2"
          " e",
          "- x\n\n+ a\n+ **b**\\\nc\n\nd\n\n\xE2\x80\xA2"
          " e",
          "<ul><li>x</li></ul><p>\xE2\x80\xA2"
          " a</p><p>\xE2\x80\xA2"
          " <b>b</b><br>c</p><p>d</p><p>\xE2\x80\xA2"
          " e</p>" },
        { "e<br>- a<br>- b<p>- c<p>- d", "e\n\n- a\n- b\n\n\\- c\n\n\\- d",
          "<p>e<br>- a<br>- b</p><p>- c</p><p>- d</p>" },
        { "<blockquote>\xE2\x80\xA2"
          " a<p>\xE2\x80\xA2"
          " b</blockquote>\xE2\x80\xA2"
          " c<p>\xE2\x80\xA2"
          " 1. d",
          "> - a\n> - b\n\n\xE2\x80\xA2"
          " c\n\n\xE2\x80\xA2"
          " 1. d",
          "<blockquote><p>\xE2\x80\xA2"
          " a</p><p>\xE2\x80\xA2"
          " b</p></blockquote><p>\xE2\x80\xA2"
          " c</p><p>\xE2\x80\xA2"
          " 1. d</p>" },
        { "<ul><li>\xE2\x80\xA2"
          " a<li>\xE2\x80\xA2"
          " b</ul>",
          "- \xE2\x80\xA2"
          " a\n- \xE2\x80\xA2"
          " b",
          "<ul><li>\xE2\x80\xA2"
          " a</li><li>\xE2\x80\xA2"
          " b</li></ul>" },
        { "<menu><li>a</menu><dir><li>b</dir>", "- a\n\n+ b",
          "<ul><li>a</li></ul><ul><li>b</li></ul>" },
        { "<kbd>a</kbd> <samp>b</samp>", "`a` `b`", "<p><kbd>a</kbd> <samp>b</samp></p>" },
        { "<legend>a</legend>b", "a\n\nb", "<p>a</p><p>b</p>" },
        { "a<button>b</button>c", "a b c", "<p>a b c</p>" },
        { "<ruby>a<rt>b</rt></ruby>", "a(b)", "<p><ruby>a<rt>b</rt></ruby></p>" },
        { "<ruby>a<rp>[</rp><rt>b</rt><rp>]</rp></ruby>", "a[b]",
          "<p><ruby>a<rt>b</rt></ruby></p>" },
        { "a<span class='price__badge-sale'>Sale</span>", "a", "<p>a</p>" },
        { "<pre><div><span>1</span><div>a</div></div><div><i>2</i><div></div></div><div><i>3</i>"
          "<div> b</div></div></pre>",
          "```\na\n\n b\n```", "<pre><code>a b</code></pre>" },
        { "<pre>1\n2\nFizz\n4</pre>", "```\n1\n2\nFizz\n4\n```",
          "<pre><code>12Fizz4</code></pre>" },
        { "<ul><li><input type=checkbox disabled checked> a<ul><li class=task-list-item><label>"
          "<input type=checkbox>b</label></ul><li><input type=checkbox>c</ul>",
          "- [x] a\n  - [ ] b\n- c",
          "<ul><li>\xE2\x98\x91 a<ul><li>\xE2\x98\x90 b</li></ul></li><li>c</li></ul>" },
        { "in&shy;fo", "info", "<p>info</p>" },
        { "<amp-img src=i alt=a></amp-img>b", "![a](i)b",
          "<p><img src=\"i\" alt=\"a\" loading=\"lazy\">b</p>" },
        { "<img src=i srcset=''><img srcset='/j 1x, /k 2x' alt=a>", "![](i)![a](/k)",
          "<p><img src=\"i\" alt=\"\" loading=\"lazy\"><img src=\"/k\" alt=\"a\" "
          "loading=\"lazy\"></p>" },
        { "<p><img src=i alt='The dock at noon'></p><p><img src=j alt='The dock at noon'></p>",
          "![The dock at noon](i)\n\n![The dock at noon](j)",
          "<p><img src=\"i\" alt=\"The dock at noon\" loading=\"lazy\"></p>"
          "<p><img src=\"j\" alt=\"The dock at noon\" loading=\"lazy\"></p>" },
        { "<ul class=gallery><li><div><img src=i alt=''></div>a</ul>", "- ![](i)\n\n  a",
          "<ul><li><img src=\"i\" alt=\"\" loading=\"lazy\"><p>a</p></li></ul>" },
        { "<h2>a<span class=mw-editsection>[<a href=x>edit</a>]</span></h2>b", "## a\n\nb",
          "<h2>a</h2><p>b</p>" },
        { "<h2>a<b>[<a href='?action=edit'>edit</a>]</b></h2>b", "## a\n\nb",
          "<h2>a</h2><p>b</p>" },
        { "<h2>a</h2>[<a href='/x/edit/1'>Edit source</a>]<p>b", "## a\n\nb",
          "<h2>a</h2><p>b</p>" },
        { "<h2>a</h2><p>b <a href='/edit/'>edit</a>", "## a\n\nb [edit](/edit/)",
          "<h2>a</h2><p>b <a href=\"/edit/\">edit</a></p>" },
        { "a<a class=srclink href=x>[src]</a><p>b<a href='src/b'>Source</a><a href='#b'>#</a>",
          "a\n\nb", "<p>a</p><p>b</p>" },
        /* bounds: each bracket of an element asks for the link, and reads its attributes */
        { "a <a class='src" SPACES_1000 "' href=x>src</a>", "a [src](x)",
          "<p>a <a href=\"x\">src</a></p>" },
        { "<i></i><i></i><i></i><i></i><i></i><i></i><i></i><i></i><i></i><i></i><i></i><i></i>"
          "<i></i><i></i><i></i><i></i><a class=src href=x>src</a>]",
          "]", "<p>]</p>" },
        { "a <a class=src href=x>Reuters</a> <a href=x>source</a>", "a [Reuters](x) [source](x)",
          "<p>a <a href=\"x\">Reuters</a> <a href=\"x\">source</a></p>" },
        { "<a href='http://x/a_(b)'>a</a> <a href='http://x/a(b'>b</a>",
          "[a](http://x/a_(b)) [b](http://x/a%28b)",
          "<p><a href=\"http://x/a_(b)\">a</a> <a href=\"http://x/a%28b\">b</a></p>" },
        { "<table><tr><th>a<th>b<tr><td>c<td><i class='fa fa-check'></i><tr><td>d"
          "<td><svg role=img "
          "aria-label=No><path/></svg></table>",
          "| a | b |\n| --- | --- |\n| c | \xE2\x9C\x93 |\n| d | No |",
          "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"Table 1\"><table><tbody>"
          "<tr><th scope=\"col\">a</th><th scope=\"col\">b</th></tr>"
          "<tr><td>c</td><td>\xE2\x9C\x93</td></tr><tr><td>d</td><td>No</td></tr>"
          "</tbody></table></div>" },
        { "<h1>a</h1><table><tr><td>b<td><svg><title id=t>No</title></svg></table>",
          "---\ntitle: \"No\"\n---\n\n# a\n\nb\n\nNo", "<p>b</p><p>No</p>" },
        { "<div role=table><div role=row><span role=columnheader>a</span><span role=columnheader>b"
          "</span></div><div role=row><span role=cell>c</span><span role=cell>d</span></div></div>",
          "| a | b |\n| --- | --- |\n| c | d |",
          "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"Table 1\"><table><tbody>"
          "<tr><th scope=\"col\">a</th><th scope=\"col\">b</th></tr><tr><td>c</td><td>d</td></tr>"
          "</tbody></table></div>" },
        { "<table><tr><td><div><pre>1\n2</pre></div><td><div><pre>a\nb</pre></div></table>",
          "```\na\nb\n```", "<pre><code>ab</code></pre>" },
        { "<div style='white-space:pre'>a\n b</div>", "```\na\n b\n```",
          "<pre><code>a b</code></pre>" },
        { "<p style=white-space:pre>a</p>", "a", "<p>a</p>" },
        { "<pre><span class=line><b>a</b></span><span class=line>b</span></pre>", "```\na\nb\n```",
          "<pre><code>ab</code></pre>" },
        { "<pre>a<span class=gatsby-highlight-code-line>b</span>c</pre>", "```\na\nb\nc\n```",
          "<pre><code>abc</code></pre>" },
        { "a<a href=#x>\xC2\xB6</a><a href=#x>\xC2\xA7</a><a href=#x>#</a><a href=x>#</a>",
          "a [#](x)", "<p>a <a href=\"x\">#</a></p>" },
        { "<p>[vc_row id=1]a [caption width=3]b[/caption]<p>{{ a.b }}<p><code>{{ a }}</code>",
          "a b\n\n`{{ a }}`", "<p>a b</p><p><code>{{ a }}</code></p>" },
        /* boxes that touch, in a list and in a cell; parts of words */
        { "<ul><li><span class=n>45 g</span><span class=i>sugar</span></ul>", "- 45 g sugar",
          "<ul><li>45 g sugar</li></ul>" },
        { "<ul><li><b>Time:</b><a href=/x>now</a></ul>", "- **Time:** [now](/x)",
          "<ul><li><b>Time:</b> <a href=\"/x\">now</a></li></ul>" },
        { "<p><span class=a>O</span><span class=b>nce</span> H<sub class=x>2</sub>O",
          "Once H<sub>2</sub>O", "<p>Once H<sub>2</sub>O</p>" },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_string_equal(form_of(rows[i].html, 0, *state), rows[i].markdown);
        assert_string_equal(form_of(rows[i].html, 1, *state), rows[i].view);
    }
}

/* Three posts of two people are a thread, unless each has a headline. */
static void appended_articles_are_no_thread(void **state)
{
    static const char *const headings[] = { "<h3>Nets and ropes</h3>", "<h1>Nets and ropes</h1>" };
    static const char *const types[] = { "discussion", NULL };
#define POST(author, heading)                                                                      \
    "<article>", heading,                                                                          \
        "<p class=author>" author "</p><p><time>2026-01-02</time></p>"                             \
        "<p>Some words of a post that say what happened on that day.</article>"
    for (int i = 0; i < 2; i++) {
        tmpl_edits_t none = { 0 };
        tmpl_content_t content;
        tmpl_content_opts_t opts = { .charset = "utf-8" };
        const char *html =
            apr_pstrcat(*state, "<!DOCTYPE html><body>", POST("Ann Lee", headings[i]),
                        POST("Bo Chen", headings[i]), POST("Ann Lee", headings[i]), NULL);
        assert_true(tmpl_content_read(&content, check_page(html, *state), &none, &opts, *state));
        const char *type = tmpl_metadata_first(&content.metadata, TMPL_METADATA_TYPE);
        assert_string_equal(type != NULL ? type : "-", types[i] != NULL ? types[i] : "-");
    }
}

static void references_are_absolute_if_the_host_is_known(void **state)
{
    static const struct {
        const char *head, *link, *canonical;
    } rows[] = {
        { "<link rel=canonical href='https://e.org/x/y'>", "https://e.org/x/a",
          "https://e.org/x/y" },
        { "<link rel=canonical href='/y'><meta property=og:url content='https://e.org/x/y'>",
          "https://e.org/x/a", "https://e.org/x/y" },
        { "<link rel=canonical href='/y'>", "a", NULL },
        { "<base href='https://e.org/x/'>", "https://e.org/x/a", NULL },
        { "<base href='/x/'>", "a", NULL },
        { "", "a", NULL },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        apr_size_t len;
        tmpl_edits_t none = { 0 };
        tmpl_content_t content;
        tmpl_content_opts_t opts = { 0 };
        const char *html = apr_pstrcat(*state, "<!DOCTYPE html>", rows[i].head,
                                       "<body><a href=a>a</a> <a href=#b>b</a>", NULL);
        assert_true(tmpl_content_read(&content, check_page(html, *state), &none, &opts, *state));
        const char *markdown = tmpl_markdown(&len, &content, NULL, *state);
        const char *link = apr_pstrcat(*state, "[a](", rows[i].link, ") ", NULL);
        assert_non_null(strstr(markdown, link));
        const char *said = tmpl_metadata_first(&content.metadata, TMPL_METADATA_CANONICAL);
        assert_string_equal(said != NULL ? said : "",
                            rows[i].canonical != NULL ? rows[i].canonical : "");
        assert_int_equal(strstr(markdown, "canonical:") != NULL, rows[i].canonical != NULL);
    }
}

static const struct CMUnitTest tests[] = { CHECK(references_are_absolute_if_the_host_is_known),
                                           CHECK(elements_mean_the_same),
                                           CHECK(appended_articles_are_no_thread) };

TAP_MAIN(tests)
