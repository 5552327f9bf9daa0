/* SPDX-License-Identifier: Apache-2.0 */
/* Regions of readers' comments. */
#include "check.h"

#include "detect/comments.h"

/* 90 bytes, and an article of 450. */
#define SENTENCE                                                                                   \
    "One sentence of the article, which is as long as those that people write for their readers"
#define ARTICLE  "<p>" SENTENCE "<p>" SENTENCE "<p>" SENTENCE "<p>" SENTENCE "<p>" SENTENCE "</p>"
#define SAYS     "I have read it and think so, too"
#define ENTRY    "<li><cite>who</cite><p>" SAYS "</p></li>"
#define COMMENTS "<ol id=comments>" ENTRY ENTRY "</ol>"

/* The texts of the segments in regions, with | behind each. */
static const char *found(const char *html, apr_pool_t *pool)
{
    const tmpl_page_t *page;
    tmpl_page_opts_t opts = { .separators = &tmpl_separators_leaf };
    assert_int_equal(tmpl_page_parse(&page, html, strlen(html), &opts, pool), TMPL_DECLINE_NONE);
    const apr_array_header_t *regions = tmpl_comment_regions(page, pool);
    const char *texts = "";
    for (int i = 0; i < regions->nelts; i++) {
        const tmpl_node_t *node = &page->nodes[APR_ARRAY_IDX(regions, i, uint32_t)];
        for (uint32_t s = node->first_segment; s < node->after_segment; s++) {
            texts = apr_pstrcat(pool, texts, check_bytes(page, page->segments[s].span, pool), "|",
                                NULL);
        }
    }
    return texts;
}

static void regions_are_found(void **state)
{
    static const char two[] = "who|" SAYS "|who|" SAYS "|";
    static const struct {
        const char *html;
        const char *found;
    } cases[] = {
        { ARTICLE COMMENTS, two },
        { ARTICLE "<div class='disqus thread'><ul>" ENTRY ENTRY "</ul></div><p>x", two },
        /* the outermost element, whole */
        { ARTICLE "<div id=comments><h2>2 comments</h2><ol class=comment-list>" ENTRY ENTRY
                  "</ol><form>Reply</form></div>",
          "2 comments|who|" SAYS "|who|" SAYS "|Reply|" },
        /* rule 1 */
        { ARTICLE "<ol id=others>" ENTRY ENTRY "</ol>", "" },
        { ARTICLE "<ol id=others>" ENTRY "<li class=x itemprop=comment><time>t</time>" SAYS "</ol>",
          "" },
        { ARTICLE "<ol role=list itemscope itemtype=http://schema.org/Comment>" ENTRY ENTRY "</ol>",
          two },
        /* rule 2 */
        { COMMENTS, "" },
        { COMMENTS ARTICLE, "" },
        { "<p>" SENTENCE "<p>" SENTENCE COMMENTS, "" },
        { "<a href=x>" ARTICLE "</a>" COMMENTS, "" },
        /* rule 3 */
        { ARTICLE "<ol id=comments><li><p>" SAYS "</p></li><li><p>" SAYS "</p></li></ol>", "" },
        { ARTICLE "<ol id=comments>" ENTRY "</ol>", "" },
        { ARTICLE "<ol id=comments>" ENTRY "<li><p><time>t</time>" SAYS "</p></ol>", "" },
        { ARTICLE "<ol id=comments><li class=comment><cite>who</cite><p>" SAYS "</p></li></ol>",
          "who|" SAYS "|" },
        { ARTICLE "<ol id=comments><li class=x itemprop=comment><b itemprop=author>who</b><p>" SAYS
                  "</p></li></ol>",
          "who|" SAYS "|" },
        { ARTICLE "<ul><li id=comment-1><cite>who</cite><p>" SAYS
                  "</p><li id=comment-2><cite>who</cite><p>" SAYS "</p></ul>",
          two },
        { ARTICLE "<div id=comment-1><cite>who</cite><p>" SAYS "</p></div>", "" },
        { ARTICLE "<div id=comments><form class=comment><b class=author>Name</b><b class=author>"
                  "Name</b></form>" SAYS "</div>",
          "" },
        /* rule 4 */
        { ARTICLE "<ol id=comments><li><cite>who</cite><li><cite>who</cite></ol>", "" },
        { ARTICLE "<ol id=comments><li><cite>who</cite><a href=x>" SAYS "</a><li><cite>who</cite>"
                  "<a href=y>" SAYS "</a></ol>",
          "" },
        /* rule 5 */
        { "<script>{\"@type\": \"DiscussionForumPosting\"}</script>" ARTICLE COMMENTS, "" },
        { "<div class='post first'>" ARTICLE
          "</div><div class='post reply'><cite>who</cite><p>" SAYS
          "</p></div><div class='post reply'><cite>who</cite><p>" SAYS "</p></div>",
          "" },
        { "<div class=article>" ARTICLE "</div><div class=reply><cite>who</cite><p>" SAYS
          "</p></div><div class=reply><cite>who</cite><p>" SAYS "</p></div>",
          two },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_string_equal(found(cases[i].html, *state), cases[i].found);
    }
}

static const struct CMUnitTest tests[] = {
    CHECK(regions_are_found),
};

TAP_MAIN(tests)
