/* SPDX-License-Identifier: Apache-2.0 */
#include "page/slot.h"

#include <pthread.h>

#include <apr_general.h>
#include <apr_time.h>

static uint64_t factor;
static pthread_once_t factor_once = PTHREAD_ONCE_INIT;

static void draw_factor(void)
{
    if (apr_generate_random_bytes((unsigned char *)&factor, sizeof(factor)) != APR_SUCCESS) {
        factor = (uint64_t)apr_time_now() * 0x9E3779B97F4A7C15u;
    }
    factor |= 1;
}

uint32_t tmpl_slot_of(uint64_t hash, uint32_t n_slots)
{
    pthread_once(&factor_once, draw_factor);
    /* the upper bits of the product: no others depend on all bits of the hash */
    return (uint32_t)(((hash * factor) >> 32) * n_slots >> 32);
}
