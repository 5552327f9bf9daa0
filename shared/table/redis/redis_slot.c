/* SPDX-License-Identifier: Apache-2.0 */
#include "table/redis/redis_slot.h"

#include <stddef.h>
#include <string.h>

#define POLYNOMIAL 0x1021u

unsigned tmpl_redis_slot(const char *key)
{
    const char *open = strchr(key, '{');
    const char *close = open != NULL ? strchr(open, '}') : NULL;
    size_t len = strlen(key);
    unsigned crc = 0;

    if (close != NULL && close > open + 1) {
        key = open + 1;
        len = (size_t)(close - key);
    }
    for (size_t i = 0; i < len; i++) {
        crc ^= (unsigned)(unsigned char)key[i] << 8;
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc << 1) ^ ((crc & 0x8000u) != 0 ? POLYNOMIAL : 0);
        }
    }
    return (crc & 0xffffu) % TMPL_REDIS_SLOTS;
}
