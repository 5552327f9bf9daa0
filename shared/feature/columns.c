/* SPDX-License-Identifier: Apache-2.0 */
#include "feature/columns.h"

typedef int32_t ints_t __attribute__((vector_size(16), aligned(4), may_alias));
typedef float floats_t __attribute__((vector_size(16), aligned(4), may_alias));

static inline ints_t ints_at(const uint32_t *numbers)
{
    return *(const ints_t *)(const void *)numbers;
}

static inline floats_t chosen(ints_t which, floats_t these, floats_t others)
{
    return (floats_t)(((ints_t)these & which) | ((ints_t)others & ~which));
}

/* Up to 2^24, which are exact as floats, a quotient of these is rounded as one of doubles is. */
static inline floats_t shares(ints_t part, ints_t all)
{
    const floats_t none = { 0 };
    const floats_t ones = { 1, 1, 1, 1 };
    floats_t quotient =
        __builtin_convertvector(part, floats_t) / __builtin_convertvector(all, floats_t);
    return chosen(all > 0, chosen(quotient < ones, quotient, ones), none);
}

void tmpl_put_shares(float *to, const uint32_t *part, int times, const uint32_t *all, uint32_t n)
{
    for (uint32_t i = 0; i < n; i += 4) {
        *(floats_t *)(void *)(to + i) = shares(ints_at(part + i) * times, ints_at(all + i));
    }
}

void tmpl_put_shares_of(float *to, const uint32_t *part, uint32_t all, uint32_t n)
{
    int32_t one = (int32_t)all;
    const ints_t same = { one, one, one, one };
    for (uint32_t i = 0; i < n; i += 4) {
        *(floats_t *)(void *)(to + i) = shares(ints_at(part + i), same);
    }
}

void tmpl_put_shares_between(float *to, const uint32_t *part, const uint32_t *all, int first,
                             int after, uint32_t n)
{
    for (uint32_t i = 0; i < n; i += 4) {
        *(floats_t *)(void *)(to + i) =
            shares(ints_at(part + i + after) - ints_at(part + i + first),
                   ints_at(all + i + after) - ints_at(all + i + first));
    }
}

void tmpl_put_near(float *to, const uint32_t *steps, uint32_t n)
{
    const floats_t ones = { 1, 1, 1, 1 };
    for (uint32_t i = 0; i < n; i += 4) {
        *(floats_t *)(void *)(to + i) =
            ones / __builtin_convertvector(ints_at(steps + i) + 1, floats_t);
    }
}

void tmpl_put_letters(float *to, const uint32_t *chars, const uint32_t *halves, uint32_t n)
{
    const floats_t most = { 20, 20, 20, 20 };
    const floats_t none = { 0 };
    for (uint32_t i = 0; i < n; i += 4) {
        ints_t words = ints_at(halves + i);
        floats_t letters = __builtin_convertvector(ints_at(chars + i), floats_t) /
                           (__builtin_convertvector(words, floats_t) * 0.5F);
        *(floats_t *)(void *)(to + i) =
            chosen(words > 0, chosen(letters < most, letters, most), none);
    }
}
