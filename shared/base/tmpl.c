/* SPDX-License-Identifier: Apache-2.0 */
#include "base/tmpl.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "base/names.h"

TMPL_ENUM_COLUMN(tmpl_decline_name, tmpl_decline_e, TMPL_DECLINES, TMPL_COLUMN_2)
TMPL_ENUM_COLUMN(tmpl_decline_text, tmpl_decline_e, TMPL_DECLINES, TMPL_COLUMN_3)
TMPL_ENUM_COLUMN(tmpl_decline_advice, tmpl_decline_e, TMPL_DECLINES, TMPL_COLUMN_4)

apr_status_t tmpl_fail(tmpl_error_t *err, apr_status_t status, const char *fmt, ...)
{
    if (err != NULL) {
        va_list args;
        va_start(args, fmt);
        apr_vsnprintf(err->text, sizeof(err->text), fmt, args);
        va_end(args);
        err->status = status;
    }
    return status;
}

void tmpl_no_memory(apr_pool_t *pool)
{
    apr_abortfunc_t end = apr_pool_abort_get(pool);
    if (end != NULL) {
        end(APR_ENOMEM);
    }
    abort();
}

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
