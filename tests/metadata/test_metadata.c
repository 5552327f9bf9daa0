/* SPDX-License-Identifier: Apache-2.0 */
/* What a page says of itself: a row for each place, and for each trap. */
#include "check.h"

#include "dom/dom.h"
#include "metadata/metadata.h"
#include "metadata/claims.h"

static const char *const keys[] = {
#define KEY(id, key, characters, most) key,
    TMPL_METADATA(KEY)
#undef KEY
};

/* What the page is, if its first post is of kim_77, on 2026-01-02; or NULL. */
static const char *thread;

/* The metadata of a page: "key: value|value" for each field, with "; " between them. */
/* headline: the tag of the heading that verdicts call so; 0: the page was not judged. */
static const char *judged_metadata_of(const char *head, const char *body, const tmpl_edits_t *edits,
                                      tmpl_tag_e headline, apr_pool_t *pool)
{
    const char *html =
        apr_pstrcat(pool, "<!DOCTYPE html><html><head>", head, "</head><body>", body, "<p>x", NULL);
    const tmpl_page_t *page = check_page(html, pool);
    tmpl_decoder_t decoder;
    tmpl_decoder_find(&decoder, page->src, page->len, "utf-8", pool);
    tmpl_span_t *without = apr_palloc(pool, (edits->n + 1) * sizeof(*without));
    for (uint32_t i = 0; i < edits->n; i++) {
        without[i] = edits->edits[i].span;
    }
    tmpl_dom_opts_t opts = { &decoder, without, edits->n, .content = 1 };
    tmpl_verdict_t *verdicts = apr_pcalloc(pool, page->n_blocks * sizeof(*verdicts));
    for (uint32_t s = 0; s < page->n_segments; s++) {
        int is = page->nodes[page->segments[s].node].tag == headline;
        verdicts[page->segments[s].block].part = is ? TMPL_PART_HEADLINE : TMPL_PART_BODY;
    }
    tmpl_metadata_source_t source = { page,
                                      edits,
                                      &decoder,
                                      xmlDocGetRootElement(tmpl_dom(page, &opts, pool)),
                                      "https://www.example.org/a/b",
                                      headline != 0 ? verdicts : NULL,
                                      .thread = thread,
                                      .first_author = thread != NULL ? "kim_77" : NULL,
                                      .first_date = thread != NULL ? "2026-01-02" : NULL };
    tmpl_metadata_t metadata;
    const char *text = "";
    tmpl_metadata_read(&metadata, &source, pool);
    for (int i = 0; i < TMPL_METADATA_COUNT; i++) {
        if (metadata.values[i] != NULL) {
            assert_true(metadata.values[i]->nelts > 0);
            text = apr_pstrcat(pool, text, *text != '\0' ? "; " : "", keys[i], ": ",
                               apr_array_pstrcat(pool, metadata.values[i], '|'), NULL);
        }
    }
    return text;
}

static const char *metadata_of(const char *head, const char *body, const tmpl_edits_t *edits,
                               apr_pool_t *pool)
{
    return judged_metadata_of(head, body, edits, 0, pool);
}

typedef struct {
    const char *head, *body, *metadata;
} row_t;

static void check_rows(const row_t *rows, size_t n, apr_pool_t *pool)
{
    static const tmpl_edits_t none = { 0 };
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(metadata_of(rows[i].head, rows[i].body, &none, pool), rows[i].metadata);
    }
}

#define CHECK_ROWS(rows) check_rows(rows, sizeof(rows) / sizeof((rows)[0]), *state)

#define LD(json)   "<script type=\"application/ld+json\">" json "</script>"
#define META(n, v) "<meta property='" n "' content=\"" v "\">"

static void titles(void **state)
{
    static const row_t rows[] = {
        /* without the site's name, known from og:site_name, JSON-LD, or the host */
        { "<title>Boats and nets | The Harbour</title>" META("og:site_name", "The Harbour"), "",
          "title: Boats and nets; site: The Harbour" },
        { META("og:title", "The Harbour - Boats and nets")
              LD("{\"@type\":\"WebSite\",\"name\":\"The Harbour\"}"),
          "", "title: Boats and nets; site: The Harbour" },
        { "<title>Example: Boats and nets</title>", "", "title: Boats and nets; site: Example" },
        { "<title>Boats - nets</title>", "", "title: Boats - nets" },
        /* the last of the parts, if it has few words */
        { "<title>Boats and nets | Org Example</title>", "",
          "title: Boats and nets; site: Org Example" },
        { "<title>Boats and nets | All that they need, fast and cheap</title>", "",
          "title: Boats and nets | All that they need, fast and cheap" },
        /* a link to the first page, in front of the headline, that the title or the host has */
        { "<title>Boats and nets | The Quay</title>", "<a href=/>The Quay homepage</a>",
          "title: Boats and nets; site: The Quay" },
        { "<title>Boats and nets</title>",
          "<a href='https://example.org'><img alt='Example logo'></a>",
          "title: Boats and nets; site: Example" },
        { "<title>Boats and nets</title>", "<a href=/>Menu</a>", "title: Boats and nets" },
        /* what any site may say of itself is no name of one */
        { "<title>The Old Quay | Home Page</title>", "",
          "title: The Old Quay; site: The Old Quay" },
        { "<title>Boats and nets | The Quay - Official Site</title>" META("og:site_name", "Home"),
          "", "title: Boats and nets | The Quay" },
        /* no tooltips, taglines and marks, but what stands in front of a colon stays */
        { "<title>Boats and nets</title>",
          "<h1>Boats and nets<x-tip hidden><b>Get organized</b></x-tip></h1>",
          "title: Boats and nets" },
        { "<title>Big boats | Nets, and ropes</title>", "<h1>Big boats<b>Ropes from wool</b></h1>",
          "title: Big boats" },
        { "<title>Info | Ropes all made of wool</title>",
          "<h1><i>Info</i> <b>The ropes made of it</b></h1>", "title: Info The ropes made of it" },
        { "<title>Boats: Ropes all made of wool</title>", "<h1><i>Boats</i> <b>Some ropes</b></h1>",
          "title: Boats Some ropes" },
        { "<title>Boats - Which nets are good?</title>",
          "<h1><i>Boats</i> Which nets are good?</h1>", "title: Which nets are good?" },
        /* what has the site's name, and more, is no name of the site */
        { "<title>Harbour Nets of Wool | Buy now</title>" META("og:site_name", "Harbour"), "",
          "title: Harbour Nets of Wool | Buy now; site: Harbour" },
        { "<title>| Boats</title>", "", "title: Boats" },
        { "<title>Home</title>" META("og:site_name", "The Harbour"), "",
          "title: The Harbour; site: The Harbour" },
        /* the first h1 that has half of its words from a title */
        { META("og:title", "Read this: the planning list of boats") "<title>Boats: a list</title>",
          "<h1>Menu</h1><h1>The planning list of all boats</h1>",
          "title: The planning list of all boats" },
        { "<title>Boats and nets - Example</title>", "<h1>example.org</h1><h2>Boats and nets</h2>",
          "title: Boats and nets; site: Example" },
        { "<title>Boats and nets</title>", "<h1>Menu</h1><h2>3 answers to boats and nets</h2>",
          "title: Boats and nets" },
        /* a link to the first page is no headline */
        { "<title>Boats and nets</title>", "<h1><a href=/>All of the fine harbour</a></h1>",
          "title: Boats and nets" },
        /* without a mark in front */
        { "<title>Boats and nets</title>", "<h1>Question Boats and nets</h1>",
          "title: Boats and nets" },
        /* one that its style hides, for search engines */
        { "<title>Boats and nets</title>",
          "<h1 style='color: red;height: 0'>Boats and nets (new)</h1><h1>Boats, nets</h1>",
          "title: Boats, nets" },
        { "<title>Boats and nets</title>",
          "<h1 style='min-height:0'>Boats and nets (new)</h1><h1>Boats, nets</h1>",
          "title: Boats and nets (new)" },
        /* the headline, if it is like the title */
        { "<title>Boats &amp; nets, all of them | Example</title>",
          "<h1>Example</h1><h1>Boats &amp; nets</h1>", "title: Boats & nets; site: Example" },
        { "<title>Boats and nets</title>", "<h1>Menu</h1>", "title: Boats and nets" },
        { "<title>Boats and nets</title>", "<h1>What the fishers say today</h1>",
          "title: What the fishers say today" },
        { "<title>Models | Django</title>", "<h1>Models<a href=#m>\xC2\xB6</a></h1>",
          "title: Models" },
        { "", "<h1>Boats</h1>", "title: Boats" },
        /* references that are left, and white space */
        { META("og:title", "  Ships &amp;amp; more &amp;#39;x&amp;#39;\n"), "",
          "title: Ships & more 'x'" },
        { "<title> </title>", "<h1> </h1>", "" },
    };
    CHECK_ROWS(rows);
}

#define LINE "<p>By <a href=/a>Ann Lee</a></p><p>January 2, 2026</p><p>text"

#define TEN(x) x x x x x x x x x x
#define FAR    TEN(TEN("<p>text"))

/* Where the heading like the title is deleted, the title is what was judged the headline. */
static void judged_headlines(void **state)
{
    static const char body[] = "<h1>Ship Forum</h1><div><h3>Nets for boats today</h3></div>";
    apr_size_t at =
        strlen("<!DOCTYPE html><html><head><title>Ship Forum nets for boats today</title>"
               "</head><body>");
    tmpl_edit_t h1 = { { (uint32_t)at, (uint32_t)at + 19 }, 0 };
    tmpl_edits_t edits = { &h1, 1, NULL };
    static const char head[] = "<title>Ship Forum nets for boats today</title>";
    assert_string_equal(judged_metadata_of(head, body, &edits, 0, *state), "title: Ship Forum");
    assert_string_equal(judged_metadata_of(head, body, &edits, TMPL_TAG_H3, *state),
                        "title: Nets for boats today");
    assert_string_equal(
        judged_metadata_of("<title>Other words</title>", body, &edits, TMPL_TAG_H3, *state),
        "title: Other words");
    /* an h1 of which what was judged the headline says the same, and more */
    edits.n = 0;
    assert_string_equal(judged_metadata_of("<title>Reviews of our nets and boats</title>",
                                           "<h1>Reviews</h1><p>text<h2>Reviews of our nets</h2>",
                                           &edits, TMPL_TAG_H2, *state),
                        "title: Reviews");
}

static void authors(void **state)
{
    static const row_t rows[] = {
        { "<meta name=author content='Ann Lee'>", "", "author: Ann Lee" },
        { META("citation_author", "Ann Lee") META("citation_author", "Bo Chen"), "",
          "author: Ann Lee|Bo Chen" },
        { META("dc.creator", "Ann Lee"), "", "author: Ann Lee" },
        { "", "<h1>Boats</h1><p><b>Contributors:</b> Ann Lee", "title: Boats; author: Ann Lee" },
        /* no people */
        { META("article:author", "https://www.facebook.com/ann"), "", "" },
        { "<meta name=author content='admin'>", "", "" },
        { "<meta name=author content='Example News'>", "", "" },
        { "<meta name=author content='ann@example.org'>", "", "" },
        { LD("{\"@type\":\"Article\",\"author\":{\"@type\":\"Organization\",\"name\":\"Lee "
             "Ann\"}}"),
          "", "publisher: Lee Ann; type: article" },
        { META("og:site_name", "Quiet Light") "<meta name=author content='Quiet Light'>", "",
          "site: Quiet Light" },
        /* JSON-LD */
        { LD("{\"@type\":\"NewsArticle\",\"author\":[{\"@type\":\"Person\",\"name\":\"Ann Lee\"},"
             "\"Bo Chen\",{\"url\":\"c\"}]}"),
          "", "author: Ann Lee|Bo Chen; type: article" },
        { LD("{\"@graph\":[{\"@type\":[\"BlogPosting\"],\"author\":{\"@id\":\"#a\"}},"
             "{\"@type\":\"Person\",\"@id\":\"#a\",\"name\":\"Ann Lee\"}]}"),
          "", "author: Ann Lee; type: article" },
        { LD("{\"@type\":\"WebPage\",\"author\":\"No One\",\"mainEntity\":"
             "{\"@type\":\"DiscussionForumPosting\",\"author\":{\"name\":\"Ann Lee\"}}}"),
          "", "author: Ann Lee; type: discussion" },
        /* several articles differ: the page has no author of its own */
        { LD("[{\"@type\":\"Article\",\"author\":\"Ann Lee\"},"
             "{\"@type\":\"Article\",\"author\":\"Bo Chen\"}]"),
          "", "type: article" },
        /* elements near the headline, and lines that stay */
        { "", "<h1>Boats</h1>" LINE, "title: Boats; author: Ann Lee; published: 2026-01-02" },
        { "", "<h1>Boats</h1><p>Written by<p>Ann Lee<p>text", "title: Boats; author: Ann Lee" },
        { "", "<h1>Boats</h1><a rel=author href=/a>Ann Lee</a>", "title: Boats; author: Ann Lee" },
        { "",
          "<h1>Boats</h1><div class=post-byline><div>By</div><div>Ann Lee</div>"
          "<div>Fisher</div></div>",
          "title: Boats; author: Ann Lee" },
        { "",
          "<div itemscope itemtype='https://schema.org/Article'><h1>Boats</h1>"
          "<span itemprop=author itemscope><b itemprop=name>Ann Lee</b>, fisher</span></div>",
          "title: Boats; author: Ann Lee; type: article" },
        { "",
          "<h1>Boats</h1><div itemscope itemtype='https://schema.org/Comment'>"
          "<b itemprop=author>Ann Lee</b></div>",
          "title: Boats" },
        /* a place with more names */
        { "<meta name=author content='Ann Lee'>",
          "<h1>Boats</h1><p class=byline>Written by Ann Lee, Bo Chen</p>",
          "title: Boats; author: Ann Lee|Bo Chen" },
        /* a single word: in JSON-LD, and no site; a whole name is better */
        { LD("{\"@type\":\"Article\",\"author\":{\"@type\":\"Person\",\"name\":\"Kim\"}}"), "",
          "author: Kim; type: article" },
        { "<title>All of the boats - Org Example</title><meta name=author content='Org Example'>",
          "", "title: All of the boats; author: Org Example; site: Org Example" },
        { META("og:site_name", "Kim") "<meta name=author content=Kim>", "", "site: Kim" },
        { "<meta name=author content=AnnL>", "<h1>Boats</h1>" LINE,
          "title: Boats; author: Ann Lee; published: 2026-01-02" },
        { LD("{\"@type\":\"Article\",\"author\":\"kim_77\"}"), "", "type: article" },
        /* who began a discussion has a login */
        { LD("{\"@type\":\"DiscussionForumPosting\",\"author\":\"kim_77\"}"), "",
          "author: kim_77; type: discussion" },
        /* and those who answer have none of it */
        { LD("{\"@type\":\"DiscussionForumPosting\",\"author\":\"kim_77\"}"),
          "<h1>Boats</h1><p><a rel=author>kim_77</a> <p>Hello<p><a rel=author>bo_78</a> <p>Yes",
          "title: Boats; author: kim_77; type: discussion" },
        /* of several articles the one with the page's title */
        { "<title>Boats and nets</title>" LD(
              "[{\"@type\":\"Article\",\"headline\":\"Ships\",\"author\":\"Bo Chen\"},"
              "{\"@type\":\"Article\",\"headline\":\"Boats and nets\",\"author\":\"Ann Lee\"}]"),
          "", "title: Boats and nets; author: Ann Lee; type: article" },
        /* elements whose class, or whose link, says so; two side by side; "By" in a box */
        { "", "<h1>Boats</h1><ul class=creator><li><b>Ann Lee</b></ul>",
          "title: Boats; author: Ann Lee" },
        { "", "<h1>Boats</h1><p><a href=/es/autor/ann-lee/>Ann Lee</a>",
          "title: Boats; author: Ann Lee" },
        { "", "<h1>Boats</h1><p><a href=/about/author>Ann Lee</a>", "title: Boats" },
        { "",
          "<h1>Boats</h1><div><p><b class=author-name>Ann Lee</b></p><p><b class=author-name>"
          "Bo Chen</b></p></div><p class=author-bio>Old Fisher",
          "title: Boats; author: Ann Lee|Bo Chen" },
        { "<title>Boats by sea</title>",
          "<h1>Boats by sea</h1><p>a<p>b<p>c<p>d<p>e<p>f<p>g<p>h<p>i<p>j<p>k<p>l<p>m<p>n<p>o<p>p"
          "<p class=wp-block-post-author__name>Ann Lee",
          "title: Boats by sea; author: Ann Lee" },
        /* an article that is appended has its own */
        { "<title>Boats</title>",
          "<article><h1>Boats</h1><p>By Ann Lee</article><article><h1>Nets and ropes</h1>"
          "<p><a rel=author>Bo Chen</a>, <time>2026-01-02</time></article>",
          "title: Boats; author: Ann Lee" },
        { "", "<h1>Boats</h1><p class=entry-author>By<a href=/a>Ann Lee</a>",
          "title: Boats; author: Ann Lee" },
        /* an embedded post, and who took a picture */
        { "",
          "<h1>Boats</h1><blockquote class=twitter-tweet>text <a class=author>Ann Lee</a> "
          "<time datetime=2020-01-02>Jan 2</time></blockquote><p>January 3, 2026",
          "title: Boats; published: 2026-01-03" },
        { "", "<h1>Boats</h1><figure><figcaption itemprop=author>Ann Lee</figcaption></figure>",
          "title: Boats" },
        /* who reviewed the page is no author; text in the body itself */
        { "",
          "<h1>Boats</h1>By text<p class=author-name>Ann Lee</p><p>Reviewed by</p>"
          "<p class=author-name>Bo Chen</p>",
          "title: Boats; author: Ann Lee" },
        /* mail archives */
        { "", "<h1>Boats</h1><b>Ann Lee</b> <a href=mailto:a>ann at example.org</a><br>Jan 2 2026",
          "title: Boats; author: Ann Lee; published: 2026-01-02" },
        { "",
          "<pre>From: Ann Lee &lt;ann@example.org&gt;\nTo: list\n<b>Subject: Boats</b>\n"
          "Date: Fri, 2 Jan 2026 03:04:05 +0000\n\ntext</pre>",
          "author: Ann Lee; published: 2026-01-02" },
        /* a list of other pages */
        { "", "<h1>News</h1><h2><a href=/1>One</a></h2>" LINE "<h2><a href=/2>Two</a></h2>" LINE,
          "title: News" },
    };
    CHECK_ROWS(rows);
}

/* A thread has the author and the date of its first post, unless its head says others. */
static void threads(void **state)
{
    static const row_t rows[] = {
        { "", "<h1>Boats</h1><p>By <a rel=author>Bo Chen</a> <time>2026-01-03</time>",
          "title: Boats; author: kim_77; published: 2026-01-02; type: discussion" },
        { LD("{\"@type\":\"DiscussionForumPosting\",\"author\":\"ann\","
             "\"datePublished\":\"2025-12-31\"}"),
          "<h1>Boats</h1>", "title: Boats; author: ann; published: 2025-12-31; type: discussion" },
        { LD("{\"@type\":\"Article\"}"), "<h1>Boats</h1>", "title: Boats; type: article" },
    };
    thread = "discussion";
    CHECK_ROWS(rows);
    thread = NULL;
}

static void dates(void **state)
{
    static const row_t rows[] = {
        { META("article:published_time", "2026-01-02T03:04:05+0100")
              META("og:updated_time", "Jan 3, 2026"),
          "", "published: 2026-01-02T03:04:05+01:00; modified: 2026-01-03" },
        { LD("{\"@type\":\"WebPage\",\"datePublished\":\"2026-01-02\"}"), "",
          "published: 2026-01-02" },
        { META("article:published_time", "yesterday"), "", "" },
        { "", "<h1>Boats</h1><time datetime=2026-01-02>Friday</time>",
          "title: Boats; published: 2026-01-02" },
        { "", "<h1>Boats</h1><p>2 January 2026<p>Updated: 3 January 2026",
          "title: Boats; published: 2026-01-02; modified: 2026-01-03" },
        { "", "<h1>Boats</h1><p>2 January 2026 Updated: 3 January 2026",
          "title: Boats; published: 2026-01-02; modified: 2026-01-03" },
        { "", "<h1>Boats</h1><p>03/04/2026", "title: Boats" },
        /* whatever element has it, a date behind such a word is one of a change */
        { "", "<h1>Boats</h1><p>Updated <time datetime=2026-01-02>Friday</time>",
          "title: Boats; modified: 2026-01-02" },
        { "", "<h1>Boats</h1><p>Last updated:</p><p><time>January 2, 2026</time>",
          "title: Boats; modified: 2026-01-02" },
        /* a linked heading like the headline is no other page's */
        { "<title>Boats and nets</title>",
          "<h1>Boats and nets</h1><h3><a href=/1>Boats and nets</a></h3><p>January 2, 2026",
          "title: Boats and nets; published: 2026-01-02" },
        { "", "<h1>Boats</h1><meta itemprop=datePublished content=2026-01-02>",
          "title: Boats; published: 2026-01-02" },
    };
    CHECK_ROWS(rows);
    /* the end of a page says when it was changed */
    const char *page = "<h1>Boats</h1>";
    for (int i = 0; i < 60; i++) {
        page = apr_pstrcat(*state, page, "<p>text 2024-05-06", NULL);
    }
    const char *end = "<p>Last updated on Jan 03, 2026.<p>Copyright 2001-02-03";
    tmpl_edits_t none = { 0 };
    assert_string_equal(metadata_of("", apr_pstrcat(*state, page, end, NULL), &none, *state),
                        "title: Boats; published: 2024-05-06; modified: 2026-01-03");
}

static void products(void **state)
{
    static const row_t rows[] = {
        { LD("{\"@type\":\"Product\",\"name\":\"Net\",\"brand\":{\"name\":\"Acme\"},\"offers\":["
             "{\"price\":9.90,\"priceCurrency\":\"EUR\",\"availability\":"
             "\"https://schema.org/InStock\"}],\"aggregateRating\":{\"ratingValue\":4}}"),
          "",
          "title: Net; type: product; price: 9.9; currency: EUR; availability: in stock; "
          "rating: 4/5; brand: Acme" },
        { LD("{\"@type\":\"Product\",\"offers\":{\"@type\":\"AggregateOffer\",\"lowPrice\":\"7\","
             "\"offers\":[{\"availability\":\"OutOfStock\"}]}}"),
          "", "type: product; price: 7; availability: out of stock" },
        { META("product:price:amount", "1.234,50") META("product:price:currency", "EUR")
              META("og:type", "og:product"),
          "", "type: product; price: 1234.50; currency: EUR" },
        { "",
          "<div itemscope itemtype='http://schema.org/Product'><b itemprop=price>$1,299</b>"
          "<link itemprop=availability href='http://schema.org/PreOrder'></div>",
          "type: product; price: 1299; availability: pre order" },
        /* no price; words of shops; references that are written twice */
        { LD("{\"@type\":\"Product\",\"offers\":{\"price\":0,\"priceCurrency\":\"EUR\"}}"), "",
          "type: product" },
        { META("og:price:amount", "5") META("og:availability", "oos"), "",
          "price: 5; availability: out of stock" },
        { LD("{\"@type\":\"Product\",\"brand\":\"L&amp;#39;eau\"}"), "",
          "type: product; brand: L'eau" },
        { META("product:price:currency", "EUR"), "", "" },
        /* what og:type says is not sure */
        { META("og:type", "product"), "", "" },
        { META("og:type", "article"), "", "" },
        { META("og:type", "article") "<meta name=author content='Ann Lee'>", "",
          "author: Ann Lee; type: article" },
        { "",
          "<div itemscope itemtype='http://schema.org/Question'></div>"
          "<div itemscope itemtype='http://schema.org/Question'></div>",
          "" },
        { LD("{\"@type\":\"AggregateRating\",\"ratingValue\":\"0\"}"), "", "" },
        /* two products: the page has no price */
        { LD("[{\"@type\":\"Product\",\"offers\":{\"price\":1}},"
             "{\"@type\":\"Product\",\"offers\":{\"price\":2}}]"),
          "", "type: product" },
    };
    CHECK_ROWS(rows);
}

static void other_fields(void **state)
{
    static const row_t rows[] = {
        { LD("{\"@type\":\"BreadcrumbList\",\"itemListElement\":[{\"name\":\"Home\",\"item\":\"/"
             "\"},"
             "{\"item\":{\"@id\":\"/a\",\"name\":\"Sea\"}},{\"name\":\"Boats\"}]}"),
          "", "breadcrumb: Sea" },
        /* the words of the last one are in the title, but it is a page above */
        { "<title>Best Big Sea Boats and Nets 2026</title>" LD(
              "{\"@type\":\"BreadcrumbList\",\"itemListElement\":[{\"name\":\"Home\",\"item\":\"/"
              "\"},{\"item\":{\"@id\":\"/a\",\"name\":\"Big Sea Boats\"}}]}"),
          "", "title: Best Big Sea Boats and Nets 2026; breadcrumb: Big Sea Boats" },
        { "",
          "<ul class=breadcrumbs><li><a href=/>Home</a><li>&gt;<li><a href=/s>Sea</a>"
          "<li><a href=/b>Boats</a></ul><h1>Boats</h1>",
          "title: Boats; breadcrumb: Sea" },
        /* the page itself, ways back and menus are no part of a breadcrumb */
        { "",
          "<p class='pagination pagination_breadcrumb' id=breadcrumb_multipage><a href=/1>1</a> "
          "<a href=/2>2</a>",
          "" },
        { "",
          "<div id=breadcrumbs><a href=/faq>FAQ</a><ol class=breadcrumb><li><a href=/>Home</a>"
          "<li>Sea<li><a href=/c>Coast</a><li>Boats</ol></div><h1>Boats</h1>",
          "title: Boats; breadcrumb: Sea|Coast" },
        { "",
          "<ul class=breadcrumbs><li><a href=/>Docs</a> &raquo;<li><a href=/s><b>2. </b>Sea</a>"
          "<li><b>2.1. </b>Boats<li class=x-aside><a href=/b.txt>View "
          "source</a></ul><h1>2.1. Boats<a href=#b>\xEF\x83\x81</a></h1>",
          "title: 2.1. Boats; breadcrumb: Docs|2. Sea" },
        { META("og:site_name", "Example - all about boats") META("og:type", "website")
              META("article:section", "Sea") "<meta name=keywords content='boat, net,,Boat'>",
          "", "site: Example; section: Sea; tags: boat|net" },
        { "<meta name=keywords content='2615-b4f7-4929-adc1, Kind: Sea, all-of-the-boats, "
          "up-to-date, "
          "Norddeutscher Rundfunk Wilfried Hark Berlin Hamburger Sparkasse'>",
          "", "tags: up-to-date" },
        { META("og:type", "tools & more") META("og:locale", "de_AT"), "", "language: de-AT" },
        { LD("{\"@type\":\"WebSite\",\"inLanguage\":\"de\"}"), "", "language: de" },
        { META("og:image", "/a/Site-Logo.png") META("og:image", "boat.png"), "",
          "image: boat.png" },
        { META("og:image", "i.png") "<link rel=canonical href=/y>", "",
          "canonical: /y; image: i.png" },
        /* damaged JSON-LD, and values of other types */
        { LD("{\"@type\":\"Article\",\"author\":\"Ann Lee\""), LD("[[[[{}"), "" },
        { LD("{\"@type\":{},\"author\":1}") LD("7") LD("<!-- -->"), "", "" },
        { LD("{\"@type\":\"Article\",\"author\":[[1]],\"headline\":{},\"image\":[]}"), "",
          "type: article" },
    };
    CHECK_ROWS(rows);
}

/* A line that edits delete names no author, and has no date, with one exception. */
static void deleted_lines(void **state)
{
    static const char *const nothing[] = { "" };
    const char *body = "<h1>Boats</h1>" LINE;
    uint32_t start = sizeof("<!DOCTYPE html><html><head></head><body><h1>Boats</h1>") - 1;
    tmpl_edit_t edit = { { start, start + 60 }, 0 };
    tmpl_edits_t edits = { &edit, 1, nothing };
    assert_string_equal(metadata_of("", body, &edits, *state), "title: Boats");
    /* but the date beside an author whom a class names */
    body = "<h1>Boats</h1><div class=author>Ann Lee</div><div>2026-01-02</div>";
    edit.span.end = start + strlen(body) - sizeof("<h1>Boats</h1>") + 1;
    assert_string_equal(metadata_of("", body, &edits, *state),
                        "title: Boats; author: Ann Lee; published: 2026-01-02");
    /* data are read all the same */
    body = "<h1>Boats</h1><div>" LD("{\"@type\":\"Article\",\"author\":\"Ann Lee\"}") "x</div>";
    edit.span.end = start + strlen(body) - sizeof("<h1>Boats</h1>") + 1;
    assert_string_equal(metadata_of("", body, &edits, *state),
                        "title: Boats; author: Ann Lee; type: article");
    /* a change that the last lines which stay name */
    body = apr_pstrcat(*state, "<h1>Boats</h1>" FAR "<p>Last updated 2026-01-03 UTC", FAR, NULL);
    edit.span.start =
        start + 100 * (sizeof("<p>text") - 1) + sizeof("<p>Last updated 2026-01-03 UTC") - 1;
    edit.span.end = edit.span.start + 110 * (sizeof("<p>text") - 1);
    assert_string_equal(metadata_of("", body, &edits, *state),
                        "title: Boats; modified: 2026-01-03");
}

static void limits(void **state)
{
    tmpl_edits_t none = { 0 };
    const char *json = "{\"@type\":\"Article\",\"author\":\"Ann Lee\"}";
    const char *large = apr_psprintf(*state, "%s%270000s%s</script>",
                                     "<script type=\"application/ld+json\">", "", json);
    assert_string_equal(metadata_of(large, large, &none, *state), "");
    const char *head = "", *list = "";
    for (int i = 0; i < 1500; i++) {
        head = i % 2 ? head : apr_psprintf(*state, "%s<meta name=keywords content='k%d'>", head, i);
        list = apr_psprintf(*state, "%s%sw%d", list, i ? "," : "", i);
    }
    /* very many elements that say something */
    const char *many = "";
    for (int i = 0; i < 3000; i++) {
        many = apr_pstrcat(*state, many, i % 100 ? "" : "<h1>Boats</h1>", "<time></time>", NULL);
    }
    many = apr_pstrcat(*state, many, many, many, NULL);
    assert_non_null(strstr(metadata_of("", many, &none, *state), "Boats"));
    const char *tags = metadata_of(head, "", &none, *state);
    assert_true(strlen(tags) < 200);
    head = apr_pstrcat(*state, "<meta name=keywords content='", list, "'>", NULL);
    tags = metadata_of(head, "", &none, *state);
    assert_true(strstr(tags, "|w19") != NULL && strstr(tags, "|w20") == NULL);
    /* no more are compared with each other */
    apr_array_header_t *values = apr_array_make(*state, 1, sizeof(const char *));
    tmpl_values_add(values, TMPL_METADATA_TAGS, list);
    assert_int_equal(values->nelts, 20);
}

static const struct CMUnitTest tests[] = {
    CHECK(titles),   CHECK(threads),      CHECK(judged_headlines), CHECK(authors), CHECK(dates),
    CHECK(products), CHECK(other_fields), CHECK(deleted_lines),    CHECK(limits),
};

TAP_MAIN(tests)
