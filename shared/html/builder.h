/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tree construction (HTML, 13.2.6) in progress. Each insertion mode is a function for its tags, as
 * in the standard: in in_head.c, in_body.c and in_table.c; foreign.c is for svg and math, and
 * text_token.c for text. construct.c calls them.
 */
#ifndef TMPL_BUILDER_H
#define TMPL_BUILDER_H

#include "html/construct.h"
#include "html/open.h"

/*
 * Insertion modes: 13.2.4.1. "initial", "before html" and "before head" are one here, as none of
 * the elements that they open can be edited. "text" is tmpl_scan_raw. Frames are declined.
 */
typedef enum {
    TMPL_BEFORE_HEAD,
    TMPL_IN_HEAD,
    TMPL_IN_HEAD_NOSCRIPT,
    TMPL_AFTER_HEAD,
    TMPL_IN_BODY,
    TMPL_IN_TABLE,
    TMPL_IN_CAPTION,
    TMPL_IN_COLGROUP,
    TMPL_IN_TABLE_BODY,
    TMPL_IN_ROW,
    TMPL_IN_CELL,
    TMPL_IN_TEMPLATE,
    TMPL_AFTER_BODY,
    TMPL_AFTER_AFTER_BODY,
    TMPL_IN_COUNT
} tmpl_insertion_e;

typedef enum {
    TMPL_QUIRKS,   /* a table does not close the p that it stands in */
    TMPL_NO_QUIRKS /* a table closes the p; so in limited quirks mode, too */
} tmpl_quirks_e;

typedef struct {
    tmpl_opens_t s; /* open elements */
    tmpl_scan_t scan;
    tmpl_token_t *tokens; /* scan.tokens */
    const char *src;
    uint32_t len;
    tmpl_tokens_t *out;
    tmpl_insertion_e mode;
    tmpl_quirks_e quirks;
    apr_array_header_t *templates; /* tmpl_insertion_e of each template that is open */
    uint32_t form; /* HTML5's form element pointer: 1 + its start tag; 0 if it is not set */
    uint32_t raw;  /* start tag of the raw text that the scan has just passed, or TMPL_NONE */
    unsigned char scripting; /* the browser runs scripts: the content of noscript is text */
    unsigned char initial;   /* only comments and white space so far */
    unsigned char foster;    /* foster parenting: the tag may not stand in the table around it */
    unsigned char noscript;  /* without scripts, some noscript may be read otherwise */
    unsigned char fixed;     /* the current tag does more than its rule says: it must stay */
    uint32_t began;          /* s.events when the current tag came */
    tmpl_decline_e decline;
} tmpl_builder_t;

/* The result of a rule. */
typedef enum {
    TMPL_DONE,
    TMPL_AGAIN,  /* the tag must be read again, by the rules for the current element and mode */
    TMPL_AS_HTML /* the same, by the rules of the mode even if the current element is svg or math */
} tmpl_step_e;

/* A rule for the start tag or end tag i, an index of a token. */
typedef tmpl_step_e (*tmpl_rule_t)(tmpl_builder_t *b, uint32_t i);

static inline tmpl_open_t *tmpl_top(tmpl_builder_t *b)
{
    return b->s.top;
}

static inline tmpl_tag_e tmpl_tag_at(const tmpl_builder_t *b, uint32_t i)
{
    return (tmpl_tag_e)b->tokens[i].tag;
}

static inline int tmpl_is_end(const tmpl_builder_t *b, uint32_t i)
{
    return b->tokens[i].type == TMPL_TOKEN_END;
}

/* Whether the rules of "in body" apply, for tags that they treat in no special way. */
static inline int tmpl_is_plain(tmpl_builder_t *b)
{
    const tmpl_open_t *top = tmpl_top(b);
    return (b->mode == TMPL_IN_BODY || b->mode == TMPL_IN_CELL) && !top->foreign &&
           !(top->flags & TMPL_IS_FIXED_TEXT) && b->s.n_of[TMPL_TAG_SELECT] == 0;
}

/* Changes the mode, whose rules then read the tag again. */
static inline tmpl_step_e tmpl_again(tmpl_builder_t *b, tmpl_insertion_e mode)
{
    b->mode = mode;
    return TMPL_AGAIN;
}

/* Ignores the tag. Cutting it with its surroundings would join the text on both sides. */
static inline tmpl_step_e tmpl_ignore(tmpl_builder_t *b)
{
    tmpl_open_mix(tmpl_top(b));
    return TMPL_DONE;
}

/* Something may have moved or changed outside of all open elements. */
static inline void tmpl_taint_all(tmpl_builder_t *b)
{
    tmpl_opens_taint(&b->s, 0);
}

/* Whether an element of that tag is in scope. */
static inline int tmpl_has(const tmpl_builder_t *b, tmpl_tag_e tag, unsigned scope)
{
    return tmpl_opens_find(&b->s, tag, scope) != 0;
}

/* Whether the byte at directly follows the start tag of a pre: browsers drop a line break there. */
static inline int tmpl_begins_pre(tmpl_builder_t *b, uint32_t at)
{
    const tmpl_open_t *o = tmpl_top(b);
    return tmpl_tag_is_pre(o->tag) && o->token != TMPL_NONE && b->tokens[o->token].span.end == at;
}

/* "Reconstruct the active formatting elements." */
static inline void tmpl_reconstruct(tmpl_builder_t *b)
{
    if (tmpl_opens_is_dangling(&b->s)) {
        tmpl_opens_reconstruct(&b->s);
    }
}

/*
 * Start tag i opens an element: a node of the page, unless an element around it is not displayed.
 */
static inline void tmpl_add_node(tmpl_builder_t *b, tmpl_token_t *token)
{
    if (!tmpl_top(b)->quiet) {
        token->is_node = 1;
        b->out->n_nodes++;
        b->out->n_segments += (token->tag == TMPL_TAG_A) | (token->tag == TMPL_TAG_IMG);
        if (b->form != 0 && b->tokens[b->form - 1].is_node) {
            token->flags |= TMPL_TOKEN_IN_FORM;
        }
    }
}

/* --- insert.c --- */

/*
 * Opens the element of start tag i. The tag's name says whether the element has no content, raw
 * text, or markup.
 */
void tmpl_insert(tmpl_builder_t *b, uint32_t i);

/* Opens the element of start tag i as one without content, whatever the tag's name says. */
void tmpl_insert_empty(tmpl_builder_t *b, uint32_t i);

/* Opens body: for its start tag, or implied (TMPL_NONE). */
void tmpl_open_body(tmpl_builder_t *b, uint32_t token);

/* "Reset the insertion mode appropriately." */
void tmpl_reset_mode(tmpl_builder_t *b);

/* "Generate implied end tags", except for elements of that tag. */
void tmpl_end_implied(tmpl_builder_t *b, tmpl_tag_e except);

/* --- rules for tags --- */

tmpl_step_e tmpl_before_head(tmpl_builder_t *b, uint32_t i);
tmpl_step_e tmpl_in_head(tmpl_builder_t *b, uint32_t i);
tmpl_step_e tmpl_in_head_noscript(tmpl_builder_t *b, uint32_t i);
tmpl_step_e tmpl_after_head(tmpl_builder_t *b, uint32_t i);
tmpl_step_e tmpl_in_template(tmpl_builder_t *b, uint32_t i);
tmpl_step_e tmpl_in_body(tmpl_builder_t *b, uint32_t i);
tmpl_step_e tmpl_after_body(tmpl_builder_t *b, uint32_t i);

/* "In table" and the modes of its parts, without colgroup. */
tmpl_step_e tmpl_in_table(tmpl_builder_t *b, uint32_t i);
tmpl_step_e tmpl_in_colgroup(tmpl_builder_t *b, uint32_t i);

/* The end tag of a template, in all modes while one is open. */
tmpl_step_e tmpl_end_template(tmpl_builder_t *b, uint32_t i);

/* Whether the rules for svg and math read token i, instead of the insertion mode's rules. */
int tmpl_is_foreign(tmpl_builder_t *b, uint32_t i);
tmpl_step_e tmpl_in_foreign(tmpl_builder_t *b, uint32_t i);

/* Opens svg or math for start tag i. */
void tmpl_open_foreign(tmpl_builder_t *b, uint32_t i);

/* --- text_token.c --- */

/*
 * Processes the text between two tokens, from start to end; the text may be empty. Returns its
 * TMPL_TOKEN_TEXT_* flags.
 */
unsigned tmpl_text_token(tmpl_builder_t *b, uint32_t start, uint32_t end);

/* --- quirks.c --- */

/* Whether the token at span, which is not a tag, is a doctype. */
int tmpl_is_doctype(const char *src, tmpl_span_t token);

/* The mode of a page with the doctype at span. Without a doctype it is quirks mode. */
tmpl_quirks_e tmpl_quirks(const char *src, tmpl_span_t doctype);

/* --- noscript.c --- */

/*
 * Whether a noscript with the content [start, end) is closed: without scripts, the parser's state
 * is the same behind it as in front of it. Returns 0 if a simple check cannot tell. b is the state
 * in front of the noscript.
 */
int tmpl_noscript_is_closed(const tmpl_builder_t *b, uint32_t start, uint32_t end);

/*
 * Removes the edits of page (parsed with scripts) that are not safe in without (parsed without),
 * and joins their foreign marks. Nothing else of without is used.
 */
void tmpl_noscript_agree(tmpl_tokens_t *page, const tmpl_tokens_t *without, apr_pool_t *pool);

#endif
