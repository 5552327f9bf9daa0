/* SPDX-License-Identifier: Apache-2.0 */
#include "base/bytes16.h"

#define LANES    TMPL_BYTES16
#define COLLAPSE static inline
#include "page/collapse_lanes.h"

COLLAPSE uint64_t lanes_bits(lanes_t marks)
{
    return tmpl_bytes16_bits(marks);
}

tmpl_collapsed_t tmpl_collapse_anywhere(char *room, const char *at, const char *end,
                                        const char *limit)
{
    return collapse(room, at, end, limit);
}

tmpl_collapse_t *tmpl_collapse_here(void)
{
#ifdef TMPL_FOR_AVX2
    if (tmpl_has_avx2()) {
        return tmpl_collapse_avx2;
    }
#endif
    return tmpl_collapse_anywhere;
}
