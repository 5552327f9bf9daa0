/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of an article stay. */
#include "check.h"

#include "detect/pictures.h"

#define LONG " 2345678901234567890123456789012345678901234567890123456789012345678901234567890"

/*
 * The blocks' verdicts, t or c, as tmpl_pictures leaves them: c is what begins so; of src=t.. the site has more.
 * With 0 pages no store has answered.
 */
static const char *judged(const char *html, uint64_t pages, apr_pool_t *pool)
{
    const tmpl_page_t *page;
    tmpl_page_opts_t opts = { .separators = &tmpl_separators_leaf };
    assert_int_equal(tmpl_page_parse(&page, html, strlen(html), &opts, pool), TMPL_DECLINE_NONE);
    tmpl_verdict_t *v = apr_pcalloc(pool, page->n_blocks * sizeof(*v));
    tmpl_record_t *records = apr_pcalloc(pool, page->n_keys * sizeof(*records));
    char *letters = apr_pcalloc(pool, page->n_blocks + 1);
    for (uint32_t s = 0; s < page->n_segments; s++) {
        const tmpl_segment_t *segment = &page->segments[s];
        const char *bytes = check_bytes(page, segment->span, pool);
        records[segment->key].df = strstr(bytes, "src=t") != NULL ? 2 : 1;
        v[segment->block].template |= *bytes != 'c';
    }
    tmpl_pictures(v, page, pages > 0 ? records : NULL, pages, 5);
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        letters[b] = v[b].template ? 't' : 'c';
    }
    return letters;
}

static void pictures_of_an_article_stay(void **state)
{
    static const struct {
        const char *html;
        const char *verdicts; /* of the fourth page; of the fifth */
        const char *known;
    } cases[] = {
        { "<p>c" LONG "<p><img src=c><p>c" LONG, "ctc", "ccc" },
        { "<p>c" LONG "<p><a href=x><img src=c></a><img src=d><p>c" LONG, "ctc", "ccc" },
        /* not what other pages have */
        { "<p>c" LONG "<p><img src=c><img src=t><p>c" LONG, "ctc", "ctc" },
        /* it may say how large it is */
        { "<p>c" LONG "<p><img src=c width=100 height=\"100px\"><p>c" LONG, "ccc", "ccc" },
        { "<p>c" LONG "<p><img src=c width=100><p>c" LONG, "ctc", "ccc" },
        { "<p>c" LONG "<p><img src=c width=99><p>c" LONG, "ctc", "ctc" },
        { "<p>c" LONG "<p><img src=c width=1000 height=9><p>c" LONG, "ctc", "ctc" },
        { "<p>c" LONG "<p><img src=c width=auto><p>c" LONG, "ctc", "ctc" },
        /* nor with a word, nor a link that says nothing */
        { "<p>c" LONG "<p><img src=c>t<p>c" LONG, "ctc", "ctc" },
        { "<p>c" LONG "<p><a href=x></a><p>c" LONG, "ctc", "ctc" },
        /* what is in front and behind is content of some length, or a heading */
        { "<p>t" LONG "<p><img src=c><p>c" LONG, "ttc", "ttc" },
        { "<p>c" LONG "<p><img src=c><p>t" LONG, "ctt", "ctt" },
        { "<p><img src=c><p>c" LONG, "tc", "tc" },
        { "<p>c" LONG "<p><img src=c><p>c", "ctc", "ctc" },
        { "<h1>c</h1><p>t<p><img src=c><p>t<p>c" LONG, "ctttc", "ctctc" },
        { "<h1>t</h1><p>t<p><img src=c><p>t<p>c" LONG, "ttttc", "ttttc" },
        /* many pictures are none */
        { "<p>c" LONG
          "<p><img src=1><img src=2><img src=3><img src=4><img src=5><img src=6><img src=7>"
          "<img src=8><img src=9><img src=10><p>c" LONG,
          "ctc", "ccc" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_string_equal(judged(cases[i].html, 4, *state), cases[i].verdicts);
        assert_string_equal(judged(cases[i].html, 5, *state), cases[i].known);
    }
}

static void without_a_store_each_is_the_pages_own(void **state)
{
    static const struct {
        const char *html;
        const char *verdicts;
    } cases[] = {
        { "<p>c" LONG "<p><img src=c width=100 height=100><p>c" LONG, "ccc" },
        { "<p>c" LONG "<p><img src=t width=100 height=100><p>c" LONG, "ccc" },
        { "<p>c" LONG "<p><img src=c><p>c" LONG, "ctc" },
        { "<p>c" LONG "<p><img src=c width=99><p>c" LONG, "ctc" },
        { "<p>c" LONG "<p><img src=c width=100 height=100><p>t" LONG, "ctt" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_string_equal(judged(cases[i].html, 0, *state), cases[i].verdicts);
    }
}

static const struct CMUnitTest tests[] = {
    CHECK(pictures_of_an_article_stay),
    CHECK(without_a_store_each_is_the_pages_own),
};

TAP_MAIN(tests)
