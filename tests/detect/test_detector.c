/* SPDX-License-Identifier: Apache-2.0 */
/* The detectors as tmpl_clean runs them: with a store, without one, and without learning. */
#include "detector_fixture.h"

#include <math.h>

#include "detect/auto.h"
#include "feature/reading.h"
#include "methods/pagelevel.h"

static const char html[] =
    "<!DOCTYPE html><title>A page</title><body><header><h1>A site</h1><ul class=menu><li><a "
    "href=/a>One"
    "</a><li><a href=/b>Two</a></ul></header><main><p>Some words, <b>more</b> words, and 42!<br>A "
    "line."
    "<p>Again some words<table><tr><td>A cell<td><img src=i.png></table><p>Again some words</main>"
    "<div><a href=/c></a>Text <div>in</div> between</div></body>";

static const char other[] = "<!DOCTYPE html><title>Another</title><body><header><h1>A site</h1><ul "
                            "class=menu><li><a href=/a>One</a><li><a href=/z>New</a></ul></header>"
                            "<main><p>Nothing of this stands on the first page.</main></body>";

/* --- models --- */

/* A block is template if most of its text is in links. */
static const tmpl_trees_t *link_trees(apr_pool_t *pool)
{
    return trees_of("tmpl-trees 2\nthreshold 0.5\nbias 0\ntree 3\nsplit linked 0.5 1 2\nleaf -3\n"
                    "leaf 3\nend\n",
                    pool);
}

/* Trees whose value differs for nearly every difference in a block's features. */
static const tmpl_trees_t *telling_trees(apr_pool_t *pool)
{
    static const double limits[] = { 0, 0.05, 0.2, 0.4, 0.6, 0.9, 1.2, 2, 3, 4, 5, 6 };
    enum { LIMITS = sizeof(limits) / sizeof(limits[0]) };
    const char *text = "tmpl-trees 2\nthreshold 0.5\nbias 0\n";
    for (int i = 0; i < TMPL_BLOCK_FEATURE_COUNT * LIMITS; i++) {
        char tree[200];
        snprintf(tree, sizeof(tree), "tree 3\nsplit %s %g 1 2\nleaf 0\nleaf %g\n",
                 tmpl_block_feature_name((tmpl_block_feature_e)(i / LIMITS)), limits[i % LIMITS],
                 (i * 7919 % 4099 - 2050) / 1e5);
        text = apr_pstrcat(pool, text, tree, NULL);
    }
    return trees_of(apr_pstrcat(pool, text, "end\n", NULL), pool);
}

static void names_are_parsed(void **state)
{
    (void)state;
    for (int i = 0; i < TMPL_DETECTOR_COUNT; i++) {
        assert_int_equal(tmpl_detector_find(tmpl_detector((tmpl_detector_e)i)->name), i);
    }
    assert_int_equal(tmpl_detector_find("AUTO"), TMPL_DETECTOR_AUTO);
    assert_int_equal(tmpl_detector_find("aut"), -1);
    assert_int_equal(tmpl_detector_find("automatic"), -1);
    assert_int_equal(tmpl_smoothing_find("On"), TMPL_SMOOTHING_MIN);
    assert_int_equal(tmpl_smoothing_find("off"), TMPL_SMOOTHING_OFF);
    assert_int_equal(tmpl_smoothing_find("yes"), -1);
}

/* --- blocks --- */

/* A condition for detectors to share a site's table. */
static void keys_do_not_depend_on_separators(void **state)
{
    const tmpl_tag_set_t *sets[] = { &tmpl_separators_default, &tmpl_separators_pagelevel,
                                     &tmpl_separators_leaf };
    const tmpl_page_t *pages[3];
    for (int i = 0; i < 3; i++) {
        tmpl_page_opts_t opts = { .separators = sets[i], .seed = 7 };
        assert_int_equal(tmpl_page_parse(&pages[i], html, sizeof(html) - 1, &opts, *state),
                         TMPL_DECLINE_NONE);
        assert_int_equal(pages[i]->n_keys, pages[0]->n_keys);
        assert_memory_equal(pages[i]->keys, pages[0]->keys,
                            pages[0]->n_keys * sizeof(*pages[0]->keys));
        assert_int_equal(pages[i]->text, pages[0]->text);
        for (uint32_t s = 0; s < pages[0]->n_segments; s++) {
            assert_int_equal(pages[i]->segments[s].key, pages[0]->segments[s].key);
            assert_int_equal(pages[i]->segments[s].length, pages[0]->segments[s].length);
        }
    }
    assert_true(pages[2]->n_blocks > pages[0]->n_blocks);
}

/* --- with a store, and without --- */

static void detectors_that_need_no_counts_judge_without_a_store(void **state)
{
    static const struct {
        tmpl_detector_e detector;
        tmpl_mode_e mode;
        int declines;
    } cases[] = {
        { TMPL_DETECTOR_INCREMENTAL, TMPL_MODE_STRIP, 1 },
        { TMPL_DETECTOR_STYLE, TMPL_MODE_STRIP, 1 },
        { TMPL_DETECTOR_PAGELEVEL, TMPL_MODE_HEADERS, 0 },
        { TMPL_DETECTOR_PAGELEVEL, TMPL_MODE_LEARN, 1 },
        { TMPL_DETECTOR_AUTO, TMPL_MODE_STRIP, 0 },
        { TMPL_DETECTOR_AUTO, TMPL_MODE_LEARN, 1 },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tmpl_clean_opts_t opts = opts_of(cases[i].detector, NULL, *state);
        opts.mode = cases[i].mode;
        tmpl_outcome_t outcome = clean(html, "/1", &opts, NULL, 1, *state);
        assert_string_equal(tmpl_decline_name(outcome.decline),
                            cases[i].declines ? "store" : "none");
        assert_int_equal(outcome.verdicts == NULL, cases[i].declines);
        assert_ptr_equal(outcome.detector, tmpl_detector(cases[i].detector));
        assert_null(outcome.counts.records);
        assert_int_equal(outcome.state, TMPL_STATE_COLD);
    }
}

static void auto_cuts_what_its_trees_say(void **state)
{
    tmpl_clean_opts_t opts = opts_of(TMPL_DETECTOR_AUTO, link_trees(*state), *state);
    tmpl_outcome_t outcome = clean(other, "/2", &opts, NULL, 0, *state);
    assert_int_equal(outcome.closure.blocks, 4);
    assert_int_equal(outcome.closure.template_blocks, 2);
    assert_string_equal(
        stripped(other, &outcome, *state),
        "<!DOCTYPE html><title>Another</title><body><header><h1>A site</h1></header>"
        "<main><p>Nothing of this stands on the first page.</main></body>");
    opts.detect.threshold = 0.99;
    outcome = clean(other, "/2", &opts, NULL, 0, *state);
    assert_int_equal(outcome.closure.template_blocks, 0);
}

/* The page's only h1 is no content of a page that has none. */
static void a_page_without_content_is_declined(void **state)
{
    const tmpl_trees_t *all = trees_of("tmpl-trees 2\nthreshold 0.5\nbias 3\nend\n", *state);
    tmpl_clean_opts_t opts = opts_of(TMPL_DETECTOR_AUTO, all, *state);
    opts.guards.min_keep = 0.005;
    tmpl_outcome_t outcome = clean(other, "/2", &opts, NULL, 0, *state);
    assert_int_equal(outcome.closure.template_blocks, 4);
    assert_string_equal(tmpl_decline_name(outcome.decline), "min-keep");

    /* nor of one that has a word in three hundred */
    const char *links = "";
    for (int i = 0; i < 300; i++) {
        links = apr_psprintf(*state, "%s word%d", links, i);
    }
    const char *page = apr_psprintf(
        *state,
        "<title>How bow saws stay sharp</title><h1><a href=/>How bow saws stay sharp</a></h1>"
        "<nav><a href=/1>%s</a></nav><p>One</p>",
        links);
    opts.detect.models.trees = link_trees(*state);
    outcome = clean(page, "/2", &opts, NULL, 0, *state);
    assert_string_equal(tmpl_decline_name(outcome.decline), "min-keep");
}

/* Page number i: content, template that incremental finds, and template that style finds. */
static const char *changing_page(int i, int by_style, int by_incremental, apr_pool_t *pool)
{
    const char *lists = "<ul></ul><ul></ul><ul></ul><ul></ul><ul></ul><ul></ul>";
    const char *date = apr_psprintf(pool, "<footer>Last changed on %d May 2024</footer>", i);
    return apr_psprintf(pool, "<body>%.*s%s%s<main>Page %c</main>%s</body>", 9 * i, lists,
                        by_incremental ? "<aside>The same</aside>" : "",
                        by_incremental ? "<header>A site</header>" : "", 'a' + i,
                        by_style ? date : "");
}

/*
 * The footer's text changes, so incremental does not find it; the aside's position changes, so
 * style's words do not. Template is what either finds. Both count segments.
 */
static void style_cuts_text_that_changes_a_little(void **state)
{
    tmpl_store_t *store = open_store(empty_store_uri(*state), NULL, *state);
    tmpl_clean_opts_t opts = opts_of(TMPL_DETECTOR_STYLE, NULL, *state);
    const char *page = NULL;
    for (int i = 1; i <= 6; i++) {
        page = changing_page(i, 1, 1, *state);
        tmpl_outcome_t outcome =
            clean(page, apr_psprintf(*state, "/%d", i), &opts, store, 1, *state);
        assert_string_equal(stripped(page, &outcome, *state),
                            i < 5 ? page : changing_page(i, 0, 0, *state));
    }
    opts.detector = TMPL_DETECTOR_INCREMENTAL;
    tmpl_outcome_t outcome = clean(page, "/6", &opts, store, 0, *state);
    assert_string_equal(stripped(page, &outcome, *state), changing_page(6, 1, 0, *state));
}

static void pagelevel_uses_its_models_threshold_or_the_one_set(void **state)
{
    tmpl_clean_opts_t opts = opts_of(TMPL_DETECTOR_PAGELEVEL, NULL, *state);
    tmpl_outcome_t outcome = clean(html, "/1", &opts, NULL, 0, *state);
    uint32_t by_model = 0;
    for (uint32_t b = 0; b < outcome.page->n_blocks; b++) {
        by_model += (double)outcome.verdicts[b].ratio > opts.detect.models.pagelevel->threshold;
    }
    assert_int_equal(outcome.closure.template_blocks, by_model);
    opts.detect.threshold = 1;
    assert_int_equal(clean(html, "/1", &opts, NULL, 0, *state).closure.template_blocks, 0);
    opts.detect.threshold = 0;
    opts.guards.min_keep = 0;
    outcome = clean(html, "/1", &opts, NULL, 0, *state);
    assert_int_equal(outcome.closure.template_blocks, outcome.page->n_blocks);
}

static void assert_same_ratios(const tmpl_outcome_t *a, const tmpl_outcome_t *b)
{
    assert_int_equal(a->page->n_blocks, b->page->n_blocks);
    for (uint32_t i = 0; i < a->page->n_blocks; i++) {
        assert_float_equal(a->verdicts[i].ratio, b->verdicts[i].ratio, 1e-7);
    }
}

/* A first page has the same verdicts counted, looked up in an empty table, and without a store. */
static void a_page_that_is_not_counted_is_judged_as_if_it_were(void **state)
{
    tmpl_clean_opts_t opts = opts_of(TMPL_DETECTOR_AUTO, telling_trees(*state), *state);
    tmpl_store_t *store = open_store(empty_store_uri(*state), NULL, *state);
    tmpl_outcome_t alone = clean(html, "/1", &opts, NULL, 0, *state);
    tmpl_outcome_t looked_up = clean(html, "/1", &opts, store, 0, *state);
    tmpl_outcome_t counted = clean(html, "/1", &opts, store, 1, *state);
    assert_int_equal(looked_up.counts.pages, 0);
    assert_int_equal(counted.counts.pages, 1);
    assert_same_ratios(&alone, &counted);
    assert_same_ratios(&looked_up, &counted);
    /* the same page again, looked up or counted */
    tmpl_outcome_t again = clean(html, "/1", &opts, store, 0, *state);
    assert_same_ratios(&again, &counted);
    /* the trees distinguish this page */
    tmpl_outcome_t later = clean(other, "/2", &opts, store, 1, *state);
    tmpl_outcome_t first = clean(other, "/2", &opts, NULL, 1, *state);
    assert_true(later.verdicts[0].ratio != first.verdicts[0].ratio);
}

/* A page that is not counted adds only keys that the table does not know. */
static void known_keys_stay_when_a_page_is_looked_up(void **state)
{
    static const char new_only[] = "tmpl-trees 2\nthreshold 0.5\nbias 0\n"
                                   "tree 5\nsplit repeated 0.5 1 2\nleaf 0\n"
                                   "split path0-df 0.75 3 4\nleaf 1\nleaf 3\nend\n";
    tmpl_clean_opts_t opts = opts_of(TMPL_DETECTOR_AUTO, trees_of(new_only, *state), *state);
    tmpl_store_t *store = open_store(empty_store_uri(*state), NULL, *state);
    clean(html, "/1", &opts, store, 1, *state);
    tmpl_outcome_t looked_up = clean(other, "/2", &opts, store, 0, *state);
    assert_int_equal(looked_up.counts.pages, 1);
    /* text of DF 1 does not count as repeated: it may be this page's own */
    assert_float_equal(looked_up.verdicts[0].ratio, 0.5, 1e-6);
    /* nor do its layout paths hold repeated text */
    opts.detect.models.trees = trees_of("tmpl-trees 2\nthreshold 0.5\nbias 0\ntree 3\n"
                                        "split path0-repeated 0.5 1 2\nleaf 0\nleaf 3\nend\n",
                                        *state);
    tmpl_outcome_t moved =
        clean("<!DOCTYPE html><body><header class=new><h1>A site</h1></header></body>", "/3", &opts,
              store, 0, *state);
    assert_int_equal(moved.counts.records[0].df, 1);
    assert_float_equal(moved.verdicts[0].ratio, 0.5, 1e-6);
    opts.detect.models.trees = trees_of(new_only, *state);
    tmpl_outcome_t counted = clean(other, "/2", &opts, store, 1, *state);
    assert_true(counted.verdicts[0].ratio > 0.9F);
    assert_float_equal(counted.verdicts[3].ratio, 0.5, 1e-6);
}

/*
 * The first trees are sure of blocks of one and of three words; the last trees judge those of two
 * words, by their commas.
 */
static void last_trees_judge_blocks_of_which_the_first_are_not_sure(void **state)
{
    static const char model[] = "tmpl-trees 2\nthreshold 0.5\nbias 0\n"
                                "tree 5\nsplit words 1.5 1 2\nleaf -4\nsplit words 2.5 3 4\n"
                                "leaf 0\nleaf 4\nlast\n"
                                "tree 3\nsplit commas 0.5 1 2\nleaf -1\nleaf 1\nend\n";
    static const char *const texts[] = { "a,", "a b", "a b c", "a, b", "a b, c" };
    static const double log_odds[] = { -4, -1, 4, 1, 4 };
    tmpl_clean_opts_t opts = opts_of(TMPL_DETECTOR_AUTO, trees_of(model, *state), *state);
    for (unsigned blocks = 1; blocks < 3000; blocks = 2 * blocks + 5) {
        const char *page = "";
        for (unsigned b = 0; b < blocks; b++) {
            page = apr_pstrcat(*state, page, "<p>", texts[b * b % 7 % 5], NULL);
        }
        tmpl_outcome_t outcome = clean(page, "/", &opts, NULL, 1, *state);
        assert_int_equal(outcome.page->n_blocks, blocks);
        for (unsigned b = 0; b < blocks; b++) {
            double is = 1 / (1 + exp(-log_odds[b * b % 7 % 5]));
            assert_float_equal(outcome.verdicts[b].ratio, is, 1e-5);
        }
    }
}

/* Whether the last of some short texts stays, of which the trees are not sure, behind prose. */
static int stays_beside(unsigned paragraphs, apr_pool_t *pool)
{
    static const char model[] = "tmpl-trees 2\nthreshold 0.5\nbias 0\ntree 3\nsplit words 20 1 2\n"
                                "leaf 0.4\nleaf -4\nend\n";
    tmpl_clean_opts_t opts = opts_of(TMPL_DETECTOR_AUTO, trees_of(model, pool), pool);
    const char *page = "";
    for (unsigned i = 0; i < paragraphs; i++) {
        page = apr_pstrcat(pool, page, "<p>", NULL);
        for (unsigned word = 0; word < 50; word++) {
            page = apr_psprintf(pool, "%s prose%u", page, i * word);
        }
    }
    for (unsigned i = 0; i < 100; i++) {
        page = apr_psprintf(pool, "%s<p>item of %u", page, i);
    }
    tmpl_outcome_t outcome = clean(page, "/", &opts, NULL, 1, pool);
    return !outcome.verdicts[outcome.page->n_blocks - 1].template;
}

static void much_prose_does_not_take_the_rest_away(void **state)
{
    assert_true(stays_beside(3, *state));
    assert_true(stays_beside(60, *state));
}

/* auto uses counts that incremental has made, and incremental those of auto. */
static void detectors_share_a_table(void **state)
{
    tmpl_store_t *store = open_store(empty_store_uri(*state), NULL, *state);
    tmpl_clean_opts_t by[] = { opts_of(TMPL_DETECTOR_INCREMENTAL, NULL, *state),
                               opts_of(TMPL_DETECTOR_AUTO, link_trees(*state), *state),
                               opts_of(TMPL_DETECTOR_PAGELEVEL, NULL, *state) };
    by[1].mode = by[2].mode = TMPL_MODE_LEARN;
    for (int i = 0; i < 6; i++) {
        const char *uri = apr_psprintf(*state, "/%d", i);
        const char *body = apr_psprintf(*state, "%s<p>%d</p>", other, i);
        clean(body, uri, &by[1 + i % 2], store, 1, *state);
    }
    tmpl_outcome_t outcome = clean(other, "/0", &by[0], store, 0, *state);
    assert_int_equal(outcome.counts.pages, 6);
    assert_int_equal(outcome.counts.records[0].df, 6);
    assert_true(outcome.closure.template_blocks > 0);
}

static const struct CMUnitTest tests[] = {
    CHECK(names_are_parsed),
    CHECK(keys_do_not_depend_on_separators),
    CHECK(detectors_that_need_no_counts_judge_without_a_store),
    CHECK(style_cuts_text_that_changes_a_little),
    CHECK(auto_cuts_what_its_trees_say),
    CHECK(a_page_without_content_is_declined),
    CHECK(pagelevel_uses_its_models_threshold_or_the_one_set),
    CHECK(a_page_that_is_not_counted_is_judged_as_if_it_were),
    CHECK(known_keys_stay_when_a_page_is_looked_up),
    CHECK(much_prose_does_not_take_the_rest_away),
    CHECK(last_trees_judge_blocks_of_which_the_first_are_not_sure),
    CHECK(detectors_share_a_table),
};

TAP_MAIN(tests)
