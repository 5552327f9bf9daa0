/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of blocks, one rule after another. */
#include "verdicts_fixture.h"

#include "detect/parts_find.h"
#include "feature/reading.h"

/* 90 bytes, an article of 540, and something to say. */
#define SENTENCE                                                                                   \
    "One sentence of the article, which is as long as those that people write for their readers"
#define ARTICLE                                                                                    \
    "<p>" SENTENCE " 1<p>" SENTENCE " 2<p>" SENTENCE " 3<p>" SENTENCE " 4<p>" SENTENCE " 5<p>"     \
    "" SENTENCE " 6</p>"
#define SAYS    "I have read all of it, and I think so, too"
#define PRODUCT "<script type=application/ld+json>{\"@type\":\"Product\"}</script>"
#define LINKS                                                                                      \
    "<ul><li><a href=/1>The first of the other articles</a>"                                       \
    "<li><a href=/2>The second of the other articles</a></ul>"

/* Texts that begin with a mark have another templateness than .2; from '?' on they are template. */
static float templateness_of(char mark)
{
    return mark == '!'   ? 0.01F
           : mark == '~' ? 0.03F
           : mark == '-' ? 0.4F
           : mark == '?' ? 0.7F
           : mark == '#' ? 0.99F
                         : 0.2F;
}

/* Of ten pages, nine have the texts that begin with '='. */
static tmpl_counts_t counts_of(const tmpl_page_t *page, apr_pool_t *pool)
{
    tmpl_record_t *records = apr_pcalloc(pool, page->n_keys * sizeof(*records));
    for (uint32_t s = 0; s < page->n_segments; s++) {
        const tmpl_segment_t *segment = &page->segments[s];
        records[segment->key].df = page->src[segment->span.start] == '=' ? 9 : 1;
    }
    return (tmpl_counts_t){ .records = records, .pages = 10 };
}

/*
 * A letter for the part of each block: its first, but for Q&A q, caption p, comment k and hidden
 * x.
 */
static const char letters[] = "thlybpfkrqonax";

/* The parts of the blocks behind the first skip. */
static const char *parts_of(const char *html, unsigned skip, apr_pool_t *pool)
{
    const tmpl_page_t *page = leaf_page(html, pool);
    tmpl_verdict_t *v = apr_pcalloc(pool, page->n_blocks * sizeof(*v));
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        v[b].ratio =
            templateness_of(page->src[page->segments[page->blocks[b].first_segment].span.start]);
        v[b].template = v[b].ratio > 0.5F;
    }
    tmpl_layout_t layout;
    tmpl_counts_t counts = counts_of(page, pool);
    tmpl_reading_t *reading = tmpl_read_blocks(page, pool);
    tmpl_layout_read(&layout, reading, pool);
    tmpl_read_text(reading, pool);
    tmpl_read_score(reading, pool);
    tmpl_ruled_t judged = { v, reading, &counts, 5, NULL, NULL };
    tmpl_headline(&judged);
    tmpl_records_t records;
    tmpl_records_find(&records, page, &layout, pool);
    tmpl_parts_find(&judged, &records, pool);
    char *parts = apr_pcalloc(pool, page->n_blocks + 1);
    for (uint32_t b = skip; b < page->n_blocks; b++) {
        parts[b - skip] = letters[v[b].part];
        assert_int_equal(v[b].template, v[b].part == TMPL_PART_TEMPLATE);
    }
    return parts;
}

typedef struct {
    const char *html, *parts;
} case_t;

static void check_cases(const case_t *cases, size_t n, unsigned skip, apr_pool_t *pool)
{
    for (size_t i = 0; i < n; i++) {
        const char *parts = parts_of(cases[i].html, skip, pool);
        if (strcmp(parts, cases[i].parts) != 0) {
            fail_msg("%s: %s, not %s", cases[i].html, parts, cases[i].parts);
        }
    }
}

#define CHECK_CASES(cases, skip)                                                                   \
    check_cases(cases, sizeof(cases) / sizeof((cases)[0]), skip, *state)

static void the_rest_is_body_or_template(void **state)
{
    static const case_t cases[] = { { "<p>some text<p>?more text", "bt" } };
    CHECK_CASES(cases, 0);
}

static void headline_byline_and_lead(void **state)
{
    static const case_t cases[] = {
        { "<title>A red fox</title><h1>A red fox</h1><p>By me on 1 May 2024<p "
          "class=standfirst>What was "
          "seen there by us<p>" SENTENCE,
          "hylb" },
        { "<title>A red fox</title><h1>A red fox</h1><p>What was seen there<p>" SENTENCE, "hbb" },
        { "<title>A red fox</title><h1>A red fox</h1><p class=price>?5 EUR<p>" SENTENCE, "hfb" },
        /* not in menus, forms and headings, no buttons and sentences */
        { "<title>A red fox</title><h1>A red fox</h1><nav><p>?In 2024</nav><p>" SENTENCE, "htb" },
        { "<title>A red fox</title><h1>A red fox</h1><h2>?In 2024</h2><p>" SENTENCE, "htb" },
        { "<title>A red fox</title><h1>A red fox</h1><p><time>?Share</time><p>" SENTENCE, "hab" },
    };
    CHECK_CASES(cases, 0);
}

#define COMMENTS "<ol class=comments><li><cite class=author>Who</cite><p>" SAYS "</ol>"

static void comments_are_behind_an_article(void **state)
{
    static const case_t cases[] = {
        { ARTICLE COMMENTS, "kk" },
        { ARTICLE "<ol class=others><li><cite class=author>Who</cite><p>" SAYS "</ol>", "yb" },
        { ARTICLE "<ol class=comments><li><b>Who</b><p>" SAYS "</ol>", "bb" },
        { ARTICLE "<ol class=comments><li><cite>Who</cite><p>" SAYS "</ol>", "kk" },
        { PRODUCT ARTICLE "<div class=comments><div class=review><p class=author>Who<p>" SAYS
                          "</div></div>",
          "rr" },
        { ARTICLE "<div class=comments><div class=review><p class=author>Who<p>" SAYS
                  "</div></div>",
          "kk" },
        { ARTICLE "<pre><span class='hljs-comment'>" SAYS "</span></pre>", "b" },
        { ARTICLE "<div class=comments><p class=author>Who<p>" SAYS
                  "<div><button>Answer</button></div></div>",
          "kka" },
        /* threads */
        { "<link rel=canonical href=http://a/thread/1>" ARTICLE COMMENTS, "yb" },
        { "<script>'DiscussionForumPosting'</script>" ARTICLE COMMENTS, "yb" },
        { "<script>'QAPage'</script>" ARTICLE COMMENTS, "yb" },
        { "<script>'QAPag'</script>" ARTICLE COMMENTS, "kk" },
        { "<div class=forum>" ARTICLE "</div>" COMMENTS, "yb" },
        { "<link rel=canonical href=http://a/questions/1><div itemscope "
          "itemtype=http://schema.org/Answer>" ARTICLE COMMENTS "</div>",
          "kk" },
    };
    static const case_t alone[] = {
        { COMMENTS "<p>" SENTENCE, "ybb" },
        /* what stands behind the posts of a thread, unless the trees are sure */
        { "<link rel=canonical href=http://a/thread/1><div class=forum><p>" SENTENCE "</div>"
          "<p>How to install it<p>!An answer",
          "btb" },
    };
    CHECK_CASES(cases, 6);
    CHECK_CASES(alone, 0);
}

#define DISCUSSION(html)                                                                           \
    "<div class=comments><div><cite class=author>Who</cite><p>" SAYS "</p></div>" html "</div>"

static void what_is_around_comments_is_template(void **state)
{
    static const case_t cases[] = {
        { ARTICLE DISCUSSION("<p>=Be nice to each other"), "kkt" },
        { ARTICLE DISCUSSION("<p>Be nice to each other"), "kkk" },
        { ARTICLE DISCUSSION("<p><cite class=author>=Ann</cite>"), "kkk" },
        { ARTICLE DISCUSSION("<h3>-Leave a reply</h3>"), "kkt" },
        { ARTICLE DISCUSSION("<h3>-Comments</h3>"), "kkt" },
        { ARTICLE DISCUSSION("<form><p>Save my name for the next time</form>"), "kkt" },
        { ARTICLE DISCUSSION("<div class=sidebar><p>Ann on the bridge</div>"), "kkt" },
        { "<div class=sidebar>" ARTICLE DISCUSSION("") "</div>", "kk" },
        { ARTICLE DISCUSSION("<p><a href=#>-Reply</a> \u00B7 <a href=#>Permalien</a>"), "kka" },
        { ARTICLE DISCUSSION("<p><a href=#>-Reply</a> <a href=#>Ann</a>"), "kkk" },
        /* a form around all of the page, or of the comments */
        { "<form>" ARTICLE DISCUSSION("<p>Good") "</form>", "kkk" },
    };
    CHECK_CASES(cases, 6);
}

static void phrases_head_regions(void **state)
{
    static const case_t cases[] = {
        { ARTICLE "<div><h3>You may also like</h3>" LINKS "</div>", "ooo" },
        { ARTICLE "<div><h3>Das k\u00f6nnte Sie auch interessieren</h3>" LINKS "</div>", "ooo" },
        { ARTICLE "<h3>-\u00c4hnliche Beitr\u00e4ge</h3>" LINKS "<h3>Onwards</h3><p>" SAYS,
          "ooobb" },
        { ARTICLE "<div><h3>3 coment\u00e1rios</h3><p>-" SAYS "<p>-Good</div>", "tkk" },
        /* references, signs, and pages in Latin-1 */
        { ARTICLE "<div><h3>3&nbsp;Coment&aacute;rios</h3><p>-" SAYS "<p>-Good</div>", "tkk" },
        { ARTICLE "<div><h3>\u00bb\u00a0Don\u2019t miss \u2026</h3>" LINKS "</div>", "ooo" },
        { ARTICLE "<div><h3>\u3010\u95a2\u9023\u8a18\u4e8b\u3011</h3>" LINKS "</div>", "ooo" },
        { ARTICLE "<div><h3>Das k\xF6nnte Sie interessieren</h3>" LINKS "</div>", "ooo" },
        { ARTICLE "<div><h3>Mohlo by v\u00e1s zauj\u00edma\u0165</h3>" LINKS "</div>",
          "ooo" }, /* Slovak */
        { ARTICLE "<div><h3>\u00dd ki\u1ebfn</h3><p>-" SAYS "<p>-Good</div>",
          "tkk" }, /* Vietnamese */
        { ARTICLE "<div><h3>Other things</h3>" LINKS "</div>", "bbb" },
        /* not made of links, and like content */
        { ARTICLE "<div><h3>Read next</h3><p>" SAYS "<p>" SAYS "!</div>", "obb" },
        { ARTICLE "<div><h3>About the author</h3><p>" SAYS "</div>", "oo" },
        { ARTICLE "<div><h3>Customer reviews</h3><p>-" SAYS "<p>-Good</div>", "bbb" },
        { PRODUCT ARTICLE "<div><h3>Customer reviews</h3><p>-" SAYS "<p>-Good</div>", "rrr" },
        { "<script>P:schema.org/Product</script>" ARTICLE "<div><h3>Customer reviews</h3><p>-" SAYS
          "<p>-Good</div>",
          "rrr" },
        { ARTICLE "<div><h3>Customer reviews</h3><p>-" SAYS "<p>-Good</div><!--\"ProductGroup\"",
          "rrr" },
        /* not behind a quote or the address; cut off by the end of the page */
        { ARTICLE "<div><h3>Customer reviews</h3><p>-" SAYS "<p>-Good</div><!--Product\"Product",
          "bbb" },
        { ARTICLE "<div><h3>Customer questions</h3><p>-" SAYS "<p>-Good</div>", "qqq" },
        { ARTICLE "<div><h3>3 comments</h3><p>-" SAYS "<p>-Good</div>", "tkk" },
    };
    static const case_t first[] = {
        { "<div><h3>You may also like</h3>" LINKS "</div>" ARTICLE, "obbbbbbbb" },
    };
    CHECK_CASES(cases, 6);
    CHECK_CASES(first, 0);
}

static void short_words_beside_digits_are_no_phrases(void **state)
{
    static const case_t cases[] = {
        { ARTICLE "<div><p>-&times; x</div>", "a" },
        { ARTICLE "<div><p>-&pound;120.00 x 2</div>", "b" },
        { ARTICLE "<div><p>-x&#160;</div>", "a" },
        { ARTICLE "<div><p>-Ad</div>", "n" },
        { ARTICLE "<div><p>-79 AD</div>", "b" },
        { ARTICLE "<div><p>-Go</div>", "a" },
        { ARTICLE "<div><p>-Go 1.22</div>", "b" },
    };
    CHECK_CASES(cases, 6);
}

static void names_and_roles_say_the_part(void **state)
{
    static const case_t cases[] = {
        { ARTICLE "<p class=sr-only>Some text", "x" },
        { ARTICLE "<p class=screen-reader-text>Some text", "x" },
        { ARTICLE "<p class=sr-only>!Some text", "b" },
        { ARTICLE "<p aria-hidden=true>?Some text", "x" },
        { ARTICLE "<p aria-hidden=true>Some text", "b" },
        { ARTICLE "<div role=dialog><p>-Some text</div>", "n" },
        { ARTICLE "<dialog><p>-Some text</dialog>", "n" },
        { ARTICLE "<div id=cookieBanner><p>Some text</div>", "n" },
        { ARTICLE "<div class=newsletter><p>-Some text</div>", "n" },
        { ARTICLE "<div class=popup><p>?Some text</div>", "n" },
        { ARTICLE "<div class=popup><p>-Some text</div>", "b" },
        { ARTICLE "<form><label>Some text</label></form>", "a" },
        { ARTICLE "<p><a role=button href=x>Some text</a>", "a" },
        { ARTICLE "<p><a role=button href=x>~Some text</a>", "a" },
        { ARTICLE "<p><a role=button href=x>!Some text</a>", "b" },
        { ARTICLE "<h3><button>Some text</button></h3>", "b" },
        { ARTICLE "<div class=share-links><p>-Some text</div>", "a" },
        { ARTICLE "<div class=relatedPosts><p>-Some text</div>", "o" },
        { ARTICLE "<div class='category-related x'><p>-Some text</div>", "b" },
        { ARTICLE "<div class=has-related><p>-Some text</div>", "b" },
        { ARTICLE "<p class=correlated>-Some text", "b" },
        { ARTICLE "<p><a rel=tag href=x>-Some text</a>", "o" },
        { ARTICLE "<div class=author-box><p>-Some text</div>", "y" },
        { ARTICLE "<div class=author-box><p>-" SAYS "</div>", "o" },
        { ARTICLE "<div class=disclaimer><p>-Some text</div>", "n" },
        { ARTICLE "<div style='display:none'><p>?Some text</div>", "x" },
        { ARTICLE "<div style='display:none'><p>-Some text</div>", "b" },
        { ARTICLE "<p class=userTitle>Senior Member", "a" },
        { ARTICLE "<p class=userTitle>!Senior Member", "b" },
        { PRODUCT ARTICLE "<div itemprop=review><p>Some text</div>", "r" },
        { ARTICLE "<div itemprop=review><p>Some text</div>", "b" },
        { ARTICLE "<div class=field--label-visually_hidden><p>Some text</div>", "b" },
        { ARTICLE "<h3 id=related>-Some text</h3>", "b" },
        { ARTICLE "<h3><a id=related>-Some text</a></h3>", "b" },
        { ARTICLE "<table class=related><td>-Some text</table>", "b" },
        { ARTICLE "<div class=qna><p>Some text</div>", "q" },
        { ARTICLE "<figure><img src=x><figcaption>Some text</figcaption></figure>", "bp" },
        { ARTICLE "<figcaption>?Some text</figcaption>", "t" },
        { ARTICLE "<div class=wp-caption><img src=x><p>Some text</div>", "bp" },
        { ARTICLE "<time>Some text</time>", "y" },
        { ARTICLE "<p class=price>5 EUR", "f" },
        { ARTICLE "<dl><dt>Size<dd>5 m</dl>", "ff" },
        { ARTICLE "<dl><dt>Size<dd>" SENTENCE "</dl>", "bb" },
        { ARTICLE "<ul class=recipe-ingredients><li>?Oil<li>?Salt<li>?Rice</ul>", "bbb" },
        { ARTICLE "<ul class=recipe-ingredients><li>#Oil<li>#Salt<li>#Rice</ul>", "ttt" },
        { ARTICLE "<div class=recipe-ingredients><p>?Metric<ul><li>?Oil</ul></div>", "tt" },
        /* a name of something else: the element is too large */
        { "<div class=newsletter>" ARTICLE "<p>-Some text</div>", "b" },
        /* template stays template in what is template as a whole */
        { ARTICLE "<nav><button>#Some text</button></nav>", "t" },
        { ARTICLE "<button>#Some text</button>", "a" },
    };
    /* most of the page: a name of what it is about */
    static const case_t frequent[] = {
        { PRODUCT "<p itemprop=review>" SENTENCE "<p itemprop=review>" SENTENCE "<p>" SENTENCE,
          "bbb" },
    };
    CHECK_CASES(cases, 6);
    CHECK_CASES(frequent, 0);
}

/* Lines inside an article that point to another one. */
static void leads_in_each_language(void **state)
{
    static const struct {
        const char *language, *lead;
    } leads[] = {
        { "English", "Read next" },
        { "German", "Das k\u00f6nnte Sie auch interessieren" },
        { "French", "Voir aussi" },
        { "Spanish", "VEA TAMBI\u00c9N" },
        { "Portuguese", "Leia tamb\u00e9m" },
        { "Italian", "Leggi anche" },
        { "Dutch", "Lees ook" },
        { "Norwegian", "Les ogs\u00e5" },
        { "Swedish", "L\u00e4s ocks\u00e5" },
        { "Danish", "L\u00e6s ogs\u00e5" },
        { "Finnish", "Lue my\u00f6s" },
        { "Polish", "Zobacz r\u00f3wnie\u017c" },
        { "Czech", "\u010ct\u011bte tak\u00e9" },
        { "Hungarian", "Ez is \u00e9rdekelheti" },
        { "Romanian", "Cite\u0219te \u0219i" },
        { "Russian", "\u0427\u0438\u0442\u0430\u0439\u0442\u0435 \u0442\u0430\u043a\u0436\u0435" },
        { "Greek",
          "\u0394\u03b9\u03b1\u03b2\u03ac\u03c3\u03c4\u03b5 \u03b5\u03c0\u03af\u03c3\u03b7\u03c2" },
        { "Turkish", "Ayr\u0131ca okuyun" },
        { "Lithuanian", "Taip pat skaitykite" },
        { "Arabic", "\u0627\u0642\u0631\u0623 \u0623\u064a\u0636\u0627" },
        { "Japanese", "\u3042\u308f\u305b\u3066\u8aad\u307f\u305f\u3044" },
        { "Chinese", "\u76f8\u5173\u9605\u8bfb" },
        { "Korean", "\uad00\ub828\uae30\uc0ac" },
    };
    for (size_t i = 0; i < sizeof(leads) / sizeof(leads[0]); i++) {
        const char *html = apr_pstrcat(*state, ARTICLE "<p>-", leads[i].lead,
                                       ": -<a href=/2>a second fox</a><p>" SENTENCE, NULL);
        const char *parts = parts_of(html, 6, *state);
        if (strcmp(parts, "ob") != 0) {
            fail_msg("%s: %s", leads[i].language, parts);
        }
    }
}

/* A title follows without a sign or a blank, and no word ends where the phrase does. */
static void leads_without_blanks(void **state)
{
    static const case_t cases[] = {
        { ARTICLE
          "<p>-\u3042\u308f\u305b\u3066\u8aad\u307f\u305f\u3044\u6a4b\u306e\u4e0a\u306e\u72d0",
          "o" },
        { ARTICLE "<p>-\u76f8\u5173\u9605\u8bfb\u6865\u4e0a\u7684\u72d0\u72f8", "o" },
        { ARTICLE "<p>-\uad00\ub828\uae30\uc0ac\ub2e4\ub9ac\uc704\uc758\uc5ec\uc6b0", "o" },
        { ARTICLE "<div><h3>\u4e3b\u8981\u30cb\u30e5\u30fc\u30b9</h3>" LINKS "</div>", "ooo" },
        { ARTICLE "<p>-\uc774\ubbf8\uc9c0 \ud655\ub300\ubcf4\uae30", "a" },
    };
    CHECK_CASES(cases, 6);
}

static void words_say_the_part(void **state)
{
    static const case_t cases[] = {
        { ARTICLE "<p>-Share this article", "a" },
        { ARTICLE "<p>-Teilen", "a" },
        { ARTICLE "<pre>-share</pre>", "b" },
        { ARTICLE "<p>!Share", "b" },
        { ARTICLE "<p>-Werbung", "n" },
        { ARTICLE "<p>Follow us on the radio", "n" },
        /* words of a text, and terms that a reference explains */
        { ARTICLE "<p>-FollowSymLinks", "b" },
        { ARTICLE "<p>-Waterproof<p>-Yes", "bb" },
        { ARTICLE "<p>-Mit einem Satz", "b" },
        { ARTICLE "<dl><dt>--x<dd>" SENTENCE "</dl>", "bb" },
        { ARTICLE "<dl><dt>-Sponsored<dd>" SENTENCE "</dl>", "bb" },
        { ARTICLE "<p>-Lea tambi\u00e9n: another article", "o" },
        { ARTICLE "<blockquote>-Lesetipp: another article</blockquote>", "b" },
        { ARTICLE "<p><img src=x width=9><p>-Foto: somebody", "bp" },
        { ARTICLE "<p>-Foto: somebody", "b" },
        { ARTICLE "<p>Last updated on Monday", "y" },
        /* capitals of other scripts */
        { ARTICLE "<p>-\u041f\u0435\u0447\u0430\u0442\u044c", "a" },
        { ARTICLE "<p>-UDOST\u0118PNIJ", "a" },
    };
    CHECK_CASES(cases, 6);
}

/* They are template in an article, too: no templateness is too small. */
static void texts_that_say_what_they_are(void **state)
{
    static const case_t cases[] = {
        { ARTICLE "<p>!Advertisement", "n" },
        { ARTICLE "<div><span>!- Anzeige -</span></div>", "n" },
        { ARTICLE "<aside class=ad-label>!Publicit\u00e9</aside>", "n" },
        { ARTICLE "<p>!\u0420\u0435\u043a\u043b\u0430\u043c\u0430", "n" },
        { ARTICLE "<p>!\u5e83\u544a", "n" },
        { ARTICLE "<p><a href=x>!Skip ad</a>", "n" },
        { ARTICLE "<div>!Copied!</div>", "a" },
        { ARTICLE "<div>!Loading comments \u2026</div>", "a" },
        { ARTICLE "<div>!Bitte warten</div>", "a" },
        { ARTICLE "<div class=sponsor><p>!Subscribe to our newsletter</div>", "n" },
        /* sentences, headings, quotes, cells, terms, code, and items beside others that stay */
        { ARTICLE "<p>!Advertisement is a craft", "b" },
        { ARTICLE "<p>!Loading docks", "b" },
        { ARTICLE "<p>!Subscribe to our newsletter", "b" },
        { ARTICLE "<h2>!Advertisement</h2>", "b" },
        { ARTICLE "<blockquote>!Loading</blockquote>", "b" },
        { ARTICLE "<table><tr><td>!Sponsored</table>", "b" },
        { ARTICLE "<dl><dt>!Loading<dd>!" SENTENCE "</dl>", "bb" },
        { ARTICLE "<pre>!Loading</pre>", "b" },
        { ARTICLE "<ul><li>!Advertisement<li>!Posters<li>!Radio<li>!Fairs</ul>", "bbbb" },
        /* dialogs, but not all of a page, and no table in them */
        { ARTICLE "<div aria-modal=true><p>!" SAYS "</div>", "n" },
        { ARTICLE "<dialog open><p>!" SAYS "</dialog>", "n" },
        { ARTICLE "<section role=alertdialog><p>!" SAYS "</section>", "n" },
        { ARTICLE "<dialog><table><tr><td>!M<td>!38</table></dialog>", "ff" },
    };
    static const case_t all[] = { { "<div aria-modal=true>" ARTICLE "</div>", "bbbbbb" } };
    CHECK_CASES(cases, 6);
    CHECK_CASES(all, 0);
}

static void labels_outside_of_forms_are_text(void **state)
{
    static const case_t cases[] = {
        { ARTICLE "<ul><li><input type=checkbox id=a><label for=a>2 eggs</label></ul>", "b" },
        { ARTICLE "<table><tr><td>200 g<td><label>Flour</label></table>", "bb" },
        { ARTICLE "<form><input id=a><label for=a>Name</label></form>", "a" },
        { ARTICLE "<search><label>Name</label></search>", "a" },
    };
    CHECK_CASES(cases, 6);
}

static void lists_of_articles_have_no_comments_and_tags(void **state)
{
#define FIVE(x) x x x x x
    static const case_t cases[] = {
        { ARTICLE "<p>-Comments", "t" },
        { ARTICLE FIVE("<p>-Comments"), "bbbbb" },
        { ARTICLE FIVE(FIVE("<p><a rel=tag href=x>-a</a>")), "bbbbbbbbbbbbbbbbbbbbbbbbb" },
    };
    CHECK_CASES(cases, 6);
}

#define THREE(a, b, c) "<div>" a "</div><div>" b "</div><div>" c "</div>"
#define CARD(html)     "<p>" SAYS html

#define BOX(text) "<div class=related><h3>-" text "</h3></div><p>" SAYS "</p>"

static void a_sign_is_what_it_stands_before(void **state)
{
    static const case_t cases[] = {
        { ARTICLE "<div><p class=button>$</p><p>49</div>", "bb" },
        { ARTICLE "<div><p>$</p><p class=button>49</div>", "aa" },
        { ARTICLE "<div><p>$</p><p>#49</div>", "tt" },
        { ARTICLE "<div><p class=button>$</p><p class=button>x</p></div><p>49", "aab" },
        { ARTICLE "<div><p class=button>x</p><p class=button>$</p></div><p>49", "aab" },
        { ARTICLE "<div><p class=button>s</p><p>49</div>", "ab" },
    };
    CHECK_CASES(cases, 6);
}

static void records_are_not_torn(void **state)
{
    static const case_t cases[] = {
        /* most of them stay, or it is a tie: all stay; else all go */
        { ARTICLE THREE(CARD("<p class=tags>-a"), CARD("<p class=tags>b"), CARD("<p class=tags>c")),
          "bbbbbb" },
        { ARTICLE THREE(CARD("<p class=tags>-a"), CARD("<p class=tags>b"),
                        CARD("<p class=tags>c")) "<div>" CARD("<p class=tags>-d") "</div>",
          "bbbbbbbb" },
        { ARTICLE THREE(CARD("<p class=tags>-a"), CARD("<p class=tags>-b"),
                        CARD("<p class=tags>c")),
          "bobobb" }, /* the trees are sure of the last one */
        { ARTICLE THREE(CARD("<p class=tags>-a"), CARD("<p class=tags>b"), CARD("<p class=x>c")),
          "bobbbb" },
        /* words alone: a state of three goods, but "Read more" below a paragraph */
        { ARTICLE THREE(CARD("<div><i>-Sold out</i></div>"), CARD("<div><i>-New</i></div>"),
                        CARD("<div><i>-Here</i></div>")),
          "bbbbbb" },
        { ARTICLE THREE("<p>" SAYS "<p>-Read more", "<p>" SAYS "<p>-Read more", "<p>" SAYS),
          "babab" },
        /* another tag, and other paragraphs of one text */
        { ARTICLE "<p aria-hidden=true>?a", "x" },
        { ARTICLE "<p>-Teilen", "a" },
        /* the price of what stays, but not who writes a comment, and no button */
        { ARTICLE THREE(CARD("<p class='btn price'>-1 EUR"), CARD("<p class='btn price'>-2 EUR"),
                        CARD("<p class='btn price'>-3 EUR")),
          "bfbfbf" },
        { ARTICLE THREE(CARD("<p class='btn price'>-Look"), CARD("<p class='btn price'>-Go"),
                        CARD("<p class='btn price'>-See")),
          "bababa" },
        /* nor the headings of other pages, which are boxes in a text */
        { ARTICLE BOX("A") BOX("B") BOX("C"), "obobob" },
        { ARTICLE THREE(CARD("<p class='comment author'>-A"), CARD("<p class='comment author'>-B"),
                        CARD("<p class='comment author'>-C")),
          "bkbkbk" },
    };
    CHECK_CASES(cases, 6);
}

#define SECTION(head)                                                                              \
    "<h2>" head "</h2><ul><li><a href=/1>" SAYS "</a><li><a href=/2>" SAYS "!</a></ul>"

static void sections_of_a_front_page_are_its_content(void **state)
{
    static const case_t cases[] = {
        { ARTICLE SECTION("More on art") SECTION("More on music") SECTION("More to explore"),
          "bbbbbbbbb" },
        { ARTICLE SECTION("More on art") SECTION("Other things") SECTION("More to explore"),
          "ooobbbooo" },
        /* little of the content */
        { ARTICLE ARTICLE ARTICLE SECTION("More on art") SECTION("More on music")
              SECTION("More to explore"),
          "bbbbbbbbbbbbooooooooo" },
    };
    CHECK_CASES(cases, 6);
}

#define ANSWER "<p>Yes, and so may all who have read it and think so, too.</p>"

static void questions_are_headings_of_their_answers(void **state)
{
    static const case_t cases[] = {
        { ARTICLE "<button>May I read this?</button>" ANSWER, "bb" },
        { ARTICLE "<button><span>May I read this?</span> <b>+</b></button>" ANSWER, "bb" },
        { ARTICLE "<button>\u3053\u308c\u3092\u8aad\u3093\u3067 \u3082 \u3044 \u3044 "
                  "\u3067\u3059\u304b\uff1f</button>" ANSWER,
          "bb" },
        { ARTICLE "<div><button>?May I read this?</button></div>" ANSWER, "bb" },
        { ARTICLE "<button>May I?</button>" ANSWER, "ab" },
        { ARTICLE "<button>May I read this</button>" ANSWER, "ab" },
        { ARTICLE "<button>May I read this?</button><p>?No", "at" },
        { ARTICLE "<form><label>Where are you now?</label>" ANSWER "</form>", "ab" },
        /* other headings that open their text */
        { ARTICLE "<button aria-expanded=false>Reading</button>" ANSWER, "bb" },
        { ARTICLE "<details><summary class=btn>Reading</summary>" ANSWER "</details>", "bb" },
        { ARTICLE "<button aria-expanded=false>Share</button>" ANSWER, "ab" },
        { ARTICLE "<button aria-expanded=false>Reading</button><p>Now", "ab" },
    };
    CHECK_CASES(cases, 6);
}

static void panels_and_tables_that_open_are_content(void **state)
{
    static const case_t cases[] = {
        { ARTICLE "<div class=sr-only><p>" SAYS "<p>Some text</div>", "bb" },
        { ARTICLE "<div aria-hidden=true><p>" SAYS "<div><i><a href=x>?Some</a></i></div></div>",
          "bt" },
        { ARTICLE "<div class=sr-only><p>?" SAYS "<p>Some text</div>", "xx" },
        { ARTICLE "<div role=dialog><h4>-Sizes</h4><table><tr><td>-M<td>?38</table></div>", "nff" },
        { ARTICLE "<div role=dialog><form><table><tr><td>-Name<td>?*</table></form></div>", "nn" },
        { ARTICLE "<form><div role=dialog><table><tr><td>-M<td>?38</table></div></form>", "ff" },
        { ARTICLE "<div role=dialog class=cookies><table><tr><td>-M<td>?38</table></div>", "nn" },
    };
    CHECK_CASES(cases, 6);
}

static void a_discussion_is_comments_if_it_says_who(void **state)
{
    static const case_t cases[] = {
        { ARTICLE "<div><h3>Discussion</h3><p>-" SAYS "<p>-Good</div>", "bbb" },
        { ARTICLE "<div><h3>Responses</h3><p>-" SAYS "<p>-Good</div>", "bbb" },
        { ARTICLE "<div><h3>Discussion</h3><p>-" SAYS "<p class=author>-Who</div>", "kkk" },
        { ARTICLE "<div><h3>DISKUSSION (2)</h3><p>-" SAYS "<p class=author>-Who</div>", "kkk" },
    };
    CHECK_CASES(cases, 6);
}

static const struct CMUnitTest tests[] = {
    CHECK(the_rest_is_body_or_template),
    CHECK(headline_byline_and_lead),
    CHECK(comments_are_behind_an_article),
    CHECK(what_is_around_comments_is_template),
    CHECK(phrases_head_regions),
    CHECK(leads_in_each_language),
    CHECK(leads_without_blanks),
    CHECK(short_words_beside_digits_are_no_phrases),
    CHECK(names_and_roles_say_the_part),
    CHECK(words_say_the_part),
    CHECK(texts_that_say_what_they_are),
    CHECK(labels_outside_of_forms_are_text),
    CHECK(lists_of_articles_have_no_comments_and_tags),
    CHECK(a_sign_is_what_it_stands_before),
    CHECK(records_are_not_torn),
    CHECK(sections_of_a_front_page_are_its_content),
    CHECK(questions_are_headings_of_their_answers),
    CHECK(panels_and_tables_that_open_are_content),
    CHECK(a_discussion_is_comments_if_it_says_who),
};

TAP_MAIN(tests)
