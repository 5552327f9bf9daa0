/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of a page for content: what it has of each kind of element, and formulas. */
#include "check.h"

#include <libxml/tree.h>

#include "dom/dom.h"

/* A tree as markup, without the document's declaration. */
static const char *markup_of(const xmlNode *node, apr_pool_t *pool)
{
    xmlBuffer *buffer = xmlBufferCreate();
    xmlNodeDump(buffer, node->doc, (xmlNode *)(uintptr_t)node, 0, 0);
    const char *text = apr_pstrdup(pool, (const char *)xmlBufferContent(buffer));
    xmlBufferFree(buffer);
    return text;
}

static xmlDoc *doc_of(const char *html, int languages, apr_pool_t *pool)
{
    const tmpl_page_t *page = check_page(html, pool);
    tmpl_decoder_t *decoder = apr_palloc(pool, sizeof(*decoder));
    tmpl_decoder_find(decoder, page->src, page->len, NULL, pool);
    tmpl_dom_opts_t opts = { .decoder = decoder, .content = 1, .languages = languages };
    xmlDoc *doc = tmpl_dom(page, &opts, pool);
    assert_non_null(doc);
    return doc;
}

static void what_is_not_displayed_stays_out(void **state)
{
#define LD   "<script type=application/ld+json>{}</script>"
#define READ "<script>{}</script>"
    static const struct {
        const char *html, *head, *body;
    } rows[] = {
        { LD "<p>a", "<head>" READ "</head>", "<p>a</p>" },
        { "<p>a" LD, "<head>" READ "</head>", "<p>a</p>" },
        { "<p>a<script>b</script><script type=x>c</script>", "<head/>", "<p>a</p>" },
        { "<p>a<script type=application/ld+json></script>", "<head/>", "<p>a</p>" },
        { "<p>a<script type='math/tex; mode=display'>x</script>", "<head/>",
          "<p>a<script>x</script></p>" },
        { "<p>a<script type=math>x</script>", "<head/>", "<p>a</p>" },
        { "<p>a<iframe src=b></iframe>", "<head/>", "<p>a<iframe/></p>" },
        { "<p>a<style>b</style><template>c</template>", "<head/>", "<p>a</p>" },
        { "<p>a<math><mi>x</mi></math>", "<head/>", "<p>a<math/></p>" },
        { "<title>t &amp;</title><meta name=a><link rel=b><p>c",
          "<head><meta/><link/><title>t &amp;</title></head>", "<p>c</p>" },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        xmlNode *html = xmlDocGetRootElement(doc_of(rows[i].html, 0, *state));
        const char *text = markup_of(html, *state);
        assert_string_equal(text, apr_pstrcat(*state, "<html>", rows[i].head, "<body>",
                                              rows[i].body, "</body></html>", NULL));
    }
}

static void spans_are_left_out_but_for_those_that_mean_something(void **state)
{
    static const struct {
        const char *html;
        int languages;
        const char *body;
    } rows[] = {
        { "<p><span>a</span> <span class=x>b</span>", 1, "<p>a b</p>" },
        { "<p>a<span id=x>b</span>", 1, "<p>a<span>b</span></p>" },
        { "<p>a<span lang=de>b</span><span dir=rtl>c</span>", 1,
          "<p>a<span>b</span><span>c</span></p>" },
        { "<p>a<span lang=de>b</span><span dir=rtl>c</span>", 0, "<p>abc</p>" },
        { "<p id=n><span>1</span> note", 1, "<p><span>1</span> note</p>" },
        { "<p>a\r\nb&nvlt;c&notanything;", 1, NULL },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        xmlNode *html = xmlDocGetRootElement(doc_of(rows[i].html, rows[i].languages, *state));
        const char *text = markup_of(xmlGetLastChild(html), *state);
        const char *body = rows[i].body != NULL ? rows[i].body
                                                : "<p>a\nb&lt;\xe2\x83\x92"
                                                  "c\xc2\xac"
                                                  "anything;</p>";
        assert_string_equal(text, apr_pstrcat(*state, "<body>", body, "</body>", NULL));
    }
}

/* The content of math is read when it is asked for: with comments, ends of elements, odd tags. */
static void formulas_are_read_when_they_are_asked_for(void **state)
{
    static const struct {
        const char *content, *read;
    } rows[] = {
        { "<mi>x</mi>", "<math><mi>x</mi></math>" },
        { "<mrow><mi>x</mi><!-- a > b --><mo>&lt;</mo></mrow>",
          "<math><mrow><mi>x</mi><mo>&lt;</mo></mrow></math>" },
        { "<mspace/><mi title='a>b'>x</mi></mrow></mrow><mn>1</mn>",
          "<math><mspace/><mi title=\"a&gt;b\">x</mi><mn>1</mn></math>" },
        { "<mi>x</mi><?php ?><!d><mn>1</mn>", "<math><mi>x</mi><mn>1</mn></math>" },
        { "", NULL },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *html = apr_pstrcat(*state, "<p>a<math>", rows[i].content, "</math>b", NULL);
        xmlNode *node = xmlGetLastChild(xmlDocGetRootElement(doc_of(html, 0, *state)));
        node = node->children->children->next;
        assert_string_equal((const char *)node->name, "math");
        const xmlNode *math = tmpl_dom_math(node, *state);
        assert_true((math == NULL) == (rows[i].read == NULL));
        if (math != NULL) {
            assert_string_equal(markup_of(math, *state), rows[i].read);
        }
    }
}

static const struct CMUnitTest tests[] = {
    CHECK(what_is_not_displayed_stays_out),
    CHECK(spans_are_left_out_but_for_those_that_mean_something),
    CHECK(formulas_are_read_when_they_are_asked_for),
};

TAP_MAIN(tests)
