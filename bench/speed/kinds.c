/* SPDX-License-Identifier: Apache-2.0 */
#include "kinds.h"

#include <stdio.h>
#include <stdlib.h>

#include <apr_strings.h>

#include "html/tag.h"

#define WORDS_10 "w w w w w w w w w w "
#define WORDS_100                                                                                  \
    WORDS_10 WORDS_10 WORDS_10 WORDS_10 WORDS_10 WORDS_10 WORDS_10 WORDS_10 WORDS_10 WORDS_10
#define SHORTCODES_10 "[vc_a][vc_a][vc_a][vc_a][vc_a][vc_a][vc_a][vc_a][vc_a][vc_a]"
#define SHORTCODES_100                                                                             \
    SHORTCODES_10 SHORTCODES_10 SHORTCODES_10 SHORTCODES_10 SHORTCODES_10 SHORTCODES_10            \
        SHORTCODES_10 SHORTCODES_10 SHORTCODES_10 SHORTCODES_10

const kind_t kinds[] = {
    { .name = "ordinary", .unit = "<div class=c><p>Some text, <a href=/#>a link</a>.</div>\n" },
    { .name = "one huge text", .unit = "text " },
    { .name = "references to nothing", .unit = "&zzzzzz " },
    { .name = "huge attribute", .begin = "<div title=\"", .unit = "text ", .end = "\">x</div>" },
    { .name = "huge comment", .begin = "<!--", .unit = "text ", .end = "-->x" },
    { .name = "huge script", .begin = "<script>", .unit = "text ", .end = "</script>x" },
    { .name = "100,000 deep", .unit = "<div>x" },
    { .name = "spans deep", .unit = "<span>x" },
    { .name = "unknown deep", .unit = "<x-#>" },
    { .name = "500 deep", .nest = "<div>", .deep = 500, .unit = "<p>x</p>" },
    { .name = "500 deep, blocks", .nest = "<div>", .deep = 500, .unit = "<div>x</div>" },
    { .name = "500 deep, stray ends", .nest = "<div>", .deep = 500, .unit = "</p>" },
    { .name = "500 deep, stray i", .nest = "<div>", .deep = 500, .unit = "</i>" },
    { .name = "500 spans, stray ends", .nest = "<span>", .deep = 500, .unit = "</x>" },
    { .name = "500 spans, text", .nest = "<span>", .deep = 500, .unit = "x<br>" },
    { .name = "500 deep in b", .begin = "<b>", .nest = "<div>", .deep = 500, .unit = "x<br>" },
    { .name = "500 deep, over and over",
      .unit = "<i><i><i><i><i><u><u><u></u></u></u></i></i></i></i></i>" },
    { .name = "tiny elements", .unit = "<i>x</i>" },
    { .name = "tiny empty elements", .unit = "<b></b>" },
    { .name = "br", .unit = "<br>" },
    { .name = "img", .unit = "<img src=#>" },
    { .name = "unknown names", .unit = "<x#>x</x#>" },
    { .name = "attributes", .begin = "<div ", .unit = "a# ", .end = ">x</div>" },
    { .name = "attributes, one name", .begin = "<div ", .unit = "a ", .end = ">x</div>" },
    { .name = "attributes, two b",
      .begin = "<b ",
      .unit = "a# ",
      .middle = ">x<b ",
      .end = ">x</b></b>" },
    { .name = "attributes, many b", .unit = "<b a b c d e f g h i j k l m n o p=#>x</b>" },
    { .name = "attributes in open b",
      .nest = "<b a b c d e f g h i j=#>",
      .deep = 480,
      .unit = "<b a b c d e f g h i j=x>x</b>" },
    { .name = "b not closed", .unit = "<b>" },
    { .name = "b x not closed", .unit = "<b>x" },
    { .name = "b in p not closed", .unit = "<p><b>x" },
    { .name = "b in p, ends", .unit = "<p><b></p>" },
    { .name = "b in p, numbered", .unit = "<p><b id=#></p>" },
    { .name = "b come back", .begin = "<p>", .nest = "<b id=#>", .deep = 480, .unit = "</p><p>x" },
    { .name = "b come back, 240 deep",
      .nest = "<div>",
      .deep = 240,
      .begin =
          "<p><b id=1><b id=2><b id=3><b id=4><b id=5><b id=6><b id=7><b id=8><b id=9><b id=10>",
      .unit = "</p><p>x" },
    { .name = "a in a", .unit = "<a href=#>x" },
    { .name = "a in a, blocks", .unit = "<a href=#><div>x" },
    { .name = "nobr", .unit = "<nobr>x" },
    { .name = "misnested", .unit = "<p><b><i>x</b>y</i></p>" },
    { .name = "misnested blocks", .unit = "<b><div>x</b>y</div>" },
    { .name = "adoption", .nest = "<b><div>", .deep = 240, .unit = "</b>" },
    { .name = "adoption again", .nest = "<div>", .deep = 240, .unit = "<b><p><p></b></p>" },
    { .name = "adoption over spans",
      .unit = "<b><u><s><i><span><span><div>x</b></div></span></span></i></s></u>" },
    { .name = "b over a table", .begin = "<b><table>", .unit = "</b>" },
    { .name = "markers left", .unit = "<div><object></div>", .middle = "", .end = "x" },
    { .name = "markers left, b",
      .begin = "",
      .unit = "<div><object></div><div><b><b><b><b></b></b></b></b></div>" },
    { .name = "marquee left, b", .unit = "<div><marquee><b></div>" },
    { .name = "foster parents", .unit = "<table>x<b>y</table>" },
    { .name = "table in table", .unit = "<table>" },
    { .name = "cells", .begin = "<table>", .unit = "<tr><td>x" },
    { .name = "tables in cells", .unit = "<table><tr><td>x" },
    { .name = "text in table", .begin = "<table>", .unit = "x<tr>" },
    { .name = "hidden in table", .begin = "<table>", .unit = "<script></script>" },
    { .name = "colgroups", .begin = "<table>", .unit = "<colgroup><col>" },
    { .name = "li", .begin = "<ul>", .unit = "<li>x" },
    { .name = "dl", .begin = "<dl>", .unit = "<dt>x<dd>y" },
    { .name = "dl numbered", .begin = "<dl>", .unit = "<dt>T#<dd>D#" },
    { .name = "headings numbered", .unit = "<h1>H#</h1><p>t#" },
    { .name = "li in spans", .begin = "<ul>", .nest = "<span>", .deep = 500, .unit = "<li>" },
    { .name = "headings", .unit = "<h1>x<h2>y" },
    { .name = "buttons", .unit = "<button>x" },
    { .name = "forms", .unit = "<form>x" },
    { .name = "form ends", .unit = "</form>" },
    { .name = "forms, divs", .unit = "<form><div></form>x</div>" },
    { .name = "ruby", .begin = "<ruby>", .unit = "<rb>x<rt>y" },
    { .name = "select", .unit = "<select><option>x</select>" },
    { .name = "select not closed", .unit = "<select>" },
    { .name = "option", .unit = "<option>" },
    { .name = "option in select", .begin = "x<select>", .unit = "<option>x", .end = "</select>" },
    { .name = "optgroup", .begin = "x<select>", .unit = "<optgroup><option>x", .end = "</select>" },
    { .name = "select, divs", .begin = "x<select>", .unit = "<div>", .end = "</select>" },
    { .name = "stray ends", .unit = "</div>" },
    { .name = "stray p", .unit = "</p>" },
    { .name = "stray br", .unit = "</br>" },
    { .name = "stray body", .unit = "</body>x" },
    { .name = "body", .unit = "<body>x" },
    { .name = "html", .unit = "<html>x" },
    { .name = "svg", .unit = "<svg><g/></svg>x" },
    { .name = "svg deep", .begin = "x<svg>", .unit = "<g>" },
    { .name = "svg in svg", .begin = "x", .unit = "<svg>" },
    { .name = "foreignObject", .begin = "x", .unit = "<svg><foreignObject>" },
    { .name = "cdata in svg", .begin = "x<svg>", .unit = "<![CDATA[x]]>", .end = "</svg>" },
    { .name = "cdata", .begin = "x", .unit = "<![CDATA[" },
    { .name = "math", .unit = "<math><mi>x</mi></math>x" },
    { .name = "template", .unit = "<template><div></template>x" },
    { .name = "templates deep", .begin = "x", .unit = "<template>" },
    { .name = "template, divs", .begin = "x<template>", .unit = "<div>", .end = "</template>" },
    { .name = "noscript", .unit = "<noscript>x</noscript>y" },
    { .name = "noscript not closed", .begin = "x", .unit = "<noscript>" },
    { .name = "noscripts in one", .begin = "x", .unit = "<noscript>", .end = "</noscript>" },
    { .name = "textarea", .unit = "<textarea>x</textarea>y" },
    { .name = "iframe", .begin = "x", .unit = "<iframe>" },
    { .name = "comments", .unit = "<!-- -->x" },
    { .name = "comment not closed", .begin = "x<!--", .unit = "-- >" },
    { .name = "comments opened", .begin = "x", .unit = "<!--" },
    { .name = "comment of dashes", .begin = "x<!--", .unit = "-", .end = "-->" },
    { .name = "comment of --!", .begin = "x<!--", .unit = "--!", .end = "-->" },
    { .name = "bogus comments", .unit = "<?x>y" },
    { .name = "bogus comments opened", .begin = "x", .unit = "<?" },
    { .name = "</ in script", .begin = "x<script>", .unit = "</script", .end = "</script>" },
    { .name = "<!-- in script", .begin = "x<script>", .unit = "<!--", .end = "--></script>" },
    { .name = "<script in script",
      .begin = "x<script><!--",
      .unit = "<script ",
      .end = "--></script>" },
    { .name = "script not closed", .begin = "x", .unit = "<script>" },
    { .name = "scripts", .unit = "<script></script>x" },
    { .name = "scripts 500 deep", .nest = "<div>", .deep = 500, .unit = "<script></script>x" },
    { .name = "</ in style", .begin = "x<style>", .unit = "</", .end = "</style>" },
    { .name = "title", .unit = "<title>x</title>y" },
    { .name = "<", .unit = "<" },
    { .name = "< and spaces", .unit = "< " },
    { .name = "</", .unit = "</" },
    { .name = "<a", .unit = "<a" },
    { .name = "tag not closed", .begin = "x<div ", .unit = "a=\"" },
    { .name = "<a href=\"", .begin = "x", .unit = "<a href=\"" },
    { .name = "&", .unit = "&" },
    { .name = "&nbsp;", .unit = "&nbsp;", .end = "x" },
    { .name = "&nbsp", .unit = "&nbsp" },
    { .name = "character references", .unit = "&#1;&amp;&notit;" },
    { .name = "spaces", .unit = " ", .end = "x" },
    { .name = "NUL", .unit = "^" },
    { .name = "links", .unit = "<link rel=\"x x x x canonica\" href=x>x" },
    { .name = "metas", .unit = "<meta charset=x>" },
    { .name = "hr in p", .unit = "<p>x<hr>" },
    { .name = "pre", .unit = "<pre>\n<b>x</pre>" },
    { .name = "pre below many classes",
      .begin = "<div class=\"" WORDS_100 WORDS_100 WORDS_100 WORDS_100 "\">",
      .unit = "<pre>a listing</pre>" },
    { .name = "shortcodes, spaces",
      .begin = "<p>" SHORTCODES_100 SHORTCODES_100 SHORTCODES_100 SHORTCODES_100,
      .unit = " " },
    { .name = "shortcodes, a long style",
      .begin = "<div style=\"",
      .unit = "[vc_a]",
      .middle = "\">",
      .end = "</div>" },
    { .name = "shortcodes, attributes of one name",
      .begin = "<div ",
      .unit = "class=x[vc_a] ",
      .middle = ">[",
      .end = "</div>" },
    { .name = "template and content", .unit = "<div>x</div><section><p>x<br>y</section>" },
    { .name = "separators", .unit = "<ul><li>x</ul>" },
    { .name = "controls of one part",
      .begin = "<div id=x>",
      .unit = "<p><a aria-controls=x>x</a>" },
    { .name = "asked for by one script",
      .begin = "<p>x</p><script>",
      .unit = "document.getElementById('#')",
      .end = "</script>x" },
    { .name = "asked for", .unit = "<b id=x#>x</b><script>document.querySelector('#x#')</script>" },
    { .name = "asking where they stand, deep",
      .nest = "<div>",
      .deep = 500,
      .unit = "<i><b><u>x</u></b></i><script>document.write()</script>" },
    { .name = "references to one note",
      .unit = "<sup><a href=&num;n id=r#>1</a></sup>x",
      .end = "<p id=n><a href=&num;r1>^</a> x" },
    { .name = "references in one sup",
      .begin = "<sup>",
      .unit = "<a href=&num;n>1</a>,",
      .end = "</sup><p id=n>x" },
    { .name = "notes",
      .unit = "<sup><a href=&num;n# id=r#>1</a></sup><p id=n#><a href=&num;r#>^</a>x" },
    { .name = "notes deep", .unit = "<sup><a href=&num;n#>1</a></sup><div id=n#>x" },
    { .name = "notes in one another",
      .unit = "<sup><a href=&num;n#>1</a></sup>",
      .middle = "",
      .end = "<div id=n1><div id=n2><div id=n3>x" },
    { .name = "formulas, images", .unit = "<img class=latex alt=x>" },
    { .name = "formulas, KaTeX", .unit = "<span class=katex><math display=block>x</math></span>" },
    { .name = "formulas, scripts", .unit = "<script type=math/tex>x</script>" },
    { .name = "formulas, data-tex", .unit = "<span class=katex data-tex=x>x</span>" },
    { .name = "formulas, MathJax", .unit = "<b class=MathJax><mjx-math>x</mjx-math></b>" },
    /* charsets of which a byte becomes up to three of UTF-8 */
    { .name = "windows-1252, text",
      .begin = "<meta charset=windows-1252>",
      .unit = "\x80\x99\x93 \x94" },
    { .name = "windows-1252, p",
      .begin = "<meta charset=windows-1252>",
      .unit = "<p>\x80\x99\x93" },
    { .name = "windows-1252, cells",
      .begin = "<meta charset=windows-1252><table>",
      .unit = "<tr><td>\x80\x99" },
    { .name = "windows-1252, links",
      .begin = "<meta charset=windows-1252>",
      .unit = "<a href='/\x80\x99#'>\x80\x99</a> " },
    { .name = "windows-1252, listing",
      .begin = "<meta charset=windows-1252><pre>",
      .unit = "\x80\x99\x93\n" },
    { .name = "windows-1252, lines",
      .begin = "<meta charset=windows-1252>",
      .unit = "\x80\x99<br>" },
    { .name = "windows-874, text",
      .begin = "<meta charset=windows-874>",
      .unit = "\xa1\xa2\xa3\xa4 " },
    { .name = "windows-874, emphasis",
      .begin = "<meta charset=windows-874>",
      .unit = "<b>\xa1\xa2</b> \xa3" },
    { .name = "Shift_JIS, half-width",
      .begin = "<meta charset=shift_jis>",
      .unit = "<p>\xb1\xb2\xb3\xb4\xb5\xb1\xb2\xb3\xb4\xb5" },
    { .name = "Shift_JIS, text",
      .begin = "<meta charset=shift_jis>",
      .unit = "\x88\x9f\x88\xa0\x88\x9f<p>" },
    { .name = "GB18030, text", .begin = "<meta charset=gb18030>", .unit = "\xb0\xa1\xb0\xa2 <p>" },
    { .name = "GB18030, four bytes",
      .begin = "<meta charset=gb18030>",
      .unit = "\x81\x30\x81\x30\x81\x30\x81\x31 " },
    { .name = "EUC-KR, text", .begin = "<meta charset=euc-kr>", .unit = "\xb0\xa1\xb0\xa2 <p>" },
    { .name = "UTF-8, invalid", .begin = "<meta charset=utf-8>", .unit = "\xff\xfe\xff <p>" },
    { .name = "UTF-16, text", .unit = "text <p>", .is_wide = 1 },
    { .name = "UTF-16, declared", .begin = "<meta charset=utf-16>", .unit = "text <p>" },
    { .name = "UTF-8, text without spaces", .unit = "\xe4\xb8\xad\xe6\x96\x87" },
    { .name = "runs", .begin = "<div>", .unit = "x<br>y<span>z</span>", .end = "</div>" },
};

const unsigned n_kinds = sizeof(kinds) / sizeof(*kinds);

/* Puts a number in base 52, without digits: in layout paths all digits are the same. */
static void put_letters(buffer_t *b, unsigned number)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    do {
        b->bytes[b->len++] = letters[number % 52];
        number /= 52;
    } while (number > 0);
}

static void put(buffer_t *b, const char *text, unsigned number)
{
    for (const char *p = text != NULL ? text : ""; *p != '\0' && b->room - b->len > 16; p++) {
        if (*p == '#') {
            b->len += (apr_size_t)snprintf(b->bytes + b->len, 12, "%u", number);
        }
        else if (*p == '@') {
            put_letters(b, number);
        }
        else {
            b->bytes[b->len++] = *p == '^' ? '\0' : *p;
        }
    }
}

static void fill(buffer_t *b, const char *unit, apr_size_t until)
{
    for (unsigned i = 0; b->len < until; i++) {
        put(b, unit, i);
    }
}

/* Turns ASCII into UTF-16, in place: from the end, so that each byte is read before it goes. */
static void widen(buffer_t *b)
{
    for (apr_size_t i = b->len; i-- > 0;) {
        b->bytes[2 * i + 2] = b->bytes[i];
        b->bytes[2 * i + 3] = '\0';
    }
    b->bytes[0] = '\xff';
    b->bytes[1] = '\xfe';
    b->len = 2 * b->len + 2;
}

void kind_make(buffer_t *b, const kind_t *kind, apr_size_t size)
{
    b->room = size + 64 * KIB;
    b->bytes = malloc(b->room);
    size /= kind->is_wide ? 2 : 1;
    b->len = 0;
    if (b->bytes == NULL) {
        abort();
    }
    put(b, "<!DOCTYPE html><html><head><title>t</title></head><body><p>A text.</p>", 0);
    put(b, kind->begin, 0);
    for (unsigned i = 0; i < kind->deep; i++) {
        put(b, kind->nest, i);
    }
    if (kind->middle != NULL) {
        fill(b, kind->unit, size / 2);
        put(b, kind->middle, 0);
    }
    fill(b, kind->unit, size);
    put(b, kind->end, 0);
    if (kind->is_wide) {
        widen(b);
    }
}

static const char *const derived_texts[] = { "", "x", "@" };
static const char *const derived_attributes[] = { "", " class=c", " id=@", " href=@ src=@" };
enum {
    TEXTS = sizeof(derived_texts) / sizeof(*derived_texts),
    ATTRIBUTES = sizeof(derived_attributes) / sizeof(*derived_attributes),
    FORMS = 3 /* no end tag; an end tag; an end tag and text */
};

static kind_t derive(const char *element, unsigned flags, unsigned text, unsigned attribute,
                     unsigned form, apr_pool_t *pool)
{
    const char *words = derived_texts[text];
    const char *unit =
        apr_pstrcat(pool, "<", element, derived_attributes[attribute], ">", words, NULL);
    if (form > 0) {
        unit = apr_pstrcat(pool, unit, "</", element, ">", form > 1 ? words : "", NULL);
    }
    /* a part of a table stands in a table only */
    return (kind_t){ .name = unit, .unit = unit, .begin = flags & TMPL_IS_PART ? "<table>" : NULL };
}

apr_array_header_t *kinds_derive(apr_pool_t *pool)
{
    apr_array_header_t *all = apr_array_make(pool, 4096, sizeof(kind_t));
    for (unsigned tag = TMPL_TAG_OTHER; tag <= TMPL_TAG_COUNT; tag++) {
        const char *element = tag == TMPL_TAG_OTHER   ? "x-x"
                              : tag == TMPL_TAG_COUNT ? "x-@"
                                                      : tmpl_tag_name((tmpl_tag_e)tag);
        unsigned flags = tag < TMPL_TAG_COUNT ? tmpl_tag_flags((tmpl_tag_e)tag) : 0;
        unsigned forms = flags & TMPL_IS_VOID ? 1 : FORMS;
        for (unsigned i = 0; i < TEXTS * ATTRIBUTES * forms; i++) {
            APR_ARRAY_PUSH(all, kind_t) = derive(element, flags, i % TEXTS, i / TEXTS % ATTRIBUTES,
                                                 i / TEXTS / ATTRIBUTES, pool);
        }
    }
    return all;
}
