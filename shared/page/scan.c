/* SPDX-License-Identifier: Apache-2.0 */
#include "page/scan.h"

#include <string.h>

#include <apr_cstr.h>
#include <apr_tables.h>

#include "page/attr.h"
#include "page/claims.h"
#include "page/name.h"
#include "page/tag_index.h"
#include "processor.h"
#include "text/sixteen.h"

#define MARKED 64

typedef struct {
    const char *src;
    uint32_t len;
    uint32_t at;
    tmpl_token_t *tokens;
    uint32_t n;
    uint32_t max;
    uint64_t *markup; /* of each MARKED bytes, which are '<': the first is the lowest bit */
    apr_pool_t *pool;
    const tmpl_tag_index_t *index;
    apr_array_header_t *claims; /* NULL until there is one */
    tmpl_names_t names;         /* that are not in the table of tags */
    uint32_t foreign;           /* svg and math elements open */
    uint32_t integration;       /* elements open in them whose content is HTML again */
    uint32_t noscript;          /* index of the start tag of the noscript that is open */
    uint32_t noscript_end;      /* where a browser that runs scripts sees it end; 0: not in one */
} scan_t;

static tmpl_token_t *push(scan_t *s, tmpl_token_e type, uint32_t start, uint32_t end)
{
    tmpl_token_t *token = &s->tokens[s->n++];
    *token = (tmpl_token_t){ .span = { start, end }, .type = type & 3, .end = TMPL_NONE };
    return token;
}

static void add_claim(scan_t *s, uint32_t at)
{
    if (at == 0) {
        return;
    }
    if (s->claims == NULL) {
        s->claims = apr_array_make(s->pool, 8, sizeof(uint32_t));
    }
    APR_ARRAY_PUSH(s->claims, uint32_t) = at;
}

/* Where needle begins at or behind from; len if nowhere. */
static uint32_t find(const scan_t *s, uint32_t from, const char *needle, apr_size_t needle_len)
{
    if (from >= s->len) {
        return s->len;
    }
    const char *hit = memmem(s->src + from, s->len - from, needle, needle_len);
    return hit == NULL ? s->len : (uint32_t)(hit - s->src);
}

/* Whether a tag of that name, and not a longer one, stands at p, which is behind its '<' or '</'. */
static int name_stands(const scan_t *s, uint32_t p, const char *name, apr_size_t name_len)
{
    if (s->len - p <= name_len || apr_cstr_casecmpn(s->src + p, name, name_len) != 0) {
        return 0;
    }
    char next = s->src[p + name_len];
    return tmpl_is_space(next) || next == '/' || next == '>';
}

/* Where the end tag of raw text that begins at from begins; len if it is missing. */
static uint32_t raw_end(const scan_t *s, uint32_t from, tmpl_tag_e tag)
{
    const char *name = tmpl_tag_name(tag);
    apr_size_t name_len = strlen(name);
    uint32_t p = from;
    while ((p = find(s, p, "</", 2)) < s->len && !name_stands(s, p + 2, name, name_len)) {
        p += 2;
    }
    return p;
}

/*
 * The same for script, whose text may hold a comment, and in it a script element, whose end tag is
 * not the end (13.2.5.15 to 13.2.5.31: escaped and double escaped states).
 */
static uint32_t script_end(const scan_t *s, uint32_t from)
{
    enum { PLAIN, ESCAPED, DOUBLE_ESCAPED } state = PLAIN;
    uint32_t p = from;
    while (p < s->len) {
        char c = s->src[p];
        if (state != PLAIN && c == '-' && s->len - p >= 3 && memcmp(s->src + p, "-->", 3) == 0) {
            state = PLAIN;
        }
        else if (c == '<' && s->len - p >= 4 && state == PLAIN &&
                 memcmp(s->src + p, "<!--", 4) == 0) {
            state = ESCAPED;
            p++; /* "<!-->" is a comment that ends at once */
        }
        else if (c == '<' && p + 1 < s->len && s->src[p + 1] == '/' &&
                 name_stands(s, p + 2, "script", 6)) {
            if (state != DOUBLE_ESCAPED) {
                return p;
            }
            state = ESCAPED;
        }
        else if (c == '<' && state == ESCAPED && name_stands(s, p + 1, "script", 6)) {
            state = DOUBLE_ESCAPED;
        }
        p++;
        while (state != PLAIN && p < s->len && s->src[p] != '<' && s->src[p] != '-') {
            p++;
        }
        if (state == PLAIN && p < s->len) {
            const char *next = memchr(s->src + p, '<', s->len - p);
            p = next == NULL ? s->len : (uint32_t)(next - s->src);
        }
    }
    return s->len;
}

/* The end of a comment that begins at start: behind "-->" or "--!>". */
static uint32_t comment_end(const scan_t *s, uint32_t start)
{
    uint32_t p = start + 2;
    while ((p = find(s, p, "--", 2)) < s->len) {
        if (p + 2 < s->len && s->src[p + 2] == '>') {
            return p + 3;
        }
        /* The dashes that open a comment cannot be those of "--!>". */
        if (p >= start + 4 && s->len - p >= 4 && s->src[p + 2] == '!' && s->src[p + 3] == '>') {
            return p + 4;
        }
        p++;
    }
    return TMPL_NONE;
}

/* What begins with "<!", "<?" or "</" and is no tag: ends at p. */
static tmpl_decline_e other_token(scan_t *s, uint32_t start)
{
    uint32_t end;
    if (s->len - start >= 4 && memcmp(s->src + start, "<!--", 4) == 0) {
        end = comment_end(s, start);
    }
    else if (s->foreign > 0 && s->len - start >= 9 && memcmp(s->src + start, "<![CDATA[", 9) == 0) {
        end = find(s, start, "]]>", 3);
        end = end == s->len ? TMPL_NONE : end + 3;
    }
    else {
        end = find(s, start, ">", 1);
        end = end == s->len ? TMPL_NONE : end + 1;
    }
    if (end == TMPL_NONE) {
        return TMPL_DECLINE_TRUNCATED;
    }
    add_claim(s, tmpl_claim_of_comment(s->src, push(s, TMPL_TOKEN_OTHER, start, end)->span));
    s->at = end;
    return TMPL_DECLINE_NONE;
}

/* Elements of svg and math whose content is HTML: 13.2.6, HTML and MathML text integration points. */
static int is_integration_point(const char *name, uint32_t len)
{
    static const char *const points[] = {
        "foreignobject", "desc", "title", "annotation-xml", "mi", "mo", "mn", "ms", "mtext"
    };
    for (apr_size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
        if (strlen(points[i]) == len && apr_cstr_casecmpn(points[i], name, len) == 0) {
            return 1;
        }
    }
    return 0;
}

/*
 * A tag inside svg or math: keeps count of how deep, and declines where a browser would leave such
 * content, or read raw text in it: too rare to be worth following.
 */
static tmpl_decline_e foreign_tag(scan_t *s, tmpl_token_t *token, const char *name,
                                  uint32_t name_len)
{
    unsigned flags = tmpl_tag_flags((tmpl_tag_e)token->tag);
    int point = is_integration_point(name, name_len);
    int html = s->integration > 0 && !point;
    token->flags |= TMPL_TOKEN_FOREIGN;
    if (!html && ((flags & TMPL_IS_BREAKOUT) || token->tag == TMPL_TAG_FONT)) {
        return TMPL_DECLINE_FOREIGN;
    }
    if (s->integration > 0 && (flags & TMPL_IS_RAW)) {
        return TMPL_DECLINE_FOREIGN;
    }
    if (token->flags & TMPL_TOKEN_SELF_CLOSING) {
        return TMPL_DECLINE_NONE;
    }
    uint32_t *count = token->tag == TMPL_TAG_SVG || token->tag == TMPL_TAG_MATH ? &s->foreign
                      : point                                                   ? &s->integration
                                                                                : NULL;
    if (count != NULL && token->type == TMPL_TOKEN_START) {
        (*count)++;
    }
    else if (count != NULL && *count > 0) {
        (*count)--;
        if (s->foreign == 0) {
            s->integration = 0;
            token->flags &= (unsigned char)~TMPL_TOKEN_FOREIGN;
        }
    }
    return TMPL_DECLINE_NONE;
}

/* Behind an HTML start tag: skips raw text, notes where svg, math and noscript begin. */
static tmpl_decline_e html_start_tag(scan_t *s, const tmpl_token_t *token)
{
    unsigned tag = token->tag;
    if (tag == TMPL_TAG_PLAINTEXT) {
        return TMPL_DECLINE_PLAINTEXT;
    }
    if (tag == TMPL_TAG_FRAMESET) {
        return TMPL_DECLINE_FRAMESET;
    }
    if ((tag == TMPL_TAG_SVG || tag == TMPL_TAG_MATH) &&
        !(token->flags & TMPL_TOKEN_SELF_CLOSING)) {
        s->foreign = 1;
        return TMPL_DECLINE_NONE;
    }
    if (tag == TMPL_TAG_NOSCRIPT) {
        if (s->noscript_end != 0) {
            return TMPL_DECLINE_UNCOVERED; /* one in the other */
        }
        s->noscript = s->n - 1;
        s->noscript_end = raw_end(s, s->at, TMPL_TAG_NOSCRIPT);
        return s->noscript_end == s->len ? TMPL_DECLINE_TRUNCATED : TMPL_DECLINE_NONE;
    }
    if (tmpl_tag_flags((tmpl_tag_e)tag) & TMPL_IS_RAW) {
        s->at = tag == TMPL_TAG_SCRIPT ? script_end(s, s->at) : raw_end(s, s->at, (tmpl_tag_e)tag);
        return s->at == s->len ? TMPL_DECLINE_TRUNCATED : TMPL_DECLINE_NONE;
    }
    return TMPL_DECLINE_NONE;
}

/* Whether class, id or role may begin so. */
static unsigned may_name(char first)
{
    const unsigned firsts = 1U << ('c' & 31) | 1U << ('i' & 31) | 1U << ('r' & 31);
    return firsts >> (first & 31) & 1;
}

/* A tag whose name ends at p, in what may not be as usual. */
static tmpl_decline_e tag_token(scan_t *s, uint32_t start, tmpl_token_e type, tmpl_tag_e tag,
                                uint32_t p)
{
    uint32_t name = start + (type == TMPL_TOKEN_END ? 2 : 1);
    uint32_t name_len = p - name;
    tmpl_attr_t attr;
    tmpl_attr_e found;
    unsigned named = 0;
    do {
        found = tmpl_attr_next(&attr, s->src, s->len, &p);
        if (found == TMPL_ATTR_FOUND && type == TMPL_TOKEN_START) {
            add_claim(s, tmpl_claim_of_attribute(s->src, &attr));
            named |= may_name(s->src[attr.name.start]);
        }
    } while (found == TMPL_ATTR_FOUND);
    if (found == TMPL_ATTR_TRUNCATED) {
        return TMPL_DECLINE_TRUNCATED;
    }
    tmpl_token_t *token = push(s, type, start, p);
    token->tag = (unsigned char)tag;
    token->name = tag != TMPL_TAG_OTHER
                      ? (uint32_t)tag
                      : tmpl_name_add(&s->names, (tmpl_span_t){ name, name + name_len });
    if (token->name == 0) {
        return TMPL_DECLINE_UNCOVERED;
    }
    token->flags = (unsigned char)((found == TMPL_ATTR_TAG_END_SELF ? TMPL_TOKEN_SELF_CLOSING : 0) |
                                   (named ? TMPL_TOKEN_NAMED : 0));
    s->at = p;
    if (s->foreign > 0) {
        return foreign_tag(s, token, s->src + name, name_len);
    }
    if (type == TMPL_TOKEN_START) {
        return html_start_tag(s, token);
    }
    if (tag == TMPL_TAG_NOSCRIPT && s->noscript_end != 0) {
        /* With scripts and without, noscript must end at the same place. */
        uint32_t end = s->noscript_end;
        s->noscript_end = 0;
        s->tokens[s->noscript].end = s->n - 1;
        s->tokens[s->noscript].is_paired = 1;
        return end == start ? TMPL_DECLINE_NONE : TMPL_DECLINE_UNCOVERED;
    }
    return TMPL_DECLINE_NONE;
}

/* Tags that html_start_tag, or the end of a noscript, asks for. */
static int is_special(tmpl_tag_e tag)
{
    static const unsigned char special[TMPL_TAG_COUNT] = {
        [TMPL_TAG_OTHER] = 1,     [TMPL_TAG_SVG] = 1,      [TMPL_TAG_MATH] = 1,
        [TMPL_TAG_PLAINTEXT] = 1, [TMPL_TAG_FRAMESET] = 1, [TMPL_TAG_NOSCRIPT] = 1,
    };
    return special[tag] || (tmpl_tag_flags(tag) & TMPL_IS_RAW);
}

/* A start tag or an end tag. Most are a name that is known and nothing else. */
static inline tmpl_decline_e any_tag(scan_t *s, uint32_t start, tmpl_token_e type)
{
    uint32_t p = start + (type == TMPL_TOKEN_END ? 2 : 1);
    tmpl_tag_e tag = tmpl_tag_read(s->index, s->src, s->len, &p);
    if (p >= s->len || s->src[p] != '>' || s->foreign > 0 || is_special(tag)) {
        return tag_token(s, start, type, tag, p);
    }
    tmpl_token_t *token = push(s, type, start, p + 1);
    token->tag = (unsigned char)tag;
    token->name = tag;
    s->at = p + 1;
    return TMPL_DECLINE_NONE;
}

/* What stands at a '<': a token, or only a character of text. */
static tmpl_decline_e markup(scan_t *s, uint32_t start)
{
    char c = start + 1 < s->len ? s->src[start + 1] : ' ';
    if (tmpl_is_alpha(c)) {
        return any_tag(s, start, TMPL_TOKEN_START);
    }
    if (c == '/' && start + 2 == s->len) {
        return TMPL_DECLINE_TRUNCATED;
    }
    if (c == '/') {
        return tmpl_is_alpha(s->src[start + 2]) ? any_tag(s, start, TMPL_TOKEN_END)
                                                : other_token(s, start);
    }
    if (c == '!' || c == '?') {
        return other_token(s, start);
    }
    s->at = start + 1;
    return TMPL_DECLINE_NONE;
}

/* Which of MARKED bytes are '<'. */
static inline __attribute__((always_inline)) uint64_t marks_of(const char *at)
{
    uint64_t marks = 0;
    for (unsigned i = 0; i < MARKED; i += TMPL_SIXTEEN) {
        tmpl_sixteen_t bytes;
        memcpy(&bytes, at + i, TMPL_SIXTEEN);
        marks |= (uint64_t)tmpl_sixteen_bits((tmpl_sixteen_t)(bytes == '<')) << i;
    }
    return marks;
}

/* Marks all '<'; returns how many there are. */
static inline __attribute__((always_inline)) uint32_t mark_all(uint64_t *marks, const char *src,
                                                               uint32_t len)
{
    char last[MARKED] = { 0 };
    uint32_t n = 0;
    uint32_t p = 0;
    for (; len - p >= MARKED; p += MARKED) {
        *marks = marks_of(src + p);
        n += (uint32_t)__builtin_popcountll(*marks++);
    }
    memcpy(last, src + p, len - p);
    *marks = marks_of(last);
    return n + (uint32_t)__builtin_popcountll(*marks);
}

#ifdef TMPL_FOR_AVX2
TMPL_FOR_AVX2 static uint32_t mark_all_avx2(uint64_t *marks, const char *src, uint32_t len)
{
    return mark_all(marks, src, len);
}
#endif

static uint32_t mark_markup(uint64_t *marks, const char *src, uint32_t len)
{
#ifdef TMPL_FOR_AVX2
    if (tmpl_has_avx2()) {
        return mark_all_avx2(marks, src, len);
    }
#endif
    return mark_all(marks, src, len);
}

/* Where the next '<' stands, at from or behind it; len or more if there is none. */
static inline uint32_t next_markup(const scan_t *s, uint32_t from)
{
    uint32_t i = from / MARKED;
    if (from >= s->len) {
        return from;
    }
    uint64_t marks = s->markup[i] & ~(uint64_t)0 << from % MARKED;
    while (marks == 0 && i < s->len / MARKED) {
        marks = s->markup[++i];
    }
    return marks != 0 ? i * MARKED + (uint32_t)__builtin_ctzll(marks) : s->len;
}

tmpl_decline_e tmpl_scan(tmpl_tokens_t *tokens, const char *src, uint32_t len, uint32_t max_tokens,
                         apr_pool_t *pool)
{
    /* As many tokens as there are '<', or as may be. */
    scan_t s = {
        .src = src, .len = len, .max = max_tokens, .pool = pool, .index = tmpl_tag_index()
    };
    s.names = (tmpl_names_t){ .src = src, .pool = pool };
    s.markup = apr_palloc(pool, (len / MARKED + 1) * sizeof(*s.markup));
    uint32_t room = mark_markup(s.markup, src, len);
    s.tokens = apr_palloc(pool, ((room < max_tokens ? room : max_tokens) + 2) * sizeof(*s.tokens));
    tokens->begin = len >= 3 && memcmp(src, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while ((s.at = next_markup(&s, s.at)) < len) {
        tmpl_decline_e decline = markup(&s, s.at);
        if (decline == TMPL_DECLINE_NONE && s.n > s.max) {
            decline = TMPL_DECLINE_TOO_MANY;
        }
        if (decline != TMPL_DECLINE_NONE) {
            return decline;
        }
    }
    if (s.foreign > 0 || s.noscript_end != 0) {
        return TMPL_DECLINE_TRUNCATED;
    }
    tokens->claims = s.claims != NULL ? (const uint32_t *)s.claims->elts : NULL;
    tokens->n_claims = s.claims != NULL ? (uint32_t)s.claims->nelts : 0;
    tokens->tokens = s.tokens;
    tokens->n = s.n;
    return TMPL_DECLINE_NONE;
}
