/* SPDX-License-Identifier: Apache-2.0 */
#include "base/tmpl.h"

#include <stdarg.h>

#include <apr_strings.h>

static const struct {
    const char *name;
    const char *text;
    const char *advice;
} declines[] = {
#define TMPL_DECLINE_ROW(id, name, explanation, advice) { name, explanation, advice },
    TMPL_DECLINES(TMPL_DECLINE_ROW)
#undef TMPL_DECLINE_ROW
};

const char *tmpl_decline_name(tmpl_decline_e reason)
{
    return (unsigned)reason < TMPL_DECLINE_COUNT ? declines[reason].name : "unknown";
}

const char *tmpl_decline_text(tmpl_decline_e reason)
{
    return (unsigned)reason < TMPL_DECLINE_COUNT ? declines[reason].text : "unknown";
}

const char *tmpl_decline_advice(tmpl_decline_e reason)
{
    return (unsigned)reason < TMPL_DECLINE_COUNT ? declines[reason].advice : "";
}

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
