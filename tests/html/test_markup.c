/* SPDX-License-Identifier: Apache-2.0 */
/* Tags: names and attributes; charsets; selectors. */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

#include "html/attr.h"
#include "html/charset.h"
#include "page/selector.h"

/*
 * Tags that are not in the table are known by a number. Two of these names have the same one
 * (XXH32, without its top bit), and others may be the same name to browsers, who read NUL and
 * broken UTF-8 as U+FFFD.
 */
static void unknown_names_are_told_apart(void **state)
{
#define PAGE(html) html, sizeof(html) - 1
    static const struct {
        const char *html;
        size_t len;
        int may; /* the last node may be cut */
    } cases[] = {
        { PAGE("<x-48401>a</X-48401><x-48402>b</x-48402>"), 1 },
        { PAGE("<b><x-217644>a</x-217644></b>"), 1 },
        { PAGE("<x-48401>a</x-48401><x-217644>b</x-217644>c"), 0 },
        { PAGE("<b><x-48401>a</x-217644></x-48401>b</b>"), 0 },
        { PAGE("<b><x\xe9>a</x\xe9></b>"), 1 },
        { PAGE("<b><x\xe9>a</x\xc9></x\xe9></b>"), 0 },
        { PAGE("<b><x\0>a</x\xef\xbf\xbd></x\0></b>"), 0 },
        { PAGE("<b><x>a</x\0></x></b>"), 0 },
        { PAGE("<b><p\0>a</p\0></b>"), 1 },
        { PAGE("<b><x y\xe9=z>a</x></b>"), 1 }, /* an attribute, too */
    };
#undef PAGE
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const tmpl_page_t *page;
        tmpl_page_opts_t opts = { .charset = "utf-8" };
        tmpl_decline_e why = tmpl_page_parse(&page, cases[i].html, cases[i].len, &opts, *state);
        assert_int_equal(why, TMPL_DECLINE_NONE);
        if (((page->nodes[page->n_nodes - 1].flags & TMPL_NODE_CUT) != 0) != cases[i].may) {
            fail_msg("%s", cases[i].html);
        }
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
                     TMPL_DECLINE_NONE);
    assert_int_equal(page_of_two->nodes[NAMES + 2].flags, 0);
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
    /* an implied element has no tag: what stands there is no attribute */
    static const char text[] = "x one=\"1\" two=\"2\"";
    assert_false(tmpl_attr_find(&attr, text, (tmpl_span_t){ 0, 0 }, "one"));
}

/* The usual form is read as all forms are, whatever the lengths of name and value. */
static void usual_attributes_are_read_alike(void **state)
{
    for (int name = 0; name <= 18; name++) {
        for (int value = 0; value <= 36; value++) {
            const char *tag =
                apr_psprintf(*state, "%cx%.*s=\"%.*s\" class=\"b\">", "\n \tx"[value % 4], name,
                             "-123456789abcdefgh", value, "=>/' <0123456789 123456789 123456789");
            for (uint32_t len = (uint32_t)strlen(tag); len > 0; len--) {
                tmpl_attr_t one = { { 0, 0 }, { 0, 0 } }, other = one;
                uint32_t at = 0, other_at = 0;
                tmpl_attr_e found = tmpl_attr_next(&one, tag, len, &at);
                assert_int_equal(found, tmpl_attr_read(&other, tag, len, &other_at));
                if (found != TMPL_ATTR_TRUNCATED) {
                    assert_int_equal(at, other_at);
                    assert_memory_equal(&one, &other, sizeof(one));
                }
            }
        }
    }
}

/* White space is passed by sixteen bytes as by one, wherever it ends. */
static void white_space_is_passed_alike(void **state)
{
    static const char others[] = { 'x', '\0', '\v', '\x1f', '!', '\xa0', '\x85' };
    char text[64];
    (void)state;
    for (uint32_t stop = 0; stop < sizeof(text); stop++) {
        memset(text, "\t\n\f\r "[stop % 5], sizeof(text));
        text[stop] = others[stop % sizeof(others)];
        for (uint32_t start = 0; start <= stop; start++) {
            for (uint32_t end = start; end <= sizeof(text); end++) {
                assert_int_equal(tmpl_behind_spaces(text, start, end, sizeof(text)),
                                 tmpl_behind_space(text, start, end));
            }
        }
    }
}

/* The names of the table, in any case, and names that are almost the same. */
static void attributes_by_name(void **state)
{
    const tmpl_name_index_t *names = tmpl_attr_index();
    for (unsigned i = 1; i < TMPL_ATTR_COUNT; i++) {
        char name[32] = "<";
        uint32_t end = 1 + (uint32_t)strlen(names->names[i]);
        memcpy(name + 1, names->names[i], end);
        assert_int_equal(tmpl_name_find(names, name, (tmpl_span_t){ 1, end }), i);
        for (uint32_t at = 1; at < end; at++) {
            char c = name[at];
            name[at] = (char)(c ^ 0x10);
            assert_int_not_equal(tmpl_name_find(names, name, (tmpl_span_t){ 1, end }), i);
            name[at] = tmpl_is_alpha(c) ? (char)(c ^ 0x20) : c;
            assert_int_equal(tmpl_name_find(names, name, (tmpl_span_t){ 1, end }), i);
        }
        assert_int_not_equal(tmpl_name_find(names, name, (tmpl_span_t){ 0, end }), i);
        assert_int_not_equal(tmpl_name_find(names, name, (tmpl_span_t){ 2, end }), i);
        assert_int_not_equal(tmpl_name_find(names, name, (tmpl_span_t){ 1, end - 1 }), i);
    }
    (void)state;
}

static void assert_attr(const tmpl_page_t *page, uint32_t node, tmpl_attr_name_e name,
                        const char *value)
{
    const tmpl_known_attr_t *attr = tmpl_node_attr(page, &page->nodes[node], name);
    assert_int_equal(attr != NULL, value != NULL);
    if (attr != NULL) {
        assert_int_equal(tmpl_span_len(attr->value), strlen(value));
        assert_memory_equal(page->src + attr->value.start, value, strlen(value));
    }
}

/* Each element has the attributes of its own tag only, and the first of several counts. */
static void attributes_are_listed(void **state)
{
    const tmpl_page_t *page = check_page("<link id=of-head><body ID='of \"body\"'><p class=a x=y "
                                         "CLASS=b hidden>t</p class=end><br><img src=''/>"
                                         "<svg id=of-svg><g id=of-g></g></svg><i id=c>u</i>",
                                         *state);
    assert_int_equal(page->n_nodes, 6);
    assert_attr(page, 0, TMPL_ATTR_ID, "of \"body\"");
    assert_attr(page, 1, TMPL_ATTR_CLASS, "a");
    assert_attr(page, 1, TMPL_ATTR_HIDDEN, "");
    assert_attr(page, 1, TMPL_ATTR_ID, NULL);
    assert_attr(page, 2, TMPL_ATTR_CLASS, NULL); /* not the end tag's */
    assert_attr(page, 3, TMPL_ATTR_SRC, "");
    assert_attr(page, 4, TMPL_ATTR_ID, "of-svg");
    assert_attr(page, 5, TMPL_ATTR_ID, "c");
    assert_true(page->nodes[5].flags & TMPL_NODE_NAMED);
    assert_false(page->nodes[3].flags & TMPL_NODE_NAMED);
    page = check_page("<i id=a>t</i>", *state);
    assert_attr(page, 0, TMPL_ATTR_ID, NULL); /* body has no tag */
    assert_attr(page, 1, TMPL_ATTR_ID, "a");
}

/* More than there is room for at first. */
static void attributes_may_be_many(void **state)
{
    enum { MANY = 5000 };
    char *html = apr_palloc(*state, 16 * MANY + 64);
    char *end = html;
    for (unsigned i = 0; i < MANY; i++) {
        end += sprintf(end, "<p id>t</p>");
    }
    sprintf(end, "<i id=last>u</i>");
    const tmpl_page_t *page = check_page(html, *state);
    uint32_t n = 0;
    while (page->attrs[n].name != TMPL_ATTR_OTHER) {
        n++;
    }
    assert_int_equal(n, MANY + 1);
    assert_attr(page, MANY + 1, TMPL_ATTR_ID, "last");
}

/* The source ends within a tag: nothing is read behind it, as a sanitizer sees. */
static void attributes_at_the_end(void **state)
{
    static const char html[] = "t<p a=\"0123456789abcdef\" id style=d";
    for (size_t len = 1; len < sizeof(html); len++) {
        char *source = malloc(len);
        const tmpl_page_t *page;
        tmpl_page_opts_t opts = { 0 };
        memcpy(source, html, len);
        assert_int_equal(tmpl_page_parse(&page, source, len, &opts, *state), TMPL_DECLINE_NONE);
        assert_int_equal(page->n_nodes, 1);
        free(source);
    }
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
        int at; /* offset of what names it; -1: not in bytes */
    } cases[] = {
        { "<meta charset=koi8-r>", NULL, "koi8-r", 0 },
        { "<meta charset=koi8-r>", "big5", "big5", -1 },
        { "\xef\xbb\xbf<meta charset=koi8-r>", "big5", "utf-8", 0 },
        { "<META http-equiv=x content=\"text/html; charset = EUC-KR\">", NULL, "EUC-KR", 0 },
        { "<p>charset=x</p>", NULL, NULL, -1 },
        { "<p>\x1b$B$\"\x1b(B", NULL, "iso-2022-jp", 3 },
        { "<p>\x1b(Ja", NULL, "iso-2022-jp", 3 },
        { "<p>\x1b$B", "utf-8", "utf-8", -1 },
        { "<p>\x1b[1m", NULL, NULL, -1 },
        { "<p>\x1b", NULL, NULL, -1 },
        { "<p>~{<:Ky~} +ADw-", NULL, NULL, -1 },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint32_t at = TMPL_NONE;
        const char *found =
            tmpl_charset(cases[i].bytes, strlen(cases[i].bytes), cases[i].header, &at, *state);
        assert_int_equal((int)at, cases[i].at);
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

static apr_array_header_t *selectors(const char *text, apr_pool_t *pool)
{
    apr_array_header_t *list = apr_array_make(pool, 1, sizeof(const tmpl_selector_t *));
    assert_int_equal(tmpl_selector_parse(list, text, NULL), APR_SUCCESS);
    return list;
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
        const tmpl_selector_t *selector =
            APR_ARRAY_IDX(selectors(cases[i].selector, *state), 0, const tmpl_selector_t *);
        assert_int_equal(tmpl_selector_matches(selector, page, 1, NULL), cases[i].matches);
    }
    static const char *const bad[] = { "",      "#",    ".",   "[",   "[x",    "[x='y]", "div>",
                                       "> p",   "a>>b", "a, ", ", a", "a,,b",  "a >, b", "a:hover",
                                       "a + b", "*",    "a *", "a*",  "a ~ b", "]",      " " };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        apr_array_header_t *list = apr_array_make(*state, 1, sizeof(const tmpl_selector_t *));
        tmpl_error_t err;
        assert_int_equal(tmpl_selector_parse(list, bad[i], &err), APR_EINVAL);
        assert_non_null(strstr(err.text, bad[i]));
    }
}

/* Combinators and lists: which of the elements with an id match. */
static void selectors_join(void **state)
{
    const tmpl_page_t *page = check_page("<body id=0><main id=1><div id=2 class=x><p id=3>a</p>"
                                         "<div id=4><p id=5 class=x>b</p></div></div></main>"
                                         "<nav id=6><p id=7>c</p></nav></body>",
                                         *state);
    static const struct {
        const char *selector;
        const char *matched;
    } cases[] = {
        { "p", "357" },
        { "main p", "35" },
        { "main\t\n p", "35" },
        { "main > p", "" },
        { "div > p", "35" },
        { "div>p", "35" },
        { "main > div > p", "3" },
        { "main div p", "35" },
        { "div div p", "5" },
        { "main > div p", "35" },
        { "div.x > div p.x", "5" },
        { "main>div div > .x", "5" },
        { ".x .x", "5" },
        { "nav div p", "" },
        { "body > nav", "6" },
        { "html nav", "" },
        { "nav, main > div", "26" },
        { "p , nav", "3567" },
        { " main , nav ", "16" },
        { "nav p, div p.x", "57" },
        { "[id='2'] p", "35" },
        /* the nearest div is no child of main, one further out is */
        { "main > div .x", "5" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char matched[16] = "";
        size_t n = 0;
        apr_array_header_t *list = selectors(cases[i].selector, *state);
        unsigned char *memos[2];
        for (int k = 0; k < list->nelts; k++) {
            const tmpl_selector_t *selector = APR_ARRAY_IDX(list, k, const tmpl_selector_t *);
            memos[k] = apr_pcalloc(*state, tmpl_selector_memo_size(selector, page) + (apr_size_t)1);
        }
        for (uint32_t node = 0; node < page->n_nodes; node++) {
            tmpl_attr_t id;
            int matches = 0;
            for (int k = 0; k < list->nelts; k++) {
                const tmpl_selector_t *selector = APR_ARRAY_IDX(list, k, const tmpl_selector_t *);
                int plainly = tmpl_selector_matches(selector, page, node, NULL);
                assert_int_equal(tmpl_selector_matches(selector, page, node, memos[k]), plainly);
                matches |= plainly;
            }
            if (matches && tmpl_attr_find(&id, page->src, page->nodes[node].open, "id")) {
                matched[n++] = page->src[id.value.start];
            }
        }
        assert_string_equal(matched, cases[i].matched);
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
    CHECK(quotes_behind_names_may_be_no_values),
    CHECK(unknown_names_are_told_apart),
    CHECK(unknown_names_may_be_many_and_long),
    CHECK(names_with_a_nul_are_unknown),
    CHECK(attributes_as_html5_reads_them),
    CHECK(usual_attributes_are_read_alike),
    CHECK(white_space_is_passed_alike),
    CHECK(attributes_by_name),
    CHECK(attributes_are_listed),
    CHECK(attributes_may_be_many),
    CHECK(attributes_at_the_end),
    CHECK(charsets_by_mark_header_and_meta),
    CHECK(selectors_match),
    CHECK(selectors_join),
    CHECK(tags_by_name),
};

TAP_MAIN(tests)
