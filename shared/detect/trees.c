/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judging goes as in QuickScorer (Lucchese et al., SIGIR 2015): a tree's leaves are the bits of a word,
 * from left to right; each split that sends a block to the right takes the leaves on its left out, and the
 * first that is left in the end is the block's. So no step waits for the one before, no branch is guessed,
 * and LANES blocks go through each split at once.
 */
#include "detect/trees.h"

#include <math.h>
#include <string.h>

#include <apr_strings.h>
#include <apr_tables.h>

#include "feature/feature.h"

#define LANES 4
#define WIDTH 16 /* blocks judged at once */

typedef float floats_t __attribute__((vector_size(LANES * sizeof(float))));
typedef int32_t bits_t __attribute__((vector_size(LANES * sizeof(int32_t))));

typedef struct {
    float limit;
    uint32_t right;  /* the leaves that are left for a block that goes to the right */
    uint32_t column; /* its feature, as an index into columns */
} split_t;

typedef struct {
    uint32_t after_split; /* its splits end there */
    uint32_t first_leaf;
} tree_t;

struct tmpl_trees_t {
    double threshold;
    double bias;
    uint32_t n_trees;
    uint32_t n_columns;
    uint32_t columns[TMPL_BLOCK_FEATURE_COUNT]; /* the features that some split asks for */
    const tree_t *trees;
    const split_t *splits; /* of the first tree, of the second, ... */
    const double *leaves;  /* likewise, of each from left to right */
};

/* --- reading --- */

/* A line of a tree. */
typedef struct {
    int is_leaf;
    float number; /* a leaf's value, a split's limit */
    uint32_t feature;
    uint32_t children[2];
    uint32_t uses; /* splits that name it as a child */
} node_t;

typedef struct {
    tmpl_lines_t lines;
    tmpl_trees_t *trees;
    apr_array_header_t *all;                      /* tree_t */
    apr_array_header_t *splits;                   /* split_t */
    apr_array_header_t *leaves;                   /* float */
    uint32_t column_of[TMPL_BLOCK_FEATURE_COUNT]; /* 1 + index into columns; 0: there is none */
    uint32_t n;                                   /* nodes of the tree that is read */
    node_t nodes[TMPL_LEAVES_NODES];
} reader_t;

static apr_status_t read_float(float *number, tmpl_lines_t *lines, const char *what)
{
    double value = 0;
    apr_status_t status = tmpl_lines_number(&value, lines, what, -1e30, 1e30);
    *number = (float)value;
    return status;
}

static apr_status_t read_split(reader_t *reader, uint32_t i)
{
    tmpl_lines_t *lines = &reader->lines;
    node_t *node = &reader->nodes[i];
    const char *name = tmpl_lines_word(lines);
    node->feature = tmpl_block_feature_find(name);
    if (node->feature == TMPL_BLOCK_FEATURE_COUNT) {
        return tmpl_fail(
            lines->err, APR_EINVAL,
            "%s: line %u: no feature is called \"%.40s\": words, free, linked, ... as in "
            "feature.h",
            lines->name, lines->line, name);
    }
    if (read_float(&node->number, lines, "the limit") != APR_SUCCESS) {
        return APR_EINVAL;
    }
    if (i + 2 >= reader->n) {
        return tmpl_lines_bad(lines, "a split needs two nodes behind it in its tree", "");
    }
    for (int k = 0; k < 2; k++) {
        if (tmpl_lines_count(&node->children[k], lines,
                             k == 0 ? "the left child" : "the right child", i + 1,
                             reader->n - 1) != APR_SUCCESS) {
            return APR_EINVAL;
        }
        if (reader->nodes[node->children[k]].uses++ > 0) {
            return tmpl_lines_bad(lines, "a node is a child twice: each must be one once", "");
        }
    }
    return tmpl_lines_end(lines);
}

static apr_status_t read_node(reader_t *reader, uint32_t i)
{
    tmpl_lines_t *lines = &reader->lines;
    if (tmpl_lines_next(lines) != APR_SUCCESS) {
        return APR_EINVAL;
    }
    const char *kind = tmpl_lines_word(lines);
    if (strcmp(kind, "split") == 0) {
        return read_split(reader, i);
    }
    if (strcmp(kind, "leaf") != 0) {
        return tmpl_fail(lines->err, APR_EINVAL,
                         "%s: line %u: node %u of %u must be a split or a leaf, not \"%.40s\"",
                         lines->name, lines->line, i, reader->n, kind);
    }
    reader->nodes[i].is_leaf = 1;
    if (read_float(&reader->nodes[i].number, lines, "the leaf's value") != APR_SUCCESS) {
        return APR_EINVAL;
    }
    return tmpl_lines_end(lines);
}

static uint32_t column_of(reader_t *reader, uint32_t feature)
{
    tmpl_trees_t *trees = reader->trees;
    if (reader->column_of[feature] == 0) {
        trees->columns[trees->n_columns] = feature;
        reader->column_of[feature] = ++trees->n_columns;
    }
    return reader->column_of[feature] - 1;
}

/*
 * Adds the nodes to those of the trees before. A node's leaves are [first, first + count), and a child
 * stands behind its parent: counted from the last node to the first, dealt out from the first to the last.
 */
static apr_status_t add_tree(reader_t *reader)
{
    uint32_t count[TMPL_LEAVES_NODES] = { 0 };
    uint32_t first[TMPL_LEAVES_NODES] = { 0 };
    tree_t *tree = apr_array_push(reader->all);
    tree->first_leaf = (uint32_t)reader->leaves->nelts;
    for (uint32_t i = reader->n; i-- > 0;) {
        const node_t *node = &reader->nodes[i];
        if (node->uses != (i > 0)) {
            return tmpl_lines_bad(&reader->lines, "a node of the tree above is no node's child",
                                  "");
        }
        count[i] = node->is_leaf ? 1 : count[node->children[0]] + count[node->children[1]];
    }
    for (uint32_t i = 0; i < count[0]; i++) {
        apr_array_push(reader->leaves);
    }
    for (uint32_t i = 0; i < reader->n; i++) {
        const node_t *node = &reader->nodes[i];
        if (node->is_leaf) {
            APR_ARRAY_IDX(reader->leaves, tree->first_leaf + first[i], double) =
                (double)node->number;
            continue;
        }
        uint32_t left = count[node->children[0]];
        first[node->children[0]] = first[i];
        first[node->children[1]] = first[i] + left;
        APR_ARRAY_PUSH(reader->splits, split_t) =
            (split_t){ .limit = node->number,
                       .right = ~(((1U << left) - 1) << first[i]), /* left is below 32 */
                       .column = column_of(reader, node->feature) };
    }
    tree->after_split = (uint32_t)reader->splits->nelts;
    return APR_SUCCESS;
}

static apr_status_t read_tree(reader_t *reader)
{
    tmpl_lines_t *lines = &reader->lines;
    if (reader->all->nelts == TMPL_TREES_MOST) {
        return tmpl_fail(lines->err, APR_EINVAL, "%s: line %u: more than %d trees", lines->name,
                         lines->line, TMPL_TREES_MOST);
    }
    if (tmpl_lines_count(&reader->n, lines, "the number of the tree's nodes", 1,
                         TMPL_LEAVES_NODES) != APR_SUCCESS ||
        tmpl_lines_end(lines) != APR_SUCCESS) {
        return APR_EINVAL;
    }
    memset(reader->nodes, 0, sizeof(reader->nodes));
    for (uint32_t i = 0; i < reader->n; i++) {
        if (read_node(reader, i) != APR_SUCCESS) {
            return APR_EINVAL;
        }
    }
    return add_tree(reader);
}

static apr_status_t read_head(reader_t *reader)
{
    tmpl_lines_t *lines = &reader->lines;
    tmpl_trees_t *trees = reader->trees;
    if (tmpl_lines_next(lines) != APR_SUCCESS) {
        return APR_EINVAL;
    }
    if (strcmp(lines->text, TMPL_TREES_HEAD) != 0) {
        return tmpl_lines_bad(lines, "not the head of a model: ", TMPL_TREES_HEAD);
    }
    if (tmpl_lines_next(lines) != APR_SUCCESS ||
        tmpl_lines_expect(lines, "threshold") != APR_SUCCESS ||
        tmpl_lines_number(&trees->threshold, lines, "threshold", 0, 1) != APR_SUCCESS ||
        tmpl_lines_end(lines) != APR_SUCCESS || tmpl_lines_next(lines) != APR_SUCCESS ||
        tmpl_lines_expect(lines, "bias") != APR_SUCCESS ||
        tmpl_lines_number(&trees->bias, lines, "bias", -1e6, 1e6) != APR_SUCCESS) {
        return APR_EINVAL;
    }
    return tmpl_lines_end(lines);
}

static apr_status_t read_trees(reader_t *reader)
{
    tmpl_lines_t *lines = &reader->lines;
    if (read_head(reader) != APR_SUCCESS) {
        return APR_EINVAL;
    }
    for (;;) {
        if (tmpl_lines_next(lines) != APR_SUCCESS) {
            return APR_EINVAL;
        }
        const char *word = tmpl_lines_word(lines);
        if (strcmp(word, "end") == 0) {
            return tmpl_lines_end(lines) == APR_SUCCESS ? tmpl_lines_over(lines) : APR_EINVAL;
        }
        if (strcmp(word, "tree") != 0) {
            return tmpl_fail(lines->err, APR_EINVAL,
                             "%s: line %u: \"tree\" or \"end\" is expected, not \"%.40s\"",
                             lines->name, lines->line, word);
        }
        if (read_tree(reader) != APR_SUCCESS) {
            return APR_EINVAL;
        }
    }
}

apr_status_t tmpl_trees_parse(const tmpl_trees_t **trees, const tmpl_model_text_t *text,
                              tmpl_error_t *err, apr_pool_t *pool)
{
    reader_t *reader = apr_pcalloc(pool, sizeof(*reader));
    *trees = NULL;
    reader->lines = (tmpl_lines_t){
        .name = text->name, .at = text->bytes, .end = text->bytes + text->len, .err = err
    };
    reader->trees = apr_pcalloc(pool, sizeof(*reader->trees));
    reader->all = apr_array_make(pool, 512, sizeof(tree_t));
    reader->splits = apr_array_make(pool, 8192, sizeof(split_t));
    reader->leaves = apr_array_make(pool, 8192, sizeof(double));
    if (read_trees(reader) != APR_SUCCESS) {
        return APR_EINVAL;
    }
    reader->trees->trees = (const tree_t *)(const void *)reader->all->elts;
    reader->trees->n_trees = (uint32_t)reader->all->nelts;
    reader->trees->splits = (const split_t *)(const void *)reader->splits->elts;
    reader->trees->leaves = (const double *)(const void *)reader->leaves->elts;
    *trees = reader->trees;
    return APR_SUCCESS;
}

double tmpl_trees_threshold(const tmpl_trees_t *trees)
{
    return trees->threshold;
}

/* --- judging --- */

/* The rows of WIDTH blocks by feature: column c of them is at columns[c]. */
typedef union {
    floats_t lanes[WIDTH / LANES];
    float rows[WIDTH];
} column_t;

/* Of n <= WIDTH blocks; where there are fewer the first stands for the others. */
static void fill_columns(column_t *columns, const tmpl_trees_t *trees, const float *rows,
                         uint32_t n)
{
    for (uint32_t i = 0; i < WIDTH; i++) {
        const float *row = &rows[(size_t)(i < n ? i : 0) * TMPL_BLOCK_FEATURE_COUNT];
        for (uint32_t c = 0; c < trees->n_columns; c++) {
            columns[c].rows[i] = row[trees->columns[c]];
        }
    }
}

/* The leaves of one tree that are left for each of WIDTH blocks. By name, so that they stay in registers. */
static void take_splits(uint32_t left[WIDTH], const column_t *columns, const split_t *split,
                        const split_t *after)
{
    bits_t a = ~(bits_t){ 0 };
    bits_t b = a;
    bits_t c = a;
    bits_t d = a;
    for (; split < after; split++) {
        const floats_t *lanes = columns[split->column].lanes;
        floats_t limit = split->limit - (floats_t){ 0 };
        bits_t right = (int32_t)split->right - (bits_t){ 0 };
        a &= (lanes[0] <= limit) | right;
        b &= (lanes[1] <= limit) | right;
        c &= (lanes[2] <= limit) | right;
        d &= (lanes[3] <= limit) | right;
    }
    memcpy(&left[0 * LANES], &a, sizeof(a));
    memcpy(&left[1 * LANES], &b, sizeof(b));
    memcpy(&left[2 * LANES], &c, sizeof(c));
    memcpy(&left[3 * LANES], &d, sizeof(d));
}

static void judge_some(float *templateness, const tmpl_trees_t *trees, const column_t *columns,
                       uint32_t n)
{
    double sums[WIDTH];
    const split_t *split = trees->splits;
    for (uint32_t i = 0; i < WIDTH; i++) {
        sums[i] = trees->bias;
    }
    for (uint32_t t = 0; t < trees->n_trees; t++) {
        uint32_t left[WIDTH];
        const double *leaves = &trees->leaves[trees->trees[t].first_leaf];
        const split_t *after = &trees->splits[trees->trees[t].after_split];
        take_splits(left, columns, split, after);
        split = after;
        for (uint32_t i = 0; i < WIDTH; i++) {
            sums[i] += leaves[__builtin_ctz(left[i])];
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        templateness[i] = (float)(1 / (1 + exp(-sums[i])));
    }
}

void tmpl_trees_judge(float *templateness, const tmpl_trees_t *trees, const float *rows, uint32_t n)
{
    column_t columns[TMPL_BLOCK_FEATURE_COUNT];
    for (uint32_t i = 0; i < n; i += WIDTH) {
        uint32_t some = n - i < WIDTH ? n - i : WIDTH;
        fill_columns(columns, trees, &rows[(size_t)i * TMPL_BLOCK_FEATURE_COUNT], some);
        judge_some(&templateness[i], trees, columns, some);
    }
}
