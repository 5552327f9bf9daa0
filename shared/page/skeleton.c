/* SPDX-License-Identifier: Apache-2.0 */
#include "page/skeleton.h"

#include <string.h>

#include <apr_strings.h>

#include "page/attr.h"

/* A start and an end tag of the longest names, and a letter of text. */
#define BYTES_PER_TOKEN 40

typedef struct {
    const tmpl_tokens_t *tokens;
    tmpl_skeleton_t *out;
    int in_body;
} skeleton_t;

int tmpl_text_is_blank(const char *src, tmpl_span_t span)
{
    static const char *const spaces[] = { "&nbsp;", "&#160;", "\xc2\xa0" };
    uint32_t p = span.start;
    while (p < span.end) {
        apr_size_t step = tmpl_is_space(src[p]);
        for (unsigned i = 0; step == 0 && i < sizeof(spaces) / sizeof(spaces[0]); i++) {
            apr_size_t len = strlen(spaces[i]);
            if (span.end - p >= len && memcmp(src + p, spaces[i], len) == 0) {
                step = len;
            }
        }
        if (step == 0) {
            return 0;
        }
        p += (uint32_t)step;
    }
    return 1;
}

static void put(tmpl_skeleton_t *out, const char *bytes, apr_size_t len)
{
    memcpy(out->bytes + out->len, bytes, len);
    out->len += (uint32_t)len;
}

static void mark(tmpl_skeleton_t *out, uint32_t start, uint32_t at, uint32_t token, int is_text)
{
    out->marks[out->n_marks++] = (tmpl_mark_t){ start, at, token, (unsigned char)is_text };
    out->max_segments += is_text != 0;
}

static void put_tag(tmpl_skeleton_t *out, const tmpl_token_t *token, const char *open,
                    uint32_t index)
{
    char unknown[16];
    const char *name = tmpl_tag_name((tmpl_tag_e)token->tag);
    if (token->tag == TMPL_TAG_OTHER) {
        apr_snprintf(unknown, sizeof(unknown), "x%x", token->name);
        name = unknown;
    }
    uint32_t start = out->len;
    out->max_segments +=
        token->type == TMPL_TOKEN_START && (token->tag == TMPL_TAG_A || token->tag == TMPL_TAG_IMG);
    put(out, open, strlen(open));
    put(out, name, strlen(name));
    put(out, ">", 1);
    mark(out, start, open[1] == '/' ? out->len : out->len - 1, index, 0);
}

/* Where what is inside a start tag's element may be left out: the index of its end tag, or the tag's own. */
static uint32_t inside_ends(const tmpl_token_t *token, uint32_t i)
{
    int quiet = tmpl_tag_flags((tmpl_tag_e)token->tag) & TMPL_IS_QUIET;
    return quiet && token->pair != TMPL_NONE ? token->pair : i;
}

/* Puts token i, and returns the index of the last token that is dealt with by that. */
static uint32_t put_token(skeleton_t *s, uint32_t i)
{
    const tmpl_token_t *token = &s->tokens->tokens[i];
    unsigned flags = tmpl_tag_flags((tmpl_tag_e)token->tag);
    uint32_t last = token->type == TMPL_TOKEN_START ? inside_ends(token, i) : i;
    if (token->type == TMPL_TOKEN_OTHER) {
        return i;
    }
    if (token->tag == TMPL_TAG_HTML || token->tag == TMPL_TAG_HEAD || token->tag == TMPL_TAG_BODY) {
        s->in_body |= token->tag == TMPL_TAG_BODY && token->type == TMPL_TOKEN_START;
        return i;
    }
    if (!s->in_body && (flags & TMPL_IS_HEAD)) {
        return last;
    }
    s->in_body = 1;
    put_tag(s->out, token, token->type == TMPL_TOKEN_START ? "<" : "</", i);
    if (last != i) {
        put_tag(s->out, token, "</", last);
    }
    else if (token->type == TMPL_TOKEN_START && (token->flags & TMPL_TOKEN_SELF_CLOSING) &&
             (token->tag == TMPL_TAG_SVG || token->tag == TMPL_TAG_MATH)) {
        put(s->out, "</", 2);
        put(s->out, tmpl_tag_name((tmpl_tag_e)token->tag),
            strlen(tmpl_tag_name((tmpl_tag_e)token->tag)));
        put(s->out, ">", 1);
    }
    return last;
}

void tmpl_skeleton(tmpl_skeleton_t *skeleton, const tmpl_tokens_t *tokens, const char *src,
                   uint32_t len, apr_pool_t *pool)
{
    skeleton_t s = { .tokens = tokens, .out = skeleton };
    *skeleton = (tmpl_skeleton_t){ 0 };
    skeleton->bytes =
        apr_palloc(pool, sizeof(TMPL_SKELETON_HEAD) + (tokens->n + 1) * BYTES_PER_TOKEN);
    skeleton->marks = apr_palloc(pool, (2 * tokens->n + 1) * sizeof(*skeleton->marks));
    put(skeleton, TMPL_SKELETON_HEAD, sizeof(TMPL_SKELETON_HEAD) - 1);
    tmpl_span_t gap = { tokens->begin, tokens->begin };
    for (uint32_t i = 0; i <= tokens->n; i++) {
        gap.end = i < tokens->n ? tokens->tokens[i].span.start : len;
        if (!tmpl_text_is_blank(src, gap)) {
            uint32_t start = skeleton->len;
            s.in_body = 1;
            put(skeleton, "z", 1);
            mark(skeleton, start, skeleton->len, i, 1);
        }
        if (i < tokens->n) {
            i = put_token(&s, i);
            gap.start = tokens->tokens[i].span.end;
        }
    }
    skeleton->bytes[skeleton->len] = '\0';
}
