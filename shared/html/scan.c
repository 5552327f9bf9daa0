/* SPDX-License-Identifier: Apache-2.0 */
#include "html/scan.h"

#include <xxhash.h>

/* Room for attributes: most pages have less than one in so many bytes. */
#define FIRST_ATTRS 16
#define ATTR_BYTES  64

static tmpl_token_t *push_token(tmpl_scan_t *s, tmpl_token_e type, uint32_t start, uint32_t end)
{
    tmpl_token_t *token = &s->tokens[s->n++];
    *token = (tmpl_token_t){ .span = { start, end }, .type = type & 3, .end = TMPL_NONE };
    return token;
}

/* --- names that are not in the table of tags --- */

/* This bit distinguishes the number of a name from a tmpl_tag_e. */
#define NAME_UNKNOWN 0x80000000u

#define FIRST_NAMES 8

static uint32_t hash_of_name(const char *src, tmpl_span_t span)
{
    char lower[64];
    uint32_t hash = 0;
    uint32_t n = 0;
    for (uint32_t p = span.start; p < span.end; p++) {
        if (src[p] > '\0' && (unsigned char)src[p] < 0x80) {
            lower[n++] = tmpl_lower(src[p]);
        }
        if (n == sizeof(lower)) {
            hash = XXH32(lower, n, hash);
            n = 0;
        }
    }
    return XXH32(lower, n, hash) | NAME_UNKNOWN;
}

static int is_same_name(const char *src, tmpl_span_t a, tmpl_span_t b)
{
    uint32_t i = 0, len = tmpl_span_len(a);
    while (i < len && tmpl_lower(src[a.start + i]) == tmpl_lower(src[b.start + i])) {
        i++;
    }
    return i == len;
}

/*
 * The number of the name at span: equal for names equal in any case. Returns 0 if another name of
 * the page has the same number but other bytes: by accident, or because the number ignores NUL and
 * bytes above 0x7F, which browsers may read as equal characters.
 */
static uint32_t add_name(tmpl_scan_t *s, tmpl_span_t span)
{
    tmpl_names_t *names = &s->names;
    uint32_t hash = hash_of_name(s->src, span);
    if (names->spans == NULL) {
        names->spans = apr_array_make(s->scratch, FIRST_NAMES, sizeof(tmpl_span_t));
        tmpl_numbering_init(&names->hashes, FIRST_NAMES, s->scratch, s->scratch);
    }
    uint32_t known = tmpl_numbering_add(&names->hashes, hash);
    if (known == (uint32_t)names->spans->nelts) {
        APR_ARRAY_PUSH(names->spans, tmpl_span_t) = span;
    }
    tmpl_span_t first = APR_ARRAY_IDX(names->spans, known, tmpl_span_t);
    return tmpl_span_len(first) == tmpl_span_len(span) && is_same_name(s->src, first, span) ? hash
                                                                                            : 0;
}

/* --- raw text and comments --- */

/* Whether that text is at p. */
static inline int begins(const tmpl_scan_t *s, uint32_t p, const char *text)
{
    return s->len - p >= strlen(text) && memcmp(s->src + p, text, strlen(text)) == 0;
}

/* The offset behind the next text at or behind from; the end of the source if it is not found. */
static uint32_t behind(const tmpl_scan_t *s, uint32_t from, const char *text)
{
    const char *hit = memmem(s->src + from, s->len - from, text, strlen(text));
    return hit != NULL ? (uint32_t)(hit - s->src) + (uint32_t)strlen(text) : s->len;
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
    enum { SCRIPT_DATA, ESCAPED, DOUBLE_ESCAPED } state = SCRIPT_DATA;
    uint32_t p = from;
    while (p < s->len) {
        char c = s->src[p];
        if (state != SCRIPT_DATA && c == '-' && begins(s, p, "-->")) {
            state = SCRIPT_DATA;
        }
        else if (c == '<' && state == SCRIPT_DATA && begins(s, p, "<!--")) {
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
        while (state != SCRIPT_DATA && p < s->len && s->src[p] != '<' && s->src[p] != '-') {
            p++;
        }
        if (state == SCRIPT_DATA) {
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

/*
 * Foreign marks are attributes data-tmpl and comments <!--tmpl--> or <!--/tmpl--> that the page
 * itself contains, which readers of annotated pages must not take for ours. Lists the comment if it
 * is one, by the offset of "tmpl".
 *
 * Comments have more forms than one: the tokenizer also makes comments of "<!", "<?", and "</"
 * without a letter behind it, up to the next '>' (13.2.5.41, bogus comment state). To a reader of
 * the tree "<!tmpl>" is "<!--tmpl-->", and "<//tmpl>" is "<!--/tmpl-->". The end of the source ends
 * any comment. What a reader may trim in front of the name counts as nothing: white space and
 * controls of ASCII, and any bytes beyond ASCII, which may be white space of Unicode.
 */
static void list_foreign_mark(tmpl_scan_t *s, tmpl_span_t comment)
{
    static const char name[] = "tmpl";
    uint32_t p = comment.start + (begins(s, comment.start, "<!--") ? 4 : 2);
    while (p < comment.end &&
           ((unsigned char)s->src[p] <= ' ' || (unsigned char)s->src[p] >= 0x7F)) {
        p++;
    }
    p += p < comment.end && s->src[p] == '/';
    if (comment.end - p >= strlen(name) && begins(s, p, name)) {
        APR_ARRAY_PUSH(s->foreign_marks, uint32_t) = p;
    }
}

/*
 * Adds a token that begins with "<!", "<?" or "</" and is not a tag. Without an end it extends to
 * the end of the source.
 */
static void scan_other_token(tmpl_scan_t *s, uint32_t start)
{
    s->at = begins(s, start, "<!--")                         ? comment_end(s, start)
            : s->in_foreign && begins(s, start, "<![CDATA[") ? behind(s, start, "]]>")
                                                             : behind(s, start, ">");
    list_foreign_mark(s, push_token(s, TMPL_TOKEN_OTHER, start, s->at)->span);
}

/* --- tags --- */

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

/* The attributes of a tag that were listed. */
typedef struct {
    unsigned names; /* a bit for each */
    unsigned n;
} tag_attrs_t;

/*
 * Lists an attribute of a start tag, if it is in the table; of a tag with very many, only the first
 * of its name, which is the one that counts, because readers look at all of them. Returns flags of
 * the token.
 */
static inline unsigned list_attr(tmpl_scan_t *s, const tmpl_attr_t *attr, tag_attrs_t *listed)
{
    enum { MANY = 32 };
    tmpl_attr_name_e name = tmpl_name_find(s->attr_names, s->src, attr->name);
    if (name == TMPL_ATTR_OTHER) {
        return 0;
    }
    if (name == TMPL_ATTR_DATA_TMPL) {
        APR_ARRAY_PUSH(s->foreign_marks, uint32_t) = attr->name.end - (uint32_t)strlen("tmpl");
        return 0;
    }
    _Static_assert(TMPL_ATTR_COUNT <= 32, "a bit for each name");
    if (listed->n >= MANY && (listed->names & (1U << name)) != 0) {
        return 0;
    }
    listed->names |= 1U << name;
    listed->n++;
    s->attrs[s->n_attrs++] = (tmpl_known_attr_t){ attr->value, name };
    if (s->n_attrs == s->room_attrs) {
        grow_attrs(s);
    }
    int is_other_style = name == TMPL_ATTR_STYLE &&
                         (tmpl_span_len(attr->value) == 0 || s->src[attr->value.start] != 'd');
    return says[name] && !is_other_style ? TMPL_TOKEN_NAMED : 0;
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
    tag_attrs_t listed = { 0 };
    unsigned flags = 0;
    while ((found = tmpl_attr_next(&attr, s->src, s->len, &p)) == TMPL_ATTR_FOUND) {
        flags |= type == TMPL_TOKEN_START ? list_attr(s, &attr, &listed) : 0;
    }
    if (found == TMPL_ATTR_TRUNCATED) {
        return drop_rest(s, start);
    }
    if (type == TMPL_TOKEN_START && lacks_value(s, &attr)) {
        flags |= TMPL_TOKEN_OPEN_VALUE;
    }
    tmpl_token_t *token = push_token(s, type, start, p);
    token->tag = (unsigned char)tag;
    token->name =
        tag != TMPL_TAG_OTHER ? (uint32_t)tag : add_name(s, (tmpl_span_t){ name, name_end });
    flags |= found == TMPL_ATTR_TAG_END_SELF ? TMPL_TOKEN_SELF_CLOSING : 0;
    token->flags = (unsigned char)flags;
    s->at = p;
    return 1;
}

/* Adds a start tag or an end tag. */
static int any_tag(tmpl_scan_t *s, uint32_t start, tmpl_token_e type)
{
    uint32_t p = start + (type == TMPL_TOKEN_END ? 2 : 1);
    tmpl_tag_e tag = tmpl_tag_read(s->tags, s->src, s->len, &p);
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
                    apr_pool_t *pool, apr_pool_t *scratch)
{
    *s = (tmpl_scan_t){ .src = src, .len = len, .pool = pool, .scratch = scratch };
    s->tags = tmpl_tag_index();
    s->attr_names = tmpl_attr_index();
    s->foreign_marks = apr_array_make(pool, 0, sizeof(uint32_t));
    s->room_attrs = FIRST_ATTRS + len / ATTR_BYTES;
    s->attrs = apr_palloc(pool, s->room_attrs * sizeof(*s->attrs));
    s->markup = apr_palloc(scratch, (len / TMPL_MARKED + 1) * sizeof(*s->markup));
    /* there are at most as many tokens as '<', and as allowed */
    uint32_t room = mark_all(s->markup, src, len);
    room = (room < max_tokens ? room : max_tokens) + 1;
    s->tokens = apr_palloc(scratch, room * sizeof(*s->tokens));
    s->begin = len >= 3 && memcmp(src, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    s->text_end = len;
    s->max = max_tokens;
}

void tmpl_scan_raw(tmpl_scan_t *s, tmpl_tag_e tag)
{
    s->at = tag == TMPL_TAG_SCRIPT ? script_end(s, s->at) : raw_end(s, s->at, tag);
}
