/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reproducible random bytes: in a test program the library gets its random bytes here (for salts of
 * sites, pauses, the factor of hash tables). The same seed gives the same bytes. TMPL_TEST_SEED
 * replaces the default seed; the seed is printed as a comment of TAP. A forked child gets other
 * bytes than its parent.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apr_errno.h>
#include <apr_general.h>

static uint64_t seed, drawn, forks;

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

static void before_fork(void)
{
    __atomic_add_fetch(&forks, 1, __ATOMIC_RELAXED);
}

static void in_child(void)
{
    seed = mix(seed + forks);
}

__attribute__((constructor)) static void begin(void)
{
    const char *named = getenv("TMPL_TEST_SEED");

    seed = named != NULL ? strtoull(named, NULL, 10) : 1;
    printf("# TMPL_TEST_SEED=%llu\n", (unsigned long long)seed);
    fflush(stdout);
    seed = mix(seed + 0x9e3779b97f4a7c15ULL);
    pthread_atfork(before_fork, NULL, in_child);
}

__attribute__((visibility("default"))) apr_status_t apr_generate_random_bytes(unsigned char *bytes,
                                                                              apr_size_t n)
{
    while (n > 0) {
        uint64_t i = __atomic_add_fetch(&drawn, 1, __ATOMIC_RELAXED);
        uint64_t eight = mix(seed + i * 0x9e3779b97f4a7c15ULL);
        apr_size_t part = n < sizeof(eight) ? n : sizeof(eight);

        memcpy(bytes, &eight, part);
        bytes += part;
        n -= part;
    }
    return APR_SUCCESS;
}
