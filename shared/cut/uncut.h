/* SPDX-License-Identifier: Apache-2.0 */
/* Why strip leaves text of a template block in the page, for tmplctl explain and mode highlight. */
#ifndef TMPL_UNCUT_H
#define TMPL_UNCUT_H

#include "cut/guards.h"

/* X(id, name, explanation): the rules of closure.h, in the order in which they are tried here. */
#define TMPL_UNCUTS(X)                                                                             \
    X(CONTROL, "control", "it opens a panel that stays")                                           \
    X(SCRIPT, "script", "a script of the page looks its element up")                               \
    X(FORM, "form", "it is a part of a form that stays")                                           \
    X(UNSAFE, "unsafe", "the page would be read differently without it")                           \
    X(HALF, "half", "its element holds more than half of the page's expected content")             \
    X(JOINED, "joined", "the text around it would become one")

typedef enum {
#define TMPL_UNCUT_ID(id, name, explanation) TMPL_UNCUT_##id,
    TMPL_UNCUTS(TMPL_UNCUT_ID)
#undef TMPL_UNCUT_ID
        TMPL_UNCUT_COUNT
} tmpl_uncut_e;

const char *tmpl_uncut_name(tmpl_uncut_e reason);
const char *tmpl_uncut_text(tmpl_uncut_e reason);

typedef struct {
    const tmpl_page_t *page;
    const tmpl_verdict_t *cut_by;     /* the verdicts by which strip cuts */
    const unsigned char *script_refs; /* from tmpl_script_refs */
    uint32_t *content;                /* [i]: content segments before segment i */
    double *expected;                 /* [i]: expected content before segment i */
} tmpl_uncut_t;

/* Fills uncut for a page with final verdicts, which do not change. All memory is from pool. */
void tmpl_uncut_begin(tmpl_uncut_t *uncut, const tmpl_page_t *page, tmpl_verdict_t *verdicts,
                      const tmpl_guards_t *guards, apr_pool_t *pool);

/*
 * The first reason that holds for a segment which strip does not cut though its block is template.
 * JOINED if no other reason holds.
 */
tmpl_uncut_e tmpl_uncut_reason(const tmpl_uncut_t *uncut, uint32_t segment);

#endif
