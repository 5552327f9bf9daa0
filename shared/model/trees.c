/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judges blocks in sets. A set of 64 blocks is one word; a set of more blocks is two or four words.
 *
 * Trees share their conditions (feature, limit), so tmpl_trees_test computes once for each
 * condition the set of blocks above the limit. A tree begins with the set of all blocks at its
 * root. A split divides the set S that reaches it: S & above goes right, S & ~above goes left. At
 * the end each leaf has a set, and adds its value to these blocks. No branch depends on the page.
 *
 * Neighbouring blocks mostly end at the same leaf. So the value of one block's leaf is added to a
 * sum for all blocks, and only blocks at other leaves get the difference added. Values are
 * integers, so the order of additions does not matter.
 */
#include <stdlib.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "model/trees_model.h"

/*
 * The functions below are compiled for each number of words in a set, so that their loops unroll.
 */
#define FOR_EACH_WIDTH static inline __attribute__((always_inline))
#define TREES_INLINE   FOR_EACH_WIDTH

/* words of a set of blocks */
#define MOST_WORDS (TMPL_JUDGED_AT_ONCE / TMPL_BLOCKS_AT_ONCE)

#ifdef __SSE2__
TREES_INLINE uint64_t above(const float *values, float limit, const unsigned n)
{
    __m128 all = _mm_set1_ps(limit);
    uint64_t set = 0;
    for (unsigned i = 0; i < n; i += 16) {
        __m128i four[4];
        for (unsigned k = 0; k < 4; k++) {
            four[k] = _mm_castps_si128(_mm_cmpnle_ps(_mm_loadu_ps(values + i + 4 * k), all));
        }
        __m128i bytes =
            _mm_packs_epi16(_mm_packs_epi32(four[0], four[1]), _mm_packs_epi32(four[2], four[3]));
        set |= (uint64_t)_mm_movemask_epi8(bytes) << i;
    }
    return set;
}
#else
TREES_INLINE uint64_t above(const float *values, float limit, const unsigned n)
{
    uint64_t set = 0;
    for (unsigned i = 0; i < n; i++) {
        set |= (uint64_t) !(values[i] <= limit) << i;
    }
    return set;
}
#endif

#include "model/trees_part.h"

/* leaves that are compared with 0 together */
#define LEAVES 16

/* The sums of the blocks of one word. */
typedef struct {
    uint64_t one; /* a block in the middle: it mostly ends at the same leaf as most others */
    int64_t all;  /* a part of the sums of all blocks */
    int64_t sums[TMPL_BLOCKS_AT_ONCE]; /* the rest of each block's sum */
} judged_t;

/* The state while blocks are judged. */
typedef struct {
    const uint64_t *above; /* sets, by condition */
    uint32_t n_words;      /* words in use */
    judged_t words[MOST_WORDS];
    uint64_t sets[TMPL_LEAVES_NODES * MOST_WORDS];
} judging_t;

/* The blocks that end at a leaf. */
typedef struct {
    uint64_t blocks;
    int64_t value;
} group_t;

/*
 * Which of LEAVES words are not 0, as bits 0, 2, 4, ... Branches instead would mostly be
 * mispredicted.
 */
#ifdef __SSE2__
/* Which 32-bit halves of two words are 0. */
FOR_EACH_WIDTH __m128i empty_halves(const uint64_t *at, const unsigned words)
{
    __m128i two = words == 1 ? _mm_loadu_si128((const __m128i *)(const void *)at)
                             : _mm_set_epi64x((int64_t)at[words], (int64_t)at[0]);
    return _mm_cmpeq_epi32(two, _mm_setzero_si128());
}

/* The same of eight words, as one byte each. */
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

/*
 * Collects the leaves at which blocks end, except the leaf of block one, whose value is returned.
 */
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

/* Adds the values of a tree's n leaves to the blocks of one word. */
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
    const int64_t *leaves = trees->leaves;
    for (uint32_t t = 0; t < trees->n_trees; t++) {
        const split_t *after = &trees->splits[trees->after_split[t]];
        uint32_t n = (uint32_t)(after - split) + 1;
        part(judging->sets, judging->above, split, after, words, words);
        for (uint32_t w = 0; w < (words == 1 ? 1 : judging->n_words); w++) {
            add_leaves(&judging->words[w], &judging->sets[w], leaves, n, words);
        }
        split = after;
        leaves += n;
    }
}

void tmpl_trees_judge_anywhere(float *templateness, const tmpl_trees_t *trees, const uint64_t *room,
                               uint32_t n)
{
    judging_t judging = { .above = room };
    uint32_t words = tmpl_words_for(n);
    uint64_t *all = &judging.sets[SETS_OF_SPLITS / sizeof(uint64_t) * words];
    for (uint32_t first = 0; first < n; first += TMPL_BLOCKS_AT_ONCE) {
        uint32_t blocks = n - first < TMPL_BLOCKS_AT_ONCE ? n - first : TMPL_BLOCKS_AT_ONCE;
        all[judging.n_words] = ~(uint64_t)0 >> (TMPL_BLOCKS_AT_ONCE - blocks);
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
        templateness[i] = tmpl_templateness(word->sums[i % TMPL_BLOCKS_AT_ONCE] + word->all);
    }
}

uint32_t tmpl_trees_room(const tmpl_trees_t *trees, uint32_t n)
{
    return trees->n_conditions * tmpl_words_for(n);
}

int tmpl_has_avx2(void)
{
#ifdef TMPL_FOR_AVX2
    static int known; /* 1: no, 2: yes; any thread may find out */
    int has = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (has == 0) {
        has = 1 + (getenv("TMPL_NO_AVX2") == NULL && __builtin_cpu_supports("avx2") &&
                   __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                   __builtin_cpu_supports("popcnt"));
        __atomic_store_n(&known, has, __ATOMIC_RELAXED);
    }
    return has == 2;
#else
    return 0;
#endif
}

void tmpl_trees_test_anywhere(uint64_t *room, const tmpl_trees_t *trees,
                              const tmpl_columns_t *columns, uint32_t first, uint32_t n)
{
    test(room + first / TMPL_BLOCKS_AT_ONCE, tmpl_words_for(n), trees, columns, n - first);
}

void tmpl_trees_test(uint64_t *room, const tmpl_trees_t *trees, const tmpl_columns_t *columns,
                     uint32_t first, uint32_t n)
{
#ifdef TMPL_FOR_AVX2
    if (tmpl_has_avx2()) {
        tmpl_trees_test_avx2(room, trees, columns, first, n);
        return;
    }
#endif
    tmpl_trees_test_anywhere(room, trees, columns, first, n);
}

void tmpl_trees_judge(float *templateness, const tmpl_trees_t *trees, const uint64_t *room,
                      uint32_t n)
{
#ifdef TMPL_FOR_AVX2
    if (trees->n_bytes > 0 && tmpl_has_avx2()) {
        tmpl_trees_judge_avx2(templateness, trees, room, n);
        return;
    }
#endif
    tmpl_trees_judge_anywhere(templateness, trees, room, n);
}
