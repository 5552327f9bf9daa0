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
        { "a<a href='#x'>&sect;</a><a href='#x'>\xef\x83\x81</a><a href='#x'>\xC2\xA7 1</a>",
          "a\xC2\xA7 1" },
        { "<h2>a</h2><a href='?action=edit'>[edit]</a>", "a|" },
        { "<h2>a<span>[<a href='?action=edit'>edit</a>]</span></h2>", "a" },
        { "<p>a <a href='?action=edit'>edit</a>", "a edit" },
        { "<p>a <a class=link-seesrc href=x>Source</a>", "a" },
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
        /* so do prices */
        { "<div class=price>$5 <div class=price__sale><s class=x>$6</s></div>", "$5|" },
        { "<div class='price price--on-sale'><div class=price__regular><b>$5</b></div>"
          "<div class=price__sale><s>$6</s> $5</div>",
          "|$6 $5" },
        { "<p>$5 <small class='unit-price'>Unit price / per</small>", "$5" },
        { "<p>$5 <small class='unit-price'>Unit price $1 / per lb</small>",
          "$5 Unit price $1 / per lb" },
        /* what is heard only, if what is seen says it: not if that is broken off */
        { "<p>12<span class='sr-only x'> minutes</span> <span aria-hidden=true>min</span>",
          "12 min" },
        { "<p><b><span>12<span class=a-sr-only> minutes</span></span> <i aria-hidden=true>min</i>",
          "12 min" },
        { "<p><del aria-hidden=true><b>9&euro;</b></del><span class=screen-reader-text>It was: "
          "9&euro;.</span>",
          "9\xe2\x82\xac" },
        { "<p><span class=a-offscreen>$3.42</span><span aria-hidden=true>$3<b>42</b></span>",
          "$3.42" },
        { "<p><span class=a-offscreen>abc def</span><span aria-hidden=true>abc \xe2\x80\xa6</span>",
          "abc def" },
        { "<p><span class=sr-only>4.5 of 5</span> <span aria-hidden=true>\xe2\x98\x85</span>",
          "4.5 of 5 \xe2\x98\x85" },
        { "<p><span class=sr-only>a</span> <span>b</span>", "a b" },
        { "<a href=x>a<span class=vh>(opens in a new window)</span></a>", "a" },
        { "<p>a<span class=vh>(opens in a new window)</span>", "a(opens in a new window)" },
        { "<h4>a<tool-tip class=tool-tip>what a is</tool-tip></h4>", "a" },
        { "<div>a<span class=tooltip>what a is</span></div>", "awhat a is" },
        /* signs: of a box, of fonts with icons */
        { "<li><span class=sr-only>\xe2\x96\xa2 </span>salt", "salt" },
        { "<p>a<span class=sr-only>: </span>b", "a: b" },
        { "<p><span class='et-pb-icon'>Z</span>a <span class=icon>1</span>", "a 1" },
        { "<p><i class=material-icons>arrow_forward</i> a", "a" },
        /* between a text and nothing */
        { "<p>1 \xC2\xB7 <p>|<p>2024\xC2\xB7<p>a \xE2\x80\xA2\xE2\x80\xA2<table><td>\xE2\x80\xA2",
          "1||2024|a \xE2\x80\xA2\xE2\x80\xA2|\xE2\x80\xA2" },
        { "<dl><dt>,<dd>/</dl><p><code><span class=pre>|</span></code><h3>:</h3>", ",|/|||:" },
        /* for screens of other sizes, but what is left out is no twin */
        { "<p><i class=xl-desktop>a longer text</i> <i class=xl-mobile>a longer text</i>",
          "a longer text" },
        { "<p><i class=visible-xs>Yes</i> <i class=hidden-xs>Yes</i>", "Yes Yes" },
        { "<p><b class=visuallyhidden>a longer text</b><b class=b aria-hidden=true>a longer "
          "text</b>",
          "a longer text" },
        { "<ul><li class=x>a longer text<li class=mobile>a longer text",
          "a longer text|a longer text" },
        /* states */
        { "<p>Loading prices&#8230;<p>Loading docks<p>Oops! Something went wrong. Try again.",
          "|Loading docks|" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_string_equal(text_of(cases[i].html, *state), cases[i].text);
    }
}

static const struct CMUnitTest tests[] = { CHECK(words_and_lines_are_as_displayed) };

TAP_MAIN(tests)
