/* SPDX-License-Identifier: Apache-2.0 */
#include "rewrite/rewrite.h"

typedef enum {
    ATTRIBUTE,
    ATTRIBUTE_CODE, /* of the element the code is left; nobody but tests marks what is cut so */
    RUN_OPEN,
    RUN_CLOSE,
    DISOWN /* in front of "tmpl" in marks that the page brought itself: data-x-tmpl, <!--x-tmpl--> */
} text_e;

static const char *const texts[] = { " data-tmpl=\"\"", " data-tmpl=\"code\"", "<!--tmpl-->",
                                     "<!--/tmpl-->", "x-" };

static tmpl_edit_t insert(uint32_t at, text_e text)
{
    return (tmpl_edit_t){ { at, at }, text };
}

/* Puts the claims' edits in front of the first mark that is not before them. */
static uint32_t disown(tmpl_edit_t *e, const tmpl_page_t *page, uint32_t *claim, uint32_t before)
{
    uint32_t n = 0;
    while (*claim < page->n_claims && page->claims[*claim] < before) {
        e[n++] = insert(page->claims[(*claim)++], DISOWN);
    }
    return n;
}

/* Whether the cut is all of its element. */
static int is_whole(const tmpl_page_t *page, const tmpl_cut_t *cut)
{
    tmpl_span_t close = page->nodes[cut->node].close;
    return cut->span.end ==
           (tmpl_span_len(close) > 0 ? close.end : page->nodes[cut->node].open.end);
}

void tmpl_annotate(tmpl_edits_t *edits, const tmpl_page_t *page, const tmpl_closure_t *closure,
                   apr_pool_t *pool)
{
    tmpl_edit_t *e = apr_palloc(pool, (2 * closure->n_cuts + page->n_claims + 1) * sizeof(*e));
    uint32_t n = 0;
    uint32_t claim = 0;
    for (uint32_t i = 0; i < closure->n_cuts; i++) {
        const tmpl_cut_t *cut = &closure->cuts[i];
        if (cut->node != TMPL_NONE && i > 0 && cut->node == closure->cuts[i - 1].node) {
            continue;
        }
        if (cut->node != TMPL_NONE) {
            /* In front of the '>', so behind every attribute that the page gives the element. */
            uint32_t at = page->nodes[cut->node].open.end - 1;
            n += disown(e + n, page, &claim, at);
            e[n++] = insert(at, is_whole(page, cut) ? ATTRIBUTE : ATTRIBUTE_CODE);
        }
        else {
            n += disown(e + n, page, &claim, cut->span.start);
            e[n++] = insert(cut->span.start, RUN_OPEN);
            n += disown(e + n, page, &claim, cut->span.end);
            e[n++] = insert(cut->span.end, RUN_CLOSE);
        }
    }
    n += disown(e + n, page, &claim, page->len);
    *edits = (tmpl_edits_t){ e, n, texts };
}
