/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judging goes by sets of blocks, as the bits of one, two or four words. Trees share their conditions (a
 * feature, a limit), so it is found once for each of these which blocks are above the limit; a split then parts
 * the set that reaches it by one operation or two, and no step hangs on a branch. Neighbours are alike, so most of them end at the same leaf: that one is added to all of them, and to the
 * others what theirs are more. Sums are whole numbers, and so the same in any order.
 */
#include "detect/trees.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <apr_strings.h>
#include <apr_tables.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "feature/feature.h"

/* What a leaf's value is a multiple of: 2^-40. So long as no value is above LEAF_MOST no sum overflows. */
#define UNIT      0x1p-40
#define LEAF_MOST 100
#define BIAS_MOST 1e6

/* Of a set of blocks. */
#define MOST_WORDS (TMPL_JUDGED_AT_ONCE / TMPL_BLOCKS_AT_ONCE)

typedef struct {
    uint32_t condition;
    /* What it parts its set into: places among the splits of its tree, and the leaves behind these. */
    uint16_t left, right;
} split_t;

typedef struct {
    uint32_t after_split; /* its splits end there */
    uint32_t first_leaf;
} tree_t;

/* Goes to the right: what is above the limit. */
typedef struct {
    float limit;
    uint32_t feature;
} condition_t;

/* The conditions of a feature. */
typedef struct {
    uint32_t feature;
    uint32_t after_condition; /* they end there */
} column_t;

struct tmpl_trees_t {
    uint64_t id;
    double threshold;
    int64_t bias; /* in UNITs, as are leaves */
    uint32_t n_trees;
    uint32_t n_conditions;
    uint32_t n_columns;
    const tree_t *trees;
    const split_t *splits;   /* of the first tree, of the second, ... */
    const int64_t *leaves;   /* likewise */
    const column_t *columns; /* the features that some split asks for */
    const float *limits;     /* of conditions: by feature, and rising; each once */
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
    apr_array_header_t *all;        /* tree_t */
    apr_array_header_t *splits;     /* split_t */
    apr_array_header_t *conditions; /* condition_t, of each split */
    apr_array_header_t *leaves;     /* int64_t */
    uint32_t n;                     /* nodes of the tree that is read */
    node_t nodes[TMPL_LEAVES_NODES];
} reader_t;

static apr_status_t read_float(float *number, tmpl_lines_t *lines, const char *what, double most)
{
    double value = 0;
    apr_status_t status = tmpl_lines_number(&value, lines, what, -most, most);
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
static apr_status_t add_tree(reader_t *reader)
{
    /* Of each node: its place among the splits, and the leaves behind them. */
    uint16_t place[TMPL_LEAVES_NODES];
    uint16_t split = 0;
    uint16_t leaf = (uint16_t)(reader->n / 2);
    for (uint32_t i = 0; i < reader->n; i++) {
        if (reader->nodes[i].uses != (i > 0)) {
            return tmpl_lines_bad(&reader->lines, "a node of the tree above is no node's child",
                                  "");
        }
        place[i] = reader->nodes[i].is_leaf ? leaf++ : split++;
    }
    tree_t *tree = apr_array_push(reader->all);
    tree->first_leaf = (uint32_t)reader->leaves->nelts;
    for (uint32_t i = 0; i < reader->n; i++) {
        const node_t *node = &reader->nodes[i];
        if (node->is_leaf) {
            APR_ARRAY_PUSH(reader->leaves, int64_t) = llrint((double)node->number / UNIT);
            continue;
        }
        APR_ARRAY_PUSH(reader->splits, split_t) =
            (split_t){ .left = place[node->children[0]], .right = place[node->children[1]] };
        APR_ARRAY_PUSH(reader->conditions, condition_t) =
            (condition_t){ .limit = node->number, .feature = node->feature };
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
    trees->bias = llrint(bias / UNIT);
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

/* Gives each split its condition among those of all, of which each stands once. */
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
        APR_ARRAY_IDX(reader->splits, i, split_t).condition = (uint32_t)(found - each);
    }
    set_columns(reader->trees, each, n, all->pool);
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
    reader->conditions = apr_array_make(pool, 8192, sizeof(condition_t));
    reader->leaves = apr_array_make(pool, 8192, sizeof(int64_t));
    if (read_trees(reader) != APR_SUCCESS) {
        return APR_EINVAL;
    }
    share_conditions(reader);
    reader->trees->id = XXH3_64bits(text->bytes, text->len);
    reader->trees->trees = (const tree_t *)(const void *)reader->all->elts;
    reader->trees->n_trees = (uint32_t)reader->all->nelts;
    reader->trees->splits = (const split_t *)(const void *)reader->splits->elts;
    reader->trees->leaves = (const int64_t *)(const void *)reader->leaves->elts;
    *trees = reader->trees;
    return APR_SUCCESS;
}

double tmpl_trees_threshold(const tmpl_trees_t *trees)
{
    return trees->threshold;
}

uint64_t tmpl_trees_id(const tmpl_trees_t *trees)
{
    return trees->id;
}

/* --- judging --- */

/* Which of 16 values are not up to the limit, as bits. */
#ifdef __SSE2__
static inline uint64_t above(const float *values, float limit)
{
    __m128 all = _mm_set1_ps(limit);
    __m128i a = _mm_castps_si128(_mm_cmpnle_ps(_mm_loadu_ps(values), all));
    __m128i b = _mm_castps_si128(_mm_cmpnle_ps(_mm_loadu_ps(values + 4), all));
    __m128i c = _mm_castps_si128(_mm_cmpnle_ps(_mm_loadu_ps(values + 8), all));
    __m128i d = _mm_castps_si128(_mm_cmpnle_ps(_mm_loadu_ps(values + 12), all));
    __m128i bytes = _mm_packs_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d));
    return (uint64_t)_mm_movemask_epi8(bytes);
}
#else
static inline uint64_t above(const float *values, float limit)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < 16; i++) {
        bits |= (uint64_t) !(values[i] <= limit) << i;
    }
    return bits;
}
#endif

/* The functions below are made for each number of words that a set may have, so that their loops are unrolled. */
#define FOR_EACH_WIDTH static inline __attribute__((always_inline))

/* Words of a set of n blocks. */
static uint32_t words_for(uint32_t n)
{
    uint32_t words = (n + TMPL_BLOCKS_AT_ONCE - 1) / TMPL_BLOCKS_AT_ONCE;
    return words < 3 ? words : MOST_WORDS;
}

/*
 * The blocks above each limit, of the first so many times 16; a set has so many words, of which this is one. Fewer
 * and fewer are, as limits rise.
 */
FOR_EACH_WIDTH void find_above(uint64_t *sets, uint32_t words, const tmpl_trees_t *trees,
                               const tmpl_columns_t *columns, const unsigned times)
{
    const float *limit = trees->limits;
    for (uint32_t i = 0; i < trees->n_columns; i++) {
        const float *values = columns->of[trees->columns[i].feature];
        const float *after = &trees->limits[trees->columns[i].after_condition];
        uint64_t set = 1;
        for (; limit < after && set != 0; limit++, sets += words) {
            set = above(values, *limit);
            set |= times > 1 ? above(values + 16, *limit) << 16 : 0;
            set |= times > 2 ? above(values + 32, *limit) << 32 : 0;
            set |= times > 3 ? above(values + 48, *limit) << 48 : 0;
            *sets = set;
        }
        for (; limit < after; limit++, sets += words) {
            *sets = 0;
        }
    }
}

uint32_t tmpl_trees_room(const tmpl_trees_t *trees, uint32_t n)
{
    return trees->n_conditions * words_for(n);
}

void tmpl_trees_ask(uint64_t *room, const tmpl_trees_t *trees, const tmpl_columns_t *columns,
                    uint32_t first, uint32_t n)
{
    uint32_t words = words_for(n);
    uint64_t *sets = room + first / TMPL_BLOCKS_AT_ONCE;
    if (n - first > 48) {
        find_above(sets, words, trees, columns, 4);
    }
    else if (n - first > 32) {
        find_above(sets, words, trees, columns, 3);
    }
    else if (n - first > 16) {
        find_above(sets, words, trees, columns, 2);
    }
    else {
        find_above(sets, words, trees, columns, 1);
    }
}

/* Leaves that are looked at together. */
#define LEAVES 16

/* A word of blocks while they are judged. */
typedef struct {
    uint64_t one; /* some block: it ends where most others do, if they are alike */
    int64_t all;  /* what is to be added to the sums of all */
    int64_t sums[TMPL_BLOCKS_AT_ONCE]; /* of each, above that */
} judged_t;

/* Blocks while they are judged. */
typedef struct {
    const uint64_t *above; /* by condition */
    uint64_t blocks[MOST_WORDS];
    uint32_t n_words; /* that have blocks */
    judged_t words[MOST_WORDS];
    uint64_t places[(TMPL_LEAVES_NODES + LEAVES) *
                    MOST_WORDS]; /* LEAVES that are not there may be read */
} judging_t;

/* Blocks that end at a leaf. */
typedef struct {
    uint64_t blocks;
    int64_t value;
} group_t;

/* Two words of a set. */
typedef uint64_t pair_t __attribute__((vector_size(16), aligned(8)));

/* Parts the blocks by the splits of a tree, into its places. */
FOR_EACH_WIDTH void part(judging_t *judging, const split_t *split, const split_t *after,
                         const unsigned words)
{
    uint64_t *places = judging->places;
    const uint64_t *at = places;
    memcpy(places, judging->blocks, words * sizeof(*places));
    for (; split < after; split++, at += words) {
        const uint64_t *above_limit = &judging->above[split->condition * words];
        uint64_t *left = &places[split->left * words];
        uint64_t *right = &places[split->right * words];
        if (words == 1) {
            uint64_t go = *at & *above_limit;
            *left = *at ^ go;
            *right = go;
        }
        for (unsigned w = 0; w + 1 < words; w += 2) {
            pair_t from = *(const pair_t *)(at + w);
            pair_t go = from & *(const pair_t *)(above_limit + w);
            *(pair_t *)(left + w) = from ^ go;
            *(pair_t *)(right + w) = go;
        }
    }
}

/* Which of LEAVES words are not 0: bits 0, 2, 4, ... Branches here would mostly be guessed wrong. */
#ifdef __SSE2__
/* Of two words, which halves are 0. */
FOR_EACH_WIDTH __m128i empty_halves(const uint64_t *at, const unsigned words)
{
    __m128i two = words == 1 ? _mm_loadu_si128((const __m128i *)(const void *)at)
                             : _mm_set_epi64x((int64_t)at[words], (int64_t)at[0]);
    return _mm_cmpeq_epi32(two, _mm_setzero_si128());
}

/* Of eight, as bytes. */
FOR_EACH_WIDTH uint32_t empty_bytes(const uint64_t *at, const unsigned words)
{
    __m128i a = _mm_packs_epi32(empty_halves(at, words), empty_halves(at + 2 * words, words));
    __m128i b =
        _mm_packs_epi32(empty_halves(at + 4 * words, words), empty_halves(at + 6 * words, words));
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(a, b));
}

FOR_EACH_WIDTH uint32_t reached(const uint64_t *at, const unsigned words)
{
    uint32_t halves = empty_bytes(at, words) | empty_bytes(at + LEAVES / 2 * words, words) << 16;
    return ~(halves & halves >> 1) & 0x55555555;
}
#else
FOR_EACH_WIDTH uint32_t reached(const uint64_t *at, const unsigned words)
{
    uint32_t bits = 0;
    for (unsigned i = 0; i < LEAVES; i++) {
        bits |= (uint32_t)(at[i * words] != 0) << 2 * i;
    }
    return bits;
}
#endif

/* Finds the leaves at which blocks ended; returns the value of the one's, which is not among them. */
FOR_EACH_WIDTH int64_t find_groups(group_t *groups, uint32_t *n_groups, uint64_t one,
                                   const uint64_t *at, const int64_t *leaves, uint32_t n,
                                   const unsigned words)
{
    uint32_t found = 0;
    int64_t most = 0;
    for (uint32_t first = 0; first < n; first += LEAVES) {
        uint32_t bits = reached(at + first * words, words);
        bits &= n - first < LEAVES ? (1U << 2 * (n - first)) - 1 : ~0U;
        for (; bits != 0; bits &= bits - 1) {
            uint32_t i = first + (uint32_t)__builtin_ctz(bits) / 2;
            uint64_t blocks = at[i * words];
            int is_most = (blocks & one) != 0;
            most = is_most ? leaves[i] : most;
            groups[found] = (group_t){ blocks, leaves[i] };
            found += !is_most;
        }
    }
    *n_groups = found;
    return most;
}

/* Adds the values of n leaves to the blocks of a word that ended at theirs. */
FOR_EACH_WIDTH void add_leaves(judged_t *word, const uint64_t *at, const int64_t *leaves,
                               uint32_t n, const unsigned words)
{
    group_t groups[TMPL_LEAVES_MOST];
    uint32_t n_groups;
    int64_t most = find_groups(groups, &n_groups, word->one, at, leaves, n, words);
    word->all += most;
    for (uint32_t i = 0; i < n_groups; i++) {
        int64_t more = groups[i].value - most;
        for (uint64_t left = groups[i].blocks; left != 0; left &= left - 1) {
            word->sums[(uint32_t)__builtin_ctzll(left)] += more;
        }
    }
}

FOR_EACH_WIDTH void sum_trees(judging_t *judging, const tmpl_trees_t *trees, const unsigned words)
{
    const split_t *split = trees->splits;
    for (uint32_t t = 0; t < trees->n_trees; t++) {
        const split_t *after = &trees->splits[trees->trees[t].after_split];
        uint32_t splits = (uint32_t)(after - split);
        const uint64_t *at = &judging->places[splits * words];
        part(judging, split, after, words);
        for (uint32_t w = 0; w < (words == 1 ? 1 : judging->n_words); w++) {
            add_leaves(&judging->words[w], at + w, &trees->leaves[trees->trees[t].first_leaf],
                       splits + 1, words);
        }
        split = after;
    }
}

void tmpl_trees_judge(float *templateness, const tmpl_trees_t *trees, const uint64_t *room,
                      uint32_t n)
{
    judging_t judging = { .above = room };
    uint32_t words = words_for(n);
    for (uint32_t first = 0; first < n; first += TMPL_BLOCKS_AT_ONCE) {
        uint32_t blocks = n - first < TMPL_BLOCKS_AT_ONCE ? n - first : TMPL_BLOCKS_AT_ONCE;
        judging.blocks[judging.n_words] = ~(uint64_t)0 >> (TMPL_BLOCKS_AT_ONCE - blocks);
        judging.words[judging.n_words].one = (uint64_t)1 << blocks / 2;
        judging.words[judging.n_words++].all = trees->bias;
    }
    if (words == 1) {
        sum_trees(&judging, trees, 1);
    }
    else if (words == 2) {
        sum_trees(&judging, trees, 2);
    }
    else {
        sum_trees(&judging, trees, MOST_WORDS);
    }
    for (uint32_t i = 0; i < n; i++) {
        const judged_t *word = &judging.words[i / TMPL_BLOCKS_AT_ONCE];
        double sum = (double)(word->sums[i % TMPL_BLOCKS_AT_ONCE] + word->all) * UNIT;
        templateness[i] = (float)(1 / (1 + exp(-sum)));
    }
}
