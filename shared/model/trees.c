/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judges blocks in sets. A set of 64 blocks is one word; a set of more blocks is two or four words.
 *
 * Trees share their conditions (feature, limit), so tmpl_trees_test computes once for each
 * condition the set of blocks above the limit. A tree begins with the set of all blocks at its
 * root. A split divides the set S that reaches it: S & above goes right, S & ~above goes left. At
 * the end each leaf has a set, and adds its value to these blocks. Values are integers, so the
 * order of additions does not matter.
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

/* The state while blocks are judged. */
typedef struct {
    const uint64_t *above; /* sets, by condition */
    uint32_t n_words;      /* words in use */
    int64_t sums[TMPL_JUDGED_AT_ONCE];
    uint64_t sets[TMPL_LEAVES_NODES * MOST_WORDS];
} trees_judging_t;

/* Adds the values of a tree's n leaves to the sums of the blocks of one word. */
FOR_EACH_WIDTH void add_leaves(int64_t *sums, const uint64_t *at, const int64_t *leaves, uint32_t n,
                               const unsigned words)
{
    for (uint32_t i = 0; i < n; i++) {
        for (uint64_t left = at[i * words]; left != 0; left &= left - 1) {
            sums[(uint32_t)__builtin_ctzll(left)] += leaves[i];
        }
    }
}

FOR_EACH_WIDTH void sum_trees(trees_judging_t *judging, const tmpl_trees_t *trees,
                              const unsigned words)
{
    const split_t *split = trees->splits;
    const int64_t *leaves = trees->leaves;
    for (uint32_t t = 0; t < trees->n_trees; t++) {
        const split_t *after = &trees->splits[trees->after_split[t]];
        uint32_t n = (uint32_t)(after - split) + 1;
        part(judging->sets, judging->above, split, after, words, words);
        for (uint32_t w = 0; w < (words == 1 ? 1 : judging->n_words); w++) {
            add_leaves(&judging->sums[w * TMPL_BLOCKS_AT_ONCE], &judging->sets[w], leaves, n,
                       words);
        }
        split = after;
        leaves += n;
    }
}

void tmpl_trees_judge_anywhere(float *templateness, const tmpl_trees_t *trees, const uint64_t *room,
                               uint32_t n)
{
    trees_judging_t judging = { .above = room };
    uint32_t words = tmpl_words_for(n);
    uint64_t *all = &judging.sets[SETS_OF_SPLITS / sizeof(uint64_t) * words];
    for (uint32_t first = 0; first < n; first += TMPL_BLOCKS_AT_ONCE) {
        uint32_t blocks = n - first < TMPL_BLOCKS_AT_ONCE ? n - first : TMPL_BLOCKS_AT_ONCE;
        all[judging.n_words] = ~(uint64_t)0 >> (TMPL_BLOCKS_AT_ONCE - blocks);
        judging.n_words++;
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
        templateness[i] = tmpl_templateness(judging.sums[i] + trees->bias);
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
