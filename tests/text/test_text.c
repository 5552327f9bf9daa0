/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a page, block by block, as mode text writes it. */
#include "check.h"

#include "text/text.h"

static const char *text_of(const char *html, apr_pool_t *pool)
{
    const tmpl_page_t *page = NULL;
    tmpl_page_opts_t opts = { .separators = &tmpl_separators_leaf };
    tmpl_decoder_t decoder;
    tmpl_buf_t buf;
    tmpl_buf_init(&buf, pool);
    assert_int_equal(tmpl_page_parse(&page, html, strlen(html), &opts, pool), TMPL_DECLINE_NONE);
    tmpl_decoder_find(&decoder, page->src, page->len, NULL, pool);
    for (uint32_t i = 0; i < page->n_blocks; i++) {
        tmpl_buf_add(&buf, "|", i > 0);
        tmpl_text_lines(&buf, page, i, &decoder);
    }
    return buf.at;
}

static void words_and_lines_are_as_displayed(void **state)
{
    static const struct {
        const char *html, *text;
    } cases[] = {
        { "<p>a <b>b</b>\n c<div>d", "a b c|d" },
        { "<li><span class=x>45 g</span><span class=y>sugar</span>", "45 g sugar" },
        { "<p>in&shy;fo\xc2\xadtext super<wbr>cali", "infotext supercali" },
        /* the reading in ruby has signs, its own or ours */
        { "<p><ruby>base<rt>reading</rt></ruby> b", "base(reading) b" },
        { "<p><ruby>base<rp>[</rp><rt>reading</rt><rp>]</rp></ruby> b", "base[reading] b" },
        { "<p><ruby>a<rt>b</rt>c<rt>d", "a(b)c(d)" },
        /* a pre keeps its lines; at br, blocks end */
        { "<pre>\na &lt; 1\n  <i>b</i>&nbsp;<i>c</i>\n\n<b>d</b><br>e</pre>f",
          "a < 1\n  b c\n\nd|e|f" },
        /* links of generators are no words */
        { "<h2>a<a href='#x'>\xc2\xb6</a></h2>", "a" },
        { "<h2>a<a href=x>#</a></h2>", "a#" },
        { "<h2>a<span class=mw-editsection><span>[</span><a href=x>edit</a>]</span></h2>", "a" },
        { "<h2>a <span class='x viewcode-link'>[source]</span></h2>", "a" },
        /* listings by style, and lines of their own */
        { "<div style='color: red; white-space: pre;'>a\n  b</div>", "a\n  b" },
        { "<p style='white-space: pre-wrap'>a\n  b</p>", "a b" },
        { "<pre><span class=line>a</span><span class=line>b</span><span class=line>c</pre>",
          "a\nb\nc" },
        { "<pre><span class=line>a\n</span><span class=line>b\n</span><span class=line>c</pre>",
          "a\nb\nc" },
        { "<pre><span class=line>a</span><span class=x>b</span>", "ab" },
        { "<pre>a<span class=gatsby-highlight-code-line>b</span>c", "a\nb\nc" },
        /* what a program was to replace, but not in code */
        { "<p>[vc_row id=1]a [caption width=\"3\"]b[/caption]<p>{{ a.b }}", "a b|" },
        { "<p>[caption] {{ a }}<p><code>{{ a }}</code><p>a [b] {{",
          "[caption] {{ a }}|{{ a }}|a [b] {{" },
        /* badges that need a class around them */
        { "<div class=price>$5 <span class='badge price__badge-sold-out'>Sold out</span>", "$5" },
        { "<div class='price price--sold-out'><p>$5 <span class='price__badge-sold-out'>Sold "
          "out</span>",
          "$5 Sold out" },
        { "<h2>a <span class=x>[source]</span></h2>", "a [source]" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_string_equal(text_of(cases[i].html, *state), cases[i].text);
    }
}

static const struct CMUnitTest tests[] = { CHECK(words_and_lines_are_as_displayed) };

TAP_MAIN(tests)
