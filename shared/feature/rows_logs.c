/* SPDX-License-Identifier: Apache-2.0 */
/* Logarithms of counts. Counts are small and come again, so their logarithms are kept. */
#include "feature/rows_parts.h"

#include <math.h>
#include <string.h>

/* As floats, log(1 + x) and log1p(x) are the same for all counts, and log is faster. */
float tmpl_log_of(const tmpl_rows_t *of, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof(bits));
    tmpl_known_log_t *known = &of->logs[bits * 0x9E3779B97F4A7C15U >> (64 - TMPL_KNOWN_LOG_BITS)];
    if (known->x != x) {
        *known = (tmpl_known_log_t){ x, (float)log(1 + x) };
    }
    return known->log;
}

uint32_t tmpl_logs_of_halves[TMPL_LOG_HALVES];
uint32_t tmpl_logs_of_shared[TMPL_LOG_BLOCKS][TMPL_LOG_SHARED];

static inline float known_log(uint32_t *known, double x)
{
    float value;
    uint32_t bits = __atomic_load_n(known, __ATOMIC_RELAXED);
    if (bits == 0) {
        value = (float)log(1 + x);
        memcpy(&bits, &value, sizeof(bits));
        __atomic_store_n(known, bits, __ATOMIC_RELAXED);
    }
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static float log_halves(const tmpl_rows_t *of, uint32_t halves)
{
    return halves == 0                ? 0.0F
           : halves < TMPL_LOG_HALVES ? known_log(&tmpl_logs_of_halves[halves], halves * 0.5)
                                      : tmpl_log_of(of, halves * 0.5);
}

float tmpl_log_shared(const tmpl_rows_t *of, uint32_t halves, uint32_t blocks)
{
    double x = halves * 0.5 / blocks;
    return halves == 0 ? 0.0F
           : halves < TMPL_LOG_SHARED && blocks < TMPL_LOG_BLOCKS
               ? known_log(&tmpl_logs_of_shared[blocks][halves], x)
               : tmpl_log_of(of, x);
}

void tmpl_logs_find(float *to, const tmpl_rows_t *of, const uint32_t *halves, uint64_t unknown)
{
    for (; unknown != 0; unknown &= unknown - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(unknown);
        to[i] = log_halves(of, halves[i]);
    }
}
