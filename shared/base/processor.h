/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that are compiled twice: for any processor, and for those that have what nearly all of the last ten years have.
 * No instruction is among these that rounds otherwise (fused multiply-add), so both give the same bits.
 */
#ifndef TMPL_PROCESSOR_H
#define TMPL_PROCESSOR_H

#if defined(__x86_64__) && defined(__SSE2__)
#define TMPL_FOR_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))

/* Whether what is TMPL_FOR_AVX2 may be called. With TMPL_NO_AVX2 defined it is not, so that the other way can be measured. */
static inline int tmpl_has_avx2(void)
{
#ifdef TMPL_NO_AVX2
    return 0;
#else
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
#endif
}
#endif

#endif
