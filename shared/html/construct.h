/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bytes -> tokens, the elements that they open, where the elements end, and which of them can be
 * edited safely: HTML5's tree construction (13.2.6), as in a browser that runs scripts.
 *
 * An element may be cut if the source holds both its tags, nothing inside it affects the outside,
 * and the rest of the page parses the same without it. Some rules of HTML5 do more than open and
 * close an element: implied end tags, the adoption agency, foster parents, reconstructed formatting
 * elements, ignored tags. Everything that such a rule can reach is marked unsafe. So "safe" is
 * certain, and "unsafe" may be too cautious. The ends of elements are exact, except for elements
 * that HTML5 moves out of a table: these end where they would end inside the table.
 */
#ifndef TMPL_CONSTRUCT_H
#define TMPL_CONSTRUCT_H

#include "html/scan.h"

typedef struct {
    tmpl_token_t *tokens;
    uint32_t n;
    const tmpl_known_attr_t *attrs; /* of all start tags, and TMPL_ATTRS_END */
    uint32_t n_attrs;               /* without TMPL_ATTRS_END */
    const uint32_t *foreign_marks;  /* see page.h */
    uint32_t n_foreign_marks;
    uint32_t begin;        /* where text begins: behind a byte order mark */
    uint32_t text_end;     /* where text ends: before a tag that the source does not end */
    uint32_t body;         /* the start tag of body; TMPL_NONE if HTML5 implies it */
    unsigned text;         /* TMPL_TOKEN_TEXT_* of the text behind the last token */
    int is_read_twice;     /* without scripts, some noscript may be read otherwise */
    uint32_t n_nodes;      /* tokens with is_node */
    uint32_t n_segments;   /* displayed texts, and tags of images and links, at most */
    uint32_t longest_text; /* the longest displayed text, in bytes */
    uint32_t declined_at;  /* the offset of the tag that the page is declined for, or TMPL_NONE */
} tmpl_tokens_t;

/*
 * Reads len bytes at src. Attributes and foreign marks are from pool, all else of the tokens is
 * from scratch. Declines frames, plaintext, more than max_tokens, elements nested deeper
 * than max_depth, and pages that would take seconds.
 */
tmpl_decline_e tmpl_construct(tmpl_tokens_t *tokens, const char *src, uint32_t len,
                              uint32_t max_tokens, uint32_t max_depth, apr_pool_t *pool,
                              apr_pool_t *scratch);

#endif
