/* SPDX-License-Identifier: Apache-2.0 */
#include "base/processor.h"

#ifdef TMPL_FOR_AVX2
#include <immintrin.h>

#define LANES    32
#define COLLAPSE TMPL_FOR_AVX2 static inline
#include "page/collapse_lanes.h"

COLLAPSE uint64_t lanes_bits(lanes_t marks)
{
    return (uint32_t)_mm256_movemask_epi8((__m256i)marks);
}

TMPL_FOR_AVX2 tmpl_collapsed_t tmpl_collapse_avx2(char *room, const char *at, const char *end,
                                                  const char *limit)
{
    return collapse(room, at, end, limit);
}
#endif
