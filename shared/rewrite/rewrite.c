/* SPDX-License-Identifier: Apache-2.0 */
#include "rewrite/rewrite.h"

#include <string.h>

void tmpl_strip(tmpl_edits_t *edits, const tmpl_closure_t *closure, apr_pool_t *pool)
{
    static const char *const nothing[] = { "" };
    tmpl_edit_t *e = apr_palloc(pool, (closure->n_cuts + 1) * sizeof(*e));
    for (uint32_t i = 0; i < closure->n_cuts; i++) {
        e[i] = (tmpl_edit_t){ closure->cuts[i].span, 0 };
    }
    *edits = (tmpl_edits_t){ e, closure->n_cuts, nothing };
}

const char *tmpl_edits_apply(apr_size_t *out_len, const tmpl_edits_t *edits, const char *src,
                             apr_size_t len, apr_pool_t *pool)
{
    apr_size_t room = len + 1;
    for (uint32_t i = 0; i < edits->n; i++) {
        room += strlen(tmpl_edit_text(edits, i));
    }
    char *out = apr_palloc(pool, room);
    char *to = out;
    apr_size_t at = 0;
    for (uint32_t i = 0; i < edits->n; i++) {
        const tmpl_edit_t *edit = &edits->edits[i];
        memcpy(to, src + at, edit->span.start - at);
        to += edit->span.start - at;
        to = stpcpy(to, tmpl_edit_text(edits, i));
        at = edit->span.end;
    }
    memcpy(to, src + at, len - at);
    to += len - at;
    *to = '\0';
    *out_len = (apr_size_t)(to - out);
    return out;
}
