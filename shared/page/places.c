/* SPDX-License-Identifier: Apache-2.0 */
#include "page/places.h"

#include <string.h>

#include <apr_strings.h>

/* Debian's xxHash has functions that choose the processor's widest vectors when the process runs */
#if defined(__x86_64__) && __has_include(<xxh_x86dispatch.h>)
#include <xxh_x86dispatch.h>
#else
#include <xxhash.h>
#endif

#include "base/bytes.h"
#include "html/charset.h"

/* Whether a page says that it is UTF-8, so that no other byte changes how it is read. */
static int says_utf8(const char *charset)
{
    return charset != NULL && apr_cstr_casecmp(charset, "utf-8") == 0;
}

/* The end of a script's text from at on; NULL if it has none, or holds "<!--". */
static const char *script_end(const char *at, const char *limit)
{
    while ((at = memchr(at, '<', (size_t)(limit - at))) != NULL) {
        if (limit - at >= 4 && memcmp(at, "<!--", 4) == 0) {
            return NULL;
        }
        if (limit - at >= 8 && at[1] == '/' && apr_cstr_casecmpn(at + 2, "script", 6) == 0) {
            return at;
        }
        at++;
    }
    return NULL;
}

/* Whether the text says what page the source is (detect/parts_regions.c). */
static int names_type(const char *at, const char *end)
{
    static const char *const types[] = { "Product", "QAPage", "DiscussionForumPosting" };
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        size_t len = strlen(types[i]);
        if ((size_t)(end - at) >= len && memcmp(at, types[i], len) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Whether a text holds nothing that changes how the page is read. limit is the end of the page. */
static int is_quiet(const char *at, const char *end, const char *limit, int utf8)
{
    const unsigned char beyond = utf8 ? 0 : 0x80;
    for (; at < end; at += TMPL_BYTES16) {
        tmpl_bytes16_t bytes = tmpl_bytes16(at, limit);
        unsigned left = end - at < TMPL_BYTES16 ? (1u << (end - at)) - 1 : 0xFFFF;
        unsigned bad = tmpl_bytes16_bits(
            (tmpl_bytes16_t)((bytes == '\0') | (bytes == '\x1b') | ((bytes & beyond) != 0)));
        unsigned capitals =
            left &
            tmpl_bytes16_bits((tmpl_bytes16_t)((bytes == 'P') | (bytes == 'Q') | (bytes == 'D')));
        if (bad & left) {
            return 0;
        }
        for (; capitals != 0; capitals &= capitals - 1) {
            if (names_type(at + __builtin_ctz(capitals), end)) {
                return 0;
            }
        }
    }
    return 1;
}

/* The end of a place from an offset on; TMPL_NONE: it has none, or holds what it must not. */
static uint32_t place_end(const char *src, uint32_t len, uint32_t start, uint32_t by, int utf8)
{
    const char *at = src + start, *limit = src + len;
    const char *end = by == '<' ? script_end(at, limit) : memchr(at, (int)by, len - start);
    return end != NULL && is_quiet(at, end, limit, utf8) ? (uint32_t)(end - src) : TMPL_NONE;
}

/* Whether one of the words is in the value, in any case. */
static int says_secret(const char *src, tmpl_span_t value)
{
    static const char *const words[] = { "csrf", "xsrf", "csp", "token", "nonce" };
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        size_t len = strlen(words[i]);
        for (uint32_t at = value.start; at + len <= value.end; at++) {
            if (apr_cstr_casecmpn(src + at, words[i], len) == 0) {
                return 1;
            }
        }
    }
    return 0;
}

/* Whether a text at a place is the attribute's name: '_' of XPath is any byte that XML forbids. */
static int is_named(const char *at, const char *src, tmpl_span_t name)
{
    for (; name.start < name.end; name.start++, at++) {
        if (*at == '\0' || (*at != '_' && tmpl_lower(*at) != tmpl_lower(src[name.start]))) {
            return 0;
        }
    }
    return 1;
}

/* Whether no text of read names the attribute: as "[name", "@name", "@*" or at its beginning. */
static int is_unread(const char *src, tmpl_span_t name, const apr_array_header_t *read)
{
    for (int i = 0; i < read->nelts; i++) {
        const char *text = APR_ARRAY_IDX(read, i, const char *);
        for (const char *at = text; at != NULL; at = strpbrk(at, "[@")) {
            at += *at == '[' || *at == '@';
            at += strspn(at, " \t\r\n");
            if (is_named(at, src, name) || *at == '*' || strncmp(at, "node", 4) == 0) {
                return 0;
            }
        }
    }
    return 1;
}

/* Attributes whose value may differ, beside those with data- that nobody who judges reads. */
static const struct {
    const char *name;
    tmpl_tag_e tag;    /* OTHER: any */
    const char *other; /* NULL, or another attribute that must have the value */
    const char *value; /* NULL: one that names a secret */
} volatile_attrs[] = {
    { "nonce", TMPL_TAG_OTHER, NULL, NULL },    { "name", TMPL_TAG_FORM, NULL, NULL },
    { "src", TMPL_TAG_IMG, NULL, NULL },        { "value", TMPL_TAG_INPUT, "type", "hidden" },
    { "content", TMPL_TAG_META, "name", NULL },
};

static int is_volatile(const char *src, const tmpl_token_t *tag, tmpl_span_t name)
{
    char first = tmpl_lower(src[name.start]);
    tmpl_attr_t other;
    if (first == 'd') {
        return tmpl_span_len(name) > 5 && apr_cstr_casecmpn(src + name.start, "data-", 5) == 0 &&
               tmpl_name_find(tmpl_attr_index(), src, name) == TMPL_ATTR_OTHER;
    }
    for (size_t i = 0; i < sizeof(volatile_attrs) / sizeof(volatile_attrs[0]); i++) {
        if (first == volatile_attrs[i].name[0] && tmpl_span_is(src, name, volatile_attrs[i].name) &&
            (volatile_attrs[i].tag == TMPL_TAG_OTHER || volatile_attrs[i].tag == tag->tag)) {
            const char *value = volatile_attrs[i].value;
            return volatile_attrs[i].other == NULL ||
                   (tmpl_attr_find(&other, src, tag->span, volatile_attrs[i].other) &&
                    (value == NULL ? says_secret(src, other.value)
                                   : tmpl_span_is(src, other.value, value)));
        }
    }
    return 0;
}

static void add_place(apr_array_header_t *list, const tmpl_page_t *page, tmpl_span_t span, char end,
                      int utf8)
{
    /* what looks for it must find what the parser found */
    if (place_end(page->src, page->len, span.start, (uint32_t)end, utf8) == span.end) {
        APR_ARRAY_PUSH(list, tmpl_volatile_t) = (tmpl_volatile_t){ span, (uint32_t)end };
    }
}

/*
 * The attributes of a start tag. All bytes of the tag of an image may be its key (segment.c), but
 * not of one that counts visits: its address may differ.
 */
static void add_attributes(apr_array_header_t *list, const tmpl_page_t *page,
                           const tmpl_token_t *tag, const apr_array_header_t *read, int utf8)
{
    const char *src = page->src;
    uint32_t at = tmpl_attr_first(src, tag->span);
    tmpl_attr_t attr;
    int is_image = tag->tag == TMPL_TAG_IMG;
    while ((!is_image || tmpl_image_is_tiny(src, tag->span)) &&
           tmpl_attr_next(&attr, src, tag->span.end, &at) == TMPL_ATTR_FOUND) {
        char quote = attr.value.start > attr.name.end + 1 ? src[attr.value.start - 1] : '\0';
        if ((quote == '"' || quote == '\'') && is_volatile(src, tag, attr.name) &&
            is_unread(src, attr.name, read)) {
            add_place(list, page, attr.value, quote, utf8);
        }
    }
}

/* Whether a script is a formula of MathJax, which XPath reads. */
static int is_formula(const char *src, const tmpl_token_t *script)
{
    tmpl_attr_t type;
    return tmpl_attr_find(&type, src, script->span, "type") && tmpl_span_len(type.value) >= 5 &&
           memcmp(src + type.value.start, "math/", 5) == 0;
}

void tmpl_places_find(tmpl_page_t *page, const tmpl_tokens_t *tokens,
                      const apr_array_header_t *read, const char *charset, apr_pool_t *pool)
{
    int utf8 = says_utf8(tmpl_charset(page->src, page->len, charset, NULL, pool));
    apr_array_header_t *list = apr_array_make(pool, 16, sizeof(tmpl_volatile_t));
    for (uint32_t i = 0; i < tokens->n && list->nelts <= TMPL_PLACES_MOST; i++) {
        const tmpl_token_t *token = &tokens->tokens[i];
        if (token->type != TMPL_TOKEN_START) {
            continue;
        }
        add_attributes(list, page, token, read, utf8);
        if (token->is_raw && token->is_paired && token->tag == TMPL_TAG_SCRIPT &&
            !is_formula(page->src, token)) {
            add_place(list, page,
                      (tmpl_span_t){ token->span.end, tokens->tokens[token->end].span.start }, '<',
                      utf8);
        }
    }
    if (list->nelts <= TMPL_PLACES_MOST && !tokens->is_read_twice) {
        page->places = (const tmpl_volatile_t *)list->elts;
        page->n_places = (uint32_t)list->nelts;
    }
}

/*
 * Finds the places in another page. Returns 0 if one has no end there, or holds what it must not.
 */
static int find_again(tmpl_volatile_t *found, const tmpl_volatile_t *places, uint32_t n,
                      const char *src, uint32_t len, int utf8)
{
    uint32_t before = 0, at = 0; /* the end of the last place, in their page and in this one */
    for (uint32_t i = 0; i < n; i++) {
        tmpl_volatile_t place = places[i];
        if (place.span.start < before || place.span.start - before > len - at) {
            return 0;
        }
        uint32_t start = at + (place.span.start - before);
        at = place_end(src, len, start, place.end, utf8);
        if (at == TMPL_NONE) {
            return 0;
        }
        found[i] = (tmpl_volatile_t){ { start, at }, place.end };
        before = place.span.end;
    }
    return 1;
}

/* Adds what a script looks up to a hash. */
static void hash_looks(XXH3_state_t *state, const char *src, tmpl_span_t script)
{
    static const uint32_t last[] = { TMPL_NONE, TMPL_NONE };
    tmpl_script_look_t look = { .at = script.start };
    while (tmpl_script_look(&look, src, script.end)) {
        uint32_t head[] = { (uint32_t)look.by, tmpl_span_len(look.name) };
        XXH3_128bits_update(state, head, sizeof(head));
        XXH3_128bits_update(state, src + look.name.start, tmpl_span_len(look.name));
    }
    XXH3_128bits_update(state, last, sizeof(last));
}

static void hash_around(XXH3_state_t *state, const tmpl_volatile_t *found, uint32_t n,
                        const char *src, uint32_t len)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i <= n; i++) {
        uint32_t gap = (i < n ? found[i].span.start : len) - at;
        XXH3_128bits_update(state, &gap, sizeof(gap));
        XXH3_128bits_update(state, src + at, gap);
        if (i < n && found[i].end == '<') {
            hash_looks(state, src, found[i].span);
        }
        at = i < n ? found[i].span.end : len;
    }
}

int tmpl_places_hash(unsigned char hash[TMPL_PLACES_HASH], tmpl_volatile_t *found,
                     const tmpl_volatile_t *places, uint32_t n, const char *src, uint32_t len,
                     const char *charset, const unsigned char *secret, apr_pool_t *pool)
{
    const char *said = tmpl_charset(src, len, charset, NULL, pool);
    XXH3_state_t *state = XXH3_createState();
    if (state == NULL || !find_again(found, places, n, src, len, says_utf8(said))) {
        XXH3_freeState(state);
        return 0;
    }
    XXH3_128bits_reset_withSecret(state, secret, TMPL_PLACES_SECRET);
    XXH3_128bits_update(state, said != NULL ? said : "", said != NULL ? strlen(said) + 1 : 1);
    hash_around(state, found, n, src, len);
    XXH128_hash_t of = XXH3_128bits_digest(state);
    XXH3_freeState(state);
    memcpy(hash, &of, TMPL_PLACES_HASH);
    return 1;
}

/* ---- what a script looks up ---- */

#define DOCUMENT "document."

static const struct {
    const char *member;
    tmpl_look_e by;
} members[] = {
    { "getElementById(", TMPL_LOOK_ID },      { "getElementsByClassName(", TMPL_LOOK_CLASS },
    { "querySelector(", TMPL_LOOK_SELECTOR }, { "currentScript", TMPL_LOOK_POSITION },
    { "write", TMPL_LOOK_POSITION },
};

/* The string literal at the start of [at, end), without its quotes; empty if there is none. */
static tmpl_span_t string_at(const char *src, uint32_t at, uint32_t end)
{
    at = tmpl_behind_space(src, at, end);
    if (at < end && (src[at] == '"' || src[at] == '\'' || src[at] == '`')) {
        const char *quote = memchr(src + at + 1, src[at], end - at - 1);
        if (quote != NULL) {
            return (tmpl_span_t){ at + 1, (uint32_t)(quote - src) };
        }
    }
    return (tmpl_span_t){ 0, 0 };
}

static int is_name_char(char c)
{
    return tmpl_is_alnum(c) || c == '-' || c == '_' || (unsigned char)c >= 0x80;
}

/* The id or class that a selector begins with; empty if it begins with something else. */
static tmpl_span_t first_name(const char *src, tmpl_span_t selector, tmpl_look_e *by)
{
    tmpl_span_t name = { selector.start + 1, selector.start + 1 };
    char first = tmpl_span_len(selector) > 0 ? src[selector.start] : '\0';
    if (first != '#' && first != '.') {
        return (tmpl_span_t){ 0, 0 };
    }
    *by = first == '#' ? TMPL_LOOK_ID : TMPL_LOOK_CLASS;
    while (name.end < selector.end && is_name_char(src[name.end])) {
        name.end++;
    }
    return name;
}

int tmpl_script_look(tmpl_script_look_t *look, const char *src, uint32_t end)
{
    const char *hit;
    while (look->at < end &&
           (hit = memmem(src + look->at, end - look->at, DOCUMENT, sizeof(DOCUMENT) - 1)) != NULL) {
        look->at = (uint32_t)(hit - src) + sizeof(DOCUMENT) - 1;
        for (unsigned i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
            uint32_t len = (uint32_t)strlen(members[i].member);
            if (end - look->at < len || memcmp(src + look->at, members[i].member, len) != 0) {
                continue;
            }
            look->by = members[i].by;
            look->name = look->by != TMPL_LOOK_POSITION ? string_at(src, look->at + len, end)
                                                        : (tmpl_span_t){ 0, 0 };
            if (look->by == TMPL_LOOK_SELECTOR) {
                look->name = first_name(src, look->name, &look->by);
            }
            return 1;
        }
    }
    return 0;
}
