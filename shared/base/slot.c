/* SPDX-License-Identifier: Apache-2.0 */
#include "base/slot.h"

#include <pthread.h>

#include <apr_general.h>
#include <apr_time.h>

_Atomic uint64_t tmpl_slot_factor;
static pthread_once_t factor_once = PTHREAD_ONCE_INIT;

static void draw_factor(void)
{
    uint64_t factor;
    if (apr_generate_random_bytes((unsigned char *)&factor, sizeof(factor)) != APR_SUCCESS) {
        factor = (uint64_t)apr_time_now() * 0x9E3779B97F4A7C15u;
    }
    tmpl_slot_factor = factor | 1;
}

uint64_t tmpl_slot_draw(void)
{
    pthread_once(&factor_once, draw_factor);
    return tmpl_slot_factor;
}
