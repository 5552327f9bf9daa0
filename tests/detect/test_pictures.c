/* SPDX-License-Identifier: Apache-2.0 */
/* Images of an article become content. */
#include "verdicts_fixture.h"

#include "detect/pictures.h"

#define LONG " 2345678901234567890123456789012345678901234567890123456789012345678901234567890"

/*
 * Blocks that begin with c are content, the others template; images with src=t have DF 2. Returns
 * the verdicts after tmpl_pictures, a letter t or c for each block. pages 0: without counts.
 */
static const char *judged(const char *html, uint64_t pages, apr_pool_t *pool)
{
    const tmpl_page_t *page = leaf_page(html, pool);
    tmpl_verdict_t *v = apr_pcalloc(pool, page->n_blocks * sizeof(*v));
    tmpl_record_t *records = apr_pcalloc(pool, page->n_keys * sizeof(*records));
    for (uint32_t s = 0; s < page->n_segments; s++) {
        const tmpl_segment_t *segment = &page->segments[s];
        const char *bytes = check_bytes(page, segment->span, pool);
        records[segment->key].df = strstr(bytes, "src=t") != NULL ? 2 : 1;
        v[segment->block].template |= *bytes != 'c';
    }
    tmpl_pictures(v, page, pages > 0 ? records : NULL, pages, 5);
    return letters_of(v, page, pool);
}

static void images_of_an_article_are_content(void **state)
{
    static const struct {
        const char *html;
        const char *verdicts; /* of the site's fourth page; MinDF is 5 */
        const char *known;    /* of its fifth */
    } cases[] = {
        { "<p>c" LONG "<p><img src=c><p>c" LONG, "ctc", "ccc" },
        { "<p>c" LONG "<p><a href=x><img src=c></a><img src=d><p>c" LONG, "ctc", "ccc" },
        /* rule 2: images of other pages */
        { "<p>c" LONG "<p><img src=c><img src=t><p>c" LONG, "ctc", "ctc" },
        /* rule 3: width and height */
        { "<p>c" LONG "<p><img src=c width=100 height=\"100px\"><p>c" LONG, "ccc", "ccc" },
        { "<p>c" LONG "<p><img src=c width=100><p>c" LONG, "ctc", "ccc" },
        { "<p>c" LONG "<p><img src=c width=99><p>c" LONG, "ctc", "ctc" },
        { "<p>c" LONG "<p><img src=c width=1000 height=9><p>c" LONG, "ctc", "ctc" },
        { "<p>c" LONG "<p><img src=c width=auto><p>c" LONG, "ctc", "ctc" },
        /* images only: no word, no empty link */
        { "<p>c" LONG "<p><img src=c>t<p>c" LONG, "ctc", "ctc" },
        { "<p>c" LONG "<p><a href=x></a><p>c" LONG, "ctc", "ctc" },
        /* rule 1: content of some length, or a heading, before and behind */
        { "<p>t" LONG "<p><img src=c><p>c" LONG, "ttc", "ttc" },
        { "<p>c" LONG "<p><img src=c><p>t" LONG, "ctt", "ctt" },
        { "<p><img src=c><p>c" LONG, "tc", "tc" },
        { "<p>c" LONG "<p><img src=c><p>c", "ctc", "ctc" },
        { "<h1>c</h1><p>t<p><img src=c><p>t<p>c" LONG, "ctttc", "ctctc" },
        { "<h1>t</h1><p>t<p><img src=c><p>t<p>c" LONG, "ttttc", "ttttc" },
        /* captions, however long */
        { "<p>c" LONG "<figure><img src=t><figcaption>A caption</figcaption></figure><p>c" LONG,
          "ctcc", "ctcc" },
        { "<p>c" LONG "<figure><figcaption><p>" LONG "<p>src=t</figcaption></figure><p>c" LONG,
          "cctc", "cctc" },
        { "<p>c" LONG "<figure><figcaption>A caption</figcaption></figure><p>t" LONG, "ctt",
          "ctt" },
        /* ten images weigh 80 bytes, but are not a block of text */
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

static void without_counts_no_image_is_shared(void **state)
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
    CHECK(images_of_an_article_are_content),
    CHECK(without_counts_no_image_is_shared),
};

TAP_MAIN(tests)
