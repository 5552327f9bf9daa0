/* SPDX-License-Identifier: Apache-2.0 */
/* Boosted trees: models as text, and the templateness of rows. */
#include "check.h"
#include "locales.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <apr_strings.h>
#include <apr_tables.h>

#include "base/buf.h"
#include "methods/pagelevel.h"
#include "feature/feature.h"
#include "model/lines.h"
#include "model/trees.h"
#include "model/trees_model.h"

#define N TMPL_BLOCK_FEATURE_COUNT

static const char model[] = "# where it comes from\n"
                            "tmpl-trees 2\n"
                            "threshold 0.8\n"
                            "bias -0.5\n"
                            "tree 5\n"
                            "split words 1.5 1 2\n"
                            "leaf -1\n"
                            "split linked 0.25 3 4\n"
                            "leaf 0.5\n"
                            "leaf 2\n"
                            "# the next\n"
                            "tree 1\n"
                            "leaf 0.25\n"
                            "end\n";

static apr_status_t parse(const tmpl_trees_t **trees, const char *bytes, apr_size_t len,
                          tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_model_text_t text = { "some.model", bytes, len };
    return tmpl_trees_parse(trees, &text, err, pool);
}

static const tmpl_trees_t *good(const char *text, apr_pool_t *pool)
{
    const tmpl_trees_t *trees;
    tmpl_error_t err = { 0 };
    if (parse(&trees, text, strlen(text), &err, pool) != APR_SUCCESS) {
        fail_msg("%s", err.text);
    }
    return trees;
}

/* Judges n blocks by their rows. */
static void judge(float *templateness, const tmpl_trees_t *trees, const float *rows, uint32_t n,
                  apr_pool_t *pool)
{
    uint64_t *room = apr_palloc(pool, tmpl_trees_room(trees) * sizeof(*room));
    tmpl_columns_t *columns = apr_pcalloc(pool, sizeof(*columns));
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t f = 0; f < N; f++) {
            columns->of[f][i] = rows[i * N + f];
        }
    }
    tmpl_trees_judge(templateness, trees, columns, n, room);
}

static double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

static void a_row_gets_one_leaf_of_each_tree(void **state)
{
    static const struct {
        float words, linked;
        double sum;
    } rows[] = {
        { 1, 1, -0.5 - 1 + 0.25 },       { 1.5F, 1, -0.5 - 1 + 0.25 },
        { 1.51F, 0, -0.5 + 0.5 + 0.25 }, { 2, 0.25F, -0.5 + 0.5 + 0.25 },
        { 2, 0.26F, -0.5 + 2 + 0.25 },   { NAN, NAN, -0.5 + 2 + 0.25 },
    };
    enum { ROWS = sizeof(rows) / sizeof(rows[0]) };
    const tmpl_trees_t *trees = good(model, *state);
    float *features = apr_pcalloc(*state, sizeof(float) * N * ROWS);
    float templateness[ROWS];
    assert_float_equal(tmpl_trees_threshold(trees), 0.8, 0);
    for (int i = 0; i < ROWS; i++) {
        features[i * N + TMPL_BLOCK_FEATURE_WORDS] = rows[i].words;
        features[i * N + TMPL_BLOCK_FEATURE_LINKED] = rows[i].linked;
    }
    judge(templateness, trees, features, ROWS, *state);
    for (int i = 0; i < ROWS; i++) {
        assert_float_equal(templateness[i], logistic(rows[i].sum), 1e-6);
    }
}

static void a_model_without_trees_is_its_bias(void **state)
{
    float row[N] = { 0 };
    float templateness = 0;
    judge(&templateness, good("tmpl-trees 2\nthreshold 0\nbias 2\nend\n", *state), row, 1, *state);
    assert_float_equal(templateness, logistic(2), 1e-6);
}

static void last_trees_are_apart_from_the_first_ones(void **state)
{
    float row[N] = { 0 };
    float templateness = 0;
    const tmpl_trees_t *trees =
        good("tmpl-trees 2\nthreshold 0\nbias 2\ntree 1\nleaf 1\nlast\ntree 3\n"
             "split first 0.5 1 2\nleaf -1\nleaf 1\nend\n",
             *state);
    judge(&templateness, trees, row, 1, *state);
    assert_float_equal(templateness, logistic(3), 1e-6);
    judge(&templateness, tmpl_trees_last(trees), row, 1, *state);
    assert_float_equal(templateness, logistic(-1), 1e-6);
    row[TMPL_BLOCK_FEATURE_FIRST] = 0.6F;
    judge(&templateness, tmpl_trees_last(trees), row, 1, *state);
    assert_float_equal(templateness, logistic(1), 1e-6);
    assert_null(tmpl_trees_last(tmpl_trees_last(trees)));
    assert_null(tmpl_trees_last(good(model, *state)));
}

/* --- against a walk from the root --- */

typedef struct {
    int feature; /* -1: a leaf */
    float number;
    uint32_t left, right;
} node_t;

static uint32_t drawn;

static uint32_t draw(uint32_t below)
{
    drawn = drawn * 1664525u + 1013904223u;
    return (drawn >> 8) % below;
}

/*
 * Grows a tree of this many leaves below node i; returns the nodes used. Limits are values of rows.
 */
static uint32_t grow(node_t *nodes, uint32_t i, uint32_t leaves)
{
    if (leaves == 1) {
        nodes[i] = (node_t){ -1, (float)draw(1000) / 256 - 2, 0, 0 };
        return i + 1;
    }
    uint32_t left = 1 + draw(leaves - 1);
    nodes[i] = (node_t){ (int)draw(N), (float)draw(8), i + 1, 0 };
    nodes[i].right = grow(nodes, i + 1, left);
    return grow(nodes, nodes[i].right, leaves - left);
}

static const char *tree_text(const node_t *nodes, uint32_t n, apr_pool_t *pool)
{
    char *text = apr_psprintf(pool, "tree %u\n", n);
    for (uint32_t i = 0; i < n; i++) {
        char line[100];
        if (nodes[i].feature < 0) {
            snprintf(line, sizeof(line), "leaf %.9g\n", (double)nodes[i].number);
        }
        else {
            snprintf(line, sizeof(line), "split %s %.9g %u %u\n",
                     tmpl_block_feature_name((tmpl_block_feature_e)nodes[i].feature),
                     (double)nodes[i].number, nodes[i].left, nodes[i].right);
        }
        text = apr_pstrcat(pool, text, line, NULL);
    }
    return text;
}

static double walk(const node_t *nodes, const float *row)
{
    uint32_t i = 0;
    while (nodes[i].feature >= 0) {
        i = row[nodes[i].feature] <= nodes[i].number ? nodes[i].left : nodes[i].right;
    }
    return (double)nodes[i].number;
}

enum { TREES = 40, ROWS = TMPL_BLOCKS_AT_ONCE };

/*
 * Compares with the walk for trees of up to this many leaves, one of them with exactly this many.
 */
static void judge_and_walk(uint32_t most, apr_pool_t *pool)
{
    static node_t nodes[TREES][TMPL_LEAVES_NODES];
    static float rows[ROWS * N];
    float templateness[ROWS];
    const char *text = "tmpl-trees 2\nthreshold 0.5\nbias 0.125\n";
    for (uint32_t t = 0; t < TREES; t++) {
        uint32_t n = grow(nodes[t], 0, t == 0 ? most : 1 + draw(most));
        text = apr_pstrcat(pool, text, tree_text(nodes[t], n, pool), NULL);
    }
    for (int i = 0; i < ROWS * N; i++) {
        rows[i] = (float)draw(8);
    }
    const tmpl_trees_t *trees = good(apr_pstrcat(pool, text, "end\n", NULL), pool);
    for (uint32_t n = 1; n <= ROWS; n += 3) {
        judge(templateness, trees, rows, n, pool);
        for (uint32_t i = 0; i < n; i++) {
            double sum = 0.125;
            for (int t = 0; t < TREES; t++) {
                sum += walk(nodes[t], &rows[i * N]);
            }
            assert_float_equal(templateness[i], logistic(sum), 1e-5);
        }
    }
}

static void judging_is_the_walk_from_the_root(void **state)
{
    drawn = 11;
    judge_and_walk(TMPL_LEAVES_MOST, *state);
    judge_and_walk(16, *state);
    judge_and_walk(2, *state);
}

#ifdef TMPL_FOR_AVX2
/* Compares both ways of judging for n_trees trees, and one with this leaf. */
static void compare_ways(uint32_t n_trees, const char *leaf, apr_pool_t *pool)
{
    static tmpl_columns_t columns;
    apr_array_header_t *text = apr_array_make(pool, 100, sizeof(char *));
    node_t nodes[TMPL_LEAVES_NODES];
    APR_ARRAY_PUSH(text, const char *) = "tmpl-trees 2\nthreshold 0.5\nbias 0.125\n";
    for (uint32_t t = 0; t < n_trees; t++) {
        uint32_t n = grow(nodes, 0, t == 0 ? TMPL_LEAVES_MOST : 1 + draw(TMPL_LEAVES_MOST));
        APR_ARRAY_PUSH(text, const char *) = tree_text(nodes, n, pool);
    }
    APR_ARRAY_PUSH(text, const char *) =
        apr_pstrcat(pool, "tree 3\nsplit words 3 1 2\nleaf ", leaf, "\nleaf 0\nend\n", NULL);
    const tmpl_trees_t *trees = good(apr_array_pstrcat(pool, text, 0), pool);
    for (int i = 0; i < ROWS * N; i++) {
        float value = draw(100) == 0 ? NAN : (float)draw(8);
        columns.of[i % N][i / N] = value;
    }
    for (uint32_t n = 1; n <= ROWS; n++) {
        float plain[ROWS];
        float wide[ROWS];
        uint64_t *room = apr_palloc(pool, tmpl_trees_room(trees) * sizeof(*room));
        tmpl_trees_judge_anywhere(plain, trees, &columns, n, room);
        tmpl_trees_judge_avx2(wide, trees, &columns, n, room);
        assert_memory_equal(wide, plain, n * sizeof(float));
    }
}

static void processors_judge_alike(void **state)
{
    if (!tmpl_has_avx2()) {
        /* cmocka's skip() prints "not ok", which prove counts as a failure */
        print_message("# without AVX2 there is one way only\n");
        return;
    }
    drawn = 5;
    compare_ways(0, "0.00002", *state);
    compare_ways(1, "0.25", *state);
    compare_ways(32, "-100", *state);
    compare_ways(1000, "100", *state);
}
#endif

/* Values of 2^-16 are added exactly, whatever large ones are between them. */
static void no_leaf_is_rounded_away(void **state)
{
    static const float row[N] = { 0 };
    const char *text = "tmpl-trees 2\nthreshold 0\nbias -300\n";
    float small;
    float large;
    for (int i = 0; i < 3; i++) {
        text = apr_pstrcat(*state, text, "tree 1\nleaf 0.00001526\ntree 1\nleaf 100\n", NULL);
    }
    judge(&small, good(apr_pstrcat(*state, text, "end\n", NULL), *state), row, 1, *state);
    for (int i = 0; i < 3; i++) {
        text = apr_pstrcat(*state, text, "tree 1\nleaf 0.00002\n", NULL);
    }
    judge(&large, good(apr_pstrcat(*state, text, "end\n", NULL), *state), row, 1, *state);
    assert_float_equal(small, logistic(3 * 0x1p-16), 1e-7);
    assert_true(large > small);
}

/* --- errors --- */

static const char *replaced(const char *text, const char *what, const char *with, apr_pool_t *pool)
{
    const char *at = strstr(text, what);
    assert_non_null(at);
    return apr_pstrcat(pool, apr_pstrmemdup(pool, text, (apr_size_t)(at - text)), with,
                       at + strlen(what), NULL);
}

/* Each replaces the first occurrence of what by with, and gives an error with these words. */
static void a_bad_model_is_refused_with_its_line(void **state)
{
    static const char *const bad[][3] = {
        { "trees 2", "trees 1", "some.model: line 2: not the head of a model: tmpl-trees 2" },
        { "threshold 0.8", "threshold 1.1", "line 3: threshold is not a number of 0 to 1: 1.1" },
        { "threshold 0.8", "ratio 0.8", "line 3: \"threshold\" is expected, not \"ratio\"" },
        { "bias -0.5", "bias inf", "line 4: bias is not a number of" },
        { "bias -0.5", "bias -0.5 1", "line 4: too long: 1" },
        { "tree 5", "trees 5", "line 5: \"tree\", \"last\" or \"end\" is expected, not \"trees\"" },
        { "tree 5", "tree 0", "line 5: the number of the tree's nodes is not a whole number of 1" },
        { "tree 5", "tree 65", "to 63: 65" },
        { "tree 5", "tree 4", "line 8: a split needs two nodes behind it" },
        { "tree 5", "tree 6", "line 12: node 5 of 6 must be a split or a leaf, not \"tree\"" },
        { "words", "wirds", "line 6: no feature is called \"wirds\": words, free," },
        { "1.5", "nan", "line 6: the limit is not a number of -1e+30 to 1e+30: nan" },
        { "1.5 1 2", "1.5 0 2", "line 6: the left child is not a whole number of 1 to 4: 0" },
        { "1.5 1 2", "1.5 1 5", "line 6: the right child is not a whole number of 1 to 4: 5" },
        { "1.5 1 2", "1.5 1", "line 6: the right child is not a whole number of 1 to 4: " },
        { "1.5 1 2", "1.5 2 2", "line 6: a node is a child twice" },
        { "0.25 3 4", "0.25 2 4", "line 8: the left child is not a whole number of 3 to 4: 2" },
        { "leaf -1", "leaf", "line 7: the leaf's value is not a number" },
        { "leaf -1", "leaf -101", "line 7: the leaf's value is not a number of -100 to 100: -101" },
        { "leaf -1", "leaf -1 x", "line 7: too long: x" },
        { "split linked 0.25 3 4", "leaf 1", "a node of the tree above is no node's child" },
        { "leaf 2\n", "split free 1 3 4\n", "line 10: a split needs two nodes behind it" },
        { "end\n", "", "line 14: the end of the file, before that of the model" },
        { "end\n", "last x\nend\n", "line 14: too long: x" },
        { "end\n", "last\nlast\nend\n", "\"tree\" or \"end\" is expected, not \"last\"" },
        { "end\n", "last\n", "line 15: the end of the file, before that of the model" },
        { "end\n", "end", "line 14: the end of the file, in the middle of a line" },
        { "end\n", "end\n\n", "line 15: goes on behind the end of the model" },
    };
    const tmpl_trees_t *trees;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        tmpl_error_t err = { 0 };
        const char *text = replaced(model, bad[i][0], bad[i][1], *state);
        assert_int_equal(parse(&trees, text, strlen(text), &err, *state), APR_EINVAL);
        assert_null(trees);
        if (strstr(err.text, bad[i][2]) == NULL) {
            fail_msg("%s: %s", bad[i][1], err.text);
        }
    }
}

static void a_line_has_a_length_and_no_byte_0(void **state)
{
    const tmpl_trees_t *trees;
    tmpl_error_t err = { 0 };
    char *text = apr_pstrdup(*state, model);
    text[strlen("# where it comes from\ntmpl-trees 2")] = '\0'; /* in place of its line's end */
    assert_int_equal(parse(&trees, text, sizeof(model) - 1, &err, *state), APR_EINVAL);
    assert_non_null(strstr(err.text, "line 2: longer than 255 bytes, or with a byte 0 in it"));
    const char *most = replaced(model, "0.8", apr_psprintf(*state, "%245s", "0.8"), *state);
    assert_int_equal(parse(&trees, most, strlen(most), &err, *state), APR_SUCCESS);
    const char *more = replaced(model, "0.8", apr_psprintf(*state, "%246s", "0.8"), *state);
    assert_int_equal(parse(&trees, more, strlen(more), &err, *state), APR_EINVAL);
    assert_non_null(strstr(err.text, "line 3: longer"));
    const char *comment = apr_psprintf(*state, "#%1000s", model);
    assert_int_equal(parse(&trees, comment, strlen(comment), &err, *state), APR_SUCCESS);
}

/* The value of a line that is a number. */
static apr_status_t number_of(double *number, const char *text)
{
    tmpl_lines_t lines = { .name = "x", .at = text, .end = text + strlen(text) };
    tmpl_lines_next(&lines);
    *number = tmpl_lines_number(&lines, "it", -1e30, 1e30);
    return lines.status;
}

static void numbers_are_what_strtod_says(void **state)
{
    static const char *const odd[] = { "-0\n",  "1.\n",    ".5\n", "-.25\n",
                                       "1e5\n", "0x1p3\n", "+1\n", "123456789012345678901\n" };
    static const char *const bad[] = { "\n",      "-\n",   ".\n",  "-.\n",
                                       "1.2.3\n", "--1\n", "1x\n", "nan\n" };
    double number;
    (void)state;
    srand48(1);
    for (unsigned i = 0; i < 100000; i++) {
        /* 1 to 17 digits, with a point before, among or behind them */
        int digits = 1 + (int)(lrand48() % 17), places = (int)(lrand48() % (digits + 1));
        uint64_t whole = (uint64_t)lrand48() << 31 | (uint64_t)lrand48();
        char all[40], text[40];
        snprintf(all, sizeof(all), "%018" PRIu64, whole % 1000000000000000000u);
        snprintf(text, sizeof(text), "%s%.*s.%.*s\n", i % 2 ? "-" : "", digits - places, all,
                 places, all + digits - places);
        assert_int_equal(number_of(&number, text), APR_SUCCESS);
        double expected = strtod(text, NULL);
        assert_memory_equal(&number, &expected, sizeof(number));
    }
    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
        double expected = strtod(odd[i], NULL);
        assert_int_equal(number_of(&number, odd[i]), APR_SUCCESS);
        assert_memory_equal(&number, &expected, sizeof(number));
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(number_of(&number, bad[i]), APR_EINVAL);
    }
}

/* Any module of a server may set a locale. */
static void numbers_have_a_point_in_every_locale(void **state)
{
    static const struct {
        const char *text;
        double number;
    } cases[] = { { "-1.4e-45\n", -1.4e-45 }, { "2.5\n", 2.5 }, { "1.5e3\n", 1500 } };
    double numbers[3];
    apr_status_t status[4];
    char shown[10];
    tmpl_model_t weights = { .threshold = 0.25 };
    for (int c = 0; c < TMPL_SIZE_CLASSES; c++) {
        weights.classes[c].loss = 1.5;
        weights.classes[c].logistic.terms =
            apr_pcalloc(*state, TMPL_FEATURE_COUNT * sizeof(tmpl_term_t));
    }
    use_comma();
    for (int i = 0; i < 3; i++) {
        status[i] = number_of(&numbers[i], cases[i].text);
    }
    double comma;
    status[3] = number_of(&comma, "1,5e3\n");
    const char *text = tmpl_model_text(&weights, "", *state);
    snprintf(shown, sizeof(shown), "%.1f", 0.5);
    setlocale(LC_NUMERIC, "C");
    assert_string_equal(shown, "0,5"); /* the locale was set, and still is afterwards */
    for (int i = 0; i < 3; i++) {
        assert_int_equal(status[i], APR_SUCCESS);
        assert_memory_equal(&numbers[i], &cases[i].number, sizeof(double));
    }
    assert_int_equal(status[3], APR_EINVAL);
    assert_non_null(strstr(text, "threshold 0.25\n"));
    assert_non_null(strstr(text, "loss 1.5\n"));
    assert_null(strchr(text, ','));
}

/* Without a writer, opening it would wait for ever. */
static void a_model_is_a_file(void **state)
{
    char dir[] = "/tmp/tmpl-model-XXXXXX";
    tmpl_model_text_t text;
    tmpl_error_t err = { 0 };
    assert_non_null(mkdtemp(dir));
    const char *path = apr_pstrcat(*state, dir, "/fifo", NULL);
    assert_int_equal(mkfifo(path, 0600), 0);
    alarm(60);
    apr_status_t fifo = tmpl_model_text_read(&text, path, &err, *state);
    alarm(0);
    unlink(path);
    apr_status_t directory = tmpl_model_text_read(&text, dir, &err, *state);
    apr_status_t none = tmpl_model_text_read(&text, path, &err, *state);
    rmdir(dir);
    assert_int_equal(fifo, APR_EINVAL);
    assert_int_equal(directory, APR_EINVAL);
    assert_true(APR_STATUS_IS_ENOENT(none));
}

static void a_model_has_a_size(void **state)
{
    enum { TREE = 14 }; /* bytes of "tree 1\nleaf 0\n" */
    static const char head[] = "tmpl-trees 2\nthreshold 0\nbias 0\n";
    apr_size_t most = sizeof(head) + (TMPL_TREES_MOST + 1) * TREE + 5;
    char *text = apr_palloc(*state, most);
    char *at = apr_cpystrn(text, head, most);
    const tmpl_trees_t *trees;
    tmpl_error_t err = { 0 };
    for (int i = 0; i < TMPL_TREES_MOST; i++) {
        at = apr_cpystrn(at, "tree 1\nleaf 0\n", TREE + 1);
    }
    apr_cpystrn(at, "end\n", 5);
    assert_int_equal(parse(&trees, text, strlen(text), &err, *state), APR_SUCCESS);
    apr_cpystrn(at, "tree 1\nleaf 0\nend\n", TREE + 5);
    assert_int_equal(parse(&trees, text, strlen(text), &err, *state), APR_EINVAL);
    assert_non_null(strstr(err.text, "more than 10000 trees"));
}

/* A model of trees of as many splits as there may be, each with a limit of its own. */
static apr_status_t parse_many(tmpl_error_t *err, uint32_t n_trees, apr_pool_t *pool)
{
    const tmpl_trees_t *trees;
    tmpl_buf_t text;
    tmpl_buf_init(&text, pool);
    tmpl_buf_add_text(&text, "tmpl-trees 2\nthreshold 0\nbias 0\n");
    for (uint32_t t = 0, limit = 0; t < n_trees; t++) {
        tmpl_buf_add_text(&text, apr_psprintf(pool, "tree %d\n", TMPL_LEAVES_NODES));
        for (uint32_t i = 0; i + 1 < TMPL_LEAVES_NODES; i += 2) {
            tmpl_buf_add_text(
                &text, apr_psprintf(pool, "split words %u %u %u\nleaf 0\n", limit++, i + 1, i + 2));
        }
        tmpl_buf_add_text(&text, "leaf 0\n");
    }
    tmpl_buf_add_text(&text, "end\n");
    return parse(&trees, text.at, text.len, err, pool);
}

static void a_model_has_so_many_conditions(void **state)
{
    enum { FIT = TMPL_CONDITIONS_MOST / (TMPL_LEAVES_MOST - 1) };
    tmpl_error_t err = { 0 };
    assert_int_equal(parse_many(&err, FIT, *state), APR_SUCCESS);
    assert_int_equal(parse_many(&err, FIT + 1, *state), APR_EINVAL);
    assert_non_null(strstr(err.text, "more than 65535 conditions"));
}

/* A copy that ends where its memory does, so that a sanitizer sees reads beyond. */
static apr_status_t parse_copy(const char *bytes, apr_size_t len, apr_pool_t *pool)
{
    static const float row[N] = { 0 };
    const tmpl_trees_t *trees;
    tmpl_error_t err = { 0 };
    char *copy = malloc(len > 0 ? len : 1);
    float templateness = -1;
    assert_non_null(copy);
    memcpy(copy, bytes, len);
    apr_status_t status = parse(&trees, copy, len, &err, pool);
    free(copy);
    if (status == APR_SUCCESS) {
        judge(&templateness, trees, row, 1, pool);
        assert_true(templateness >= 0 && templateness <= 1);
    }
    else {
        assert_non_null(strstr(err.text, ": line "));
    }
    return status;
}

static void no_part_of_a_model_is_one(void **state)
{
    for (apr_size_t len = 0; len < sizeof(model) - 1; len++) {
        assert_int_equal(parse_copy(model, len, *state), APR_EINVAL);
    }
    assert_int_equal(parse_copy(model, sizeof(model) - 1, *state), APR_SUCCESS);
}

static void a_changed_byte_breaks_nothing(void **state)
{
    static const char bytes[] = "0129-.e# \n\r\t\0x\xFF";
    int refused = 0;
    apr_pool_t *pool;
    apr_pool_create(&pool, *state);
    for (apr_size_t i = 0; i < sizeof(model) - 1; i++) {
        char changed[sizeof(model)];
        memcpy(changed, model, sizeof(model));
        for (size_t k = 0; k < sizeof(bytes) - 1; k++) {
            changed[i] = bytes[k];
            refused += parse_copy(changed, sizeof(model) - 1, pool) != APR_SUCCESS;
            apr_pool_clear(pool);
        }
    }
    assert_true(refused > 1000);
}

static const struct CMUnitTest tests[] = {
    CHECK(a_row_gets_one_leaf_of_each_tree),
    CHECK(a_model_without_trees_is_its_bias),
    CHECK(last_trees_are_apart_from_the_first_ones),
    CHECK(judging_is_the_walk_from_the_root),
#ifdef TMPL_FOR_AVX2
    CHECK(processors_judge_alike),
#endif
    CHECK(no_leaf_is_rounded_away),
    CHECK(a_bad_model_is_refused_with_its_line),
    CHECK(a_line_has_a_length_and_no_byte_0),
    CHECK(numbers_are_what_strtod_says),
    CHECK(numbers_have_a_point_in_every_locale),
    CHECK(a_model_is_a_file),
    CHECK(a_model_has_a_size),
    CHECK(a_model_has_so_many_conditions),
    CHECK(no_part_of_a_model_is_one),
    CHECK(a_changed_byte_breaks_nothing),
};

TAP_MAIN(tests)
