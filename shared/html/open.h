/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTML5's stack of open elements (13.2.4.2) and list of active formatting elements (13.2.4.3), as
 * far as the source's tags decide them, to judge edits by.
 *
 * Both are exact: formatting elements that come back and those that the adoption agency clones are
 * on the stack too, without a tag of their own. Whatever leaves the stack, its start tag is told
 * where its element ends.
 */
#ifndef TMPL_OPEN_H
#define TMPL_OPEN_H

#include "html/edit_flags.h"
#include "html/scan.h"

/* Which rules an element of svg or math has for what stands in it: 13.2.6. */
typedef enum {
    TMPL_POINT_NONE,
    TMPL_POINT_HTML,      /* an HTML integration point */
    TMPL_POINT_MATH_TEXT, /* a MathML text integration point */
    TMPL_POINT_ANNOTATION /* annotation-xml that holds no HTML: an svg in it is one of HTML's */
} tmpl_point_e;

typedef struct {
    uint32_t token; /* its start tag; TMPL_NONE if no tag in the source opened this very element */
    uint32_t
        begin; /* the token at which it was opened: all that is in it comes behind that, or there */
    /* Start tags, linked by end, of what left the stack before it and ends with it. */
    uint32_t held;
    uint32_t name;
    uint32_t id;    /* of the element: no two are alike */
    unsigned flags; /* TMPL_IS_* */
    tmpl_tag_e tag;
    unsigned char tainted;    /* more happens in it than its tags say: no edits of it */
    unsigned char torn;       /* parsers of HTML 4 may see its end elsewhere: no mark in its tag */
    unsigned char fixed;      /* its start tag does more than open it: it must stay */
    unsigned char mixed;      /* not all text directly in it may be cut */
    unsigned char fixed_text; /* no text directly in it may be cut */
    unsigned char quiet;      /* what is in it is not seen */
    unsigned char foreign;    /* an element of svg or math: TMPL_TAG_SVG or TMPL_TAG_MATH, else 0 */
    unsigned char point;      /* a tmpl_point_e */
    unsigned char has_shadow; /* it has a declarative shadow root */
    unsigned char keeps; /* nothing directly in it may be cut: the rest would be read otherwise */
} tmpl_open_t;

/* An active formatting element, or a marker (id 0). */
typedef struct {
    uint32_t name;
    uint32_t id;
    uint32_t token;    /* the start tag that it, or what it is a copy of, was opened by */
    uint32_t has_hash; /* hash is known: few elements need one */
    uint64_t hash;     /* of the attributes: equal for equal ones in any order */
} tmpl_active_t;

typedef struct {
    tmpl_token_t *tokens;
    const char *src;
    tmpl_open_t *stack; /* [0] stands for the document, [1] is body once there is one */
    uint32_t n;
    uint32_t room;
    uint32_t n_of[TMPL_TAG_COUNT]; /* of these, by tag; the document is not counted */
    tmpl_active_t *active;
    uint32_t n_active;
    uint32_t room_active;
    uint32_t last_id;
    uint32_t at;     /* the token that is being followed: what closes ends there */
    uint32_t paired; /* the last end tag that ended the element of a start tag */
    uint32_t events; /* how often more happened than that a tag opened or closed its own element */
    apr_pool_t *pool;
} tmpl_opens_t;

/* An element at which a search for another one ends: the kinds of scope of 13.2.4.2. */
typedef int (*tmpl_scope_t)(const tmpl_open_t *o);
int tmpl_scope_plain(const tmpl_open_t *o);
int tmpl_scope_button(const tmpl_open_t *o);
int tmpl_scope_item(const tmpl_open_t *o);
int tmpl_scope_table(const tmpl_open_t *o);
int tmpl_scope_special(const tmpl_open_t *o);

void tmpl_opens_init(tmpl_opens_t *s, tmpl_token_t *tokens, const char *src, apr_pool_t *pool);

/* The innermost open element. */
static inline tmpl_open_t *tmpl_opens_top(tmpl_opens_t *s)
{
    return &s->stack[s->n - 1];
}

/* Opens an element: for the tag in the source, or TMPL_NONE. Formatting elements become active. */
tmpl_open_t *tmpl_opens_push(tmpl_opens_t *s, uint32_t token, tmpl_tag_e tag, uint32_t name);

/* Opens an element of svg or math, for the tag in the source. flags are those of TMPL_IS_* that it has there. */
tmpl_open_t *tmpl_opens_push_foreign(tmpl_opens_t *s, uint32_t token, uint32_t name,
                                     unsigned flags);

/* The name that an element of svg or math has on the stack, where one of HTML has name. */
#define TMPL_FOREIGN_NAME(name) ((name) ^ 0x40000000u)

/* Something happened that may reach any open element above floor: none of them may be edited. */
void tmpl_opens_taint(tmpl_opens_t *s, uint32_t floor);

/* Index of the innermost open element of that name before the scope ends; 0 if there is none. */
uint32_t tmpl_opens_find(const tmpl_opens_t *s, uint32_t name, tmpl_scope_t ends);

/* Closes all that is open above index keep. */
void tmpl_opens_pop_above(tmpl_opens_t *s, uint32_t keep);

/*
 * Closes the element at index and all in it. end is the token of its own end tag: then the element is
 * paired with it and told what may be done to it; TMPL_NONE if something else closes it.
 */
void tmpl_opens_close(tmpl_opens_t *s, uint32_t index, uint32_t end);

/* Whether the innermost active element is not open. There is one, and it is no marker. */
int tmpl_opens_is_gone(const tmpl_opens_t *s);

/* Whether a formatting element waits to be opened again by the next text or inline tag. */
static inline int tmpl_opens_is_dangling(const tmpl_opens_t *s)
{
    uint32_t id = s->n_active > 0 ? s->active[s->n_active - 1].id : 0;
    return id != 0 && id != s->stack[s->n - 1].id && tmpl_opens_is_gone(s);
}

/* Opens those that wait: "reconstruct the active formatting elements", 13.2.4.3. */
void tmpl_opens_reconstruct(tmpl_opens_t *s);

/* The id of the innermost element of that name that is active behind the last marker; 0 if there is none. */
uint32_t tmpl_opens_active(const tmpl_opens_t *s, uint32_t name);

/* Takes the element with that id from the list and from the stack, if it is there. */
void tmpl_opens_forget(tmpl_opens_t *s, uint32_t id);

/* An end tag (or, for end TMPL_NONE, a nested start tag) of a formatting element: 13.2.6.4.7. */
void tmpl_opens_adopt(tmpl_opens_t *s, uint32_t name, uint32_t end);

/* Takes an element from the stack, and only it; what is open in it stays open, and in it. */
void tmpl_opens_remove(tmpl_opens_t *s, uint32_t index);

/* The page has ended: what is still open ends nowhere. */
void tmpl_opens_finish(tmpl_opens_t *s);

#endif
