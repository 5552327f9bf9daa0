/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTML5's stack of open elements (13.2.4.2) and list of active formatting elements (13.2.4.3).
 *
 * Both are exact: formatting elements that are reconstructed, or cloned by the adoption agency, are
 * on the stack, too, without a tag of their own. When an element leaves the stack, its start tag
 * gets the token at which the element ends.
 */
#ifndef TMPL_OPEN_H
#define TMPL_OPEN_H

#include "html/scan.h"

/* The rules for what may stand in an element of svg or math: 13.2.6. */
typedef enum {
    TMPL_POINT_NONE,
    TMPL_POINT_HTML,      /* an HTML integration point */
    TMPL_POINT_MATH_TEXT, /* a MathML text integration point */
    TMPL_POINT_ANNOTATION /* annotation-xml: an svg in it is read by the rules of HTML */
} tmpl_point_e;

typedef struct {
    uint32_t token; /* its start tag; TMPL_NONE if it has no tag of its own in the source */
    uint32_t
        begin; /* the token at which it was opened: its content is behind that token, or at it */
    /*
     * A list of start tags, linked by their field end: their elements left the stack before this
     * element, and end with it.
     */
    uint32_t held;
    uint32_t name;
    uint32_t id;           /* unique */
    unsigned flags;        /* TMPL_IS_* */
    unsigned char tag;     /* a tmpl_tag_e */
    unsigned char tainted; /* more happens in it than its tags say: it may not be edited */
    unsigned char may;     /* TMPL_NODE_*: edits of it that are safe so far, if it is not tainted */
    unsigned char fixed_text; /* no text directly in it may be cut */
    unsigned char quiet;      /* its content is not displayed */
    unsigned char foreign; /* TMPL_TAG_SVG or TMPL_TAG_MATH if it belongs to one of them; else 0 */
    unsigned char point;   /* a tmpl_point_e */
    unsigned char has_shadow; /* the element has a declarative shadow root */
    unsigned char keeps; /* nothing directly in it may be cut: the rest would be read otherwise */
} tmpl_open_t;

/* An active formatting element, or a marker (id 0). */
typedef struct {
    uint32_t name;
    uint32_t id;
    uint32_t token;    /* the start tag of the element, or of the element that it copies */
    uint32_t has_hash; /* hash is set: few elements need one */
    uint64_t hash;     /* a hash of the attributes, whatever their order is */
} tmpl_active_t;

typedef struct {
    tmpl_token_t *tokens;
    const char *src;
    tmpl_open_t *stack; /* [0] is the document, [1] is body once it is open */
    tmpl_open_t *top;   /* the innermost open element: [n - 1] */
    uint32_t n;
    uint32_t room;
    uint32_t n_of[TMPL_TAG_COUNT]; /* open elements of each tag, without the document */
    tmpl_active_t *active;
    uint32_t n_active;
    uint32_t room_active;
    uint32_t last_id;
    uint32_t at;     /* the current token: elements that are closed now end there */
    uint32_t paired; /* the last end tag that was paired with a start tag */
    uint32_t events; /* counts tags that did more than open or close their own element */
    apr_pool_t *pool;
} tmpl_opens_t;

/*
 * The kinds of scope of 13.2.4.2: a search for another element ends at an element with one of these
 * flags.
 */
#define TMPL_SCOPE        TMPL_IS_SCOPE
#define TMPL_BUTTON_SCOPE (TMPL_IS_SCOPE | TMPL_IS_BUTTON_SCOPE)
#define TMPL_ITEM_SCOPE   (TMPL_IS_SCOPE | TMPL_IS_ITEM_SCOPE)
#define TMPL_TABLE_SCOPE  TMPL_IS_TABLE_SCOPE
#define TMPL_ANY_SPECIAL  TMPL_IS_SPECIAL /* "any other end tag" */
#define TMPL_WHOLE_STACK  0u

void tmpl_opens_init(tmpl_opens_t *s, tmpl_token_t *tokens, const char *src, apr_pool_t *pool);

/* Not all text directly in the element may be cut. */
static inline void tmpl_open_mix(tmpl_open_t *o)
{
    o->may &= (unsigned char)~TMPL_NODE_RUN;
}

/* Sets the number of open elements. */
static inline void tmpl_opens_set_n(tmpl_opens_t *s, uint32_t n)
{
    s->n = n;
    s->top = &s->stack[n - 1];
}

/* Makes room for more open elements. */
void tmpl_opens_grow(tmpl_opens_t *s);

/* What an element's flags mean for an element that has just been opened. */
void tmpl_opens_read_flags(tmpl_opens_t *s, tmpl_open_t *o);

/* Opens an element with these TMPL_IS_* flags, but does not read them. */
static inline tmpl_open_t *tmpl_opens_add(tmpl_opens_t *s, uint32_t token, tmpl_tag_e tag,
                                          uint32_t name, unsigned flags)
{
    if (s->n == s->room) {
        tmpl_opens_grow(s);
    }
    tmpl_open_t *o = s->top + 1;
    *o = (tmpl_open_t){ .token = token,
                        .begin = s->at,
                        .held = TMPL_NONE,
                        .name = name,
                        .id = ++s->last_id,
                        .flags = flags,
                        .tag = (unsigned char)tag,
                        .may = TMPL_NODE_MARK | TMPL_NODE_CUT | TMPL_NODE_RUN };
    s->n++;
    s->top = o;
    s->n_of[tag]++;
    s->events += token == TMPL_NONE;
    return o;
}

/* Opens an element for a token of the source, or TMPL_NONE. Formatting elements become active. */
static inline tmpl_open_t *tmpl_opens_push(tmpl_opens_t *s, uint32_t token, tmpl_tag_e tag,
                                           uint32_t name)
{
    unsigned flags = tmpl_tag_flags(tag);
    tmpl_open_t *o = tmpl_opens_add(s, token, tag, name, flags);
    o->quiet = o[-1].quiet;
    if (flags & (TMPL_IS_QUIET | TMPL_IS_FIXED_TEXT | TMPL_IS_MARKER | TMPL_IS_FORMATTING)) {
        tmpl_opens_read_flags(s, o);
    }
    return o;
}

/* The name on the stack of an element of svg or math: it differs from the name of HTML elements. */
#define TMPL_FOREIGN_NAME(name) ((name) ^ 0x40000000u)

/* Forbids edits of all open elements above floor, because something may have affected them. */
void tmpl_opens_taint(tmpl_opens_t *s, uint32_t floor);

/* The index of the innermost open element of that name in that scope; 0 if there is none. */
uint32_t tmpl_opens_find(const tmpl_opens_t *s, uint32_t name, unsigned scope);

/* Closes all elements above index keep. */
void tmpl_opens_pop_above(tmpl_opens_t *s, uint32_t keep);

/* Pairs the start tag of an element with its end tag, and sets the edits of the element. */
static inline void tmpl_opens_pair(tmpl_opens_t *s, const tmpl_open_t *o)
{
    if (o->token != TMPL_NONE) {
        tmpl_token_t *token = &s->tokens[o->token];
        token->is_paired = 1;
        token->may = o->tainted ? 0 : o->may;
        s->paired = s->at;
    }
}

/* Sets the end of the elements that o holds: they end with o. */
static inline void tmpl_opens_end_held(tmpl_opens_t *s, tmpl_open_t *o, uint32_t token)
{
    while (o->held != TMPL_NONE) {
        tmpl_token_t *held = &s->tokens[o->held];
        o->held = held->end;
        held->end = token;
    }
}

/* Sets the end of an open element, and of the elements that end with it. */
static inline void tmpl_opens_end_at(tmpl_opens_t *s, tmpl_open_t *o, uint32_t token)
{
    tmpl_opens_end_held(s, o, token);
    if (o->token != TMPL_NONE) {
        s->tokens[o->token].end = token;
    }
}

/* Closes the innermost open element, which is neither a marker nor active, at its own end tag. */
static inline void tmpl_opens_close_top(tmpl_opens_t *s)
{
    tmpl_open_t *o = s->top;
    s->n--;
    s->top--;
    s->n_of[o->tag]--;
    tmpl_opens_pair(s, o);
    tmpl_opens_end_at(s, o, s->at);
}

/*
 * Closes the element at index and all elements inside it. end is the element's own end tag, a
 * token: the two are paired, and the element's edits are set. end is TMPL_NONE if something else
 * closes the element.
 */
void tmpl_opens_close(tmpl_opens_t *s, uint32_t index, uint32_t end);

/* Whether the innermost active element is closed. There must be one that is not a marker. */
int tmpl_opens_is_closed(const tmpl_opens_t *s);

/* Whether a formatting element is reconstructed at the next text or inline tag. */
static inline int tmpl_opens_is_dangling(const tmpl_opens_t *s)
{
    uint32_t id = s->n_active > 0 ? s->active[s->n_active - 1].id : 0;
    return id != 0 && id != s->top->id && tmpl_opens_is_closed(s);
}

/* "Reconstruct the active formatting elements": 13.2.4.3. */
void tmpl_opens_reconstruct(tmpl_opens_t *s);

/* The end tag of a formatting element, or (end TMPL_NONE) a start tag that ends one: 13.2.6.4.7. */
void tmpl_opens_adopt(tmpl_opens_t *s, uint32_t name, uint32_t end);

/*
 * A start tag ends the active element of that name behind the last marker, if there is one, even if
 * a table is between the two.
 */
void tmpl_opens_end_active(tmpl_opens_t *s, uint32_t name);

/* Removes one element from the stack; elements that are open inside it stay open. */
void tmpl_opens_remove(tmpl_opens_t *s, uint32_t index);

/* The end of the page: elements that are still open end nowhere. */
void tmpl_opens_finish(tmpl_opens_t *s);

#endif
