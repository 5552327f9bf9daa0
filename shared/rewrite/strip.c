/* SPDX-License-Identifier: Apache-2.0 */
#include "rewrite/rewrite.h"

void tmpl_strip(tmpl_edits_t *edits, const tmpl_closure_t *closure, apr_pool_t *pool)
{
    static const char *const texts[] = { "" };
    tmpl_edit_t *e = apr_palloc(pool, (closure->n_cuts + 1) * sizeof(*e));
    for (uint32_t i = 0; i < closure->n_cuts; i++) {
        e[i] = (tmpl_edit_t){ closure->cuts[i].span, 0 };
    }
    *edits = (tmpl_edits_t){ e, closure->n_cuts, texts };
}
