/* SPDX-License-Identifier: Apache-2.0 */
/* tmpl_trees_judge for processors with AVX2. */
#include "model/trees_model.h"

#ifdef TMPL_FOR_AVX2
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

TMPL_FOR_AVX2 void tmpl_trees_judge_avx2(float *templateness, const tmpl_trees_t *trees,
                                         const tmpl_columns_t *columns, uint32_t n, uint64_t *room)
{
    judge(templateness, trees, columns, n, room);
}
#endif
