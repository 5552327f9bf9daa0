/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bytes -> tokens: where the page's tags and comments stand, by the rules of the HTML5 tokenizer (13.2.5).
 *
 * Tree construction asks for one token at a time, because what the bytes mean depends on the tree: it says
 * where raw text begins, and whether the current element is one of svg or math.
 * What is between two tokens is text.
 */
#ifndef TMPL_SCAN_H
#define TMPL_SCAN_H

#include <apr_tables.h>

#include "base/tmpl.h"
#include "html/tag_index.h"
#include "html/tag_names.h"

typedef enum {
    TMPL_TOKEN_START,
    TMPL_TOKEN_END,
    TMPL_TOKEN_OTHER /* comment, doctype, processing instruction, CDATA in svg or math */
} tmpl_token_e;

#define TMPL_TOKEN_SELF_CLOSING 0x01 /* the tag ends in "/>" */
/* A start tag of template that is a declarative shadow root: construct.h finds it out. */
#define TMPL_TOKEN_SHADOW 0x02
/* What construct.h finds out of the text in front of a token: */
#define TMPL_TOKEN_TEXT_SHOWN 0x04 /* it is seen */
#define TMPL_TOKEN_TEXT_MAY   0x08 /* it may be cut */
/* And of a start tag: HTML5's form element pointer is set, to a form that is seen. */
#define TMPL_TOKEN_IN_FORM 0x10
/* A start tag has an attribute that begins as class, id and role do. */
#define TMPL_TOKEN_NAMED 0x20
/* A start tag ends where the value of an attribute should begin: what is put there would be the value. */
#define TMPL_TOKEN_OPEN_VALUE 0x40

typedef struct {
    tmpl_span_t span;
    uint32_t name; /* equal for tags of the same name, known to tag.h or not */
    uint32_t end;  /* of a start tag: the token at which its element ends; TMPL_NONE if at none */
    unsigned char tag; /* a tmpl_tag_e */
    unsigned char flags;
    unsigned char type : 2; /* a tmpl_token_e */
    /* What construct.h finds out, beside end: */
    unsigned char is_node : 1;   /* a start tag that opens an element of body that is seen */
    unsigned char is_paired : 1; /* end is the element's own end tag */
    unsigned char may;           /* of a start tag: TMPL_NODE_MARK, TMPL_NODE_CUT, TMPL_NODE_RUN */
} tmpl_token_t;

typedef struct {
    const char *src;
    uint32_t len;
    uint32_t at; /* what comes next is looked for from here on */
    tmpl_token_t *tokens;
    uint32_t n;
    uint32_t max;
    uint32_t begin;    /* where the text begins: behind a byte order mark */
    uint32_t text_end; /* where it ends: before that, if the source ends within a tag */
    uint64_t *markup;  /* of each 64 bytes, which are '<': the first is the lowest bit */
    const tmpl_tag_index_t *index;
    apr_array_header_t *foreign_marks; /* uint32_t, see page.h; NULL: none yet */
    tmpl_names_t names;                /* that are not in the table of tags */
    unsigned char
        in_foreign; /* the caller's: the current element is one of svg or math, so CDATA may come */
    apr_pool_t *pool;
} tmpl_scan_t;

/* Nothing is scanned yet. src must stay as it is; everything else is from pool. */
void tmpl_scan_init(tmpl_scan_t *s, const char *src, uint32_t len, uint32_t max_tokens,
                    apr_pool_t *pool);

/* Adds the next token. False at the end of the source, or if that would be more than max_tokens: then n is larger. */
int tmpl_scan_next(tmpl_scan_t *s);

/*
 * What follows the last token, which is a start tag of that element, is raw text up to the element's end tag, or
 * the end of the source. The end tag is the next token.
 */
void tmpl_scan_raw(tmpl_scan_t *s, tmpl_tag_e tag);

#endif
