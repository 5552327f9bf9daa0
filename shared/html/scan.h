/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bytes -> tokens: the page's tags and comments, by the rules of the HTML5 tokenizer (13.2.5).
 *
 * Tree construction requests one token at a time, because the meaning of bytes depends on the tree:
 * only tree construction knows where raw text begins, and whether the current element belongs to
 * svg or math. The bytes between two tokens are text.
 */
#ifndef TMPL_SCAN_H
#define TMPL_SCAN_H

#include <apr_tables.h>

#include "base/hash.h"
#include "html/attr.h"
#include "html/tag.h"

typedef enum {
    TMPL_TOKEN_START,
    TMPL_TOKEN_END,
    TMPL_TOKEN_OTHER /* comment, doctype, processing instruction, CDATA in svg or math */
} tmpl_token_e;

#define TMPL_TOKEN_SELF_CLOSING 0x01 /* the tag ends in "/>" */
/* the start tag of a template that is a declarative shadow root */
#define TMPL_TOKEN_SHADOW 0x02
/* Set by construct.h, about the text in front of a token: */
#define TMPL_TOKEN_TEXT_SHOWN 0x04 /* the text is displayed */
#define TMPL_TOKEN_TEXT_MAY   0x08 /* the text may be cut */
/* Set by construct.h for a start tag: the form element pointer points to a displayed form. */
#define TMPL_TOKEN_IN_FORM 0x10
/* A start tag has an attribute that may say what its element is. */
#define TMPL_TOKEN_NAMED 0x20
/* A start tag ends behind an attribute's '=': bytes added at its end would become the value. */
#define TMPL_TOKEN_OPEN_VALUE 0x40

typedef struct {
    tmpl_span_t span;
    uint32_t name;     /* equal for tags with equal names, whether tag.h knows the name or not */
    uint32_t end;      /* of a start tag: the token at which its element ends, or TMPL_NONE */
    unsigned char tag; /* a tmpl_tag_e */
    unsigned char flags;
    unsigned char type : 2; /* a tmpl_token_e */
    /* Set by construct.h, like end: */
    unsigned char is_node : 1;   /* a start tag that opens a displayed element of body */
    unsigned char is_paired : 1; /* end is the element's own end tag */
    unsigned char is_raw : 1;    /* a start tag whose content is text up to its end tag */
    unsigned char may;           /* of a start tag: TMPL_NODE_MARK, TMPL_NODE_CUT, TMPL_NODE_RUN */
} tmpl_token_t;

/*
 * Names of tags that are not in the table of tag.h. A token holds a hash of the name, so names are
 * compared as numbers; these are never a tmpl_tag_e, and no two names of a page share one.
 */
typedef struct {
    apr_array_header_t *spans; /* tmpl_span_t; NULL until there is a name */
    tmpl_numbering_t hashes;   /* hashes of the names at spans */
} tmpl_names_t;

/* Bytes whose marks are one number. */
#define TMPL_MARKED 64

typedef struct {
    const char *src;
    uint32_t len;
    uint32_t at; /* where the scan continues */
    tmpl_token_t *tokens;
    uint32_t n;
    uint32_t max;
    uint32_t begin;    /* where text begins: behind a byte order mark */
    uint32_t text_end; /* where text ends: earlier than the source if that ends inside a tag */
    uint64_t *markup;  /* a bit for each byte: whether it is '<'; byte 0 has the lowest bit */
    const tmpl_name_index_t *tags; /* the names of tag.h */
    const tmpl_name_index_t *attr_names;
    tmpl_known_attr_t *attrs; /* of all start tags so far; there is room for one more */
    uint32_t n_attrs;
    uint32_t room_attrs;
    apr_array_header_t *foreign_marks; /* uint32_t; of the page, see page.h */
    tmpl_names_t names;
    int in_foreign;      /* set by the caller: in svg or math CDATA may come */
    apr_pool_t *pool;    /* of attrs and foreign_marks */
    apr_pool_t *scratch; /* of all else */
} tmpl_scan_t;

/* Begins a scan. src must not change. Attributes and foreign marks are from pool. */
void tmpl_scan_init(tmpl_scan_t *s, const char *src, uint32_t len, uint32_t max_tokens,
                    apr_pool_t *pool, apr_pool_t *scratch);

/* The offset of the next '<' at or behind from; len or more if there is none. */
static inline uint32_t tmpl_next_markup(const tmpl_scan_t *s, uint32_t from)
{
    uint32_t i = from / TMPL_MARKED;
    if (from >= s->len) {
        return from;
    }
    uint64_t marks = s->markup[i] & ~(uint64_t)0 << from % TMPL_MARKED;
    while (marks == 0 && i < s->len / TMPL_MARKED) {
        marks = s->markup[++i];
    }
    return marks != 0 ? i * TMPL_MARKED + (uint32_t)__builtin_ctzll(marks) : s->len;
}

/* Reads the '<' at start. Returns 1 if it begins a token, 0 if it is a character of text. */
int tmpl_scan_markup(tmpl_scan_t *s, uint32_t start);

/* Adds a tag whose name ends at p, with or without attributes. Returns 0 if the source ends. */
int tmpl_scan_tag(tmpl_scan_t *s, uint32_t start, tmpl_token_e type, tmpl_tag_e tag, uint32_t p);

/* Reads the '<' at start as tmpl_scan_markup does. Most tags are a frequent name, and end. */
static inline int tmpl_scan_usual(tmpl_scan_t *s, uint32_t start)
{
    tmpl_tag_e tag = TMPL_TAG_OTHER;
    tmpl_token_e type = TMPL_TOKEN_START;
    uint32_t p = start + 1;
    if (s->len - start > 2 + TMPL_NAME_KEY) {
        unsigned len = 0;
        type = s->src[p] == '/' ? TMPL_TOKEN_END : TMPL_TOKEN_START;
        p += type;
        tag = tmpl_tag_read_short(s->tags, s->src + p, &len);
        p += len;
    }
    if (tag == TMPL_TAG_OTHER || (s->src[p] != '>' && s->src[p] != ' ')) {
        return tmpl_scan_markup(s, start);
    }
    if (s->src[p] == ' ') {
        return tmpl_scan_tag(s, start, type, tag, p);
    }
    s->tokens[s->n++] = (tmpl_token_t){ .span = { start, p + 1 },
                                        .name = tag,
                                        .end = TMPL_NONE,
                                        .tag = (unsigned char)tag,
                                        .type = type & 3 };
    s->at = p + 1;
    return 1;
}

/*
 * Adds the next token. Returns 0 at the end of the source, or if there are more than max_tokens:
 * then n is larger than max.
 */
static inline int tmpl_scan_next(tmpl_scan_t *s)
{
    while (s->n <= s->max && (s->at = tmpl_next_markup(s, s->at)) < s->len) {
        if (tmpl_scan_usual(s, s->at)) {
            return 1;
        }
    }
    return 0;
}

/*
 * Skips the raw text of an element whose start tag was the last token. The next token is the end
 * tag; without an end tag the text goes to the end of the source.
 */
void tmpl_scan_raw(tmpl_scan_t *s, tmpl_tag_e tag);

#endif
