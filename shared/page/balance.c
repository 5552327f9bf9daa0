/* SPDX-License-Identifier: Apache-2.0 */
#include "page/balance.h"

#include "page/end_tag.h"
#include "page/gap.h"
#include "page/start_tag.h"

/*
 * A token, and each element that it opens or that comes back with it, is a search of all that is open
 * and active: this many steps in all are a fraction of a second, and far more than pages take.
 */
#define MAX_STEPS 10000000u

/* The end of a noscript: in its own place, and with nothing left open, or the page is not understood. */
static tmpl_decline_e end_noscript(tmpl_balance_t *b, uint32_t end)
{
    if (!b->in_noscript || b->tokens[b->noscript].end != end) {
        return TMPL_DECLINE_NONE; /* one that closes nothing */
    }
    b->in_noscript = 0;
    int in_head = b->noscript_depth == 1;
    uint32_t depth = in_head && tmpl_in_body(b) ? 2 : b->noscript_depth;
    if (!in_head && tmpl_balance_top(b)->name == TMPL_TAG_NOSCRIPT && b->s.n == depth + 1) {
        tmpl_opens_close(&b->s, depth, end);
    }
    /* the depth alone is no proof: </form> takes its form from the stack wherever that is */
    if (b->s.n != depth || b->s.n_of[TMPL_TAG_NOSCRIPT] != 0 ||
        b->s.n_active != b->noscript_active || b->templates > 0) {
        return TMPL_DECLINE_UNCOVERED;
    }
    return TMPL_DECLINE_NONE;
}

/*
 * Inside svg and math every tag must pair: then it cannot matter how it is parsed. Names are kept
 * apart from those of HTML.
 */
static tmpl_decline_e foreign(tmpl_balance_t *b, uint32_t i)
{
    enum { FOREIGN_NAME = 0x40000000 };
    tmpl_token_t *token = &b->tokens[i];
    if (token->type == TMPL_TOKEN_START) {
        unsigned is_void = tmpl_tag_flags((tmpl_tag_e)token->tag) & TMPL_IS_VOID;
        if (!(token->flags & TMPL_TOKEN_SELF_CLOSING) && !is_void) {
            tmpl_opens_push(&b->s, i, TMPL_TAG_OTHER, token->name ^ FOREIGN_NAME)->tainted = 1;
        }
        return TMPL_DECLINE_NONE;
    }
    if (tmpl_balance_top(b)->name != (token->name ^ FOREIGN_NAME)) {
        return TMPL_DECLINE_FOREIGN;
    }
    tmpl_opens_close(&b->s, b->s.n - 1, i);
    return TMPL_DECLINE_NONE;
}

/*
 * A tag inside template: only the template's own end matters, if nothing inside shields it from the
 * formatting elements around.
 */
static void template_tag(tmpl_balance_t *b, uint32_t i)
{
    unsigned tag = b->tokens[i].tag;
    int step = b->tokens[i].type == TMPL_TOKEN_START ? 1 : -1;
    int *cells = b->template_cells;
    b->ambiguous |= tag == TMPL_TAG_NOSCRIPT || tag == TMPL_TAG_OBJECT || tag == TMPL_TAG_APPLET ||
                    tag == TMPL_TAG_MARQUEE;
    if (tmpl_tag_flags((tmpl_tag_e)tag) & TMPL_IS_CELL) {
        int *open = &cells[tag == TMPL_TAG_TD ? 0 : tag == TMPL_TAG_TH ? 1 : 2];
        *open += step;
        b->ambiguous |= *open < 0;
    }
    if (tag == TMPL_TAG_TEMPLATE) {
        b->templates += (uint32_t)step;
        b->ambiguous |= (cells[0] | cells[1] | cells[2]) != 0;
        if (b->templates == 0) {
            tmpl_opens_close(&b->s, b->s.n - 1, i);
        }
    }
}

static int is_svg(unsigned tag)
{
    return tag == TMPL_TAG_SVG || tag == TMPL_TAG_MATH;
}

static tmpl_decline_e token_event(tmpl_balance_t *b, uint32_t i)
{
    const tmpl_token_t *token = &b->tokens[i];
    if (token->type == TMPL_TOKEN_OTHER) {
        return TMPL_DECLINE_NONE;
    }
    if (token->tag == TMPL_TAG_NOSCRIPT && token->type == TMPL_TOKEN_END) {
        return end_noscript(b, i);
    }
    if (b->templates > 0) {
        template_tag(b, i);
        return TMPL_DECLINE_NONE;
    }
    if (token->flags & TMPL_TOKEN_FOREIGN) {
        return foreign(b, i);
    }
    if (token->type == TMPL_TOKEN_START) {
        tmpl_start_tag(b, i);
        if ((token->flags & TMPL_TOKEN_SELF_CLOSING) && is_svg(token->tag) &&
            tmpl_balance_top(b)->token == i) {
            tmpl_opens_pop_above(&b->s, b->s.n - 2);
        }
        return TMPL_DECLINE_NONE;
    }
    if (is_svg(token->tag) && tmpl_balance_top(b)->name != token->name) {
        return TMPL_DECLINE_FOREIGN;
    }
    tmpl_end_tag(b, i);
    return TMPL_DECLINE_NONE;
}

tmpl_decline_e tmpl_balance(tmpl_tokens_t *tokens, const char *src, uint32_t len,
                            uint32_t max_depth, apr_pool_t *pool)
{
    tmpl_balance_t b = { .page = tokens, .tokens = tokens->tokens, .src = src };
    uint32_t at = tokens->begin;
    uint64_t steps = 0;
    tmpl_opens_init(&b.s, tokens->tokens, src, pool);
    b.quirks = tmpl_quirks(tokens, src);
    tmpl_token_t *token = tokens->tokens;
    for (uint32_t i = 0; i < tokens->n; i++, token++) {
        uint32_t opened = b.s.last_id;
        b.s.at = i;
        if (at < token->span.start && b.templates == 0 && (i == 0 || i != b.raw_end) &&
            !(token->flags & TMPL_TOKEN_FOREIGN)) {
            token->flags |= (unsigned char)tmpl_gap(&b, at, token->span.start);
        }
        tmpl_decline_e decline = token_event(&b, i);
        if (decline != TMPL_DECLINE_NONE) {
            return decline;
        }
        if (b.ambiguous || b.s.unsure) {
            return TMPL_DECLINE_UNCOVERED;
        }
        if (b.s.n > max_depth) {
            return TMPL_DECLINE_TOO_DEEP;
        }
        steps += (uint64_t)(1 + b.s.last_id - opened) * (b.s.n + b.s.n_active);
        if (steps > MAX_STEPS) {
            return TMPL_DECLINE_TOO_MANY;
        }
        at = token->span.end;
    }
    if (b.templates > 0) {
        return TMPL_DECLINE_TRUNCATED; /* what is left is inside */
    }
    tokens->text = tmpl_gap(&b, at, len);
    tmpl_opens_finish(&b.s);
    const tmpl_open_t *body = tmpl_in_body(&b) ? &b.s.stack[1] : &b.s.stack[0];
    if (body->token != TMPL_NONE && !body->mixed) {
        tokens->tokens[body->token].may = TMPL_NODE_RUN;
    }
    return TMPL_DECLINE_NONE;
}
