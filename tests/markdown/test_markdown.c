/* SPDX-License-Identifier: Apache-2.0 */
/* Pages as Markdown, a row for each rule; and text that would mean something if it were not escaped. */
#include "check.h"

#include "markdown/markdown.h"

/* The Markdown of the content of a body; NULL if it is too long. */
static const char *markdown_of(const char *body, const char *url, apr_pool_t *pool)
{
    apr_size_t len;
    tmpl_edits_t none = { 0 };
    tmpl_markdown_opts_t opts = { url, "utf-8" };
    const char *html = apr_pstrcat(pool, "<!DOCTYPE html><body>", body, NULL);
    const char *markdown = tmpl_markdown(&len, check_page(html, pool), &none, &opts, pool);
    if (markdown != NULL) {
        assert_int_equal(strlen(markdown), len);
    }
    return markdown;
}

typedef struct {
    const char *html;
    const char *markdown; /* without the last line break */
} row_t;

static void check_rows(const row_t *rows, size_t n, apr_pool_t *pool)
{
    for (size_t i = 0; i < n; i++) {
        const char *expected = apr_pstrcat(pool, rows[i].markdown, "\n", NULL);
        assert_string_equal(markdown_of(rows[i].html, NULL, pool), expected);
    }
}

#define CHECK_ROWS(rows) check_rows(rows, sizeof(rows) / sizeof((rows)[0]), *state)

static void blocks(void **state)
{
    static const row_t rows[] = {
        { "<h1>One</h1><h2>T <b>b</b></h2><p>text", "# One\n\n## T **b**\n\ntext" },
        { "<h3>a<br>b<div>c</div></h3>", "### a b c" },
        { "<h1></h1><p> </p>x", "x" },
        { "a<p>b</p>c<div>d</div>", "a\n\nb\n\nc\n\nd" },
        { "<p>a<br>b<br><br>c<br>", "a\\\nb\n\nc" },
        { "<p><b>a<br></b>b", "**a**\\\nb" },
        { "<p>a</p><hr><p>b", "a\n\n***\n\nb" },
        { "<blockquote>a<p>b<blockquote>c</blockquote></blockquote><blockquote>d</blockquote>e",
          "> a\n>\n> b\n>\n> > c\n\n> d\n\ne" },
        { "<pre>\n a\n\n  b\n</pre>c", "```\n a\n\n  b\n```\n\nc" },
        { "<pre><code class='hl language-c++'>a</code></pre>", "```c++\na\n```" },
        { "<div class=highlight-source-js><pre>a<br>b</pre></div>", "```js\na\nb\n```" },
        { "<pre class=language-a`b>x</pre>", "```\nx\n```" },
        { "<pre>``` ````</pre>", "`````\n``` ````\n`````" },
        { "<dl><dt>a<dd>b<dd>c<dt>d<dd><p>e<p>f</dl>",
          "**a**\n\n- b\n\n- c\n\n**d**\n\n- e\n\n  f" },
        { "<details><summary>a</summary>b</details>", "**a**\n\nb" },
        { "<p>a</p><script>b</script><noscript>d</noscript><p>e", "a\n\ne" },
        { "<div role=tab>a</div><div role=tabpanel hidden>b</div>c", "a\n\nb\n\nc" },
    };
    CHECK_ROWS(rows);
}

static void lists(void **state)
{
    static const row_t rows[] = {
        { "<ul><li>a<li>b<ul><li>c</ul><li>d</ul>", "- a\n- b\n  - c\n- d" },
        { "<ol start=9><li>a<li>b<p>c</ol>", "9. a\n10. b\n\n    c" },
        { "x<ul><li>a</ul>y", "x\n\n- a\n\ny" },
        { "<ul><li>a</ul><ul><li>b</ul><ol><li>c</ol><ol><li>d</ol>",
          "- a\n\n+ b\n\n1. c\n\n1) d" },
        { "<ul><li><li>a</ul>", "- a" },
        { "<ol><li> <li>a</ol>b", "2. a\n\nb" },
        { "<ul><li><ul><li>a<li>b</ul></ul>", "- - a\n  - b" },
        { "<ul><li><h2>a</h2><pre>b</pre><li>c</ul>", "- ## a\n\n  ```\n  b\n  ```\n\n- c" },
        { "<ol><li>a<ol start=2><li>b</ol></ol>", "1. a\n\n   2. b" },
        { "<ol><li>a</li><p>b</p><li>c</ol>", "1. a\n\nb\n\n2. c" },
        { "<ul><li><blockquote>a<p>b</blockquote></ul>", "- > a\n  >\n  > b" },
        { "<ul><li>- a<li>* b<li>1. c</ul>", "- \\- a\n- \\* b\n- 1\\. c" },
        { "<ul><li><hr></ul>a", "- ***\n\na" },
    };
    CHECK_ROWS(rows);
}

static void formats(void **state)
{
    static const row_t rows[] = {
        { "<b>a</b> <i>b</i> <code>c</code> <del>d</del> x<sup>2</sup>",
          "**a** _b_ `c` ~~d~~ x<sup>2</sup>" },
        { "a<b> b </b>c", "a **b** c" },
        { "<b>a</b><b>b</b> <b></b>c", "**ab** c" },
        { "<b>a<i>b</i></b> <i><b>c</b></i>", "**ab** _**c**_" },
        { "<b><p>a</p>b</b>c", "**a**\n\n**b**c" },
        { "x<i>y</i>z", "x*y*z" },
        { "x<b>\"y\"</b>z", "x\"y\"z" },
        { "<b>\"y\"</b>", "**\"y\"**" },
        { "<i>x</i>\xEF\xBF\xBDy <i>x</i>\xE2\x82\xAC <b>\"x\"</b>\xE2\x82\xAC",
          "*x*\xEF\xBF\xBDy *x*\xE2\x82\xAC \"x\"\xE2\x82\xAC" },
        { "<code>a`b</code> <code>``</code> <code>x <b>y</b></code>",
          "``a`b`` ``` `` ``` `x` **`y`**" },
        { "<a href=u>a</a> <a href=' u v\t'>b</a>", "[a](u) [b](u%20v)" },
        { "<a href=u><h2>a</h2><p>b</p></a>", "## [a](u)\n\n[b](u)" },
        { "<a href='javascript:x'>a</a> <a href='java\nscript:x'>b</a> <a>c</a>", "a b c" },
        { "<a href='data:text/html,x'>a</a> <a href=''>b</a>", "a b" },
        { "<a href='u(v)<\\\">'>a</a>", "[a](u%28v%29%3C%5C%22%3E)" },
        { "<a href='u?a&amp;copy;=1&b'>a</a>", "[a](u?a&amp;copy;=1&amp;b)" },
        { "<img src=i alt='a]b'> <a href=u><img src=i></a>", "![a\\]b](i) [![](i)](u)" },
        { "<img src='data:x' data-src=i> <img src='data:x'>a", "![](i) a" },
        { "<img src=i width=1 height=1>a", "a" },
        { "a&nbsp;<b>b</b>&#x2028;c", "a **b** c" },
        { "a<!-- --> <!-- -->b c<!-- -->d", "a b cd" },
        { "<button>a</button><button>b</button>", "a b" },
    };
    CHECK_ROWS(rows);
}

static void tables(void **state)
{
    static const row_t rows[] = {
        { "<table><tr><th>a<th>b<tr><td>1<td>2|3<tr><td><code>x|y</code></table>",
          "| a | b |\n| --- | --- |\n| 1 | 2\\|3 |\n| `x\\|y` |" },
        { "<table><tr><td>a<td>b<tr><td>c<td>d</table>",
          "|  |  |\n| --- | --- |\n| a | b |\n| c | d |" },
        { "<table><caption>t</caption><tr><th>a<td>b</table>x",
          "t\n\n|  |  |\n| --- | --- |\n| a | b |\n\nx" },
        { "<table><tr><td>a<br>b<p>c<td>d<tr><td>e</table>",
          "|  |  |\n| --- | --- |\n| a<br>b<br>c | d |\n| e |" },
        { "<ul><li><table><tr><th>a<th>b</table></ul>", "- | a | b |\n  | --- | --- |" },
        { "<table><tr><td colspan=2>a<tr><td>b<td>&lt;p> <a href='u?a&b'>c</a></table>",
          "<table>\n<tr><td colspan=\"2\">a</td></tr>\n"
          "<tr><td>b</td><td>&lt;p&gt; <a href=\"u?a&amp;b\">c</a></td></tr>\n</table>" },
        { "<table><tr><td>a<ul><li>b<li>c</ul><td>d<tr><td>e</table>",
          "<table>\n<tr><td>a<br>b<br>c</td><td>d</td></tr>\n<tr><td>e</td></tr>\n</table>" },
        { "<table><tr><td>a<td><table><tr><th>b<th>c</table></table>",
          "a\n\n| b | c |\n| --- | --- |" },
        { "<table><tr><td><h2>a</h2><td>b<tr><td>c</table>", "## a\n\nb\n\nc" },
        { "<table role=presentation><tr><th>a<th>b<tr><td>c<td>d</table>", "a\n\nb\n\nc\n\nd" },
        { "<table><tr><td><td></table>x", "x" },
    };
    CHECK_ROWS(rows);
}

/* What text says is text, wherever it stands. */
static void text_is_escaped(void **state)
{
    static const row_t rows[] = {
        { "# a", "\\# a" },
        { "a<br># b<br>## c", "a\\\n\\# b\\\n\\## c" },
        { "a<br>===<br>---<br>- b<br>+ c<br>-d", "a\\\n\\===\\\n\\---\\\n\\- b\\\n\\+ c\\\n-d" },
        { "1. a<br>23) b<br>1.5<br>1234567890. c", "1\\. a\\\n23\\) b\\\n1.5\\\n1234567890. c" },
        { "&gt; a", "\\> a" },
        { "a|b<br>|-|-|<br>:-|-<br>-|-", "a|b\\\n\\|-|-|\\\n\\:-|-\\\n\\-|-" },
        { "```<br>~~~", "\\`\\`\\`\\\n\\~\\~\\~" },
        { "*a* _b_ __c__ a_b_c", "\\*a\\* \\_b\\_ \\_\\_c\\_\\_ a_b_c" },
        { "[a](b) ![c](d) [e]: f <wbr>[^1]: g", "\\[a\\](b) !\\[c\\](d) \\[e\\]: f \\[^1\\]: g" },
        { "&lt;script>a&lt;/script> &lt;!-- &lt;https://e.org>",
          "\\<script>a\\</script> \\<!-- \\<https\\://e.org>" },
        { "&amp;copy; &amp;#35; & a", "\\&copy; \\&#35; & a" },
        { "https://e.org http:x www.e.org WWW.e.org wwww.e",
          "https\\://e.org http:x www\\.e.org WWW\\.e.org wwww\\.e" },
        { "\\*a", "\\\\\\*a" },
        { "a\\<br>b", "a\\\\\\\nb" },
        { "a!<a href=u>b</a>", "a\\![b](u)" },
        { "---<p>a: b<p>---", "\\---\n\na: b\n\n\\---" },
        { "<h2>a #</h2><h2>b##</h2>", "## a \\#\n\n## b#\\#" },
        { "<b>#</b> a", "**#** a" },
        { "x<b>\"</b><b> </b><br>1<i>\"</i>. a", "x\"\\\n1\". a" },
        { "<a href=u>x](v)</a>", "[x\\](v)](u)" },
        { "<img src=u alt='](v) ![w](x)\n\n# y'>", "![\\](v) !\\[w\\](x)  # y](u)" },
        { "<code>a</code># <code>`` x\n\n# b</code>", "`a`# ``` `` x # b ```" },
        { "<table><tr><th>a | b<th>\\|<tr><td>---<td># c</table>",
          "| a \\| b | \\\\\\| |\n| --- | --- |\n| --- | # c |" },
        { "<table><tr><td colspan=2>*a* &amp;lt;b&amp;gt; \"<tr><td>[c](d)<td>e</table>",
          "<table>\n<tr><td colspan=\"2\">*a* &amp;lt;b&amp;gt; &quot;</td></tr>\n"
          "<tr><td>[c](d)</td><td>e</td></tr>\n</table>" },
        { "<pre>a\n```\n# b</pre>", "````\na\n```\n# b\n````" },
        { "a&#0;b&#1;c&#x1e;d\x01\x02\x1b"
          "e",
          "a\xEF\xBF\xBD"
          "bcde" },
    };
    CHECK_ROWS(rows);
}

static void addresses(void **state)
{
    static const struct {
        const char *href, *address;
    } rows[] = {
        { "c", "https://e.org:8/a/c" },      { "/c", "https://e.org:8/c" },
        { "//f.org/c", "https://f.org/c" },  { "?c", "https://e.org:8/a/b?c" },
        { "#c", "https://e.org:8/a/b?q#c" }, { "../c?d", "https://e.org:8/c?d" },
        { "./c/", "https://e.org:8/a/c/" },  { "http://f.org", "http://f.org" },
        { "mailto:a@b", "mailto:a@b" },      { "c:d", NULL },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *html = apr_pstrcat(*state, "<a href=\"", rows[i].href, "\">x</a>", NULL);
        const char *is = strstr(markdown_of(html, "https://e.org:8/a/b?q", *state), "\n\n") + 2;
        const char *link = rows[i].address == NULL
                               ? "x\n"
                               : apr_pstrcat(*state, "[x](", rows[i].address, ")\n", NULL);
        assert_string_equal(is, link);
    }
}

/* libxml2 would take time with the square of a path's length. */
static void long_paths_keep_dots(void **state)
{
    char *path = apr_palloc(*state, 4001);
    memset(path, 'a', 4000);
    path[4000] = '\0';
    const char *html = apr_pstrcat(*state, "<p><a href='", path, "/../b'>x</a>", NULL);
    const char *link = apr_pstrcat(*state, "[x](https://e.org:8/a/", path, "/../b)\n", NULL);
    const char *is = markdown_of(html, "https://e.org:8/a/b", *state);
    assert_non_null(strstr(is, link));
}

static void front_matter(void **state)
{
    static const char html[] =
        "<!DOCTYPE html><html lang=de><head><title>a \"b\"\\ \n---\n &amp; c</title>"
        "<base href='/x/'><script>'<meta name=author content=no>'</script>"
        "<!-- <meta name=author content=no> -->"
        "<meta name=description content='d\n\n---\n# e'><meta property=og:description content=f>"
        "<meta name=author content='A: B'><meta property=og:image content=i.png>"
        "<meta property=article:published_time content=2026-01-02>"
        "<link rel=canonical href=/y></head><body><p>text <a href=z>z</a>";
    apr_size_t len;
    tmpl_edits_t none = { 0 };
    tmpl_markdown_opts_t opts = { "http://e.org/p", NULL };
    assert_string_equal(tmpl_markdown(&len, check_page(html, *state), &none, &opts, *state),
                        "---\ntitle: \"a \\\"b\\\"\\\\ --- & c\"\ndescription: \"d --- # e\"\n"
                        "canonical: \"http://e.org/y\"\nlanguage: \"de\"\nauthor: \"A: B\"\n"
                        "published: \"2026-01-02\"\nimage: \"http://e.org/x/i.png\"\n---\n\n"
                        "text [z](http://e.org/x/z)\n");
}

/* The front matter of a page with these scripts in its head and its body. */
static const char *linked(const char *head, const char *body, apr_pool_t *pool)
{
    static const char script[] = "<script type=\"application/ld+json\">";
    apr_size_t len;
    tmpl_edits_t none = { 0 };
    tmpl_markdown_opts_t opts = { NULL, NULL };
    const char *html =
        apr_pstrcat(pool, "<!DOCTYPE html><html><head>", script, head,
                    "</script><meta name=x></head><body><p>text", script, body, "</script>", NULL);
    return tmpl_markdown(&len, check_page(html, pool), &none, &opts, pool);
}

static void json_ld(void **state)
{
#define DATES "\"datePublished\":\"2026-01-02\",\"dateModified\":\"2026-01-03\""
    static const struct {
        const char *head, *body, *front; /* NULL: none */
    } rows[] = {
        { "{\"@type\":\"NewsArticle\",\"author\":{\"name\":\"A \\\"B\\\"\\n---\"}," DATES "}", "",
          "author: \"A \\\"B\\\" ---\"\npublished: \"2026-01-02\"\nmodified: \"2026-01-03\"\n" },
        { "",
          "{\"@graph\":[{\"@type\":\"Person\",\"name\":\"X\"},{\"@type\":[\"BlogPosting\"],"
          "\"author\":[{\"name\":\"A\"},\"B\",{\"url\":\"c\"}],\"text\":\"</p>\"}]}",
          "author: \"A, B\"\n" },
        { "[{\"@type\":\"Article\",\"author\":\"A\"}]", "{\"@type\":\"Report\"," DATES "}",
          "author: \"A\"\npublished: \"2026-01-02\"\nmodified: \"2026-01-03\"\n" },
        { "[{\"@type\":\"Article\",\"author\":\"A\"},{\"@type\":\"Article\",\"author\":\"B\"}]",
          "{\"@type\":\"Article\",\"author\":\"A\"}", NULL },
        { "{\"@type\":\"Product\",\"author\":\"A\"}", "{\"@type\":{},\"author\":1}", NULL },
        { "{\"@type\":\"Article\",\"author\":\"A\"", "[[[[{}", NULL },
        { "<!-- -->", "", NULL },
    };
#undef DATES
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *front = rows[i].front;
        const char *expected =
            front == NULL ? "text\n" : apr_pstrcat(*state, "---\n", front, "---\n\ntext\n", NULL);
        assert_string_equal(linked(rows[i].head, rows[i].body, *state), expected);
    }
    /* a long script is not read; a comment is none */
    const char *json = "{\"@type\":\"Article\",\"author\":\"A\"}";
    const char *large = apr_psprintf(*state, "%66000s%s", "", json);
    assert_string_equal(linked(large, large, *state), "text\n");
    assert_string_equal(linked(apr_psprintf(*state,
                                            "</script><!--<script type=application/ld+json>"
                                            "%s</script>--><script>",
                                            json),
                               "", *state),
                        "text\n");
}

/* What edits delete is not in the Markdown, nor are words joined over it. */
static void edits_are_left_out(void **state)
{
    static const char html[] = "<body><p>a <b>b</b> c</p><div>d</div>e<i>f</i> g";
    static const char *const nothing[] = { "" };
    tmpl_edit_t edits[] = { { { 11, 19 }, 0 }, { { 25, 37 }, 0 } };
    tmpl_edits_t all = { edits, 2, nothing };
    tmpl_markdown_opts_t opts = { 0 };
    apr_size_t len;
    assert_string_equal(tmpl_markdown(&len, check_page(html, *state), &all, &opts, *state),
                        "a c\n\ne*f* g\n");
}

static const char *repeated(const char *text, size_t n, apr_pool_t *pool)
{
    size_t len = strlen(text);
    char *all = apr_palloc(pool, n * len + 1);
    for (size_t i = 0; i < n; i++) {
        memcpy(all + i * len, text, len + 1);
    }
    return all;
}

/* Containers beyond the limit are flat; Markdown beyond three times the page is none at all. */
static void limits(void **state)
{
    const char *deep = apr_pstrcat(*state, repeated("<blockquote>", 400, *state), "a", NULL);
    const char *expected = apr_pstrcat(*state, repeated("> ", 100, *state), "a\n", NULL);
    assert_string_equal(markdown_of(deep, NULL, *state), expected);
    const char *lists = apr_pstrcat(*state, repeated("<ul><li>", 240, *state), "a", NULL);
    expected = apr_pstrcat(*state, repeated("- ", 100, *state), "a\n", NULL);
    assert_string_equal(markdown_of(lists, NULL, *state), expected);
    const char *url = apr_pstrcat(*state, "http://e.org/", repeated("x", 2000, *state), "/", NULL);
    const char *links = repeated("<a href=a>b</a> ", 1000, *state);
    assert_non_null(markdown_of(links, "http://e.org/", *state));
    assert_null(markdown_of(links, url, *state));
    assert_null(markdown_of(apr_pstrcat(*state, repeated("<blockquote>", 100, *state),
                                        repeated("a<hr>", 3000, *state), NULL),
                            NULL, *state));
}

static const struct CMUnitTest tests[] = {
    CHECK(blocks),
    CHECK(lists),
    CHECK(formats),
    CHECK(tables),
    CHECK(text_is_escaped),
    CHECK(addresses),
    CHECK(long_paths_keep_dots),
    CHECK(front_matter),
    CHECK(json_ld),
    CHECK(edits_are_left_out),
    CHECK(limits),
};

TAP_MAIN(tests)
