/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far tree construction has come: what balance.c, start_tag.c, end_tag.c and gap.c hand to each other, and
 * the insertion modes of HTML5 (13.2.4.1) as far as they are asked for, each found from the stack of open elements.
 */
#ifndef TMPL_MODES_H
#define TMPL_MODES_H

#include "page/open.h"
#include "page/quirks.h"

typedef struct {
    tmpl_opens_t s; /* what is open */
    tmpl_tokens_t *page;
    tmpl_token_t *tokens; /* the page's */
    const char *src;
    uint32_t templates;      /* template elements open: what is inside is parsed on its own */
    int template_cells[3];   /* td, th and caption open in it */
    uint32_t noscript;       /* start tag of the noscript that is open, if in_noscript */
    uint32_t noscript_depth; /* elements open when it began */
    uint32_t noscript_active;
    uint32_t form; /* HTML5's form element pointer: one behind the start tag; 0 if it is not set */
    unsigned char in_noscript;
    unsigned char after_body;
    uint32_t raw_end;        /* the last raw text's end tag */
    unsigned char ambiguous; /* parsers do not agree on what the source means */
    tmpl_quirks_e quirks;
} tmpl_balance_t;

static inline tmpl_open_t *tmpl_balance_top(tmpl_balance_t *b)
{
    return tmpl_opens_top(&b->s);
}

/* Whether body has begun, or something in it: the stack holds more than the document. Body never closes. */
static inline int tmpl_in_body(const tmpl_balance_t *b)
{
    return b->s.n > 1;
}

/* Whether what comes now is in body, in no select, and in nothing that has rules of its own for what is in it. */
static inline int tmpl_is_plain(const tmpl_balance_t *b)
{
    return tmpl_in_body(b) && !b->after_body && b->s.n_of[TMPL_TAG_SELECT] == 0 &&
           !(b->s.stack[b->s.n - 1].flags & TMPL_IS_FIXED_TEXT);
}

/* Whether what comes now is inside something that is not seen. */
static inline int tmpl_is_quiet(const tmpl_balance_t *b)
{
    return b->in_noscript || b->s.stack[b->s.n - 1].quiet;
}

static inline int tmpl_is_part(unsigned tag)
{
    return (tmpl_tag_flags((tmpl_tag_e)tag) & TMPL_IS_PART) != 0;
}

/* Whether what begins at that byte follows directly on the start tag of a pre: browsers drop a line break there. */
static inline int tmpl_begins_pre(const tmpl_balance_t *b, uint32_t at)
{
    const tmpl_open_t *o = &b->s.stack[b->s.n - 1];
    return (o->tag == TMPL_TAG_PRE || o->tag == TMPL_TAG_LISTING) && o->token != TMPL_NONE &&
           b->tokens[o->token].span.end == at;
}

/* Body begins: with the tag that is the token, or, for TMPL_NONE, without one. */
void tmpl_open_body(tmpl_balance_t *b, uint32_t token);

/* The table that tags are read for ("in table" and the modes of its parts); 0 in cells and outside. */
static inline uint32_t tmpl_table_mode(const tmpl_balance_t *b)
{
    if (b->s.n_of[TMPL_TAG_TABLE] == 0) {
        return 0;
    }
    for (uint32_t i = b->s.n - 1; i > 0 && !(b->s.stack[i].flags & TMPL_IS_CELL); i--) {
        if (b->s.stack[i].tag == TMPL_TAG_TABLE) {
            return i;
        }
    }
    return 0;
}

/* The select that swallows most tags ("in select"); 0 outside. */
static inline uint32_t tmpl_select_mode(const tmpl_balance_t *b)
{
    uint32_t i = b->s.n - 1;
    if (b->s.n_of[TMPL_TAG_SELECT] == 0) {
        return 0;
    }
    while (b->s.stack[i].flags & TMPL_IS_OPTION) {
        i--;
    }
    return b->s.stack[i].tag == TMPL_TAG_SELECT ? i : 0;
}

/* A colgroup holds nothing but col; anything else closes it. */
static inline int tmpl_leave_colgroup(tmpl_balance_t *b, unsigned tag)
{
    if (tmpl_balance_top(b)->tag != TMPL_TAG_COLGROUP || tag == TMPL_TAG_COL ||
        tag == TMPL_TAG_TEMPLATE) {
        return 0;
    }
    tmpl_opens_close(&b->s, b->s.n - 1, TMPL_NONE);
    return 1;
}

/* Tags that end a select in a table. */
int tmpl_ends_select(const tmpl_balance_t *b, unsigned tag, uint32_t in_scope);

#endif
