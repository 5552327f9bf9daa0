/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the text of a model, and makes the trees that judge. */
#include "model/trees_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <apr_tables.h>

/* ---- the text of a model, as arrays ---- */

/* the largest values: with these no sum overflows */
#define LEAF_MOST 100
#define BIAS_MOST 1e6

typedef struct {
    tmpl_lines_t lines;
    apr_pool_t *pool;
    tmpl_trees_source_t *source;
    uint32_t n_trees; /* trees read so far, of both parts */
    /* of the current part */
    apr_array_header_t *sizes;      /* unsigned char */
    apr_array_header_t *nodes;      /* tmpl_tree_node_t; condition is an index in conditions */
    apr_array_header_t *conditions; /* tmpl_condition_t, one for each split */
    /* of the current tree */
    uint32_t n;                            /* nodes */
    unsigned char uses[TMPL_LEAVES_NODES]; /* splits that have the node as a child */
} trees_source_reader_t;

static void read_split(trees_source_reader_t *reader, uint32_t i)
{
    tmpl_lines_t *lines = &reader->lines;
    const char *name = tmpl_lines_word(lines);
    int feature = tmpl_block_feature_find(name);
    if (feature < 0) {
        tmpl_lines_bad(lines,
                       "no feature is called \"%.40s\": words, free, linked, ... as in feature.h",
                       name);
        return;
    }
    APR_ARRAY_PUSH(reader->conditions, tmpl_condition_t) =
        (tmpl_condition_t){ .feature = (tmpl_block_feature_e)feature,
                            .limit = (float)tmpl_lines_number(lines, "the limit", -1e30, 1e30) };
    if (i + 2 >= reader->n) {
        tmpl_lines_bad(lines, "a split needs two nodes behind it in its tree");
        return;
    }
    uint32_t left = tmpl_lines_count(lines, "the left child", i + 1, reader->n - 1);
    uint32_t right = tmpl_lines_count(lines, "the right child", i + 1, reader->n - 1);
    if (reader->uses[left]++ > 0 || reader->uses[right]++ > 0) {
        tmpl_lines_bad(lines, "a node is a child twice: each must be one once");
    }
    APR_ARRAY_PUSH(reader->nodes, tmpl_tree_node_t) =
        (tmpl_tree_node_t){ .condition = (uint32_t)reader->conditions->nelts - 1,
                            .left = (uint16_t)left,
                            .right = (uint16_t)right };
}

static void read_node(trees_source_reader_t *reader, uint32_t i)
{
    tmpl_lines_t *lines = &reader->lines;
    tmpl_lines_next(lines);
    const char *kind = tmpl_lines_word(lines);
    if (strcmp(kind, "split") == 0) {
        read_split(reader, i);
    }
    else if (strcmp(kind, "leaf") == 0) {
        double value = tmpl_lines_number(lines, "the leaf's value", -LEAF_MOST, LEAF_MOST);
        APR_ARRAY_PUSH(reader->nodes, tmpl_tree_node_t) =
            (tmpl_tree_node_t){ .value = (float)value };
    }
    else {
        tmpl_lines_bad(lines, "node %u of %u must be a split or a leaf, not \"%.40s\"", i,
                       reader->n, kind);
    }
    tmpl_lines_end(lines);
}

static void read_tree(trees_source_reader_t *reader)
{
    tmpl_lines_t *lines = &reader->lines;
    if (reader->n_trees++ == TMPL_TREES_MOST) {
        tmpl_lines_bad(lines, "more than %d trees", TMPL_TREES_MOST);
    }
    reader->n = tmpl_lines_count(lines, "the number of the tree's nodes", 1, TMPL_LEAVES_NODES);
    tmpl_lines_end(lines);
    memset(reader->uses, 0, sizeof(reader->uses));
    for (uint32_t i = 0; i < reader->n; i++) {
        read_node(reader, i);
    }
    for (uint32_t i = 1; i < reader->n; i++) {
        if (reader->uses[i] == 0) {
            tmpl_lines_bad(lines, "a node of the tree above is no node's child");
        }
    }
    APR_ARRAY_PUSH(reader->sizes, unsigned char) = (unsigned char)reader->n;
}

static void read_trees_head(trees_source_reader_t *reader)
{
    tmpl_lines_t *lines = &reader->lines;
    tmpl_lines_next(lines);
    if (strcmp(lines->text, TMPL_TREES_HEAD) != 0) {
        tmpl_lines_bad(lines, "not the head of a model: %s", TMPL_TREES_HEAD);
    }
    tmpl_lines_next(lines);
    tmpl_lines_expect(lines, "threshold");
    reader->source->threshold = tmpl_lines_number(lines, "threshold", 0, 1);
    tmpl_lines_end(lines);
    tmpl_lines_next(lines);
    tmpl_lines_expect(lines, "bias");
    reader->source->bias = tmpl_lines_number(lines, "bias", -BIAS_MOST, BIAS_MOST);
    tmpl_lines_end(lines);
}

static int by_feature(const void *a, const void *b)
{
    const tmpl_condition_t *x = a;
    const tmpl_condition_t *y = b;
    return x->feature != y->feature ? (x->feature > y->feature) - (x->feature < y->feature)
                                    : (x->limit > y->limit) - (x->limit < y->limit);
}

/* Replaces equal conditions of splits by one, in the order of features and limits. Their number. */
static uint32_t share_conditions(trees_source_reader_t *reader)
{
    uint32_t n = 0;
    apr_array_header_t *all = apr_array_copy(reader->pool, reader->conditions);
    tmpl_condition_t *each = (tmpl_condition_t *)(void *)reader->conditions->elts;
    qsort(each, (size_t)all->nelts, sizeof(*each), by_feature);
    for (int i = 0; i < all->nelts; i++) {
        if (n == 0 || by_feature(&each[n - 1], &each[i]) != 0) {
            each[n++] = each[i];
        }
    }
    for (int i = 0; i < reader->nodes->nelts; i++) {
        tmpl_tree_node_t *node = &APR_ARRAY_IDX(reader->nodes, i, tmpl_tree_node_t);
        if (node->left > 0) {
            const tmpl_condition_t *own = &APR_ARRAY_IDX(all, node->condition, tmpl_condition_t);
            const tmpl_condition_t *shared = bsearch(own, each, n, sizeof(*each), by_feature);
            node->condition = (uint32_t)(shared - each);
        }
    }
    return n;
}

static void begin_part(trees_source_reader_t *reader)
{
    apr_pool_t *pool = reader->pool;
    reader->sizes = apr_array_make(pool, 512, sizeof(unsigned char));
    reader->nodes = apr_array_make(pool, 16384, sizeof(tmpl_tree_node_t));
    reader->conditions = apr_array_make(pool, 8192, sizeof(tmpl_condition_t));
}

static void end_part(trees_source_reader_t *reader)
{
    uint32_t n_conditions = share_conditions(reader);
    if (n_conditions > TMPL_CONDITIONS_MOST) {
        tmpl_lines_bad(&reader->lines, "more than %d conditions", TMPL_CONDITIONS_MOST);
    }
    reader->source->parts[reader->source->n_parts++] = (tmpl_trees_part_t){
        .n_trees = (uint32_t)reader->sizes->nelts,
        .n_conditions = n_conditions,
        .sizes = (const unsigned char *)reader->sizes->elts,
        .nodes = (const tmpl_tree_node_t *)(const void *)reader->nodes->elts,
        .conditions = (const tmpl_condition_t *)(const void *)reader->conditions->elts,
    };
}

static void read_trees(trees_source_reader_t *reader)
{
    tmpl_lines_t *lines = &reader->lines;
    uint32_t *n_parts = &reader->source->n_parts; /* those that have ended */
    begin_part(reader);
    read_trees_head(reader);
    for (int is_over = 0; !is_over && lines->status == APR_SUCCESS;) {
        tmpl_lines_next(lines);
        const char *word = tmpl_lines_word(lines);
        is_over = strcmp(word, "end") == 0;
        if (strcmp(word, "tree") == 0) {
            read_tree(reader);
        }
        else if (is_over || (strcmp(word, "last") == 0 && *n_parts == 0)) {
            tmpl_lines_end(lines);
            end_part(reader);
            if (!is_over) {
                begin_part(reader);
            }
        }
        else {
            tmpl_lines_bad(lines, "\"tree\"%s or \"end\" is expected, not \"%.40s\"",
                           *n_parts == 0 ? ", \"last\"" : "", word);
        }
    }
    tmpl_lines_over(lines);
}

apr_status_t tmpl_trees_source_read(tmpl_trees_source_t *source, const tmpl_model_text_t *text,
                                    tmpl_error_t *err, apr_pool_t *pool)
{
    trees_source_reader_t *reader = apr_pcalloc(pool, sizeof(*reader));
    *source = (tmpl_trees_source_t){ .id = tmpl_model_text_id(text) };
    reader->source = source;
    reader->pool = pool;
    reader->lines = (tmpl_lines_t){
        .name = text->name, .at = text->bytes, .end = text->bytes + text->len, .err = err
    };
    read_trees(reader);
    return reader->lines.status;
}

/* ---- the trees that judge ---- */

static int64_t in_units(double number)
{
    return llrint(number / TMPL_TREES_UNIT);
}

static void set_columns(tmpl_trees_t *trees, const tmpl_condition_t *conditions, uint32_t n,
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

/* Adds a tree of n > 1 nodes behind splits and leaves, each in their order. */
static void add_tree(split_t **splits, int32_t **leaves, const tmpl_tree_node_t *nodes, uint32_t n)
{
    unsigned char set[TMPL_LEAVES_NODES];
    unsigned char n_splits = 0, n_leaves = 0;
    for (uint32_t i = 0; i < n; i++) {
        set[i] = (unsigned char)(nodes[i].left == 0 ? n_leaves++ : FIRST_SPLIT + n_splits++);
    }
    for (uint32_t i = 0; i < n; i++) {
        const tmpl_tree_node_t *node = &nodes[i];
        if (node->left == 0) {
            *(*leaves)++ = (int32_t)in_units((double)node->value);
            continue;
        }
        *(*splits)++ = (split_t){ .condition = (uint16_t)node->condition,
                                  .left = set[node->left],
                                  .right = set[node->right] };
    }
}

/* The trees of a part; a tree of one leaf becomes part of the bias. */
static tmpl_trees_t *make_part(const tmpl_trees_part_t *part, double bias, apr_pool_t *pool)
{
    tmpl_trees_t *trees = apr_pcalloc(pool, sizeof(*trees));
    const tmpl_tree_node_t *nodes = part->nodes;
    uint32_t n_nodes = 0;
    for (uint32_t t = 0; t < part->n_trees; t++) {
        n_nodes += part->sizes[t];
    }
    uint32_t *after_split = apr_palloc(pool, part->n_trees * sizeof(*after_split));
    split_t *splits = apr_palloc(pool, n_nodes / 2 * sizeof(*splits));
    int32_t *leaves = apr_palloc(pool, n_nodes * sizeof(*leaves));
    trees->splits = splits;
    trees->leaves = leaves;
    trees->after_split = after_split;
    trees->bias = in_units(bias);
    for (uint32_t t = 0; t < part->n_trees; nodes += part->sizes[t++]) {
        if (part->sizes[t] == 1) {
            trees->bias += in_units((double)nodes->value);
            continue;
        }
        add_tree(&splits, &leaves, nodes, part->sizes[t]);
        after_split[trees->n_trees++] = (uint32_t)(splits - trees->splits);
    }
    set_columns(trees, part->conditions, part->n_conditions, pool);
    return trees;
}

const tmpl_trees_t *tmpl_trees_make(const tmpl_trees_source_t *source, apr_pool_t *pool)
{
    tmpl_trees_t *trees = make_part(&source->parts[0], source->bias, pool);
    trees->last = source->n_parts > 1 ? make_part(&source->parts[1], 0, pool) : NULL;
    trees->id = source->id;
    trees->threshold = source->threshold;
    return trees;
}

apr_status_t tmpl_trees_parse(const tmpl_trees_t **trees, const tmpl_model_text_t *text,
                              tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_trees_source_t source;
    apr_status_t status = tmpl_trees_source_read(&source, text, err, pool);
    *trees = status == APR_SUCCESS ? tmpl_trees_make(&source, pool) : NULL;
    return status;
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
