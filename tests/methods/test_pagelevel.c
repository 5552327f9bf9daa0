/* SPDX-License-Identifier: Apache-2.0 */
/* Regions of a page, their features, fitting, and models as files. */
#include "check.h"

#include <math.h>

#include <apr_file_io.h>

#include "methods/pagelevel.h"

static const char html[] =
    "<body><div id=sidebar><ul><li><a href=/a>One</a><li><a href=/b>Two</a></ul></div>"
    "<main>intro<p>Some words. More words, and 42!<p>Again some words</main>"
    "<table width=120 bgcolor=red><tr><td><a href=/a>One</a></table>";

static const tmpl_page_t *leaves(const char *src, apr_pool_t *pool)
{
    const tmpl_page_t *page = NULL;
    tmpl_page_opts_t opts = { .separators = &tmpl_separators_pagelevel };
    assert_int_equal(tmpl_page_parse(&page, src, strlen(src), &opts, pool), TMPL_DECLINE_NONE);
    return page;
}

/* The features of the region that begins with a text: a block, or the largest element. */
static const float *features_of(const tmpl_regions_t *regions, const tmpl_page_t *page,
                                const char *begin, int block)
{
    for (uint32_t i = 0; i < regions->n; i++) {
        const tmpl_region_t *region = &regions->all[i];
        tmpl_span_t span = page->segments[region->first_segment].span;
        if ((region->block != TMPL_NONE) == block &&
            strncmp(page->src + span.start, begin, strlen(begin)) == 0) {
            return &regions->features[(apr_size_t)i * TMPL_FEATURE_COUNT];
        }
    }
    fail_msg("no region begins with %s", begin);
    return NULL;
}

static void regions_are_a_tree_in_document_order(void **state)
{
    const tmpl_page_t *page = leaves(html, *state);
    tmpl_regions_t regions;
    uint32_t blocks = 0;
    tmpl_regions(&regions, page, *state);
    assert_int_equal(page->n_blocks, 6);
    assert_int_equal(regions.all[0].parent, TMPL_NONE);
    assert_int_equal(regions.all[0].length, page->length);
    for (uint32_t i = 1; i < regions.n; i++) {
        const tmpl_region_t *region = &regions.all[i];
        const tmpl_region_t *box = &regions.all[region->parent];
        assert_true(region->parent < i);
        assert_int_equal(box->block, TMPL_NONE);
        assert_true(box->first_segment <= region->first_segment);
        assert_true(region->after_segment <= box->after_segment);
        if (region->block != TMPL_NONE) {
            assert_int_equal(region->block, blocks++);
        }
    }
    assert_int_equal(blocks, page->n_blocks);
    assert_int_equal(regions.n, 10); /* body, div, ul, main, and the blocks */
}

static void features_say_what_the_page_has(void **state)
{
    const tmpl_page_t *page = leaves(html, *state);
    tmpl_regions_t regions;
    tmpl_regions(&regions, page, *state);
    const float *item = features_of(&regions, page, "Two", 1);
    const float *text = features_of(&regions, page, "Some words.", 1);
    const float *cell = features_of(&regions, page, "One</a></table>", 1);
    assert_float_equal(item[TMPL_FEATURE_LINK], 1, 1e-6);
    assert_float_equal(item[TMPL_FEATURE_LINKS], log1p(1), 1e-6);
    assert_float_equal(text[TMPL_FEATURE_LINKS], 0, 0);
    assert_float_equal(item[TMPL_FEATURE_RANK], log1p(1), 1e-6);
    assert_float_equal(item[TMPL_FEATURE_IN_WORD_TEMPLATE], 1, 0);
    assert_float_equal(item[TMPL_FEATURE_TAG_ITEM] + item[TMPL_FEATURE_IN_LIST], 2, 0);
    assert_float_equal(text[TMPL_FEATURE_LINK] + text[TMPL_FEATURE_IN_LIST], 0, 0);
    assert_float_equal(text[TMPL_FEATURE_IN_MAIN] + text[TMPL_FEATURE_TAG_P], 2, 0);
    assert_float_equal(text[TMPL_FEATURE_STOPS], log1p(2), 1e-6);
    assert_float_equal(text[TMPL_FEATURE_SENTENCE], log1p(6 / 2.0), 1e-6);
    assert_float_equal(text[TMPL_FEATURE_COMMAS], 100 * 1 / 6.0, 1e-4);
    assert_float_equal(text[TMPL_FEATURE_DIGITS], 2 / 26.0, 1e-6);
    assert_float_equal(text[TMPL_FEATURE_START], 11.0 / page->length, 1e-6);
    assert_float_equal(cell[TMPL_FEATURE_END], 0, 0);
    assert_float_equal(cell[TMPL_FEATURE_IN_CELL], 1, 0);
}

/* Features of repeated text, of neighbours, of ancestors, and of layout attributes. */
static void features_say_what_is_beside_and_around(void **state)
{
    const tmpl_page_t *page =
        leaves("<p>zero<ul><li>once<li><a href=1>two two</a> and<li>same<li>same</ul>"
               "<table width=30% height=9><tr><td width=29%>cell<td width=300 bgcolor=red>last"
               "<td height=1 width=299><a href=2><img src=i></a></table>",
               *state);
    tmpl_regions_t regions;
    tmpl_regions(&regions, page, *state);
    const float *two = features_of(&regions, page, "two", 1);
    const float *same = features_of(&regions, page, "same", 1);
    const float *list = features_of(&regions, page, "once", 0);
    const float *cell = features_of(&regions, page, "cell", 1);
    const float *last = features_of(&regions, page, "last", 1);
    const float *image = features_of(&regions, page, "<img", 1);
    assert_float_equal(same[TMPL_FEATURE_REPEAT], 1, 0);
    assert_float_equal(two[TMPL_FEATURE_REPEAT], 0, 0);
    assert_float_equal(list[TMPL_FEATURE_REPEAT], 8 / (expm1((double)list[TMPL_FEATURE_LENGTH])),
                       1e-6);
    /* words: two of three in a link; of six in the list */
    assert_float_equal(two[TMPL_FEATURE_LINK], 2 / 3.0, 1e-6);
    assert_float_equal(list[TMPL_FEATURE_LINK], 2 / 6.0, 1e-6);
    assert_float_equal(two[TMPL_FEATURE_BOX_LINK], 2 / 6.0, 1e-6);
    assert_float_equal(cell[TMPL_FEATURE_PAGE_LINK], 2 / 9.0, 1e-6);
    assert_float_equal(image[TMPL_FEATURE_LINK], 1, 0);
    /* two blocks on either side: zero and once, same and same; two and same, cell and last */
    assert_float_equal(two[TMPL_FEATURE_NEAR_LENGTH], log1p(4 * 4), 1e-6);
    assert_float_equal(two[TMPL_FEATURE_NEAR_LINK], 0, 0);
    assert_float_equal(same[TMPL_FEATURE_NEAR_LINK], 2 / 6.0, 1e-6);
    assert_float_equal(cell[TMPL_FEATURE_WIDTH] + image[TMPL_FEATURE_WIDTH], 2, 0);
    assert_float_equal(last[TMPL_FEATURE_WIDTH], 0, 0);
    assert_float_equal(last[TMPL_FEATURE_COLOUR] + image[TMPL_FEATURE_HEIGHT], 2, 0);
    assert_float_equal(last[TMPL_FEATURE_HEIGHT] + image[TMPL_FEATURE_COLOUR], 0, 0);
}

/* The nearest class or id of each kind, of the region or an ancestor. Comments are not template. */
static void names_are_the_regions_own_or_its_ancestors(void **state)
{
    static const struct {
        const char *html;
        float own[2], above[2]; /* template, content */
    } cases[] = {
        { "<div class=Menu><p>x</div>", { 0, 0 }, { 1, 0 } },
        { "<div class=x><p class=Menu>x</div>", { 1, 0 }, { 0, 0 } },
        { "<div id=sidebar><p class=footer>x</div>", { 1, 0 }, { 1, 0 } },
        { "<div class=main-content><p id=story>x</div>", { 0, 1 }, { 0, 0 } },
        { "<div class=main-content><p>x</div>", { 0, 0 }, { 0, 1 } },
        { "<div class=comment><p class=byline>x</div>", { 0, 0 }, { 0, 0 } },
        { "<div role=menu><p>x</div>", { 0, 0 }, { 0, 0 } },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const tmpl_page_t *page = leaves(cases[i].html, *state);
        tmpl_regions_t regions;
        tmpl_regions(&regions, page, *state);
        const float *f = features_of(&regions, page, "x", 1);
        assert_float_equal(f[TMPL_FEATURE_WORD_TEMPLATE], cases[i].own[0], 0);
        assert_float_equal(f[TMPL_FEATURE_WORD_CONTENT], cases[i].own[1], 0);
        assert_float_equal(f[TMPL_FEATURE_IN_WORD_TEMPLATE], cases[i].above[0], 0);
        assert_float_equal(f[TMPL_FEATURE_IN_WORD_CONTENT], cases[i].above[1], 0);
    }
}

static void sentences_end_in_many_scripts(void **state)
{
    static const char *const texts[] = { "一。二！三？", "एक। दो। तीन।", "هل؟ هل؟ هل؟",
                                         "One. Two! 3.5?" };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        tmpl_regions_t regions;
        tmpl_regions(&regions, leaves(apr_pstrcat(*state, "<p>", texts[i], "</p>", NULL), *state),
                     *state);
        assert_float_equal(regions.features[TMPL_FEATURE_STOPS], log1p(3), 1e-6);
    }
}

/* Label 1 if the first feature is above the second; the third is random, the fourth constant. */
static double fit_line(tmpl_logistic_t *model, apr_pool_t *pool)
{
    enum { N = 400 };
    float rows[N * 4];
    unsigned char labels[N];
    float weights[N];
    uint32_t drawn = 3;
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < 3; k++) {
            drawn = drawn * 1664525u + 1013904223u;
            rows[i * 4 + k] = (float)(drawn >> 10) / (float)(1u << 22);
        }
        rows[i * 4 + 3] = 5;
        labels[i] = rows[i * 4] > rows[i * 4 + 1];
        weights[i] = 1;
    }
    tmpl_samples_t samples = { rows, labels, weights, N, 4 };
    return tmpl_logistic_fit(model, &samples, 1e-4, pool);
}

static void fitting_finds_what_divides_the_labels(void **state)
{
    static const float high[] = { 0.9F, 0.1F, 0.5F, 5 };
    static const float low[] = { 0.1F, 0.9F, 0.5F, 5 };
    tmpl_logistic_t model;
    tmpl_logistic_t again;
    double loss = fit_line(&model, *state);
    assert_true(loss < 0.15);
    assert_true(tmpl_logistic(&model, high) > 0.99);
    assert_true(tmpl_logistic(&model, low) < 0.01);
    assert_true(fabs(model.terms[2].weight) < fabs(model.terms[0].weight) / 10);
    assert_float_equal(model.terms[3].weight, 0, 0);
    assert_true(fit_line(&again, *state) == loss);
    assert_memory_equal(again.terms, model.terms, 4 * sizeof(*model.terms));
}

/* 1 / (1 + exp(-(bias + sum weight * clip((x - mean) / sd)))) */
static void templateness_is_a_logistic_function(void **state)
{
    tmpl_term_t terms[] = { { 2, 0.5, 3 }, { 1, 2, -1 }, { 7, 0, 5 } };
    tmpl_logistic_t model = { .bias = 0.25, .n = 3, .terms = terms };
    (void)state;
    assert_float_equal(tmpl_logistic(&model, (const float[]){ 2, 1, 9 }), 1 / (1 + exp(-0.25)),
                       1e-12);
    assert_float_equal(tmpl_logistic(&model, (const float[]){ 2.25F, 2, 9 }),
                       1 / (1 + exp(-(0.25 + 3 * 0.5 - 0.5))), 1e-12);
    /* z is clipped to four deviations */
    assert_float_equal(tmpl_logistic(&model, (const float[]){ 2, 1000, 9 }),
                       1 / (1 + exp(-(0.25 - 4))), 1e-12);
    assert_float_equal(tmpl_logistic(&model, (const float[]){ -9, -1000, 9 }),
                       1 / (1 + exp(-(0.25 - 12 + 4))), 1e-12);
}

/* Without features the bias is the log odds, and the loss the entropy of the labels. */
static void fitting_nothing_gives_the_odds(void **state)
{
    static const float rows[] = { 0, 0, 0 };
    static const float weights[] = { 3, 0.5F, 0.5F };
    tmpl_samples_t samples = { rows, (const unsigned char[]){ 1, 0, 0 }, weights, 3, 1 };
    tmpl_logistic_t model;
    double loss = tmpl_logistic_fit(&model, &samples, 0.1, *state);
    assert_float_equal(model.bias, log(3), 1e-6);
    assert_float_equal(loss, -0.75 * log(0.75) - 0.25 * log(0.25), 1e-9);
    assert_float_equal(model.terms[0].weight, 0, 0);
}

/*
 * One feature of mean 0 and deviation 1; three of four labels equal its sign. Loss plus penalty has
 * its minimum at w.
 */
static void fitting_stops_where_loss_and_penalty_are_least(void **state)
{
    static const float rows[] = { 1, 1, 1, 1, -1, -1, -1, -1 };
    static const unsigned char labels[] = { 1, 1, 1, 0, 0, 0, 0, 1 };
    static const float weights[] = { 1, 1, 1, 1, 1, 1, 1, 1 };
    static const double penalties[] = { 0, 0.05, 0.5 };
    tmpl_samples_t samples = { rows, labels, weights, 8, 1 };
    tmpl_logistic_t model;
    for (int i = 0; i < 3; i++) {
        double loss = tmpl_logistic_fit(&model, &samples, penalties[i], *state);
        double w = model.terms[0].weight;
        /* 3/4 log(1 + exp(-w)) + 1/4 log(1 + exp(w)), and its derivative */
        assert_float_equal(loss, 0.75 * log1p(exp(-w)) + 0.25 * log1p(exp(w)), 1e-9);
        assert_float_equal(1 / (1 + exp(-w)) - 0.75 + 2 * penalties[i] * w, 0, 1e-6);
        assert_float_equal(model.bias, 0, 1e-6);
    }
}

static void regions_are_in_classes_by_their_size(void **state)
{
    static const uint32_t lengths[][2] = { { 0, 0 },  { 23, 0 },  { 24, 1 },  { 95, 1 },
                                           { 96, 2 }, { 399, 2 }, { 400, 3 }, { UINT32_MAX, 3 } };
    (void)state;
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        assert_int_equal(tmpl_size_class(lengths[i][0]), lengths[i][1]);
    }
}

/* A model that uses only the share of text in links. */
static tmpl_model_t *link_model(apr_pool_t *pool)
{
    tmpl_model_t *model = apr_pcalloc(pool, sizeof(*model));
    model->threshold = 0.5;
    for (int c = 0; c < TMPL_SIZE_CLASSES; c++) {
        tmpl_logistic_t *l = &model->classes[c].logistic;
        l->n = TMPL_FEATURE_COUNT;
        l->terms = apr_pcalloc(pool, TMPL_FEATURE_COUNT * sizeof(*l->terms));
        l->terms[TMPL_FEATURE_LINK] = (tmpl_term_t){ 0.5, 0.25, 3 };
    }
    return model;
}

static void verdicts_follow_the_model(void **state)
{
    const tmpl_page_t *page = leaves(html, *state);
    tmpl_verdict_t v[6];
    static const unsigned char expected[] = { 1, 1, 0, 0, 0, 1 };
    for (int smoothing = TMPL_SMOOTHING_OFF; smoothing <= TMPL_SMOOTHING_MIN; smoothing++) {
        tmpl_detect_pagelevel(v, page, link_model(*state), smoothing, -1, *state);
        for (int b = 0; b < 6; b++) {
            assert_int_equal(v[b].template, expected[b]);
        }
    }
}

/* One item without a link among many links: content alone, template after smoothing. */
static void smoothing_makes_a_box_agree(void **state)
{
    const tmpl_page_t *page =
        leaves("<ul><li><a href=a>A menu</a><li><a href=b>Another</a><li>You are here<li><a "
               "href=c>Third of "
               "them</a><li><a href=d>The fourth</a></ul><p>Text that is not a link.",
               *state);
    tmpl_verdict_t v[6];
    tmpl_detect_pagelevel(v, page, link_model(*state), TMPL_SMOOTHING_OFF, -1, *state);
    assert_true(v[2].ratio < 0.01F);
    for (int smoothing = TMPL_SMOOTHING_MAX; smoothing <= TMPL_SMOOTHING_MIN; smoothing++) {
        tmpl_detect_pagelevel(v, page, link_model(*state), smoothing, -1, *state);
        assert_true(v[2].template && !v[5].template);
    }
}

/* alpha is the square root of bytes of text + 1, beta half of alpha. */
static void smoothing_weighs_regions_by_their_text(void **state)
{
    const tmpl_page_t *page = leaves(
        "<div><ul><li>Not a link, of some length<li><a href=b>Two</a><li><a href=c>3</a></ul>"
        "<p>Not a link<p><a href=c>A link of more than a word</a></div><p>And the end of it",
        *state);
    const tmpl_model_t *model = link_model(*state);
    tmpl_regions_t regions;
    tmpl_verdict_t v[6];
    tmpl_isotonic_node_t nodes[16];
    float y[16];
    tmpl_regions(&regions, page, *state);
    assert_true(regions.n <= 16);
    for (uint32_t i = 0; i < regions.n; i++) {
        const tmpl_region_t *region = &regions.all[i];
        const float *features = &regions.features[(apr_size_t)i * TMPL_FEATURE_COUNT];
        float alpha = sqrtf((float)region->length + 1);
        nodes[i] =
            (tmpl_isotonic_node_t){ (float)tmpl_logistic(&model->classes[0].logistic, features),
                                    alpha, alpha / 2, region->parent };
    }
    for (int smoothing = TMPL_SMOOTHING_MAX; smoothing <= TMPL_SMOOTHING_MIN; smoothing++) {
        tmpl_isotonic(y, nodes, regions.n,
                      smoothing == TMPL_SMOOTHING_MAX ? TMPL_ISOTONIC_MAX : TMPL_ISOTONIC_MIN,
                      TMPL_ISOTONIC_LEVELS, *state);
        tmpl_detect_pagelevel(v, page, model, smoothing, -1, *state);
        for (uint32_t i = 0; i < regions.n; i++) {
            if (regions.all[i].block != TMPL_NONE) {
                assert_true(v[regions.all[i].block].ratio == y[i]);
            }
        }
    }
}

static const char *write_text(const char *text, apr_pool_t *pool)
{
    apr_file_t *file;
    char *path = apr_pstrdup(pool, "/tmp/tmpl-model-XXXXXX");
    assert_int_equal(
        apr_file_mktemp(&file, path, APR_FOPEN_CREATE | APR_FOPEN_WRITE | APR_FOPEN_EXCL, pool),
        APR_SUCCESS);
    assert_int_equal(apr_file_write_full(file, text, strlen(text), NULL), APR_SUCCESS);
    apr_file_close(file);
    return path;
}

static apr_status_t load(const tmpl_model_t **model, const char *text, tmpl_error_t *err,
                         apr_pool_t *pool)
{
    const char *path = write_text(text, pool);
    tmpl_models_t models = { 0 };
    const char *detector;
    apr_status_t status = tmpl_models_load(&models, &detector, path, err, pool);
    apr_file_remove(path, pool);
    *model = models.pagelevel;
    return status;
}

static void a_model_reads_back(void **state)
{
    const tmpl_model_t *model;
    tmpl_error_t err;
    const char *text = tmpl_model_text(link_model(*state), "# from here\n", *state);
    assert_int_equal(load(&model, text, &err, *state), APR_SUCCESS);
    assert_string_equal(tmpl_model_text(model, "# from here\n", *state), text);
}

/* Replaces the first occurrence of what by with; the model is refused with an error with words. */
static void a_bad_model_is_refused_with_its_line(void **state)
{
    static const char *const bad[][3] = {
        { "pagelevel 2", "pagelevel 1", "line 1: not the head" },
        { "threshold 0.5", "threshold 1.5", "line 2: threshold is not a number of 0 to 1: 1.5" },
        { "threshold 0.5", "ratio 0.5", "line 2: \"threshold\" is expected, not \"ratio\"" },
        { "class 0", "class 1", "line 3: classes" },
        { "bias 0", "bias nan", "line 4: bias is not a number" },
        { "start 0 0 0", "start 0 -1 0", "line 5: deviation is not a number" },
        { "start 0 0 0", "start 0 0", "line 5: weight is not a number" },
        { "start 0 0 0", "start 0 0 0 0", "line 5: too long" },
        { "start 0 0 0\n", "", "line 5: \"start\" is expected" },
    };
    const char *text = tmpl_model_text(link_model(*state), "", *state);
    const tmpl_model_t *model;
    tmpl_error_t err;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        const char *at = strstr(text, bad[i][0]);
        assert_non_null(at);
        const char *changed =
            apr_pstrcat(*state, apr_pstrmemdup(*state, text, (apr_size_t)(at - text)), bad[i][1],
                        at + strlen(bad[i][0]), NULL);
        assert_int_equal(load(&model, changed, &err, *state), APR_EINVAL);
        assert_non_null(strstr(err.text, bad[i][2]));
    }
    assert_int_equal(load(&model, apr_pstrcat(*state, text, "more\n", NULL), &err, *state),
                     APR_EINVAL);
    assert_non_null(strstr(err.text, "behind the end of the model"));
    const char *half = apr_pstrmemdup(*state, text, strlen(text) / 2);
    assert_int_equal(load(&model, half, &err, *state), APR_EINVAL);
    const char *short_of_one = apr_pstrmemdup(*state, text, strlen(text) - 1);
    assert_int_equal(load(&model, short_of_one, &err, *state), APR_EINVAL);
    assert_non_null(strstr(err.text, "in the middle of a line"));
}

static const struct CMUnitTest tests[] = {
    CHECK(regions_are_a_tree_in_document_order),
    CHECK(features_say_what_the_page_has),
    CHECK(features_say_what_is_beside_and_around),
    CHECK(names_are_the_regions_own_or_its_ancestors),
    CHECK(sentences_end_in_many_scripts),
    CHECK(templateness_is_a_logistic_function),
    CHECK(fitting_nothing_gives_the_odds),
    CHECK(fitting_stops_where_loss_and_penalty_are_least),
    CHECK(regions_are_in_classes_by_their_size),
    CHECK(fitting_finds_what_divides_the_labels),
    CHECK(verdicts_follow_the_model),
    CHECK(smoothing_makes_a_box_agree),
    CHECK(smoothing_weighs_regions_by_their_text),
    CHECK(a_model_reads_back),
    CHECK(a_bad_model_is_refused_with_its_line),
};

TAP_MAIN(tests)
