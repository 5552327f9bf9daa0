/* SPDX-License-Identifier: Apache-2.0 */
#include "base/tmpl.h"

#include <stdarg.h>
#include <stdlib.h>

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
