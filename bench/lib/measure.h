/* SPDX-License-Identifier: Apache-2.0 */
/* Clocks and medians. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdlib.h>
#include <time.h>

/* The time of a clock, in seconds. */
static inline double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static inline int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of n >= 1 numbers (if n is even, the upper one of the middle two); sorts them. */
static inline double median_of(double *numbers, size_t n)
{
    qsort(numbers, n, sizeof(*numbers), by_value);
    return numbers[n / 2];
}

#endif
