/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tmpl_trees_judge for processors with AVX2, without any branch that depends on the page. The sets
 * of leaves are those of trees.c. Then, 256 blocks at a time,
 *
 *   1. number_leaves turns the sets of 16 leaves into 4-bit numbers: bit k of a block's number is
 *      the OR of the sets of all leaves whose index has bit k. A byte holds one block's number. A
 *      tree of up to 31 leaves has two such numbers, of leaves 0 to 15, and of leaves 15 to 30 from
 *      0: a block at a leaf beyond has number 0.
 *   2. look_up fetches a byte of the leaf's value by the number, 32 blocks in one instruction
 *      (vpshufb), and adds it to 16-bit sums: of the even bytes (both - 256 * second) and of the
 *      odd ones (second).
 *   3. add_up adds these sums, shifted by their byte, to the 64-bit totals of the blocks.
 */
#include "model/trees_model.h"

#ifdef TMPL_FOR_AVX2
#include <string.h>

#include <immintrin.h>

#define TREES_INLINE TMPL_FOR_AVX2 static inline __attribute__((always_inline))

TREES_INLINE uint64_t above(const float *values, float limit, const unsigned n)
{
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    __m256 all = _mm256_set1_ps(limit);
    uint64_t set = 0;
    for (unsigned i = 0; i < n; i += 32) {
        __m256i eight[4];
        for (unsigned k = 0; k < 4; k++) {
            __m256 some = _mm256_loadu_ps(values + i + 8 * k);
            eight[k] = _mm256_castps_si256(_mm256_cmp_ps(some, all, _CMP_NLE_UQ));
        }
        /* packing works on both halves of a vector: afterwards groups of four are out of order */
        __m256i bytes = _mm256_packs_epi16(_mm256_packs_epi32(eight[0], eight[1]),
                                           _mm256_packs_epi32(eight[2], eight[3]));
        bytes = _mm256_permutevar8x32_epi32(bytes, order);
        set |= (uint64_t)(uint32_t)_mm256_movemask_epi8(bytes) << i;
    }
    return set;
}

#include "model/trees_part.h"

/*
 * A row is a vector of four words: the set of one tree's leaf for up to 256 blocks, or the sets of
 * two trees' leaves for up to 128 blocks. Values are looked up for ROWS rows at a time: a row for
 * each table of the trees.
 */
#define ROW      4
#define ROW_BITS 8  /* bits of a byte, each a block */
#define PAIRS    16 /* pairs of bytes in a row */
#define ROWS     16

/* 256 bytes of 255 at most add up to less than 2^16; a tree may have two */
#define TREES_MOST 128

/* Sums of one byte of the values: for each bit of a row's bytes a vector of 16 pairs of blocks. */
typedef struct {
    __m256i both[ROW_BITS]; /* 16 bits for each pair: first + 256 * second, modulo 2^16 */
    __m256i second[ROW_BITS];
} byte_sums_t;

typedef struct {
    const uint64_t *above; /* sets, by condition */
    uint64_t sets[TMPL_LEAVES_NODES * ROW];
    __m256i numbers
        [ROWS]
        [ROW_BITS]; /* of leaves: a byte for each block, one vector for each bit of a row's bytes */
    byte_sums_t sums[TMPL_VALUE_BYTES];
    int64_t totals[ROW_BITS][2][PAIRS]; /* by bit; of the first bytes of pairs, and of the second */
} trees_avx2_judging_t;

/* The bits of two numbers interleaved: those at mask, and those beside them. */
typedef struct {
    __m256i here;
    __m256i beside;
} zipped_t;

TREES_INLINE zipped_t zip(__m256i low, __m256i high, __m256i mask, const int bits)
{
    __m256i here = _mm256_or_si256(_mm256_and_si256(low, mask),
                                   _mm256_slli_epi16(_mm256_and_si256(high, mask), bits));
    __m256i beside = _mm256_or_si256(_mm256_and_si256(_mm256_srli_epi16(low, bits), mask),
                                     _mm256_andnot_si256(mask, high));
    return (zipped_t){ here, beside };
}

/* Splits bytes into their lower and upper halves. */
TREES_INLINE void part_halves(__m256i *first, __m256i *second, __m256i halves)
{
    const __m256i low = _mm256_set1_epi8(0x0F);
    *first = _mm256_and_si256(halves, low);
    *second = _mm256_and_si256(_mm256_srli_epi16(halves, 4), low);
}

/*
 * Computes the number of each block's leaf: bit k is set for the blocks in sets of leaves with that
 * bit.
 */
TREES_INLINE void number_leaves(__m256i *numbers, const uint64_t *sets)
{
    const __m256i twos = _mm256_set1_epi8(0x55);
    const __m256i fours = _mm256_set1_epi8(0x33);
    __m256i leaf[TMPL_LEAVES_FEW];
    __m256i odd[TMPL_LEAVES_FEW / 2]; /* in one of two leaves */
    for (int i = 1; i < TMPL_LEAVES_FEW; i++) {
        leaf[i] = _mm256_loadu_si256((const __m256i *)(const void *)&sets[i * ROW]);
    }
    for (int i = 1; i < TMPL_LEAVES_FEW / 2; i++) {
        odd[i] = _mm256_or_si256(leaf[2 * i], leaf[2 * i + 1]);
    }
    __m256i bit[4] = { leaf[1], odd[1], _mm256_or_si256(odd[2], odd[3]), odd[4] };
    bit[3] = _mm256_or_si256(_mm256_or_si256(odd[4], odd[5]), _mm256_or_si256(odd[6], odd[7]));
    for (int i = 3; i < TMPL_LEAVES_FEW; i += 2) {
        bit[0] = _mm256_or_si256(bit[0], leaf[i]);
    }
    for (int i = 3; i < TMPL_LEAVES_FEW / 2; i += 2) {
        bit[1] = _mm256_or_si256(bit[1], odd[i]);
    }
    bit[2] = _mm256_or_si256(bit[2], _mm256_or_si256(odd[6], odd[7]));
    zipped_t low = zip(bit[0], bit[1], twos, 1);
    zipped_t high = zip(bit[2], bit[3], twos, 1);
    zipped_t even = zip(low.here, high.here, fours, 2);
    zipped_t uneven = zip(low.beside, high.beside, fours, 2);
    part_halves(&numbers[0], &numbers[4], even.here);
    part_halves(&numbers[1], &numbers[5], uneven.here);
    part_halves(&numbers[2], &numbers[6], even.beside);
    part_halves(&numbers[3], &numbers[7], uneven.beside);
}

/*
 * Adds byte by byte the values of the leaves to the sums of four bits; tables begins with the first
 * tree's.
 */
TREES_INLINE void look_up(byte_sums_t *sums, __m256i numbers[][ROW_BITS], uint32_t rows, int first,
                          const unsigned char *tables, size_t size, const unsigned n_tables,
                          const unsigned words)
{
    __m256i both[4];
    __m256i second[4];
    memcpy(both, &sums->both[first], sizeof(both));
    memcpy(second, &sums->second[first], sizeof(second));
    for (uint32_t row = 0; row < rows; row++) {
        __m128i one = _mm_loadu_si128((const __m128i *)(const void *)tables);
        __m128i other = one;
        if (words < ROW) {
            other = _mm_loadu_si128((const __m128i *)(const void *)(tables + n_tables * size));
            /* behind the last table of one tree come those of the other */
            tables += row % n_tables == n_tables - 1 ? n_tables * size : 0;
        }
        tables += size;
        __m256i table = _mm256_set_m128i(other, one);
        for (int i = 0; i < 4; i++) {
            __m256i values = _mm256_shuffle_epi8(table, numbers[row][first + i]);
            both[i] = _mm256_add_epi16(both[i], values);
            second[i] = _mm256_add_epi16(second[i], _mm256_srli_epi16(values, 8));
        }
    }
    memcpy(&sums->both[first], both, sizeof(both));
    memcpy(&sums->second[first], second, sizeof(second));
}

/*
 * Computes the sets of a tree's leaves, in the tree's words of the row; the other leaves' sets are
 * empty.
 */
TREES_INLINE void part_tree(trees_avx2_judging_t *judging, uint64_t *sets,
                            const tmpl_trees_t *trees, uint32_t t, const unsigned n_tables,
                            const unsigned words)
{
    const split_t *split = &trees->splits[t > 0 ? trees->after_split[t - 1] : 0];
    const split_t *after = &trees->splits[trees->after_split[t]];
    part(sets, judging->above, split, after, words, ROW);
    for (long i = after - split + 1; i <= (long)n_tables * (TMPL_LEAVES_FEW - 1); i++) {
        memset(&sets[i * ROW], 0, words * sizeof(*sets));
    }
}

/* Adds the values of trees [first, after), at most TREES_MOST, to sums. */
TREES_INLINE void sum_trees(trees_avx2_judging_t *judging, const tmpl_trees_t *trees,
                            uint32_t first, uint32_t after, const unsigned n_tables,
                            const unsigned words)
{
    size_t size = (size_t)trees->n_bytes * TMPL_LEAVES_FEW;
    for (int is_first = 1; first < after; is_first = 0) {
        const unsigned char *tables = trees->bytes + first * n_tables * size;
        uint32_t rows = 0;
        while (rows < ROWS && first < after) {
            part_tree(judging, judging->sets, trees, first++, n_tables, words);
            if (words < ROW && first < after) {
                part_tree(judging, judging->sets + ROW / 2, trees, first++, n_tables, words);
            }
            for (uint32_t i = 0; i < n_tables; i++) {
                number_leaves(judging->numbers[rows++],
                              judging->sets + (size_t)i * (TMPL_LEAVES_FEW - 1) * ROW);
            }
        }
        for (uint32_t i = 0; i < trees->n_bytes; i++, tables += TMPL_LEAVES_FEW) {
            byte_sums_t *sums = &judging->sums[i];
            if (is_first) {
                *sums = (byte_sums_t){ 0 };
            }
            look_up(sums, judging->numbers, rows, 0, tables, size, n_tables, words);
            look_up(sums, judging->numbers, rows, 4, tables, size, n_tables, words);
        }
    }
}

/* Adds the sums of one byte of the values, shifted by its bits, to the totals of the blocks. */
TREES_INLINE void add_sums(int64_t *totals, __m256i sums, uint32_t bits)
{
    uint16_t each[PAIRS];
    memcpy(each, &sums, sizeof(sums));
    for (int i = 0; i < PAIRS; i++) {
        totals[i] += (int64_t)each[i] << bits;
    }
}

/* Adds all sums to the totals. If a row holds two trees, its halves are added first. */
TREES_INLINE void add_up(trees_avx2_judging_t *judging, uint32_t n_bytes, const unsigned words)
{
    for (uint32_t b = 0; b < n_bytes; b++) {
        for (int i = 0; i < ROW_BITS; i++) {
            __m256i both = judging->sums[b].both[i];
            __m256i second = judging->sums[b].second[i];
            if (words < ROW) {
                both = _mm256_add_epi16(both, _mm256_permute2x128_si256(both, both, 1));
                second = _mm256_add_epi16(second, _mm256_permute2x128_si256(second, second, 1));
            }
            __m256i first = _mm256_sub_epi16(both, _mm256_slli_epi16(second, 8));
            add_sums(judging->totals[i][0], first, 8 * b);
            add_sums(judging->totals[i][1], second, 8 * b);
        }
    }
}

TREES_INLINE void judge(trees_avx2_judging_t *judging, const tmpl_trees_t *trees,
                        const unsigned n_tables, const unsigned words)
{
    for (uint32_t first = 0; first < trees->n_trees; first += TREES_MOST) {
        uint32_t left = trees->n_trees - first;
        sum_trees(judging, trees, first, first + (left < TREES_MOST ? left : TREES_MOST), n_tables,
                  words);
        add_up(judging, trees->n_bytes, words);
    }
}

TREES_INLINE void judge_by(trees_avx2_judging_t *judging, const tmpl_trees_t *trees,
                           const unsigned words)
{
    if (trees->n_tables == 1) {
        judge(judging, trees, 1, words);
    }
    else {
        judge(judging, trees, 2, words);
    }
}

TMPL_FOR_AVX2 void tmpl_trees_test_avx2(uint64_t *room, const tmpl_trees_t *trees,
                                        const tmpl_columns_t *columns, uint32_t first, uint32_t n)
{
    test(room + first / TMPL_BLOCKS_AT_ONCE, tmpl_words_for(n), trees, columns, n - first);
}

TMPL_FOR_AVX2 void tmpl_trees_judge_avx2(float *templateness, const tmpl_trees_t *trees,
                                         const uint64_t *room, uint32_t n)
{
    trees_avx2_judging_t judging;
    uint32_t words = tmpl_words_for(n);
    uint64_t *all = &judging.sets[SETS_OF_SPLITS / sizeof(uint64_t) * ROW];
    judging.above = room;
    memset(judging.sets, 0, sizeof(judging.sets));
    memset(judging.totals, 0, sizeof(judging.totals));
    for (uint32_t first = 0; first < n; first += TMPL_BLOCKS_AT_ONCE) {
        uint32_t blocks = n - first < TMPL_BLOCKS_AT_ONCE ? n - first : TMPL_BLOCKS_AT_ONCE;
        all[first / TMPL_BLOCKS_AT_ONCE] = ~(uint64_t)0 >> (TMPL_BLOCKS_AT_ONCE - blocks);
    }
    if (words < ROW) {
        memcpy(all + ROW / 2, all, ROW / 2 * sizeof(*all));
    }
    if (words == 1) {
        judge_by(&judging, trees, 1);
    }
    else if (words == 2) {
        judge_by(&judging, trees, 2);
    }
    else {
        judge_by(&judging, trees, ROW);
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t byte = i / ROW_BITS;
        templateness[i] =
            tmpl_templateness(trees->least + judging.totals[i % ROW_BITS][byte % 2][byte / 2]);
    }
}
#endif
