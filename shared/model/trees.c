/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "model/trees_model.h"

#define TREES_INLINE static inline __attribute__((always_inline))

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

uint32_t tmpl_trees_room(const tmpl_trees_t *trees)
{
    uint32_t last = trees->last != NULL ? trees->last->n_conditions : 0;
    return trees->n_conditions > last ? trees->n_conditions : last;
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

void tmpl_trees_judge_anywhere(float *templateness, const tmpl_trees_t *trees,
                               const tmpl_columns_t *columns, uint32_t n, uint64_t *room)
{
    judge(templateness, trees, columns, n, room);
}

void tmpl_trees_judge(float *templateness, const tmpl_trees_t *trees, const tmpl_columns_t *columns,
                      uint32_t n, uint64_t *room)
{
#ifdef TMPL_FOR_AVX2
    if (tmpl_has_avx2()) {
        tmpl_trees_judge_avx2(templateness, trees, columns, n, room);
        return;
    }
#endif
    tmpl_trees_judge_anywhere(templateness, trees, columns, n, room);
}
