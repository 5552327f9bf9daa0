/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages as Markdown, a row for each rule; and text that would be Markdown if it were not escaped.
 */
#include "check.h"

#include "markdown/markdown.h"
#include "content/element_kinds.h"

static const char *written(apr_size_t *len, const tmpl_page_t *page, const tmpl_edits_t *edits,
                           const tmpl_content_opts_t *opts, apr_pool_t *pool)
{
    tmpl_content_t content;
    assert_true(tmpl_content_read(&content, page, edits, opts, pool));
    return tmpl_markdown(len, &content, NULL, pool);
}

/*
 * The Markdown of the content of a body, which a title may precede, without front matter; NULL if
 * it is too long.
 */
static const char *markdown_of(const char *body, const char *url, apr_pool_t *pool)
{
    apr_size_t len;
    tmpl_edits_t none = { 0 };
    tmpl_content_opts_t opts = { url, "utf-8", .posts = 1, .titles = 1 };
    const char *begin =
        strncmp(body, "<title>", 7) == 0 ? "<!DOCTYPE html>" : "<!DOCTYPE html><body>";
    const char *html = apr_pstrcat(pool, begin, body, NULL);
    const char *markdown = written(&len, check_page(html, pool), &none, &opts, pool);
    if (markdown != NULL) {
        assert_int_equal(strlen(markdown), len);
    }
    const char *front = markdown != NULL ? strstr(markdown, "\n---\n\n") : NULL;
    return front != NULL && strncmp(markdown, "---\n", 4) == 0 ? front + 6 : markdown;
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

/* The page's headline, or its title, is at the top; what menus left in front of it is dropped. */
static void headline(void **state)
{
    static const row_t rows[] = {
        { "<title>A b c d - S</title><div>x</div>", "# A b c d\n\nx" },
        { "<title>A b c d</title><h2>A b <sub>c</sub> d</h2>x", "# A b <sub>c</sub> d\n\nx" },
        { "<title>A b c d</title><p><a href=/>Home</a> | More<ul><li><a href=/e>E</a><li>Menu</ul>"
          "<h2>Old news</h2>"
          "<h1><a href=/t>A <b>b</b> c d</a></h1>x",
          "# A b c d\n\nx" },
        { "<title>A b c d</title><p>5 May 2026<p>$5<p><img src=a.png alt=a>"
          "<p>One two three four five six seven eight.<h1>A b c d</h1>x",
          "# A b c d\n\n5 May 2026\n\n$5\n\n![a](a.png)\n\n"
          "One two three four five six seven eight.\n\nx" },
        { "<title>A b c d</title><ul><li><h1>A b c d</h1><li>x</ul>", "# A b c d\n\n- x" },
        { "<title>A b c d</title><h1>A b c d<a href='#a'>&para;</a></h1>x", "# A b c d\n\nx" },
        { "<title>A b c d</title><h1>A b c d</h1><p>a b C d<p>x<p>A b c d",
          "# A b c d\n\nx\n\nA b c d" },
        { "<title>A b c d</title><h1>A b c d</h1>x<h1>A b c d</h1>y<h1>E f</h1>z",
          "# A b c d\n\nx\n\ny\n\n## E f\n\nz" },
        { "<h1>E f</h1>z", "# E f\n\nz" },
    };
    CHECK_ROWS(rows);
    apr_pool_t *pool = *state;
    const char *much = repeated("<p>w", 1001, pool);
    const char *late = markdown_of(
        apr_pstrcat(pool, "<title>A b c d</title>", much, "<h1>A b c d</h1>x", NULL), NULL, pool);
    assert_ptr_equal(strstr(late, "# A b c d\n\nw\n\nw\n"), late);
    /* a short text in front stays if it was judged to be of a part that says something */
    static const struct {
        tmpl_part_e part;
        const char *markdown;
    } parts[] = { { TMPL_PART_BODY, "# A b c d\n\nx\n" },
                  { TMPL_PART_BYLINE, "# A b c d\n\nAnn Lee\n\nx\n" } };
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        apr_size_t len;
        tmpl_edits_t none = { 0 };
        const tmpl_page_t *page =
            check_page("<title>A b c d</title><p>Ann Lee<h1>A b c d</h1>x", pool);
        tmpl_verdict_t *verdicts = apr_pcalloc(pool, page->n_blocks * sizeof(*verdicts));
        for (uint32_t k = 0; k < page->n_blocks; k++) {
            verdicts[k].part = (unsigned char)parts[i].part;
        }
        tmpl_content_opts_t opts = { .charset = "utf-8", .verdicts = verdicts };
        assert_non_null(strstr(written(&len, page, &none, &opts, pool), parts[i].markdown));
    }
}

static void blocks(void **state)
{
    static const row_t rows[] = {
        { "<h1>One</h1><h2>T <b>b</b></h2><p>text", "# One\n\n## T b\n\ntext" },
        { "<b>a<h2>b</h2>c</b>", "**a**\n\n## b\n\n**c**" },
        { "<h3>a<br>b<div>c</div></h3>", "### a b c" },
        { "<h2>1. a</h2><p>1. b", "## 1. a\n\n1\\. b" },
        { "<h1></h1><p> </p>x", "x" },
        { "<h2><a href=u><img src=i></a></h2>a<h3><img src=i> b</h3>",
          "## [![](i)](u)\n\na\n\n### ![](i) b" },
        { "<div class=x role=heading aria-level=3>a <b>b</b></div><p class=x role=heading>c",
          "### a b\n\nc" },
        { "<x-y class=x role=heading aria-level=2>a</x-y><div class=x role=heading aria-level=7>b",
          "## a\n\nb" },
        { "<div class=x role=heading aria-level=3><p>a</div>", "a" },
        { "a<p>b</p>c<div>d</div>", "a\n\nb\n\nc\n\nd" },
        { "<p>a<br>b<br><br>c<br>", "a\\\nb\n\nc" },
        { "<p><b>a<br></b>b", "**a**\\\nb" },
        { "<p>a</p><hr><p>b", "a\n\n***\n\nb" },
        /* signs that are alone */
        { "<p>a<p>|<p>\xC2\xB7<p>b<p>+", "a\n\nb\n\n\\+" },
        /* rules that divide nothing */
        { "<hr><p>a<hr><div></div><hr><h2>b</h2><hr>c<hr>", "a\n\n***\n\n## b\n\nc" },
        { "<blockquote>a<hr></blockquote>", "> a" },
        { "<blockquote>a<p>b<blockquote>c</blockquote></blockquote><blockquote>d</blockquote>e",
          "> a\n>\n> b\n>\n> > c\n\n> d\n\ne" },
        { "<pre>\n a\n\n  b\n</pre>c", "```\n a\n\n  b\n```\n\nc" },
        { "<pre><code class='hl language-c++'>a</code></pre>", "```c++\na\n```" },
        { "<div class=highlight-source-js><pre>a<br>b</pre></div>", "```js\na\nb\n```" },
        { "<div class=highlight-python3><pre>a</pre></div>", "```python3\na\n```" },
        { "<pre><div>a</div>b<div><p>c</p></div><div>d</div>e</pre>", "```\na\nb\nc\nd\ne\n```" },
        { "<pre class=language-a`b>x</pre>", "```\nx\n```" },
        { "<pre>``` ````</pre>", "`````\n``` ````\n`````" },
        { "<pre><code>\n \n  <i>a</i>\n<span>\t<b>b</b></span>\n\n<!-- -->  <span>c</span> "
          "\n</code></pre>",
          "```\n  a\n\tb\n\n  c\n```" },
        { "<pre><span class=l>a</span><br>  <span class=l>&nbsp; b</span></pre> <b>c</b>  <b>d</b>",
          "```\na\n  \u00a0 b\n```\n\n**c** **d**" },
        { "<pre><b><div>a</div></b>b<button>c</button>d<table><tr><td>e<td>f</table></pre>",
          "```\na\nb\nc\nd\ne\nf\n```" },
        /* what is no text stays out of code */
        { "<pre>a<datalist><option>b <i>c</i></pre>d", "```\na\n```\n\nd" },
        { "<pre>a<svg><text>b</text></pre>d <i>e</i>", "```\na\n```\n\nd _e_" },
        { "<pre>a</x y='>b'> <html y='>b'> <i>c</i></pre>", "```\na  c\n```" },
        { "<dl><dt>a<dd>b<dd>c<dt>d<dd><p>e<p>f</dl>", "- **a**: b\n\n  c\n- **d**\n\n  e\n\n  f" },
        { "<details><summary>a</summary>b</details>", "**a**\n\nb" },
        { "<p>a</p><script>b</script><noscript>d</noscript><p>e", "a\n\ne" },
        /* languages of code, and numbers of lines */
        { "<pre data-lang=sh>a</pre>", "```sh\na\n```" },
        { "<div language=tsx><div><pre><code>a</code></pre></div></div>", "```tsx\na\n```" },
        { "<pre class='hljs rust'>a</pre><pre class='rust'>b</pre><pre class='brush: py;'>c</pre>",
          "```rust\na\n```\n\n```\nb\n```\n\n```py\nc\n```" },
        { "<div class=language-c><section><pre>a</pre></section></div>", "```\na\n```" },
        { "<figure class='highlight "
          "sh'><table><tr><td><pre>1\n2</pre><td><pre>a</pre></table></figure>",
          "```sh\na\n```" },
        { "<pre><span class=lineno>1 </span>a\n<span class=lineno>2 </span>2</pre>",
          "```\na\n2\n```" },
        { "<code class='hl lean block'>a\n  b</code>", "```lean\na\n  b\n```" },
        /* callouts */
        { "<div class='alert alert-info'><p>Note:</p><p>a</div>b", "> [!NOTE]\n> a\n\nb" },
        { "<div class='admonition danger'><p>Danger<p>a</div>", "> [!CAUTION]\n> Danger\n>\n> a" },
        { "<ul><li>x<blockquote class='callout' data-callout=tip><ul><li>a</ul></blockquote></ul>",
          "- x\n\n  > [!TIP]\n  > - a" },
        { "<div class='callout-title warning'>a</div><div class='alert alert-info'></div>b",
          "a\n\nb" },
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
        { "<ul><li><ul><li>a<li>b</ul></ul>", "- a\n- b" },
        { "<ul><li>a<li> <ul><li>b</ul> <li>c</ul>", "- a\n\n- b\n- c" },
        { "<ul><li><h2>a</h2><pre>b</pre><li>c</ul>", "- ## a\n\n  ```\n  b\n  ```\n\n- c" },
        { "<ol><li>a<li value=7>b<li value=x>c</ol>", "1. a\n7. b\n8. c" },
        { "<ol><li>a<ol start=2><li>b</ol></ol>", "1. a\n\n   2. b" },
        { "<ol><li>a</li><p>b</p><li>c</ol>", "1. a\n\nb\n\n2. c" },
        { "<ul><li><blockquote>a<p>b</blockquote></ul>", "- > a\n  >\n  > b" },
        { "<ul><li>- a<li>* b<li>1. c</ul>", "- \\- a\n- \\* b\n- 1\\. c" },
        { "x<ul><li><hr></ul>a", "x\n\n- ***\n\na" },
        { "<ul><ul><li>a</ul><li>b</li>x<ul><li>c</ul></ul>", "- a\n\n- b\n\nx\n\n- c" },
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
        /* permalinks */
        { "<h2>a<a href=#x>\u00b6</a></h2><h2><a href=#y> # </a>b</h2>", "## a\n\n## b" },
        { "<dl><dt>t<a href=#x><i>\uf0c1</i></a><dd>d</dl>", "- **t**: d" },
        { "<h2><a href=#x>A</a></h2><h2><a href=v>#</a></h2>", "## A\n\n## [#](v)" },
        { "<h2><a href=#x>\u4e00</a></h2><p><a href=#x>\u2191</a>", "## \u4e00\n\n[\u2191](#x)" },
        { "<h2>a<a href=#x>*</a></h2><h2>b<a href=#y>\u2020</a>",
          "## a[\\*](#x)\n\n## b[\u2020](#y)" },
        { "<h2>a<a href=#x>\u00b9</a></h2>", "## a[\u00b9](#x)" },
        { "<h2><a href=#x>+</a></h2><dl><dt><a href=#y>==</a><dd>d</dl>", "## +\n\n- **==**: d" },
        { "<a href=u><h2>a</h2><p>b</p></a>", "## [a](u)\n\n[b](u)" },
        { "<a href='javascript:x'>a</a> <a href='java\nscript:x'>b</a> <a>c</a>", "a b c" },
        { "<a href='data:text/html,x'>a</a> <a href=''>b</a>", "a b" },
        /* what is played */
        { "a<iframe src='https://www.youtube.com/embed/x' title='A film'>x</iframe>b<iframe "
          "src='//player.vimeo.com/video/1'></iframe><iframe src='//ads.example/' "
          "title=Ad></iframe>",
          "a [A film](https://www.youtube.com/embed/x) b [Video](//player.vimeo.com/video/1)" },
        { "<video controls><source src=a.mp4>b</video> <video src=c.mp4 autoplay></video>"
          "<audio src=d.mp3 controls aria-label=Song></audio>",
          "[Video](a.mp4) [Song](d.mp3)" },
        /* what only tracks visitors */
        { "<a href='u?utm_source=x&a=1&amp;fbclid=2&b#c'>a</a> <a href='?_ga=1'>b</a>",
          "[a](u?a=1&b#c) [b]()" },
        { "<a href='u?sid=0123456789abcdef&s=0123456789ABCDEF01'>a</a> <a "
          "href='u?sid=12&s=x'>b</a>",
          "[a](u) [b](u?sid=12&s=x)" },
        { "<a href='u;jsessionid=1?a'>a</a> <a href='u;a=1?b;c'>b</a>", "[a](u?a) [b](u;a=1?b;c)" },
        { "<a href='/cdn-cgi/l/email-protection#422302276c2d3025'>[email&#160;protected]</a>, "
          "<a href='/cdn-cgi/l/email-protection' data-cfemail=422302276c2d3025>b</a>",
          "[a@e.org](mailto:a@e.org), [b](mailto:a@e.org)" },
        { "<a href='/cdn-cgi/l/email-protection#4223'>a</a>",
          "[a](/cdn-cgi/l/email-protection#4223)" },
        { "<a href='u(v)<\\\">'>a</a>", "[a](u(v)%3C%5C%22%3E)" },
        { "<a href='u(v'>a</a> <a href=')('>b</a>", "[a](u%28v) [b](%29%28)" },
        { "<a href='u?a&amp;copy;=1&b'>a</a>", "[a](u?a&amp;copy;=1&b)" },
        { "<img src=i alt='a&shy;b&#8203;'>", "![ab](i)" },
        { "<img src=i alt='a]b'> <a href=u><img src=j></a>", "![a\\]b](i) [![](j)](u)" },
        /* images without use; smilies */
        { "<img src=i alt=''><figure><img src=j alt=''></figure><a href=u><img src=k alt=' '></a>",
          "![](j)" },
        { "<img src=i alt='Arrow Icon'> <img src=j alt='Image'> <img src=k alt=a.png>",
          "![](j) ![](k)" },
        { "<img src=/dummy.png> <img src='/Loading.gif?x' alt=a> <img src=/loading.jpg>",
          "![](/loading.jpg)" },
        { "<p><img src=i alt=''><p><a href=u><img src=j alt=''></a><p>a <img src=k alt=''>",
          "![](i)\n\n[![](j)](u)\n\na" },
        { "<img src=i alt=a> b <img src=i alt=a>", "![a](i) b ![a](i)" },
        { "<i class=material-icons>star</i> a", "a" },
        { "<img src=i alt=a><p><img src=i alt=b><img src=j alt=b><img src=i alt=a>",
          "![a](i)\n\n![b](j)![a](i)" },
        { "<img src=i alt='a long text'> <img src=j alt='a long text'>"
          "<img src=k alt='a longer text'> <img src=l alt='a longer text'>",
          "![a long text](i) ![a long text](j)![a longer text](k)" },
        { "a <img src=i alt=:roll:> <img src=i class=wp-smiley alt=':-)'>", "a :roll: :-)" },
        { "<img src='data:x' data-src=i> <img src='data:x'>a", "![](i) a" },
        { "<a href='#'>a</a> <a href=' # '>b</a> <a href='##'>c</a> <a href='d#'>d</a>",
          "a b [c](##) [d](d#)" },
        { "<a href=u>a<br></a>b <a href=u>c<br></a>", "[a](u)\\\nb [c](u)" },
        /* links side by side */
        { "<a href=u>a</a><a href=v>b</a><a>c</a><a href='#'>d</a><a href='#'>e</a>",
          "[a](u) [b](v) c d e" },
        { "<a href=u>A</a><a href=u>B</a>, <a href=v>c</a>d", "[A](u) [B](u), [c](v)d" },
        /* one word in two links */
        { "<a href=u>or</a><a href=u><b>d</b></a><a href=u>er</a><a href=v>s</a>",
          "[or](u)[**d**](u)[er](u) [s](v)" },
        { "<h2><a href=u>a</a></h2><p><a href=u>b</a>, <a href=v>c</a><h2>d</h2><a href=u>e</a>",
          "## [a](u)\n\n[b](u), [c](v)\n\n## d\n\n[e](u)" },
        { "<img src=i width=1 height=1><img data-src=i width=0 height=1>a", "a" },
        { "<img src=i alt='' width=16 height=16><img src=i width=99 height=99>"
          "<img src=j width=101 height=9>a",
          "![](j)a" },
        /* images that scripts load late */
        { "a <img src=/blank.gif data-src=/i> <img src='data:x' data-lazy-src=/j>",
          "a ![](/i) ![](/j)" },
        { "a <img src=i data-src=false> <img src=j data-original='/{width}'>", "a ![](i) ![](j)" },
        { "a <img nitro-lazy-src=/i> <img srcset='/i 1x,\n/j 2x'> <img data-srcset=' /k, /l 2x'>",
          "a ![](/i) ![](/j) ![](/l)" },
        { "<picture><source srcset='/i 1x'><source srcset='/j'><img src='data:x' alt=x></picture>a",
          "![x](/i)a" },
        { "<img src='data:x' data-image-loader='/i'>a", "![](/i)a" },
        { "<img src='data:x' srcset='data:y 1x'> <img srcset=' '>a", "a" },
        { "a&nbsp;<b>b</b>&#x2028;c", "a **b** c" },
        { "a<!-- --> <!-- -->b c<!-- -->d", "a b cd" },
        { "x<code>a</code><i><code>b</code></i>c", "x`ab`c" },
        { "<button>a</button><button>b</button>", "a b" },
    };
    CHECK_ROWS(rows);
}

#define TEX(tex)                  "<annotation encoding='application/x-tex'>" tex "</annotation>"
#define MATHJAX(element, content) "<mjx-" element ">" content "</mjx-" element ">"

/* Formulas come once, as TeX, from where pages have them. */
static void formulas(void **state)
{
    static const row_t rows[] = {
        { "a <span class=katex><span "
          "class=katex-mathml><math><semantics><mrow><mi>x</mi></mrow>" TEX(
              "x_1 &amp; y") "</semantics></math></span><span class=katex-html>x</span></span> b",
          "a $x_1 & y$ b" },
        { "a<span class=katex-display><math>" TEX("x") "</math></span>b", "a\n\n$$\nx\n$$\n\nb" },
        { "t <math alttext='{\\displaystyle a^2}'><mi>a</mi></math>", "t $a^2$" },
        { "a <script type=math/tex>x</script>. <script type='math/tex; mode=display'>\n= y\n"
          "</script>",
          "a $x$.\n\n$$\n{}= y\n$$" },
        { "t <span class=MathJax_Preview>p</span><span "
          "class=MathJax><i>x</i><math><mi>x</mi></math>"
          "</span><script type=math/tex>x</script>",
          "t $x$" },
        { "t <mjx-container class=MathJax "
          "display=true><svg></svg><mjx-assistive-mml><math><mi>x</mi>"
          "</math></mjx-assistive-mml></mjx-container>",
          "t\n\n$$\nx\n$$" },
        { "t <mjx-container class=MathJax>" MATHJAX(
              "math",
              MATHJAX("mfrac",
                      MATHJAX("frac",
                              MATHJAX("num", MATHJAX("mi", "<mjx-c class=mjx-c1D465></mjx-c>"))
                                  MATHJAX("den", MATHJAX("mn", "2"))))) "</mjx-container>",
          "t $\\frac{x}{2}$" },
        { "<span class=math-inline data-math='x^2'>x2</span>", "$x^2$" },
        { "<img class=latex alt='x^2' src=i> <img alt='\\frac{1}{2}' src=i> "
          "<img src='https://e.org/?latex=%5Calpha+%2B+1&bg=0'> <img alt=x src=i>",
          "$x^2$ $\\frac{1}{2}$ $\\alpha + 1$ ![x](i)" },
        { "<table><tr><th>a<th><script type=math/tex>|x| \\| y</script></table>",
          "| a | $\\vert x\\vert  \\Vert  y$ |\n| --- | --- |" },
        /* no image begins in a formula */
        { "a <a href=n><script type=math/tex>x![y</script></a>", "a [$x!{}[y$](n)" },
        { "<h2>a <math display=block><mi>x</mi></math></h2>", "## a $x$" },
        { "<span class=katex>a <b>b</b></span><span class=MathJax>c</span>", "a **b**c" },
        { "<div class=MathJax>a<p>b <math><mi>x</mi></math></div>", "a\n\nb $x$" },
        { "<math></math><math><mi></mi></math>a", "a" },
        /* what readers of Markdown alone would take for something else */
        { "t <script type=math/tex>a<b> `c` [d](javascript:e) [^1] \\text{$f$ \\$} &copy; % g\n "
          "h</script>",
          "t $a\\lt b\\gt 'c' [d] (javascript:e) [ ^1] \\text{\\(f\\) \\$} & copy; h$" },
    };
    CHECK_ROWS(rows);
}

#define M(element, content) "<" element ">" content "</" element ">"
#define MI(x)               M("mi", x)
#define MO(x)               M("mo", x)
#define MN(x)               M("mn", x)

static void mathml(void **state)
{
    static const struct {
        const char *math, *tex;
    } rows[] = {
        { MI("a") MO("+") MI("b"), "a + b" },
        { MI("&alpha;") MI("x") MI("sin") MI("&#x1D465;") MI("&#x1D6FC;"),
          "\\alpha x\\sin x\\alpha" },
        { MI("max") M("mtext", " a_b {") MI("id"), "\\max \\text{a\\_b \\{}\\mathrm{id}" },
        { M("mfrac", MI("a") M("mrow", MI("b") MO("-") MN("1"))), "\\frac{a}{b - 1}" },
        { "<mfrac linethickness=0>" MI("n") MI("k") "</mfrac>", "{n \\atop k}" },
        { M("msqrt", MI("a") MI("b")) M("mroot", MI("x") MN("3")), "\\sqrt{ab}\\sqrt[3]{x}" },
        { M("msup", M("mrow", MI("a") MI("b")) MN("2")), "{ab}^{2}" },
        { M("msubsup", M("mrow", MI("a")) MI("i") MN("2")), "a_{i}^{2}" },
        { M("munderover", MO("&sum;") MI("i") MI("n")) MI("x"), "\\sum_{i}^{n}x" },
        { M("mover", MI("x") MO("^")) M("mover", MI("x") MI("y")), "\\hat{x}\\overset{y}{x}" },
        { M("mtable", M("mtr", M("mtd", MI("a")) M("mtd", MI("b"))) M("mtr", M("mtd", MI("c")))),
          "\\begin{matrix} a & b \\\\ c \\end{matrix}" },
        { M("mfenced", MI("a") MI("b")) M("mphantom", MI("c")), "(a,b)" },
        { "<mi mathvariant=bold>a</mi>" MO("&#x2062;") MO("{"), "\\mathbf{a}\\{" },
        { M("unknown", MI("a")) "b<mspace width=1em/><mi>c", "a c" },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *html = apr_pstrcat(*state, "t <math>", rows[i].math, "</math>", NULL);
        const char *expected = apr_pstrcat(*state, "t $", rows[i].tex, "$\n", NULL);
        assert_string_equal(markdown_of(html, NULL, *state), expected);
    }
    /* deep elements and long formulas are left out */
    const char *deep = apr_pstrcat(*state, "a<math>", repeated("<mrow>", 100, *state), "<mi>x</mi>",
                                   repeated("</mrow>", 100, *state), "</math>", NULL);
    assert_string_equal(markdown_of(deep, NULL, *state), "a\n");
    const char *long_one =
        apr_pstrcat(*state, "a<math>", repeated("<mi>x</mi>", 7000, *state), "</math>", NULL);
    assert_string_equal(markdown_of(long_one, NULL, *state), "a\n");
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
        { "<table><thead><tr><td>a<td>b<tbody><tr><td>c<td>d</table>",
          "| a | b |\n| --- | --- |\n| c | d |" },
        { "<table><tr><td><b>a</b><td> <b>b</b> <tr><td>c<td>d</table>",
          "| **a** | **b** |\n| --- | --- |\n| c | d |" },
        { "<ul><li><table><tr><th>a<th>b</table></ul>", "- | a | b |\n  | --- | --- |" },
        { "<table><tr><td colspan=2>a<tr><td>b<td>&lt;p> <a href='u?a&b'>c</a></table>",
          "<table>\n<tr><td colspan=\"2\">a</td></tr>\n"
          "<tr><td>b</td><td>&lt;p&gt; <a href=\"u?a&amp;b\">c</a></td></tr>\n</table>" },
        { "<table><tr><td>a<ul><li>b<li>c</ul><td>d<tr><td>e</table>",
          "<table>\n<tr><td>a<br>b<br>c</td><td>d</td></tr>\n<tr><td>e</td></tr>\n</table>" },
        { "<table><tr><td>a<td><table><tr><th>b<th>c</table></table>",
          "a\n\n| b | c |\n| --- | --- |" },
        { "<table><tr><td><h2>a</h2><td>b<tr><td>c</table>", "## a\n\nb\n\nc" },
        { "<table border=0><tr><td colspan=2>a<tr><td>b<td>c</table>", "a\n\nb\n\nc" },
        { "<table role=presentation><tr><th>a<th>b<tr><td>c<td>d</table>", "a\n\nb\n\nc\n\nd" },
        { "<table><tr><th>a<th>b<tr><td>c<td>d<colgroup>e</table>", "a\n\nb\n\nc\n\nd\n\ne" },
        { "<table><tr><td><td></table>x", "x" },
        /* a heading in a header cell, but in no other one */
        { "<table><tr><th>x<th><h3>a</h3><tr><td>b<td>c</table>",
          "| x | a |\n| --- | --- |\n| b | c |" },
    };
    CHECK_ROWS(rows);
}

#define REF(id, label) "<sup><a href=#" id ">" label "</a></sup>"
#define NOTE(id, text) "<ol><li id=" id ">" text "</ol>"

/* References and notes, as sites and generators write them. */
static void footnotes(void **state)
{
    static const row_t rows[] = {
        { "a<sup id=r><a href='#n'>1</a></sup> b" NOTE("n", "x <a href='#r'>^</a>"),
          "a[^1] b\n\n[^1]: x" },
        { "a<a href='#n' id=r><sup>[7]</sup></a>"
          "<div class=footnote id=n><p><a href='#r'><sup>[7] </sup></a>x</div>",
          "a[^1]\n\n[^1]: x" },
        { "a<sup class=reference id=r><a href='#n'>[b]</a></sup>" NOTE(
              "n", "<span>^ <a href='#r'><sup>a</sup></a> <a href='#r'>b</a></span> <i>x</i>"),
          "a[^1]\n\n[^1]: _x_" },
        { "a <a class='footnote-reference' href='#n' role=doc-noteref>[<b>1</b>]</a>"
          "<aside id=n><span>[<a role=doc-backlink href='#q'>1</a>]</span><p>x<p>y</aside>z",
          "a [^1]\n\n[^1]: x\n\n    y\n\nz" },
        { "a <a role=doc-noteref href='#n' id=r>1</a><dl><dt id=n><a "
          "href='#r'>1</a><dd>x<dd>y</dl>",
          "a [^1]\n\n[^1]: x\n\n- y" },
        { "a" REF("n", "1") "<p id=n><sup>1</sup> x", "a[^1]\n\n[^1]: x" },
        { "a<sup id=r><a href='#n'>1</a></sup><p id=n>see <a href='#r'>above</a> x <a "
          "href='#r'>&uarr;</a>.",
          "a[^1]\n\n[^1]: see [above](#r) x ." },
        { "a" REF("n", "1") "<p id=n><a href=u>1</a> x", "a[^1]\n\n[^1]: [1](u) x" },
        { "a" REF("n", "1") "<p id=n><i><a href=u><b>1</b></a></i> x",
          "a[^1]\n\n[^1]: _[**1**](u)_ x" },
        { "a" REF("n", "1") "<p id=n><a name=m></a><sup>1</sup> x", "a[^1]\n\n[^1]: x" },
        { "a" REF("n", "1") "<p id=n>1. x", "a[^1]\n\n[^1]: 1\\. x" },
        { "a<sup><a id=r href='#n'>1</a></sup><p id=n>[<a href='#r'>1</a>] x [<a href='#r'>^</a>",
          "a[^1]\n\n[^1]: x \\[" },
        { "a<sup><a id=r href='#n'>1</a></sup><p id=n>x [<a href='#r'>^</a>][<a href='#r'>^</a>]",
          "a[^1]\n\n[^1]: x" },
        { "a" REF("n", "[note 2]") "<p id=n>x", "a[^1]\n\n[^1]: x" },
        /* a term in a note is no term of the list around it */
        { "a" REF("n", "1") "<dl><li id=n>x<dt>y<dd>z</dl>",
          "a[^1]\n\n[^1]: x\n\n    **y**\n\n    z" },
        { "a" REF("%C3%A9", "1") "<p id='\xC3\xA9'>x", "a[^1]\n\n[^1]: x" },
        { "<h2>a" REF("n", "*") "</h2><b>b" REF("m", "1") "</b> c" REF("n", "2")
              NOTE("n", "x<li id=m>y"),
          "## a[^1]\n\n**b[^2]** c[^1]\n\n[^1]: x\n\n[^2]: y" },
        { "a<sup><a href='#n'>1</a><a href='#m'>2</a></sup>" NOTE("m", "x") NOTE("n", "y"),
          "a[^2][^1]\n\n[^1]: x\n\n[^2]: y" },
        { "a<sup>[<a href='#n'>1</a>]</sup><p id=n>x", "a[^1]\n\n[^1]: x" },
        { "a<sup>st <a href='#n'>1</a></sup><p id=n>x", "a<sup>st [^1]</sup>\n\n[^1]: x" },
        { "<ol><li>a" REF("n", "1") "<li id=n>x<li>b</ol>", "1. a[^1]\n\n[^1]: x\n\n3. b" },
        { "<ul><li>a" REF("n", "1") "<p id=n>x<ul><li>y</ul><pre>z</pre></ul>",
          "- a[^1]\n\n  [^1]: x\n\n  - y\n\n  ```\n  z\n  ```" },
        { "a" REF("n",
                  "1") "<div "
                       "id=n>x<ul><li>y</ul><blockquote>z<p>z</blockquote><pre>z\n\nz</pre></div>b",
          "a[^1]\n\n[^1]: x\n    - y\n\n    > z\n    >\n    > z\n\n    ```\n    z\n    \n    z\n   "
          " ```\n\nb" },
        { "a" REF("n", "1") "<div id=n><ul><li>x<p>y</ul></div>", "a[^1]\n\n[^1]: - x\n\n      y" },
        { "a" REF("n", "1") NOTE("n", ""), "a[^1]\n\n[^1]: " },
        { "a" REF("n", "1") NOTE("n", "b" REF("m", "2")) NOTE("m", "c" REF("n", "1")),
          "a[^1]\n\n[^1]: b[^2]\n\n[^2]: c[^1]" },
        { "a" REF("n", "1") "<table><tr><th>b" REF("n", "1") "<th>c</table><p id=n>x",
          "a[^1]\n\n| b[^1] | c |\n| --- | --- |\n\n[^1]: x" },
        { "a" REF("n", "1") "<table><tr><td colspan=2>b" REF("n",
                                                             "1") "<tr><td>c<td>d</table><p id=n>x",
          "a[^1]\n\n<table>\n<tr><td colspan=\"2\">b<sup><a "
          "href=\"#n\">1</a></sup></td></tr>\n<tr><td>c</td><td>d</td></tr>\n"
          "</table>\n\n[^1]: x" },
    };
    CHECK_ROWS(rows);
}

/* Text beside references does not change what they are. */
static void footnotes_are_escaped(void **state)
{
    static const row_t rows[] = {
        { REF("n", "1") ": b!" REF("n", "1") "(u)" REF("n", "1") "[u]" REF("n",
                                                                           "1") "<a href=u>c</a>"
                                                                                "<p id=n>[^1]: x",
          "[^1]\\: b\\![^1]\\(u)[^1]\\[u][^1][c](u)\n\n[^1]: \\[^1]: x" },
        { "<a href=u>^1</a> <img alt='^1' src=u> <a href=u><b>^1</b>^1</a>" REF("n",
                                                                                "1") "<p id=n>x",
          "[\\^1](u) ![\\^1](u) [**^1**^1](u)[^1]\n\n[^1]: x" },
        { "^" REF("n", "1") "^<a href=u>b</a>^ c^<p id=n>x", "\\^[^1]\\^[b](u)^ c^\n\n[^1]: x" },
        { "<i>a</i>" REF("n", "1") "<i>b</i>" REF("n", "1") "<b>c</b><code>d</code>" REF(
              "n", "1") "<p id=n>x",
          "_a_[^1]_b_[^1]**c**`d`[^1]\n\n[^1]: x" },
    };
    CHECK_ROWS(rows);
}

/* What is not certain stays a link. */
/* References and notes that are known by other signs than a sup with a link, and an id. */
static void footnotes_by_signs(void **state)
{
    static const row_t rows[] = {
        { "a <a href='#n'>[1]</a><ol><li><a id=n></a>x</ol>", "a [^1]\n\n[^1]: x" },
        { "a<a href='#n'><span class=fn>1</span></a><p><a name=n href='#r'>1</a> x",
          "a[^1]\n\n[^1]: x" },
        { "a<span id=fnref1><a href='#n'>1</a></span><p id=n>x", "a[^1]\n\n[^1]: x" },
        { "a<span class=fn><a href='#n'>1</a></span><p id=n>x", "a[^1]\n\n[^1]: x" },
        { "a" REF("n", "1") "<h5><a id=n href='#r'>(1)</a></h5><p>x</p>y",
          "a[^1]\n\n[^1]: x\n\ny" },
        { "a" REF("n", "1") "<div><a name=n></a></div>x", "a<sup>[1](#n)</sup>\n\nx" },
        { "a <a href='#n'>[1]</a><p>b <a id=n></a>x", "a [\\[1\\]](#n)\n\nb x" },
        /* where the page does not know its address */
        { "a<a class=noteref href='c.html#n'><sup>1</sup></a><p id=n>x", "a[^1]\n\n[^1]: x" },
        { "<cite>[<a href='https://e.org/c#n'>1</a>]</cite><p id=n>x", "_\\[[^1]]_\n\n[^1]: x" },
        /* notes in sentences */
        { "a<span class=sidenote><span class=sidenote-number>1. </span>x</span> b",
          "a[^1] b\n\n[^1]: x" },
        { "a<label class=n>1</label><input><span class=footnote><sup>1</sup> x <b>y</b></span> b",
          "a[^1] b\n\n[^1]: x **y**" },
        { "a<span class=inline-footnote>1<span class=footnoteContent>x</span></span> b",
          "a[^1] b\n\n[^1]: x" },
        { "a <span class=footnote>x</span> b", "a x b" },
        /* the same note at the end */
        { "a" REF("n", "1") "<span class=sidenote>x</span> b<p id=n>x", "a[^2] b\n\n[^2]: x" },
        { "a <span class=sidenote><input><label>1</label><span>x</span></span> b", "a 1x b" },
        { "<h2>a<span class=sidenote>x</span></h2>", "## ax" },
        /* numbers without a link are no references */
        { "a<sup>1</sup><section class=footnotes><ol><li>x</ol></section>",
          "a<sup>1</sup>\n\n1. x" },
        { "<table><tr><th>b" REF("n", "1") "<th>c</table><p id=n>x",
          "| b[^1] | c |\n| --- | --- |\n\n[^1]: x" },
    };
    CHECK_ROWS(rows);
}

static void links_are_no_footnotes(void **state)
{
    static const row_t rows[] = {
        { "a<a href='#n'>1</a><p id=n>x", "a[1](#n)\n\nx" },
        { "a<a class=notebook href='#n'>1</a><p id=n>x", "a[1](#n)\n\nx" },
        { "a" REF("n", "new") "<p id=n>x", "a<sup>[new](#n)</sup>\n\nx" },
        { "a" REF("n", "&trade;") "<p id=n>x", "a<sup>[\xE2\x84\xA2](#n)</sup>\n\nx" },
        { "a" REF("n", "<img src=i>1") "<p id=n>x", "a<sup>[![](i)1](#n)</sup>\n\nx" },
        { "a<sup><a href='p#n'>1</a></sup><p id=n>x", "a<sup>[1](p#n)</sup>\n\nx" },
        { "<p id=n>x</p>a" REF("n", "1"), "x\n\na<sup>[1](#n)</sup>" },
        { "<p id=n>x" REF("n", "1") "</p>", "x<sup>[1](#n)</sup>" },
        { "<div id=n>a" REF("n", "1") "<p>x</div>", "a<sup>[1](#n)</sup>\n\nx" },
        { "a" REF("n", "1") "<h2 id=n>x</h2>", "a<sup>[1](#n)</sup>\n\n## x" },
        { "a" REF("n", "1") "<div id=n><h2>x</h2>y</div>", "a<sup>[1](#n)</sup>\n\n## x\n\ny" },
        { "a" REF("n", "1") "<table><tr><td><p id=n>x</table>", "a<sup>[1](#n)</sup>\n\nx" },
        { "a" REF("n", "1") "<details><summary><p id=n>x</summary></details>",
          "a<sup>[1](#n)</sup>\n\n**x**" },
        { "a" REF("n", "1") "<dl><dt id=n>term<dd>x</dl>", "a<sup>[1](#n)</sup>\n\n- **term**: x" },
        { "a" REF("n", "1") "<blockquote><p id=n>x", "a<sup>[1](#n)</sup>\n\n> x" },
        { "<table><tr><th colspan=2>b" REF("n", "1") "<tr><td>c<td>d</table><p id=n>x",
          "<table>\n<tr><th colspan=\"2\">b<sup><a href=\"#n\">1</a></sup></th></tr>\n"
          "<tr><td>c</td><td>d</td></tr>\n</table>\n\nx" },
        { "<pre>" REF("n", "1") "</pre><p id=n>x", "```\n1\n```\n\nx" },
        /* the note in the note, and the second of an id */
        { "a" REF("n", "1") REF("m", "2") "<div id=n>x<p id=m>y</div><p id=m>z",
          "a[^1]<sup>[2](#m)</sup>\n\n[^1]: x\n\n    y\n\nz" },
        { "a" REF("n", "1") "<p id=n>x<p id=n>y", "a[^1]\n\n[^1]: x\n\ny" },
        /* a reference in a term that is left out would be lost */
        { "a" REF("n", "1") "<dl><dt id=n>" REF("m", "1") "<dd>x</dl><p id=m>y",
          "a[^1]\n\n[^1]: x\n\ny" },
        { "a<sup>" REF("n", "1") "<p id=n></p></sup>b", "a[^1]\n\n[^1]: \n\nb" },
    };
    CHECK_ROWS(rows);
}

/* References to what is not there are left out, unless their element is there but no note. */
static void references_that_hang(void **state)
{
    static const row_t rows[] = {
        { "a" REF("n", "1") "<p id=m>x", "a\n\nx" },
        { "a<sup><a href='#n'>1</a><a href='#m'>2</a></sup> b", "a b" },
        { "a<sup><a href='#n'>1</a><a href='#m'>2</a></sup> b<p id=m>x", "a[^1] b\n\n[^1]: x" },
        { "a <a href='#n'>[1]</a> b<pre id=n>x</pre>", "a [\\[1\\]](#n) b\n\n```\nx\n```" },
        { "a <a href='p#n'>[1]</a>", "a [\\[1\\]](p#n)" },
        { "a<sup>1</sup>", "a<sup>1</sup>" },
    };
    CHECK_ROWS(rows);
}

/* What text says is text, wherever it stands. */
static void text_is_escaped(void **state)
{
    static const row_t rows[] = {
        { "# a", "\\# a" },
        { "a<br># b<br>## c<br>#d<br>#", "a\\\n\\# b\\\n\\## c\\\n#d\\\n\\#" },
        { "a<br>===<br>---<br>- b<br>+ c<br>-d", "a\\\n\\===\\\n\\---\n\n\\- b\\\n\\+ c\\\n-d" },
        { "1. a<br>23) b<br>1.5<br>1234567890. c", "1\\. a\\\n23\\) b\\\n1.5\\\n1234567890. c" },
        { "&gt; a", "\\> a" },
        { "a|b<br>|-|-|<br>:-|-<br>-|-", "a|b\\\n\\|-|-|\\\n\\:-|-\\\n\\-|-" },
        { "```<br>~~~", "\\`\\`\\`\\\n\\~\\~\\~" },
        { "*a* _b_ __c__ a_b_c", "\\*a\\* \\_b\\_ \\_\\_c\\_\\_ a_b_c" },
        { "[a](b) ![c](d) [e]: f <wbr>[^1]: g", "\\[a](b) !\\[c](d) [e]: f \\[^1]: g" },
        { "a [b] [[c]] [d<b>e</b>] [f]<a href=u>g</a>", "a [b] \\[[c]] \\[d**e**] \\[f][g](u)" },
        { "a * b *c _ d C:\\e \\! 1 < 2 <= 3", "a * b \\*c _ d C:\\e \\\\! 1 < 2 <= 3" },
        { "a<br>=b<br>-$5<br>+1", "a\\\n=b\\\n-$5\\\n+1" },
        { "&lt;script>a&lt;/script> &lt;!-- &lt;https://e.org>",
          "\\<script>a\\</script> \\<!-- \\<https\\://e.org>" },
        /* characters that only say where a word may break */
        { "\xEF\xBB\xBF"
          "a\xE2\x80\x8B"
          "b \xC2\xAD"
          "c\xC2\xAD\xE2\x80\x8B d\xE2\x80\x8D",
          "ab c d\xE2\x80\x8D" },
        { "<p>\xE2\x80\x8D</p><p>\xE2\x80\x8D<b>a</b>\xE2\x80\x8D<p>&zwj;", "**a**" },
        { "&amp;copy; &amp;#35; & a", "\\&copy; \\&#35; & a" },
        { "B&amp;H &amp;am<span>p;</span> &amp;#; &amp;a<b>mp;</b>", "B&H \\&amp; &#; &a**mp;**" },
        { "https://e.org http:x www.e.org WWW.e.org wwww.e",
          "https\\://e.org http:x www\\.e.org WWW\\.e.org wwww\\.e" },
        { "\\*a", "\\\\\\*a" },
        { "a\\<br>b", "a\\\\\\\nb" },
        { "a!<a href=u>b</a>", "a\\![b](u)" },
        { "---<p>a: b<p>---", "\\---\n\na: b\n\n\\---" },
        { "<h2>a #</h2><h2>b##</h2><h2>#</h2>", "## a \\#\n\n## b##\n\n## \\#" },
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
        { "c", "https://e.org:8/a/c" },
        { "/c", "https://e.org:8/c" },
        { "//f.org/c", "https://f.org/c" },
        { "?c", "https://e.org:8/a/b?c" },
        { "#c", "https://e.org:8/a/b?q#c" },
        { "../c?d", "https://e.org:8/c?d" },
        { "./c/", "https://e.org:8/a/c/" },
        { "http://f.org", "http://f.org" },
        { "mailto:a@b", "mailto:a@b" },
        { "c:d", NULL },
        { "d e/../f g", "https://e.org:8/a/f%20g" },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *html = apr_pstrcat(*state, "<a href=\"", rows[i].href, "\">x</a>", NULL);
        const char *is = markdown_of(html, "https://e.org:8/a/b?q", *state);
        const char *link = rows[i].address == NULL
                               ? "x\n"
                               : apr_pstrcat(*state, "[x](", rows[i].address, ")\n", NULL);
        assert_string_equal(is, link);
    }
}

static void front_matter(void **state)
{
    static const char html[] =
        "<!DOCTYPE html><html lang=de><head><title>a \"b&shy;\"\\ \n---\n &amp; c</title>"
        "<base href='/x/'><script>'<meta name=author content=no>'</script>"
        "<!-- <meta name=author content=no> -->"
        "<meta name=description content='d\n\n---\n# e'><meta property=og:description content=f>"
        "<meta name=author content='Ann Lee'><meta property=og:image content=i.png>"
        "<meta property=article:published_time content=2026-01-02>"
        "<link rel=canonical href=/y></head><body><p>text <a href=z>z</a>";
    apr_size_t len;
    tmpl_edits_t none = { 0 };
    tmpl_content_opts_t opts = { "http://e.org/p", NULL, .posts = 1, .titles = 1 };
    assert_string_equal(written(&len, check_page(html, *state), &none, &opts, *state),
                        "---\ntitle: \"a \\\"b\\\"\\\\ --- & c\"\ndescription: \"d --- # e\"\n"
                        "canonical: \"http://e.org/y\"\nlanguage: \"de\"\nauthor: \"Ann Lee\"\n"
                        "published: \"2026-01-02\"\nimage: \"http://e.org/x/i.png\"\n---\n\n"
                        "# a \"b\"\\ --- & c\n\ntext [z](http://e.org/x/z)\n");
}

/* A page whose address nobody says has the one that it names, with its references decoded. */
/* A heading is no link to its own page. */
static void headings_are_no_links_to_themselves(void **state)
{
    assert_string_equal(markdown_of("<h2><a href='/p?sid=0123456789abcdef#x'>a</a></h2><h2><a "
                                    "href='/pq'>b</a></h2>",
                                    "http://e.org/p", *state),
                        "## a\n\n## [b](http://e.org/pq)\n");
    /* one that has links to several places is a list of contents */
    assert_string_equal(markdown_of("<h2><a href='#x'>one</a> <a href='#y'>two</a></h2><h2>a <a "
                                    "href='#x'>#x</a><a href='#x'>\u00c2\u00b6</a></h2>",
                                    "http://e.org/p", *state),
                        "## [one](http://e.org/p#x) [two](http://e.org/p#y)\n\n## a\n");
}

static void links_follow_the_canonical_address(void **state)
{
    static const char html[] = "<link rel=canonical href='https://e.org/p?a&amp;b'>"
                               "<a href='#c'>text</a> <a href=d>words</a>";
    assert_string_equal(markdown_of(html, NULL, *state),
                        "[text](https://e.org/p?a&b#c) [words](https://e.org/d)\n");
}

/* Definitions that are a line stand behind their terms; others are in the terms' items. */
static void terms(void **state)
{
    static const row_t rows[] = {
        { "<dl><dt>a:<dd>b<dt>c<dt>d<dd>e <a href=f>g</a></dl>h",
          "- **a:** b\n- **c**\n- **d**: e [g](f)\n\nh" },
        { "<dl><div><dt>a</dt><dd>b<br>c</dd></div></dl>", "- **a**\n\n  b\\\n  c" },
        { "<dl><dt>a<dd>b<ul><li>c<li>d</ul><dd>e<dt>f<dd>g</dl>",
          "- **a**\n\n  b\n  - c\n  - d\n\n  e\n- **f**: g" },
        { "<dl><dd>a<dd>b</dl>", "- a\n\n  b" },
        { "<dl><dt>a<dd><dl><dt>b<dd>c</dl><dt>d<dd>e</dl>", "- **a**\n  - **b**: c\n- **d**: e" },
        { "<table><tr><th>x<th>y<tr><td><dl><dt>a<dd>b</dl><td>c</table>",
          "<table>\n<tr><th>x</th><th>y</th></tr>\n"
          "<tr><td><strong>a</strong><br>b</td><td>c</td></tr>\n</table>" },
    };
    CHECK_ROWS(rows);
}

#define POST(id, who, when, text)                                                                  \
    "<div class=post id=p" id "><div class=author-info><a href=/members/" who ">" who              \
    "</a><br>Joined: May 3, 2010<br>" id " posts</div><span class=date>" when                      \
    "</span><a href=/report?p=" id ">Report</a><div class=post-body>" text "</div></div>"

/* Posts have headings with their authors and dates; what else stands beside their texts goes. */
static void posts(void **state)
{
    static const row_t rows[] = {
        { "<h1>Thread</h1>" POST("1", "Ann", "May 4, 2026", "First post of two.")
              POST("2", "bob_2", "3 hours ago",
                   "<div class=quote>Ann said: <p>First post of two.</div>I see <b>that</b>."),
          "# Thread\n\n### Ann, May 4, 2026\n\nFirst post of two.\n\n"
          "### bob_2, 3 hours ago\n\n> Ann said:\n>\n> First post of two.\n\n"
          "I see **that**." },
        /* a quote of vBulletin 3; words in a sentence beside a text that is longer stay */
        { POST("1", "Ann", "May 4, 2026", "First post of two.")
              POST("2", "Bo", "May 5, 2026",
                   "<table><tr><td>Originally Posted by <b>Ann</b><br>First post of two."
                   "</table>I see <b>that</b>, and what you mean by it."),
          "### Ann, May 4, 2026\n\nFirst post of two.\n\n### Bo, May 5, 2026\n\n"
          "> Originally Posted by **Ann**\\\n> First post of two.\n\n"
          "I see **that**, and what you mean by it." },
        { POST("1", "Ann", "May 4, 2026", "First post of two.")
              POST("2", "Bo", "May 5, 2026", "<p>First post of them all.</p>I see <b>that</b>."),
          "### Ann, May 4, 2026\n\nFirst post of two.\n\n### Bo, May 5, 2026\n\n"
          "First post of them all.\n\nI see **that**." },
        /* a headline in a post stays in front of its author */
        { "<article class=message><h1>Question</h1><span class=username>Ann</span> "
          "<time datetime=2026-05-04>4 May</time><div class=content>What is it, please?</div>"
          "</article><article class=message><span class=username>Bo</span> "
          "<time datetime=2026-05-05></time><h3>A title</h3>"
          "<div class=content>It is nothing, thank you.</div></article>",
          "# Question\n\n### Ann, 4 May\n\nWhat is it, please?\n\n"
          "### Bo, 2026-05-05\n\n**A title**\n\nIt is nothing, thank you." },
        /* answers are one level deeper; schema.org says what they are */
        { "<ol><li itemscope itemtype=https://schema.org/Comment><b itemprop=author>Ann</b>: "
          "<p itemprop=text>A comment on all of it.</p><ul><li itemscope "
          "itemtype=https://schema.org/Comment>"
          "<b itemprop=author>Bo</b>: <p itemprop=text>An answer to it.</p></ul></ol>",
          "### Ann\n\nA comment on all of it.\n\n#### Bo\n\nAn answer to it." },
        /* a date for programs */
        { POST("1", "Ann", "2026-05-04T10:00+00:00", "First post of two.")
              POST("2", "Bo", "2026-05-05T10:00+00:00", "Second post of two."),
          "### Ann, 2026-05-04\n\nFirst post of two.\n\n"
          "### Bo, 2026-05-05\n\nSecond post of two." },
        /* one name, or names without texts, are no posts */
        { "<div class=post>"
          "<span class=author>Ann Lee</span> <span class=date>May 4, 2026</span>"
          "<p>The only one.</div>",
          "Ann Lee May 4, 2026\n\nThe only one." },
    };
    CHECK_ROWS(rows);
    const char *html = POST("1", "Ann", "May 4, 2026", "First post of two.")
        POST("2", "Bo", "May 5, 2026", "Second post of two.");
    assert_string_equal(markdown_of(html, "https://e.org/t", *state),
                        "### Ann, [May 4, 2026](https://e.org/t#p1)\n\nFirst post of two.\n\n"
                        "### Bo, [May 5, 2026](https://e.org/t#p2)\n\nSecond post of two.\n");
}

#define ANSWER(id, who, attribute)                                                                 \
    "<div id=answer-" id " class=answer itemprop=acceptedAnswer itemscope "                        \
    "itemtype=https://schema.org/Answer" attribute "><div class=post-layout><div class=text>An "   \
    "answer to a question.</div><div class=user-details><a href=/users/" who ">" who "</a></div>"  \
    "</div></div>"
#define NAMED(item, parent, who, at)                                                               \
    "<li itemprop=comment itemscope itemtype=https://schema.org/Comment>"                          \
    "<meta itemprop=datePublished content=" at ">" parent "<a href=/user/" who                     \
    "><span>Offline</span></a>"                                                                    \
    "<div class=justify-content-between itemprop=author itemscope>"                                \
    "<meta itemprop=name content=" who "><a href=/post/" item " class=timeago title=" at "></a>"   \
    "</div><div itemprop=text>A text that " who " wrote.</div></li>"
#define OWN(who, day, more)                                                                        \
    "<article class='ipsEntry ipsEntry--post'><b class=username>" who "</b><time datetime="        \
    "2026-05-0" day "></time><div class=content>A post that " who " wrote." more                   \
    "</div></article>"

/* Who wrote a post; posts that say nothing, or again what another one says; signatures. */
static void authors_of_posts(void **state)
{
    static const row_t rows[] = {
        /* a question has one answer */
        { "<div itemscope itemtype=https://schema.org/Question><div class=question>"
          "<div class=post-layout><div class=text>What is it, please, and is there more of it?"
          "</div><div class=user-details itemprop=author><a href=/users/Ann>Ann</a></div>"
          "<ul><li class=comment>No. <span class=date "
          "title=2026-05-09>9</span></ul></div></div>" ANSWER("7", "Bo", "") "</div>",
          "### Ann\n\nWhat is it, please, and is there more of it?\n\n"
          "#### Bo, accepted answer\n\nAn answer to a question." },
        /* a date is no name; an attribute says it */
        { ANSWER("1", "Ann", "") ANSWER("2", "Jan-27-2016", " data-author-username=Bo"),
          "### Ann, accepted answer\n\nAn answer to a question.\n\n### Bo, accepted answer, "
          "[Jan-27-2016](/users/Jan-27-2016)\n\nAn answer to a question." },
        /* microdata say more than what is seen, and one's own date more than that of another */
        { NAMED("1", "", "Ann", "2026-05-04T10:00:00Z")
              NAMED("2", "<a href=/post/1 class=timeago title=2026-05-04T10:00:00Z></a>", "Bo",
                    "2026-05-05T10:00:00Z"),
          "### Ann, [2026-05-04](/post/1)\n\nA text that Ann wrote.\n\n"
          "### Bo, [2026-05-05](/post/2)\n\nA text that Bo wrote." },
        /* lists of who wrote most, and signatures; posts are named so */
        { "<div class=ipsBox><b class=username>Ann</b><time datetime=2026-05-04></time>A thread"
          "</div><div class=ipsBox>" OWN(
              "Ann", "4",
              "") "</div>"
                  "<div class='ipsBox cTopicOverview'>Top posters <a class=author "
                  "href=/u/Bo>Bo</a> "
                  "<time datetime=2026-05-04></time></div>" OWN(
                      "Bo", "5",
                      "<div class=signature>Design should be simple. Communication should "
                      "be honest.</div>"),
          "**Ann**A thread\n\n### Ann, 2026-05-04\n\nA post that Ann wrote.\n\n"
          "Top posters [Bo](/u/Bo)\n\n"
          "### Bo, 2026-05-05\n\nA post that Bo wrote." },
        /* nothing stays of the second one; the first one is there twice */
        { "<div itemscope itemtype=https://schema.org/DiscussionForumPosting><div><b "
          "itemprop=author>"
          "Ann</b><p itemprop=text>The first post of them, which is a long one.</div></div>"
          "<div class=post><b class=author>Ann</b><i class=date>2026-05-04</i>"
          "<div>The first post of them, which is a long one.</div></div>"
          "<div class=post><b class=author>Cy</b><i class=date>2026-05-04</i>\xC2\xB7</div>"
          "<div class=post><b class=author>Bo</b><i class=date>2026-05-05</i><p>Fine.</div>",
          "### Ann, 2026-05-04\n\nThe first post of them, which is a long one.\n\n"
          "### Bo, 2026-05-05\n\nFine." },
    };
    CHECK_ROWS(rows);
}
#undef ANSWER
#undef NAMED
#undef OWN

#define CARD(n, text)                                                                              \
    "<li class=product><a href=/" n "><img src=" n ".jpg alt='Cup " n "'></a>"                     \
    "<h3><a href=/" n ">Cup " n "</a></h3><div class=price>$" n ".50</div>" text "<a href=/" n     \
    ">More</a></li>"

/* Small cards are lines that begin with the linked title; large ones are written as they are. */
#define HEAD(n)                                                                                    \
    "<th class=product><div class=head><a href=/" n                                                \
    " class=thumb><img src=a.png alt='' width=150></a><div "                                       \
    "class=info><a href=/" n " class=product-name>Cup " n "</a> <span>Best under $500</span>"      \
    "</div></div>"
static void cards(void **state)
{
    static const row_t rows[] = {
        { "<ul>" CARD("1", "") CARD("2", "<p>New <b>and</b> <a href=/x>red</a>")
              CARD("3", "") "</ul>",
          "- [Cup 1](/1) \xC2\xB7 $1.50\n- [Cup 2](/2) \xC2\xB7 $2.50 \xC2\xB7 New **and** "
          "[red](/x)\n- [Cup 3](/3) \xC2\xB7 $3.50" },
        { "<ul>" CARD("1", "") CARD("2", "") "</ul>",
          "- [![Cup 1](1.jpg)](/1)\n\n  ### [Cup 1](/1)\n\n  $1.50\n\n  [More](/1)\n"
          "- [![Cup 2](2.jpg)](/2)\n\n  ### [Cup 2](/2)\n\n  $2.50\n\n  [More](/2)" },
        /* what heads the columns of a table */
        { "<table><tr><th>" HEAD("1") HEAD("2") HEAD("3") "<tr><td>a<td>b<td>c<td>d</table>",
          "|  | [![](a.png)](/1)<br>[Cup 1](/1) Best under $500 | [![](a.png)](/2)<br>[Cup 2](/2) "
          "Best under $500 | [![](a.png)](/3)<br>[Cup 3](/3) Best under $500 |\n"
          "| --- | --- | --- | --- |\n| a | b | c | d |" },
    };
    CHECK_ROWS(rows);
}
#undef HEAD

/* What edits delete is not in the Markdown, nor are words joined over it. */
static void edits_are_left_out(void **state)
{
    static const char html[] = "<body><p>a <b>b</b> c</p><div>d</div>e<i>f</i> g";
    static const char *const nothing[] = { "" };
    tmpl_edit_t edits[] = { { { 11, 19 }, 0 }, { { 25, 37 }, 0 } };
    tmpl_edits_t all = { edits, 2, nothing };
    tmpl_content_opts_t opts = { 0 };
    apr_size_t len;
    assert_string_equal(written(&len, check_page(html, *state), &all, &opts, *state),
                        "a c\n\ne*f* g\n");
}

/* Containers beyond the limit are flat; Markdown beyond three times the page is none at all. */
static void limits(void **state)
{
    const char *deep = apr_pstrcat(*state, repeated("<blockquote>", 400, *state), "a", NULL);
    const char *expected = apr_pstrcat(*state, repeated("> ", 100, *state), "a\n", NULL);
    assert_string_equal(markdown_of(deep, NULL, *state), expected);
    const char *lists = apr_pstrcat(*state, repeated("<ul><li>a", 240, *state), NULL);
    expected = apr_pstrcat(*state, "\n", repeated("  ", 99, *state), "- a\n\n", NULL);
    assert_non_null(strstr(markdown_of(lists, NULL, *state), expected));
    const char *url = apr_pstrcat(*state, "http://e.org/", repeated("x", 2000, *state), "/", NULL);
    const char *links = repeated("<a href=a>b</a> <a href=c>d</a> ", 500, *state);
    assert_non_null(markdown_of(links, "http://e.org/", *state));
    assert_null(markdown_of(links, url, *state));
    assert_null(markdown_of(apr_pstrcat(*state, repeated("<blockquote>", 100, *state),
                                        repeated("a<hr>", 3000, *state), NULL),
                            NULL, *state));
}

/* The page's own address in front of a fragment. */
static void footnotes_of_the_page(void **state)
{
    static const struct {
        const char *href;
        int own;
    } rows[] = {
        { "#n", 1 },       { "b?q#n", 1 },
        { "/a/b?q#n", 1 }, { "https://e.org/a/b?q#n", 1 },
        { "b#n", 0 },      { "https://e.org/#n", 0 },
        { "c?q#n", 0 },    { "#", 0 },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *html =
            apr_pstrcat(*state, "a<sup><a href='", rows[i].href, "'>1</a></sup><p id=n>x", NULL);
        const char *is = markdown_of(html, "https://e.org/a/b?q#f", *state);
        assert_int_equal(strstr(is, "a[^1]\n\n[^1]: x\n") != NULL, rows[i].own);
        assert_int_equal(strstr(is, "[^1]") != NULL, rows[i].own);
    }
    /* with a base element, "#n" is another page's */
    tmpl_edits_t none = { 0 };
    tmpl_content_opts_t opts = { "https://e.org/a", NULL, .posts = 1, .titles = 1 };
    apr_size_t len;
    const char *html = "<head><base href='/'></head><body>a" REF("n", "1") "<p id=n>x";
    const char *is = written(&len, check_page(html, *state), &none, &opts, *state);
    assert_non_null(strstr(is, "a<sup>[1](https://e.org/#n)</sup>"));
}

/* The number of times that part is in text. */
static size_t times(const char *text, const char *part)
{
    size_t n = 0;
    for (; (text = strstr(text, part)) != NULL; text += strlen(part)) {
        n++;
    }
    return n;
}

/* References beyond the limit are links; so are those and notes that are nested too deep. */
static void limits_of_footnotes(void **state)
{
    const char *references = repeated(REF("n", "1"), TMPL_NOTES_MOST + 1, *state);
    const char *is =
        markdown_of(apr_pstrcat(*state, references, NOTE("n", "x"), NULL), NULL, *state);
    assert_int_equal(times(is, "[^1]"), TMPL_NOTES_MOST + 1); /* and the note */
    assert_int_equal(times(is, "<sup>[1](#n)</sup>"), 1);
    const char *same = repeated("<li id=n>x", 10000, *state);
    is = markdown_of(apr_pstrcat(*state, REF("n", "1") "<ul>", same, NULL), NULL, *state);
    assert_int_equal(times(is, "[^1]: "), 1);
    assert_int_equal(times(is, "\n- x"), 9999);
    const char *deep = repeated("<section>", 65, *state);
    const char *less = deep + strlen("<section>");
    is = markdown_of(apr_pstrcat(*state, REF("n", "1"), deep, "<p id=n>x", NULL), NULL, *state);
    assert_null(strstr(is, "[^1]"));
    is = markdown_of(apr_pstrcat(*state, REF("n", "1"), less, "<p id=n>x", NULL), NULL, *state);
    assert_int_equal(times(is, "[^1]"), 2);
    is = markdown_of(apr_pstrcat(*state, deep, REF("n", "1") "<p id=n>x", NULL), NULL, *state);
    assert_null(strstr(is, "[^1]"));
    const char *nodes = repeated("x<br>", 250, *state);
    is = markdown_of(apr_pstrcat(*state, REF("n", "1") "<p id=n>", nodes, NULL), NULL, *state);
    assert_null(strstr(is, "[^1]"));
    is = markdown_of(apr_pstrcat(*state, REF("n", "1") "<p id=n>", nodes + 10, NULL), NULL, *state);
    assert_non_null(strstr(is, "[^1]: x"));
}

static const struct CMUnitTest tests[] = {
    CHECK(headline),
    CHECK(blocks),
    CHECK(lists),
    CHECK(formats),
    CHECK(formulas),
    CHECK(mathml),
    CHECK(tables),
    CHECK(footnotes),
    CHECK(footnotes_are_escaped),
    CHECK(footnotes_by_signs),
    CHECK(links_are_no_footnotes),
    CHECK(references_that_hang),
    CHECK(text_is_escaped),
    CHECK(addresses),
    CHECK(front_matter),
    CHECK(headings_are_no_links_to_themselves),
    CHECK(links_follow_the_canonical_address),
    CHECK(terms),
    CHECK(posts),
    CHECK(authors_of_posts),
    CHECK(cards),
    CHECK(edits_are_left_out),
    CHECK(limits),
    CHECK(footnotes_of_the_page),
    CHECK(limits_of_footnotes),
};

TAP_MAIN(tests)
