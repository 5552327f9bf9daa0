/* SPDX-License-Identifier: Apache-2.0 */
#include "base/place.h"

#include <string.h>

tmpl_place_t tmpl_place(const char *src, uint32_t len, uint32_t at)
{
    tmpl_place_t place = { .line = 1, .tag = { at, at } };
    for (uint32_t i = 0; i < at; i++) {
        place.line += src[i] == '\n';
    }
    uint32_t most = len - at < TMPL_PLACE_TAG ? len - at : TMPL_PLACE_TAG;
    const char *end = memchr(src + at, '>', most);
    place.tag.end = end != NULL ? (uint32_t)(end - src) + 1 : at + most;
    return place;
}
