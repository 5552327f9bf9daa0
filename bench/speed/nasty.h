/* SPDX-License-Identifier: Apache-2.0 */
/* XPath expressions that cost libxml2 much more than a step for each node, and pages for them. */
#ifndef BENCH_NASTY_H
#define BENCH_NASTY_H

#include "kinds.h"

static const char *const nasty_xpaths[] = {
    "//*[normalize-space(.) = 'x']",
    "//*[contains(., 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab')]",
    "//*/..",
    "//*/following-sibling::*",
    "//*/preceding::*",
    "//*/ancestor-or-self::*/descendant::*",
    "//* | //text() | //@*",
    "//div//div//div//div",
    "//p//text()/..//b",
    "//*[@x = 'aab' or @x > 5]",
    "//p[count(preceding::p) > 5]",
    "//@*/../following::*[1]/@*",
    "(//*/namespace::*/..)[last()]",
    "//*[last()][last()][last()]/../*[last()]",
};

static const kind_t nasty_pages[] = {
    { .name = "one text", .begin = "<p>x<p>x<p>x<b>y</b><i>z</i><p>", .unit = "a" },
    { .name = "one attribute", .begin = "<p>x<p>x<p>x<p x=\"", .unit = "a", .end = "\">x" },
    { .name = "one name", .begin = "<", .unit = "a", .end = ">x<p>x<p>x" },
    { .name = "paragraphs", .unit = "<p>some text of a paragraph" },
    { .name = "b in p", .unit = "<p><b>aab</b></p>some more text around it, sixty bytes" },
    { .name = "i in b in p",
      .unit = "<p x=aab><b><i>aab</i></b></p>some more text that makes it a unit of 120 bytes, "
              "which is less dense than most" },
    { .name = "attributes",
      .unit = "<p a=1 b=2 c=3 d=4 e=5 f=6 g=7 h=8 i=9 x=10 "
              "y='some more text, so that the tree does not take more than 10 times the page: "
              "an attribute takes 200 bytes there, and this one is all the text that there is. "
              "Without it, no page of this kind has a tree, and nothing is measured. "
              "Twelve attributes take 2,400 bytes, so that 240 bytes are not enough.'>text</p>" },
    { .name = "100 deep",
      .nest = "<div x=aab>",
      .deep = 100,
      .unit = "<b>x</b>some text that is in a hundred elements, and is long enough for that: "
              "long long long long long long long long long long long long long long<p>more text" },
    { .name = "500 deep", .nest = "<div x=aab>", .deep = 490, .unit = "aab " },
    { .name = "500 deep, some p", .nest = "<div><p x=aab>aab", .deep = 245, .unit = "aab " },
};

#endif
