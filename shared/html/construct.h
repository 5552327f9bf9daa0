/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bytes -> tokens, which elements they open, where these end, and which are safe to edit: HTML5's tree construction
 * (13.2.6), as a browser does it that runs scripts.
 *
 * An element may be cut if the source holds both its tags, what is between them is closed off from the rest, and
 * the rest parses the same without it. Where HTML5 does more than to open and close an element (implied end tags,
 * the adoption agency, foster parents, active formatting elements that come back, tags that it ignores), everything
 * that this could reach is marked unsafe. So an answer "safe" is exact and "unsafe" is a guess. Where elements end is
 * exact, but for those that HTML5 moves out of a table: they end as if they stood there.
 */
#ifndef TMPL_CONSTRUCT_H
#define TMPL_CONSTRUCT_H

#include "html/scan.h"

typedef struct {
    tmpl_token_t *tokens;
    uint32_t n;
    const uint32_t *foreign_marks; /* see page.h */
    uint32_t n_foreign_marks;
    uint32_t begin;        /* where the text begins: behind a byte order mark */
    uint32_t text_end;     /* where it ends: before a tag that the source does not end */
    uint32_t body;         /* the start tag of body; TMPL_NONE if HTML5 implies it */
    unsigned text;         /* of what is behind the last token: TMPL_TOKEN_TEXT_* */
    uint32_t n_nodes;      /* tokens with is_node */
    uint32_t n_segments;   /* texts that are seen, and tags of images and links, at most */
    uint32_t longest_text; /* of those, in bytes */
} tmpl_tokens_t;

/*
 * Reads len bytes at src. Declines frames, plaintext, more than max_tokens, elements nested deeper than
 * max_depth, and pages that would take seconds.
 */
tmpl_decline_e tmpl_construct(tmpl_tokens_t *tokens, const char *src, uint32_t len,
                              uint32_t max_tokens, uint32_t max_depth, apr_pool_t *pool);

#endif
