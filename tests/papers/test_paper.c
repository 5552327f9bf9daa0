/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The base of the experiments: shingle, SST, and the matching of gold, against values computed by
 * hand.
 */
#include "check.h"

#include <math.h>

#include "bench/papers/paper-items.h"
#include "bench/papers/paper-pages.h"
#include "bench/papers/shingle.h"
#include "bench/papers/sst.h"

#define DIM(array) (sizeof(array) / sizeof((array)[0]))

/* ---- site style trees: Yi, Liu and Li (KDD 2003), section 4.1 ---- */

static void entropy_is_the_papers(void **state)
{
    /* the paper's example: a table of 100 pages with four styles */
    static const uint32_t table[] = { 35, 25, 25, 15 };
    static const uint32_t one[] = { 100 };
    static const uint32_t even[] = { 1, 1, 1, 1 };
    (void)state;
    assert_float_equal(sst_entropy(table, 4, 100, 100), 0.292, 5e-4);
    assert_float_equal(sst_entropy(one, 1, 100, 100), 0, 1e-9);
    assert_float_equal(sst_entropy(even, 4, 4, 4), 1, 1e-9);
    assert_float_equal(sst_entropy(even, 4, 4, 16), 0.5, 1e-9);
    assert_float_equal(sst_entropy(even, 4, 4, 1), 0, 1e-9);
}

static sst_t *tree_of(const char *const *html, size_t n, apr_pool_t *pool)
{
    sst_t *sst = sst_create(pool);
    for (size_t i = 0; i < n; i++) {
        sst_add(sst, check_page(html[i], pool));
    }
    sst_weigh(sst);
    return sst;
}

#define SEGMENT(page, segment, value)                                                              \
    assert_float_equal(sst_segment_importance(sst, page, segment), value, 1e-6)
#define NODE(page, node, value)                                                                    \
    assert_float_equal(sst_node_importance(sst, page, node), value, 1e-6)

static void what_reads_alike_everywhere_has_no_importance(void **state)
{
    static const char *const html[] = { "<div>menu</div><p>alpha</p>",
                                        "<div>menu</div><p>beta</p>" };
    sst_t *sst = tree_of(html, 2, *state);
    /* menu: H = 1. alpha and beta: H = 0 */
    SEGMENT(0, 0, 0.0);
    SEGMENT(0, 1, 1.0);
    SEGMENT(1, 1, 1.0);
    /* one style: 0.1 * 0 + 0.9 * (importance below) */
    NODE(0, 1, 0.0);
    NODE(0, 2, 0.9);
    NODE(1, 0, 0.9 * (0.0 + 0.9) / 2);
}

static void words_count_by_their_share_of_a_page(void **state)
{
    static const char *const dates[] = { "<p>on 1</p>", "<p>on 2</p>", "<p>on 3</p>" };
    static const char *const uneven[] = { "<p>a a b</p>", "<p>a b</p>" };
    sst_t *sst = tree_of(dates, 3, *state);
    SEGMENT(1, 0, 1 - (1.0 + 0 + 0 + 0) / 4);
    sst = tree_of(uneven, 2, *state);
    double h = -(2.0 / 3 * log2(2.0 / 3) + 1.0 / 3 * log2(1.0 / 3));
    SEGMENT(0, 0, 1 - (h + 1.0) / 2);
}

static void what_looks_different_has_importance(void **state)
{
    static const char *const html[] = {
        "<div>a</div><p>b</p>",
        "<div>a</div><p>b</p>",
        "<p>c</p>",
        "<ul><li>d</ul>",
    };
    sst_t *sst = tree_of(html, 4, *state);
    /* p: 1/2, 1/4, 1/4 of 4 pages; with only noise below, and with content of one page each */
    double node_imp = 0.5 * 0.5 + 2 * 0.25 * 1.0;
    double below = 0.5 * 0.0 + 0.25 * 1.0 + 0.25 * 1.0;
    double g = 0.9 * 0.9 * 0.9;
    NODE(0, 0, (1 - g) * node_imp + g * below);
    SEGMENT(0, 0, 0.0);
    SEGMENT(2, 0, 1.0);
    NODE(2, 1, 1.0);
}

/*
 * A p in one style and a p in another are two nodes. Presentation attributes separate nodes, ids do
 * not.
 */
static void styles_are_sequences_of_tags_and_attributes(void **state)
{
    static const struct {
        const char *html[2];
        double importance; /* of the first segment of the first page; 0 if both are one element */
    } cases[] = {
        { { "<p>a</p>", "<p>a</p>" }, 0 },
        { { "<p>a</p><p>b</p>", "<p>a</p>" }, 1 },
        { { "<p align=left>a</p>", "<p>a</p>" }, 1 },
        { { "<p align=left>a</p>", "<p align=right>a</p>" }, 1 },
        { { "<p align=left>a</p>", "<p align=left>a</p>" }, 0 },
        { { "<p align=left>a</p>", "<p valign=left>a</p>" }, 1 },
        { { "<p id=1>a</p>", "<p id=2>a</p>" }, 0 },
        { { "<x-y>a</x-y>", "<x-z>a</x-z>" }, 1 },
        /* elements without text are not in the tree */
        { { "<p>a</p><hr><div></div>", "<p>a</p>" }, 0 },
        { { "<p>a<b>b</b>c</p>", "<p>a<b>b</b>c</p>" }, 0 },
        { { "<p><img src=a>b</p>", "<p>b<img src=a></p>" }, 1 },
        { { "<p><img src=a></p>", "<p><img src=a></p>" }, 0 },
    };
    for (size_t i = 0; i < DIM(cases); i++) {
        sst_t *sst = tree_of(cases[i].html, 2, *state);
        if (fabs(sst_segment_importance(sst, 0, 0) - cases[i].importance) > 1e-9) {
            fail_msg("%s and %s: %g", cases[i].html[0], cases[i].html[1],
                     sst_segment_importance(sst, 0, 0));
        }
    }
}

static void blocks_are_judged_by_their_noise(void **state)
{
    static const char *const html[] = {
        "<div>1234567<b>abc</b></div><ul>menu</ul>",
        "<div>1234567<b>def</b></div><ul>menu</ul>",
    };
    sst_t *sst = tree_of(html, 2, *state);
    tmpl_verdict_t v[2];
    sst_judge(v, sst, 1, 0.2, 0.7);
    assert_float_equal(v[0].ratio, 0.7, 1e-6);
    assert_false(v[0].template);
    assert_true(v[1].template);
    sst_judge(v, sst, 1, 0.2, 0.6);
    assert_true(v[0].template);
    sst_judge(v, sst, 1, 0.0, 0.6); /* below t, not equal */
    assert_false(v[1].template);
    sst_judge(v, sst, 1, 1.1, 0.7);
    assert_float_equal(v[0].ratio, 1.0, 1e-6);
}

/* ---- shingle: Bar-Yossef and Rajagopalan (WWW 2002), Ma et al. (CIKM 2003) ---- */

static const char *numbered(unsigned first, unsigned n, apr_pool_t *pool)
{
    const char *text = "";
    for (unsigned i = first; i < first + n; i++) {
        text = apr_psprintf(pool, "%sw%u ", text, i);
    }
    return text;
}

static uint64_t shingle_of_text(const char *text, uint32_t window, apr_pool_t *pool)
{
    const tmpl_page_t *page = check_page(text, pool);
    return shingle_of(page, 0, page->n_segments, window);
}

static void a_shingle_is_that_of_the_windows(void **state)
{
    apr_pool_t *pool = *state;
    /* markup and white space do not matter; the order of words does, also within one window */
    assert_int_equal(shingle_of_text("a b c", 10, pool),
                     shingle_of_text("<p>a <b> b</b>\n c</p>", 10, pool));
    assert_int_not_equal(shingle_of_text("a b c", 10, pool), shingle_of_text("a c b", 10, pool));
    /* windows of one word: the least of them, wherever it is */
    assert_int_equal(shingle_of_text("a b c", 1, pool), shingle_of_text("c a b", 1, pool));
    assert_int_equal(shingle_of_text("a a b", 1, pool), shingle_of_text("b a", 1, pool));
    /* the least of the windows of two words */
    for (unsigned first = 0; first < 20; first++) {
        uint64_t least = UINT64_MAX;
        for (unsigned i = first; i < first + 4; i++) {
            uint64_t one = shingle_of_text(numbered(i, 2, pool), 2, pool);
            least = one < least ? one : least;
        }
        assert_int_equal(shingle_of_text(numbered(first, 5, pool), 2, pool), least);
    }
}

/* Two texts agree with the probability of their resemblance: here 90 of 110 windows, 0.82. */
static void shingles_agree_as_texts_resemble(void **state)
{
    unsigned agree = 0;
    for (unsigned i = 0; i < 500; i++) {
        apr_pool_t *pool;
        apr_pool_create(&pool, *state);
        const char *a = numbered(1000 * i, 104, pool);
        const char *b = numbered(1000 * i + 10, 104, pool);
        agree += shingle_of_text(a, 5, pool) == shingle_of_text(b, 5, pool);
        apr_pool_destroy(pool);
    }
    assert_true(agree > 375);
    assert_true(agree < 445);
}

static void template_stands_on_enough_pages(void **state)
{
    static const char *const html[] = {
        "<div>menu</div><p>one</p>",   "<div>menu</div><p>two</p>",
        "<div>menu</div><p>three</p>", "<div>menu</div><p>three</p>", /* a copy: not counted */
        "<ul>once</ul><ul>once</ul>",                                 /* twice on one page */
    };
    enum { N = DIM(html) };
    const tmpl_page_t *pages[N];
    tmpl_verdict_t *verdicts[N];
    for (size_t i = 0; i < N; i++) {
        pages[i] = check_page(html[i], *state);
        verdicts[i] = apr_pcalloc(*state, 4 * sizeof(tmpl_verdict_t));
    }
    for (uint32_t least = 1; least <= 4; least++) {
        shingle_opts_t opts = { .window = 10, .least = least };
        shingle_detect(verdicts, pages, N, &opts, *state);
        for (size_t i = 0; i < 4; i++) {
            assert_int_equal(verdicts[i][0].template, least <= 3);
            assert_int_equal(verdicts[i][1].template, least <= 1);
        }
        assert_int_equal(verdicts[4][0].template, least <= 1);
    }
    assert_int_equal(shingle_opts_default.least, 2);
}

/* ---- gold ---- */

static paper_page_t labelled(const char *html, const char *gold, apr_pool_t *pool)
{
    paper_page_t page = { .page = check_page(html, pool) };
    paper_page_label(&page, gold, strlen(gold), pool);
    return page;
}

static void gold_is_matched_by_text_in_order(void **state)
{
    static const struct {
        const char *html, *gold, *labels;
    } cases[] = {
        { "<p>a</p><p>b</p>", "T\t1\ta\nC\t2\tb\n", "TC" },
        { "<p>a</p><p>b</p>", "T\t1\ta\nC\t2\tb", "TC" },
        /* character references and white space are compared as people saw them */
        { "<p>a &amp;\n b&nbsp;&#99;</p>", "T\t1\ta & b c\n", "T" },
        { "<p>a b</p>", "T\t1\ta  b\n", "T" },
        { "<p>\xC3\xA4&uuml;</p>", "C\t1\t\xC3\xA4\xC3\xBC\n", "C" },
        /* rows and texts that only one side has */
        { "<p>a</p><p>b</p><p>c</p>", "T\t1\ta\nC\t3\tc\n", "T C" },
        { "<p>a</p><p>c</p>", "T\t1\ta\nC\t2\tb\nC\t3\tc\n", "TC" },
        { "<p>x</p><p>a</p>", "T\t1\ty\nC\t2\ta\n", " C" },
        /* the same text twice: each its own row */
        { "<p>a</p><p>b</p><p>a</p>", "T\t1\ta\nC\t2\tb\nC\t3\ta\n", "TCC" },
        /* not scored; no text; no row */
        { "<p>a</p><p>b</p>", "I\t1\ta\nU\t2\tb\n", "  " },
        { "<p>a</p><img src=i><p>b</p>", "T\t1\ta\nT\t2\tb\n", "T T" },
        { "<p>a</p>", "T\t1\nnonsense\n\n", " " },
    };
    for (size_t i = 0; i < DIM(cases); i++) {
        paper_page_t page = labelled(cases[i].html, cases[i].gold, *state);
        const char *labels = apr_pstrmemdup(*state, page.labels, page.page->n_segments);
        if (strcmp(labels, cases[i].labels) != 0) {
            fail_msg("%s: \"%s\", not \"%s\"", cases[i].html, labels, cases[i].labels);
        }
    }
}

/* After a difference longer than the look-ahead the rest must still match. */
static void gold_is_found_again(void **state)
{
    const char *html = "<p>a</p>";
    const char *gold = "T\t1\ta\n";
    for (int i = 0; i < 700; i++) {
        html = apr_psprintf(*state, "%s<p>x%d</p>", html, i);
    }
    for (int i = 0; i < 300; i++) {
        html = apr_psprintf(*state, "%s<p>c%d</p>", html, i);
        gold = apr_psprintf(*state, "%sC\t1\tc%d\n", gold, i);
    }
    paper_page_t page = labelled(html, gold, *state);
    assert_int_equal(page.page->n_segments, 1001);
    assert_int_equal(page.labels[0], 'T');
    assert_int_equal(page.labels[1000], 'C');
    assert_int_equal(page.labels[701], 'C');
    assert_int_equal(page.labels[700], ' ');
}

static void scores_count_text_and_blocks(void **state)
{
    /* blocks: 3 bytes of template and 1 of content; 5 of content; 2 of template; 1 without label */
    paper_page_t page = labelled("<div>abc<b>d</b></div><ul>fghij</ul><div>kl</div><ul>m</ul>",
                                 "T\t1\tabc\nC\t2\td\nC\t3\tfghij\nT\t4\tkl\n", *state);
    tmpl_verdict_t v[4] = {
        { .template = 1 }, { .template = 0 }, { .template = 0 }, { .template = 1 }
    };
    paper_score_t score = { 0 };
    assert_int_equal(page.page->n_blocks, 4);
    paper_score_add(&score, &page, v);
    assert_int_equal(score.template_text, 5);
    assert_int_equal(score.found_text, 3);
    assert_int_equal(score.content_text, 6);
    assert_int_equal(score.lost_text, 1);
    assert_int_equal(score.template_blocks, 2);
    assert_int_equal(score.found_blocks, 1);
    assert_int_equal(score.content_blocks, 1);
    assert_int_equal(score.lost_blocks, 0);
    assert_float_equal(paper_recall(&score), 3.0 / 5, 1e-9);
    assert_float_equal(paper_precision(&score), 3.0 / 4, 1e-9);
    v[1].template = 1;
    paper_score_add(&score, &page, v);
    assert_int_equal(score.lost_blocks, 1);
    assert_float_equal(paper_precision(&score), 6.0 / 13, 1e-9);
}

/* Chakrabarti, Kumar and Punera (WWW 2007): a link is what most of its text is. */
static void items_are_text_anchor_text_and_links(void **state)
{
    /*
     * 4 of content with no link; links of 6 template, 2 and 3 mixed, 5 content, one without label
     */
    paper_page_t page =
        labelled("<div>abcd<a href=1>menu 1</a></div>"
                 "<ul><a href=2>no<b>yes</b></a></ul>"
                 "<div><a href=3>fghij</a></div><ul><a href=4>kl</a></ul>",
                 "C\t1\tabcd\nT\t1\tmenu 1\nC\t2\tno\nT\t2\tyes\nC\t3\tfghij\n", *state);
    tmpl_verdict_t v[4] = {
        { .template = 1 }, { .template = 0 }, { .template = 1 }, { .template = 1 }
    };
    paper_counts_t counts[PAPER_ITEMS] = { { 0 } };
    assert_int_equal(page.page->n_blocks, 4);
    paper_counts_add(counts, &page, v, *state);
    assert_memory_equal(&counts[PAPER_TEXT], (&(paper_counts_t){ 6, 4 + 6 + 5, 6 + 3 }),
                        sizeof(*counts));
    assert_memory_equal(&counts[PAPER_ANCHOR_TEXT], (&(paper_counts_t){ 6, 6 + 5, 6 + 3 }),
                        sizeof(*counts));
    assert_memory_equal(&counts[PAPER_LINKS], (&(paper_counts_t){ 1, 2, 2 }), sizeof(*counts));
    paper_counts_add(counts, &page, v, *state);
    assert_float_equal(counts[PAPER_LINKS].called, 4, 0);
    /* precision 6/15, recall 6/9: their harmonic mean */
    assert_float_equal(paper_f(&counts[PAPER_TEXT]), 2 / (15 / 6.0 + 9 / 6.0), 1e-9);
    assert_float_equal(paper_f(&(paper_counts_t){ 0, 0, 3 }), 0, 0);
    assert_float_equal(paper_f(&(paper_counts_t){ 0, 0, 0 }), 1, 0);
}

static const struct CMUnitTest tests[] = {
    CHECK(entropy_is_the_papers),
    CHECK(what_reads_alike_everywhere_has_no_importance),
    CHECK(words_count_by_their_share_of_a_page),
    CHECK(what_looks_different_has_importance),
    CHECK(styles_are_sequences_of_tags_and_attributes),
    CHECK(blocks_are_judged_by_their_noise),
    CHECK(a_shingle_is_that_of_the_windows),
    CHECK(shingles_agree_as_texts_resemble),
    CHECK(template_stands_on_enough_pages),
    CHECK(gold_is_matched_by_text_in_order),
    CHECK(gold_is_found_again),
    CHECK(scores_count_text_and_blocks),
    CHECK(items_are_text_anchor_text_and_links),
};

TAP_MAIN(tests)
