/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bytes -> tokens: where the page's tags and comments stand, by the rules of the HTML5 tokenizer
 * (13.2.5), including those that hang on the tree: raw text, script, and svg and math content.
 *
 * What is between two tokens is text; what follows the start tag of a raw text element is raw text up
 * to its end tag, which is the next token.
 */
#ifndef TMPL_SCAN_H
#define TMPL_SCAN_H

#include "page/tag.h"
#include "tmpl.h"

typedef enum {
    TMPL_TOKEN_START,
    TMPL_TOKEN_END,
    TMPL_TOKEN_OTHER /* comment, doctype, processing instruction, CDATA in svg or math */
} tmpl_token_e;

#define TMPL_TOKEN_SELF_CLOSING 0x01 /* the tag ends in "/>" */
#define TMPL_TOKEN_FOREIGN      0x02 /* inside svg or math */
/* What balance.h finds out of the text in front of a token: */
#define TMPL_TOKEN_TEXT_SHOWN 0x04 /* it is seen */
#define TMPL_TOKEN_TEXT_MAY   0x08 /* it may be cut */
/* And of a start tag: HTML5's form element pointer is set, to a form that is seen. */
#define TMPL_TOKEN_IN_FORM 0x10
/* A start tag has an attribute that begins as class, id and role do. */
#define TMPL_TOKEN_NAMED 0x20

typedef struct {
    tmpl_span_t span;
    uint32_t name; /* equal for tags of the same name, known to tag.h or not */
    uint32_t end;  /* of a start tag: the token at which its element ends; TMPL_NONE if at none */
    unsigned char tag; /* a tmpl_tag_e */
    unsigned char flags;
    unsigned char type : 2; /* a tmpl_token_e */
    /* What balance.h finds out, beside end: */
    unsigned char is_node : 1;   /* a start tag that opens an element of body that is seen */
    unsigned char is_paired : 1; /* end is the element's own end tag */
    unsigned char may;           /* of a start tag: TMPL_NODE_MARK, TMPL_NODE_CUT, TMPL_NODE_RUN */
} tmpl_token_t;

typedef struct {
    tmpl_token_t *tokens;
    uint32_t n;
    const uint32_t *claims; /* see page.h */
    uint32_t n_claims;
    uint32_t begin; /* where the text begins: behind a byte order mark */
    /* What balance.h finds out: */
    unsigned text;         /* of what is behind the last token: TMPL_TOKEN_TEXT_* */
    uint32_t n_nodes;      /* tokens with is_node */
    uint32_t n_segments;   /* texts that are seen, and tags of images and links */
    uint32_t longest_text; /* of those, in bytes */
} tmpl_tokens_t;

/*
 * The tokens of the source, from pool. Declines what cannot be told for sure: a source that ends within a
 * tag or raw text, plaintext, frames, HTML in svg or math, more than max_tokens.
 */
tmpl_decline_e tmpl_scan(tmpl_tokens_t *tokens, const char *src, uint32_t len, uint32_t max_tokens,
                         apr_pool_t *pool);

#endif
