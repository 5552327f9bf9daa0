/* SPDX-License-Identifier: Apache-2.0 */
#include "rewrite/rewrite.h"

#define ATTRIBUTE " data-tmpl=\"\""
#define RUN_OPEN  "<!--tmpl-->"
#define RUN_CLOSE "<!--/tmpl-->"

static tmpl_edit_t insert(uint32_t at, const char *text, uint32_t len)
{
    return (tmpl_edit_t){ { at, at }, text, len };
}

void tmpl_annotate(tmpl_edits_t *edits, const tmpl_page_t *page, const tmpl_closure_t *closure,
                   apr_pool_t *pool)
{
    tmpl_edit_t *e = apr_palloc(pool, (2 * closure->n_cuts + 1) * sizeof(*e));
    uint32_t n = 0;
    for (uint32_t i = 0; i < closure->n_cuts; i++) {
        const tmpl_cut_t *cut = &closure->cuts[i];
        if (cut->node != TMPL_NONE) {
            /* In front of the '>', so behind every attribute that the page gives the element. */
            e[n++] = insert(page->nodes[cut->node].open.end - 1, ATTRIBUTE, sizeof(ATTRIBUTE) - 1);
        }
        else {
            e[n++] = insert(cut->span.start, RUN_OPEN, sizeof(RUN_OPEN) - 1);
            e[n++] = insert(cut->span.end, RUN_CLOSE, sizeof(RUN_CLOSE) - 1);
        }
    }
    *edits = (tmpl_edits_t){ e, n };
}
