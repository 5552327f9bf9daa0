/* SPDX-License-Identifier: Apache-2.0 */
#include "page/skeleton.h"

#include <string.h>

#include "page/attr.h"

typedef struct {
    tmpl_tokens_t *tokens;
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

/* Where what is inside a start tag's element may be left out: the index of its end tag, or the tag's own. */
static uint32_t inside_ends(const tmpl_token_t *token, uint32_t i)
{
    int quiet = tmpl_tag_flags((tmpl_tag_e)token->tag) & TMPL_IS_QUIET;
    return quiet && token->pair != TMPL_NONE ? token->pair : i;
}

static void show_tag(skeleton_t *s, uint32_t i)
{
    tmpl_token_t *token = &s->tokens->tokens[i];
    int is_start = token->type == TMPL_TOKEN_START;
    token->shown = 1;
    s->out->elements += is_start;
    s->out->segments += is_start && (token->tag == TMPL_TAG_A || token->tag == TMPL_TAG_IMG);
}

/* Shows token i, and returns the index of the last token that is dealt with by that. */
static uint32_t show_token(skeleton_t *s, uint32_t i)
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
    show_tag(s, i);
    if (last != i) {
        show_tag(s, last);
    }
    return last;
}

/* Whether the text in front of a token, or behind the last, is shown. */
static unsigned char show_text(skeleton_t *s, const char *src, tmpl_span_t text)
{
    if (tmpl_text_is_blank(src, text)) {
        return 0;
    }
    uint32_t length = tmpl_span_len(text);
    s->in_body = 1;
    s->out->segments++;
    s->out->longest_text = length > s->out->longest_text ? length : s->out->longest_text;
    return 1;
}

void tmpl_skeleton(tmpl_skeleton_t *skeleton, tmpl_tokens_t *tokens, const char *src, uint32_t len)
{
    skeleton_t s = { .tokens = tokens, .out = skeleton };
    *skeleton = (tmpl_skeleton_t){ 0 };
    tmpl_span_t gap = { tokens->begin, tokens->begin };
    for (uint32_t i = 0; i < tokens->n; i++) {
        gap.end = tokens->tokens[i].span.start;
        tokens->tokens[i].text_shown = show_text(&s, src, gap);
        i = show_token(&s, i);
        gap.start = tokens->tokens[i].span.end;
    }
    gap.end = len;
    tokens->text_shown = show_text(&s, src, gap);
}

/* A tag that is not in the table is known to the parser as x and its name's hash in hexadecimal. */
#define UNKNOWN_LENGTH 9

static const char *name_of(const tmpl_token_t *token, char unknown[UNKNOWN_LENGTH + 1])
{
    if (token->tag != TMPL_TAG_OTHER) {
        return tmpl_tag_name((tmpl_tag_e)token->tag);
    }
    unknown[0] = 'x';
    for (unsigned i = 1; i < UNKNOWN_LENGTH; i++) {
        unknown[i] = "0123456789abcdef"[token->name >> (4 * (UNKNOWN_LENGTH - 1 - i)) & 0xF];
    }
    unknown[UNKNOWN_LENGTH] = '\0';
    return unknown;
}

/* svg and math that end in their start tag: the parser is told so by an end tag, which has no mark. */
static int ends_at_once(const tmpl_token_t *token)
{
    return token->type == TMPL_TOKEN_START && (token->flags & TMPL_TOKEN_SELF_CLOSING) &&
           token->pair == TMPL_NONE && (token->tag == TMPL_TAG_SVG || token->tag == TMPL_TAG_MATH);
}

static void stand_at_text(tmpl_walk_t *walk)
{
    walk->is_text = 1;
    walk->at = ++walk->end;
}

static void stand_at_tag(tmpl_walk_t *walk)
{
    const tmpl_token_t *token = &walk->tokens->tokens[walk->token];
    uint32_t name = token->tag == TMPL_TAG_OTHER
                        ? UNKNOWN_LENGTH
                        : (uint32_t)strlen(tmpl_tag_name((tmpl_tag_e)token->tag));
    walk->is_text = 0;
    walk->at = walk->end + name + (token->type == TMPL_TOKEN_START ? 1 : 3);
    walk->end += name + (token->type == TMPL_TOKEN_START ? 2 : 3);
    if (ends_at_once(token)) {
        walk->end += name + 3;
    }
}

/* Stands at the first mark that is the tag at walk->token, if with_text the text in front, or behind. */
static void stand(tmpl_walk_t *walk, int with_text)
{
    const tmpl_tokens_t *tokens = walk->tokens;
    for (; walk->token < tokens->n; walk->token++, with_text = 1) {
        const tmpl_token_t *token = &tokens->tokens[walk->token];
        if (with_text && token->text_shown) {
            stand_at_text(walk);
            return;
        }
        if (token->shown) {
            stand_at_tag(walk);
            return;
        }
    }
    if (with_text && tokens->text_shown) {
        stand_at_text(walk);
        return;
    }
    walk->done = 1;
}

void tmpl_walk_begin(tmpl_walk_t *walk, const tmpl_tokens_t *tokens)
{
    *walk = (tmpl_walk_t){ .tokens = tokens, .end = sizeof(TMPL_SKELETON_HEAD) - 1 };
    stand(walk, 1);
}

void tmpl_walk_next(tmpl_walk_t *walk)
{
    if (!walk->is_text) {
        walk->token++;
    }
    stand(walk, !walk->is_text);
}

uint32_t tmpl_walk_bytes(const tmpl_walk_t *walk, char *bytes)
{
    char unknown[UNKNOWN_LENGTH + 1];
    if (walk->is_text) {
        *bytes = 'z';
        return 1;
    }
    const tmpl_token_t *token = &walk->tokens->tokens[walk->token];
    const char *name = name_of(token, unknown);
    char *to = stpcpy(bytes, token->type == TMPL_TOKEN_START ? "<" : "</");
    to = stpcpy(stpcpy(to, name), ">");
    if (ends_at_once(token)) {
        to = stpcpy(stpcpy(stpcpy(to, "</"), name), ">");
    }
    return (uint32_t)(to - bytes);
}

int tmpl_walk_is(const tmpl_walk_t *walk, const char *name)
{
    char unknown[UNKNOWN_LENGTH + 1];
    return !walk->is_text &&
           strcmp(name, name_of(&walk->tokens->tokens[walk->token], unknown)) == 0;
}
