/* SPDX-License-Identifier: Apache-2.0 */
#include "rewrite/rewrite.h"

#include <string.h>

typedef enum {
    ATTRIBUTE,
    ATTRIBUTE_CODE, /* of an element with code: only tests annotate cuts made for strip */
    RUN_OPEN,
    RUN_CLOSE,
    FOREIGN /* inserted in front of "tmpl" in foreign marks */
} text_e;

static const char *const texts[] = { " data-tmpl=\"\"", " data-tmpl=\"code\"", "<!--tmpl-->",
                                     "<!--/tmpl-->", "x-" };

static tmpl_edit_t insert(uint32_t at, text_e text)
{
    return (tmpl_edit_t){ { at, at }, text };
}

/* Adds the edits of foreign marks before an offset, from mark *next on; returns their number. */
static uint32_t rename_foreign(tmpl_edit_t *e, const tmpl_page_t *page, uint32_t *next,
                               uint32_t before)
{
    uint32_t n = 0;
    while (*next < page->n_foreign_marks && page->foreign_marks[*next] < before) {
        e[n++] = insert(page->foreign_marks[(*next)++], FOREIGN);
    }
    return n;
}

/* Whether the cut is its whole element. */
static int is_whole(const tmpl_page_t *page, const tmpl_cut_t *cut)
{
    tmpl_span_t close = page->nodes[cut->node].close;
    return cut->span.end ==
           (tmpl_span_len(close) > 0 ? close.end : page->nodes[cut->node].open.end);
}

void tmpl_annotate(tmpl_edits_t *edits, const tmpl_page_t *page, const tmpl_closure_t *closure,
                   apr_pool_t *pool)
{
    tmpl_edit_t *e =
        apr_palloc(pool, (2 * closure->n_cuts + page->n_foreign_marks + 1) * sizeof(*e));
    uint32_t n = 0;
    uint32_t foreign = 0;
    for (uint32_t i = 0; i < closure->n_cuts; i++) {
        const tmpl_cut_t *cut = &closure->cuts[i];
        if (cut->node != TMPL_NONE && i > 0 && cut->node == closure->cuts[i - 1].node) {
            continue;
        }
        if (cut->node != TMPL_NONE) {
            /* In front of the '>', behind the page's own attributes. */
            uint32_t at = page->nodes[cut->node].open.end - 1;
            n += rename_foreign(e + n, page, &foreign, at);
            e[n++] = insert(at, is_whole(page, cut) ? ATTRIBUTE : ATTRIBUTE_CODE);
        }
        else {
            n += rename_foreign(e + n, page, &foreign, cut->span.start);
            e[n++] = insert(cut->span.start, RUN_OPEN);
            n += rename_foreign(e + n, page, &foreign, cut->span.end);
            e[n++] = insert(cut->span.end, RUN_CLOSE);
        }
    }
    n += rename_foreign(e + n, page, &foreign, page->len);
    *edits = (tmpl_edits_t){ e, n, texts };
}

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
