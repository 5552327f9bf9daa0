/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a model's text. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <apr_tables.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "model/trees_model.h"

/* the largest values: with these no sum overflows */
#define LEAF_MOST 100
#define BIAS_MOST 1e6

/* A split's condition: values above the limit go to the right. */
typedef struct {
    float limit;
    uint32_t feature;
} condition_t;

/* A line of a tree. */
typedef struct {
    int is_leaf;
    float number; /* the value of a leaf, the limit of a split */
    uint32_t feature;
    uint32_t children[2];
    uint32_t uses; /* number of splits that have it as a child */
} node_t;

typedef struct {
    tmpl_lines_t lines;
    apr_pool_t *pool;
    tmpl_trees_t *trees;
    apr_array_header_t *all;        /* uint32_t: the end of each tree's splits */
    uint32_t n_trees;               /* trees read so far, including those of one leaf */
    apr_array_header_t *splits;     /* split_t */
    apr_array_header_t *conditions; /* condition_t, one for each split */
    apr_array_header_t *leaves;     /* int64_t */
    uint32_t n;                     /* nodes of the current tree */
    node_t nodes[TMPL_LEAVES_NODES];
} reader_t;

static apr_status_t read_float(float *number, tmpl_lines_t *lines, const char *what, double most)
{
    double value = 0;
    apr_status_t status = tmpl_lines_number(&value, lines, what, -most, most);
    *number = (float)value;
    return status;
}

static int64_t in_units(double number)
{
    return llrint(number / TMPL_TREES_UNIT);
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
    if (read_float(&node->number, lines, "the limit", 1e30) != APR_SUCCESS) {
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
    if (read_float(&reader->nodes[i].number, lines, "the leaf's value", LEAF_MOST) != APR_SUCCESS) {
        return APR_EINVAL;
    }
    return tmpl_lines_end(lines);
}

/* Adds the nodes to those of the trees before: splits and leaves, each in their order. */
static void add_nodes(reader_t *reader)
{
    uint16_t offset[TMPL_LEAVES_NODES];
    uint16_t splits = 0;
    uint16_t leaves = 0;
    for (uint32_t i = 0; i < reader->n; i++) {
        offset[i] =
            (uint16_t)(reader->nodes[i].is_leaf ? SET_OF_LEAF(leaves++) : SET_OF_SPLIT(splits++));
    }
    for (uint32_t i = 0; i < reader->n; i++) {
        const node_t *node = &reader->nodes[i];
        if (node->is_leaf) {
            APR_ARRAY_PUSH(reader->leaves, int64_t) = in_units((double)node->number);
            continue;
        }
        APR_ARRAY_PUSH(reader->splits, split_t) =
            (split_t){ .left = offset[node->children[0]], .right = offset[node->children[1]] };
        APR_ARRAY_PUSH(reader->conditions, condition_t) =
            (condition_t){ .limit = node->number, .feature = node->feature };
    }
    APR_ARRAY_PUSH(reader->all, uint32_t) = (uint32_t)reader->splits->nelts;
}

static apr_status_t add_tree(reader_t *reader)
{
    for (uint32_t i = 0; i < reader->n; i++) {
        if (reader->nodes[i].uses != (i > 0)) {
            return tmpl_lines_bad(&reader->lines, "a node of the tree above is no node's child",
                                  "");
        }
    }
    reader->n_trees++;
    if (reader->n > 1) {
        add_nodes(reader);
    }
    else {
        reader->trees->bias += in_units((double)reader->nodes[0].number);
    }
    return APR_SUCCESS;
}

static apr_status_t read_tree(reader_t *reader)
{
    tmpl_lines_t *lines = &reader->lines;
    if (reader->n_trees == TMPL_TREES_MOST) {
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
    double bias = 0;
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
        tmpl_lines_number(&bias, lines, "bias", -BIAS_MOST, BIAS_MOST) != APR_SUCCESS) {
        return APR_EINVAL;
    }
    trees->bias = in_units(bias);
    return tmpl_lines_end(lines);
}

static int by_feature(const void *a, const void *b)
{
    const condition_t *x = a;
    const condition_t *y = b;
    return x->feature != y->feature ? (x->feature > y->feature) - (x->feature < y->feature)
                                    : (x->limit > y->limit) - (x->limit < y->limit);
}

static void set_columns(tmpl_trees_t *trees, const condition_t *conditions, uint32_t n,
                        apr_pool_t *pool)
{
    column_t *columns = apr_pcalloc(pool, TMPL_BLOCK_FEATURE_COUNT * sizeof(*columns));
    float *limits = apr_palloc(pool, n * sizeof(*limits));
    for (uint32_t i = 0; i < n; i++) {
        trees->n_columns += i == 0 || conditions[i].feature != conditions[i - 1].feature;
        columns[trees->n_columns - 1] = (column_t){ conditions[i].feature, i + 1 };
        limits[i] = conditions[i].limit;
    }
    trees->n_conditions = n;
    trees->columns = columns;
    trees->limits = limits;
}

/* Replaces equal conditions of splits by one, in the order of features and limits. */
static void share_conditions(reader_t *reader)
{
    uint32_t n = 0;
    apr_array_header_t *all = apr_array_copy(reader->conditions->pool, reader->conditions);
    condition_t *each = (condition_t *)(void *)all->elts;
    qsort(each, (size_t)all->nelts, sizeof(*each), by_feature);
    for (int i = 0; i < all->nelts; i++) {
        if (n == 0 || by_feature(&each[n - 1], &each[i]) != 0) {
            each[n++] = each[i];
        }
    }
    for (int i = 0; i < all->nelts; i++) {
        const condition_t *found = bsearch(&APR_ARRAY_IDX(reader->conditions, i, condition_t), each,
                                           n, sizeof(*each), by_feature);
        APR_ARRAY_IDX(reader->splits, i, split_t).condition =
            (uint32_t)(found - each) * (uint32_t)sizeof(uint64_t);
    }
    set_columns(reader->trees, each, n, all->pool);
}

/* The number of leaves of tree t. */
static uint32_t leaves_of(const tmpl_trees_t *trees, uint32_t t)
{
    return trees->after_split[t] - (t > 0 ? trees->after_split[t - 1] : 0) + 1;
}

/* A table of values above the least of them. */
typedef struct {
    int64_t least;
    uint64_t values[TMPL_LEAVES_FEW];
} table_t;

/*
 * The first or the second table of a tree. Blocks at leaves of the second table have the first
 * entry of the first one, too; so the second table counts from the first leaf.
 */
static table_t table_of(const int64_t *leaves, uint32_t n, uint32_t which)
{
    table_t table = { 0 };
    int64_t values[TMPL_LEAVES_FEW] = { which == 0 ? leaves[0] : 0 };
    uint32_t begin = which * (TMPL_LEAVES_FEW - 1);
    uint32_t have = n > begin + 1 ? n - begin : 1;
    have = have < TMPL_LEAVES_FEW ? have : TMPL_LEAVES_FEW;
    table.least = values[0];
    for (uint32_t i = 1; i < have; i++) {
        values[i] = leaves[begin + i] - (which == 0 ? 0 : leaves[0]);
        table.least = values[i] < table.least ? values[i] : table.least;
    }
    for (uint32_t i = 0; i < have; i++) {
        table.values[i] = (uint64_t)(values[i] - table.least);
    }
    return table;
}

/* Sets how many tables a tree has, and bytes a value; no bytes if a tree has too many leaves. */
static void set_sizes(tmpl_trees_t *trees)
{
    const int64_t *leaves = trees->leaves;
    uint32_t most = 0;
    uint64_t bits = 0;
    for (uint32_t t = 0; t < trees->n_trees; t++) {
        uint32_t n = leaves_of(trees, t);
        most = n > most ? n : most;
        for (uint32_t i = 0; i < 2 * TMPL_LEAVES_FEW && most <= TMPL_LEAVES_TWICE; i++) {
            bits |= table_of(leaves, n, i / TMPL_LEAVES_FEW).values[i % TMPL_LEAVES_FEW];
        }
        leaves += n;
    }
    trees->n_tables = most > TMPL_LEAVES_FEW ? 2 : 1;
    trees->n_bytes = most <= TMPL_LEAVES_TWICE;
    while (trees->n_bytes > 0 && trees->n_bytes < TMPL_VALUE_BYTES &&
           bits >> 8 * trees->n_bytes != 0) {
        trees->n_bytes++;
    }
}

static void set_bytes(tmpl_trees_t *trees, apr_pool_t *pool)
{
    const int64_t *leaves = trees->leaves;
    set_sizes(trees);
    size_t size = (size_t)trees->n_bytes * TMPL_LEAVES_FEW;
    unsigned char *bytes = apr_pcalloc(pool, (trees->n_trees + 1) * trees->n_tables * size);
    trees->bytes = bytes;
    trees->least = trees->bias;
    for (uint32_t t = 0; trees->n_bytes > 0 && t < trees->n_trees; t++) {
        uint32_t n = leaves_of(trees, t);
        for (uint32_t which = 0; which < trees->n_tables; which++, bytes += size) {
            table_t table = table_of(leaves, n, which);
            trees->least += table.least;
            for (uint32_t i = 0; i < size; i++) {
                bytes[i] =
                    (unsigned char)(table.values[i % TMPL_LEAVES_FEW] >> 8 * (i / TMPL_LEAVES_FEW));
            }
        }
        leaves += n;
    }
}

static void begin_trees(reader_t *reader)
{
    apr_pool_t *pool = reader->pool;
    reader->trees = apr_pcalloc(pool, sizeof(*reader->trees));
    reader->all = apr_array_make(pool, 512, sizeof(uint32_t));
    reader->splits = apr_array_make(pool, 8192, sizeof(split_t));
    reader->conditions = apr_array_make(pool, 8192, sizeof(condition_t));
    reader->leaves = apr_array_make(pool, 8192, sizeof(int64_t));
}

static void finish_trees(reader_t *reader)
{
    tmpl_trees_t *trees = reader->trees;
    share_conditions(reader);
    trees->after_split = (const uint32_t *)(const void *)reader->all->elts;
    trees->n_trees = (uint32_t)reader->all->nelts;
    trees->splits = (const split_t *)(const void *)reader->splits->elts;
    trees->leaves = (const int64_t *)(const void *)reader->leaves->elts;
    set_bytes(trees, reader->pool);
}

static apr_status_t read_trees(reader_t *reader)
{
    tmpl_lines_t *lines = &reader->lines;
    begin_trees(reader);
    tmpl_trees_t *first = reader->trees;
    if (read_head(reader) != APR_SUCCESS) {
        return APR_EINVAL;
    }
    for (;;) {
        if (tmpl_lines_next(lines) != APR_SUCCESS) {
            return APR_EINVAL;
        }
        const char *word = tmpl_lines_word(lines);
        if (strcmp(word, "end") == 0) {
            finish_trees(reader);
            reader->trees = first;
            return tmpl_lines_end(lines) == APR_SUCCESS ? tmpl_lines_over(lines) : APR_EINVAL;
        }
        if (strcmp(word, "last") == 0 && reader->trees == first) {
            if (tmpl_lines_end(lines) != APR_SUCCESS) {
                return APR_EINVAL;
            }
            finish_trees(reader);
            begin_trees(reader);
            first->last = reader->trees;
        }
        else if (strcmp(word, "tree") != 0) {
            return tmpl_fail(lines->err, APR_EINVAL,
                             "%s: line %u: \"tree\"%s or \"end\" is expected, not \"%.40s\"",
                             lines->name, lines->line, reader->trees == first ? ", \"last\"" : "",
                             word);
        }
        else if (read_tree(reader) != APR_SUCCESS) {
            return APR_EINVAL;
        }
    }
}

apr_status_t tmpl_trees_parse(const tmpl_trees_t **trees, const tmpl_model_text_t *text,
                              tmpl_error_t *err, apr_pool_t *pool)
{
    reader_t *reader = apr_pcalloc(pool, sizeof(*reader));
    *trees = NULL;
    reader->pool = pool;
    reader->lines = (tmpl_lines_t){
        .name = text->name, .at = text->bytes, .end = text->bytes + text->len, .err = err
    };
    if (read_trees(reader) != APR_SUCCESS) {
        return APR_EINVAL;
    }
    reader->trees->id = XXH3_64bits(text->bytes, text->len);
    *trees = reader->trees;
    return APR_SUCCESS;
}

const tmpl_trees_t *tmpl_trees_last(const tmpl_trees_t *trees)
{
    return trees->last;
}

double tmpl_trees_threshold(const tmpl_trees_t *trees)
{
    return trees->threshold;
}

uint64_t tmpl_trees_id(const tmpl_trees_t *trees)
{
    return trees->id;
}
