/* SPDX-License-Identifier: Apache-2.0 */
#include "html/scan.h"

#include <string.h>

#include <apr_cstr.h>
#include <apr_tables.h>

#include "base/bytes.h"
#include "html/attr.h"
#include "html/foreign_marks.h"
#include "html/tag_index.h"
#include "html/tag_names.h"

/* Room for attributes: most pages have less than one in so many bytes. */
#define FIRST_ATTRS 16
#define ATTR_BYTES  64

static tmpl_token_t *push_token(tmpl_scan_t *s, tmpl_token_e type, uint32_t start, uint32_t end)
{
    tmpl_token_t *token = &s->tokens[s->n++];
    *token = (tmpl_token_t){ .span = { start, end }, .type = type & 3, .end = TMPL_NONE };
    return token;
}

static void add_foreign_mark(tmpl_scan_t *s, uint32_t at)
{
    if (at == 0) {
        return;
    }
    if (s->foreign_marks == NULL) {
        s->foreign_marks = apr_array_make(s->pool, 8, sizeof(uint32_t));
    }
    APR_ARRAY_PUSH(s->foreign_marks, uint32_t) = at;
}

/* The offset of needle at or behind from; len if it is not found. */
static uint32_t find_needle(const tmpl_scan_t *s, uint32_t from, const char *needle,
                            apr_size_t needle_len)
{
    if (from >= s->len) {
        return s->len;
    }
    const char *hit = memmem(s->src + from, s->len - from, needle, needle_len);
    return hit == NULL ? s->len : (uint32_t)(hit - s->src);
}

/* Whether exactly that tag name is at p, which is behind "<" or "</". */
static int name_stands(const tmpl_scan_t *s, uint32_t p, const char *name, apr_size_t name_len)
{
    if (s->len - p <= name_len || apr_cstr_casecmpn(s->src + p, name, name_len) != 0) {
        return 0;
    }
    char next = s->src[p + name_len];
    return tmpl_is_space(next) || next == '/' || next == '>';
}

/* Whether the end tag of that name begins at the '<' at p. */
static int end_tag_stands(const tmpl_scan_t *s, uint32_t p, const char *name, apr_size_t name_len)
{
    return p + 1 < s->len && s->src[p + 1] == '/' && name_stands(s, p + 2, name, name_len);
}

/* The offset of the end tag of the raw text that begins at from; len if it is missing. */
static uint32_t raw_end(const tmpl_scan_t *s, uint32_t from, tmpl_tag_e tag)
{
    const char *name = tmpl_tag_name(tag);
    apr_size_t name_len = strlen(name);
    uint32_t p = from;
    while ((p = tmpl_next_markup(s, p)) < s->len && !end_tag_stands(s, p, name, name_len)) {
        p++;
    }
    return p < s->len ? p : s->len;
}

/*
 * The offset of the end tag of a script. A comment in the script's text may hold a script element:
 * the end tag of that element does not count (13.2.5.15 to 13.2.5.31: escaped and double escaped
 * states).
 */
static uint32_t script_end(const tmpl_scan_t *s, uint32_t from)
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
        else if (c == '<' && end_tag_stands(s, p, "script", 6)) {
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
        if (state == PLAIN) {
            p = tmpl_next_markup(s, p);
        }
    }
    return s->len;
}

/* The end of the comment that begins at start: behind "-->" or "--!>", or the end of the source. */
static uint32_t comment_end(const tmpl_scan_t *s, uint32_t start)
{
    const char *begin = s->src + start;
    const char *p = begin + 4;
    while ((p = memchr(p, '>', (apr_size_t)(s->src + s->len - p))) != NULL) {
        /* the dashes of "<!--" may be the dashes of "-->", but not of "--!>" */
        if ((p[-1] == '-' && p[-2] == '-') ||
            (p - begin >= 7 && p[-1] == '!' && p[-2] == '-' && p[-3] == '-')) {
            return (uint32_t)(p - s->src) + 1;
        }
        p++;
    }
    return s->len;
}

/* The offset behind the next needle at or behind from; the end of the source if it is not found. */
static uint32_t behind(const tmpl_scan_t *s, uint32_t from, const char *needle)
{
    apr_size_t needle_len = strlen(needle);
    uint32_t p = find_needle(s, from, needle, needle_len);
    return p == s->len ? p : p + (uint32_t)needle_len;
}

/*
 * Adds a token that begins with "<!", "<?" or "</" and is not a tag. Without an end it extends to
 * the end of the source.
 */
static void scan_other_token(tmpl_scan_t *s, uint32_t start)
{
    uint32_t end;
    if (s->len - start >= 4 && memcmp(s->src + start, "<!--", 4) == 0) {
        end = comment_end(s, start);
    }
    else if (s->in_foreign && s->len - start >= 9 && memcmp(s->src + start, "<![CDATA[", 9) == 0) {
        end = behind(s, start, "]]>");
    }
    else {
        end = behind(s, start, ">");
    }
    add_foreign_mark(
        s, tmpl_foreign_mark_in_comment(s->src, push_token(s, TMPL_TOKEN_OTHER, start, end)->span));
    s->at = end;
}

/* Attributes that may say what their element is. A style may if it begins like display:none. */
static const unsigned char says[TMPL_ATTR_COUNT] = {
    [TMPL_ATTR_CLASS] = 1,         [TMPL_ATTR_ID] = 1,
    [TMPL_ATTR_ITEMPROP] = 1,      [TMPL_ATTR_ITEMTYPE] = 1,
    [TMPL_ATTR_REL] = 1,           [TMPL_ATTR_ROLE] = 1,
    [TMPL_ATTR_ARIA_HIDDEN] = 1,   [TMPL_ATTR_ARIA_MODAL] = 1,
    [TMPL_ATTR_HIDDEN] = 1,        [TMPL_ATTR_STYLE] = 1,
    [TMPL_ATTR_ARIA_EXPANDED] = 1,
};

static void grow_attrs(tmpl_scan_t *s)
{
    s->room_attrs *= 2;
    tmpl_known_attr_t *larger = apr_palloc(s->pool, s->room_attrs * sizeof(*larger));
    s->attrs = memcpy(larger, s->attrs, s->n_attrs * sizeof(*larger));
}

/* Lists an attribute of a start tag, if it is in the table. Returns flags of the token. */
static inline unsigned list_attr(tmpl_scan_t *s, const tmpl_attr_t *attr)
{
    tmpl_attr_name_e name = tmpl_attr_name(s->attr_names, s->src, attr->name);
    if (name == TMPL_ATTR_OTHER) {
        return 0;
    }
    if (name == TMPL_ATTR_DATA_TMPL) {
        add_foreign_mark(s, attr->name.end - (uint32_t)strlen("tmpl"));
        return 0;
    }
    s->attrs[s->n_attrs++] = (tmpl_known_attr_t){ attr->value, name };
    if (s->n_attrs == s->room_attrs) {
        grow_attrs(s);
    }
    int is_style = name == TMPL_ATTR_STYLE;
    int begins = is_style && tmpl_span_len(attr->value) > 0 && s->src[attr->value.start] == 'd';
    return says[name] && (begins || !is_style) ? TMPL_TOKEN_NAMED : 0;
}

/* Whether the tag ends behind an attribute's '='. A value in quotes may begin with '>', too. */
static int lacks_value(const tmpl_scan_t *s, const tmpl_attr_t *attr)
{
    return attr->value.start > attr->name.end && tmpl_span_len(attr->value) == 0 &&
           s->src[attr->value.start] == '>';
}

/* The source ends inside the tag that begins at start: browsers drop it. */
static int drop_rest(tmpl_scan_t *s, uint32_t start)
{
    s->text_end = start;
    s->at = s->len;
    return 0;
}

int tmpl_scan_tag(tmpl_scan_t *s, uint32_t start, tmpl_token_e type, tmpl_tag_e tag, uint32_t p)
{
    uint32_t name = start + (type == TMPL_TOKEN_END ? 2 : 1);
    uint32_t name_end = p;
    tmpl_attr_t attr = { { 0, 0 }, { 0, 0 } };
    tmpl_attr_e found;
    unsigned flags = 0;
    while ((found = tmpl_attr_next(&attr, s->src, s->len, &p)) == TMPL_ATTR_FOUND) {
        flags |= type == TMPL_TOKEN_START ? list_attr(s, &attr) : 0;
    }
    if (found == TMPL_ATTR_TRUNCATED) {
        return drop_rest(s, start);
    }
    if (type == TMPL_TOKEN_START && lacks_value(s, &attr)) {
        flags |= TMPL_TOKEN_OPEN_VALUE;
    }
    tmpl_token_t *token = push_token(s, type, start, p);
    token->tag = (unsigned char)tag;
    token->name = tag != TMPL_TAG_OTHER ? (uint32_t)tag
                                        : tmpl_name_add(&s->names, (tmpl_span_t){ name, name_end });
    flags |= found == TMPL_ATTR_TAG_END_SELF ? TMPL_TOKEN_SELF_CLOSING : 0;
    token->flags = (unsigned char)flags;
    s->at = p;
    return 1;
}

/* Adds a start tag or an end tag. */
static int any_tag(tmpl_scan_t *s, uint32_t start, tmpl_token_e type)
{
    uint32_t p = start + (type == TMPL_TOKEN_END ? 2 : 1);
    tmpl_tag_e tag = tmpl_tag_read(s->index, s->src, s->len, &p);
    return tmpl_scan_tag(s, start, type, tag, p);
}

int tmpl_scan_markup(tmpl_scan_t *s, uint32_t start)
{
    char c = start + 1 < s->len ? s->src[start + 1] : ' ';
    char next = start + 2 < s->len ? s->src[start + 2] : ' ';
    if (tmpl_is_alpha(c)) {
        return any_tag(s, start, TMPL_TOKEN_START);
    }
    if (c == '/' && tmpl_is_alpha(next)) {
        return any_tag(s, start, TMPL_TOKEN_END);
    }
    if (c == '/' && start + 2 == s->len) {
        /* "</" is text here, but with bytes added behind it, it would be a comment */
        return drop_rest(s, start);
    }
    if (c == '!' || c == '?' || c == '/') {
        scan_other_token(s, start);
        return 1;
    }
    s->at = start + 1;
    return 0;
}

/* A bit for each '<' of TMPL_MARKED bytes. */
static inline uint64_t marks_of(const char *at)
{
    uint64_t marks = 0;
    for (unsigned i = 0; i < TMPL_MARKED; i += TMPL_BYTES16) {
        tmpl_bytes16_t is = (tmpl_bytes16_t)(tmpl_bytes16_load(at + i) == '<');
        marks |= (uint64_t)tmpl_bytes16_bits(is) << i;
    }
    return marks;
}

/* Marks all '<' of the source; returns their number. */
static uint32_t mark_all(uint64_t *markup, const char *src, uint32_t len)
{
    char last[TMPL_MARKED] = { 0 };
    uint32_t whole = len / TMPL_MARKED;
    uint32_t n = 0;
    memcpy(last, src + (len - len % TMPL_MARKED), len % TMPL_MARKED);
    for (uint32_t i = 0; i <= whole; i++) {
        uint64_t marks = marks_of(i < whole ? src + i * TMPL_MARKED : last);
        markup[i] = marks;
        for (; marks != 0; marks &= marks - 1) {
            n++; /* few are set */
        }
    }
    return n;
}

void tmpl_scan_init(tmpl_scan_t *s, const char *src, uint32_t len, uint32_t max_tokens,
                    apr_pool_t *pool)
{
    *s = (tmpl_scan_t){ .src = src, .len = len, .pool = pool, .index = tmpl_tag_index() };
    s->attr_names = tmpl_attr_names();
    s->room_attrs = FIRST_ATTRS + len / ATTR_BYTES;
    s->attrs = apr_palloc(pool, s->room_attrs * sizeof(*s->attrs));
    s->names = (tmpl_names_t){ .src = src, .pool = pool };
    s->markup = apr_palloc(pool, (len / TMPL_MARKED + 1) * sizeof(*s->markup));
    /* there are at most as many tokens as '<', and as allowed */
    uint32_t room = mark_all(s->markup, src, len);
    room = (room < max_tokens ? room : max_tokens) + 1;
    s->tokens = apr_palloc(pool, room * sizeof(*s->tokens));
    s->begin = len >= 3 && memcmp(src, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    s->text_end = len;
    s->max = max_tokens;
}

void tmpl_scan_raw(tmpl_scan_t *s, tmpl_tag_e tag)
{
    s->at = tag == TMPL_TAG_SCRIPT ? script_end(s, s->at) : raw_end(s, s->at, tag);
}
