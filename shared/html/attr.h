/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The attributes of a start tag, by the rules of the HTML5 tokenizer (13.2.5.32 to 13.2.5.40), as
 * spans of the source. The scan finds the end of a tag with the same code that reads its
 * attributes, so the two always agree.
 */
#ifndef TMPL_ATTR_H
#define TMPL_ATTR_H

#include "base/ascii.h"
#include "html/name_index.h"

typedef struct {
    tmpl_span_t name;
    tmpl_span_t value; /* without quotes; empty if there is none */
} tmpl_attr_t;

typedef enum {
    TMPL_ATTR_FOUND,        /* attr is filled, *at is behind it */
    TMPL_ATTR_TAG_END,      /* *at is behind the tag's '>' */
    TMPL_ATTR_TAG_END_SELF, /* the same, and the tag ends in "/>" */
    TMPL_ATTR_TRUNCATED     /* the source ends within the tag */
} tmpl_attr_e;

/* The first byte from start on that is not white space; end if there is none. */
static inline uint32_t tmpl_behind_space(const char *src, uint32_t start, uint32_t end)
{
    while (start < end && tmpl_is_space(src[start])) {
        start++;
    }
    return start;
}

/*
 * The same, for white space that may be long, as between tags; len is the length of the source.
 */
static inline uint32_t tmpl_behind_spaces(const char *src, uint32_t start, uint32_t end,
                                          uint32_t len)
{
    while (start < end && tmpl_is_space(src[start])) {
        if (len - start < TMPL_BYTES16) {
            return tmpl_behind_space(src, start, end);
        }
        unsigned others = ~tmpl_bytes16_bits(tmpl_bytes16_spaces(tmpl_bytes16_load(src + start)));
        start += (uint32_t)__builtin_ctz(others); /* bits beyond the bytes are set */
    }
    return start < end ? start : end;
}

/* tmpl_attr_next for all forms that tmpl_attr_usual does not read. */
tmpl_attr_e tmpl_attr_read(tmpl_attr_t *attr, const char *src, uint32_t len, uint32_t *at);

/* Marks bytes that may end the name of an attribute, and a few others. */
static inline unsigned tmpl_attr_name_ends(tmpl_bytes16_t bytes)
{
    return tmpl_bytes16_bits(
        (tmpl_bytes16_t)((bytes <= ' ') | (bytes == '/') | ((bytes & 0xFC) == ('=' & 0xFC))));
}

/* The next '"' from at on; NULL if there is none before end. Most values are short. */
static inline const char *tmpl_attr_quote(const char *at, const char *end)
{
    for (int i = 0; i < 2 && end - at >= TMPL_BYTES16; i++, at += TMPL_BYTES16) {
        unsigned marks = tmpl_bytes16_bits((tmpl_bytes16_t)(tmpl_bytes16_load(at) == '"'));
        if (marks != 0) {
            return at + __builtin_ctz(marks);
        }
    }
    return memchr(at, '"', (size_t)(end - at));
}

/*
 * Reads an attribute of the most frequent form: white space, a name below 16 bytes, '=' and a value
 * in '"'. Returns 0 if the next one has another form.
 */
static inline int tmpl_attr_usual(tmpl_attr_t *attr, const char *src, uint32_t len, uint32_t *at)
{
    uint32_t p = *at;
    if (len - p < TMPL_BYTES16 + 2 || !tmpl_is_space(src[p])) {
        return 0;
    }
    unsigned ends = tmpl_attr_name_ends(tmpl_bytes16_load(src + ++p));
    uint32_t end = ends != 0 ? p + (uint32_t)__builtin_ctz(ends) : p;
    if (end == p || src[end] != '=' || src[end + 1] != '"') {
        return 0;
    }
    const char *quote = tmpl_attr_quote(src + end + 2, src + len);
    if (quote == NULL) {
        return 0;
    }
    attr->name = (tmpl_span_t){ p, end };
    attr->value = (tmpl_span_t){ end + 2, (uint32_t)(quote - src) };
    *at = attr->value.end + 1;
    return 1;
}

/*
 * Reads the next attribute at *at, which is behind the tag's name or behind the last attribute. src
 * has len bytes.
 */
static inline tmpl_attr_e tmpl_attr_next(tmpl_attr_t *attr, const char *src, uint32_t len,
                                         uint32_t *at)
{
    if (*at < len && src[*at] == '>') {
        ++*at;
        return TMPL_ATTR_TAG_END;
    }
    return tmpl_attr_usual(attr, src, len, at) ? TMPL_ATTR_FOUND
                                               : tmpl_attr_read(attr, src, len, at);
}

/* The byte behind the name of the start tag: its attributes begin there. */
uint32_t tmpl_attr_first(const char *src, tmpl_span_t tag);

/*
 * Finds the first attribute of that name (lower case) in the start tag; returns 0 if it has none,
 * or if the span is empty, as that of an implied element.
 * As in browsers, a second attribute of the name does not count.
 */
int tmpl_attr_find(tmpl_attr_t *attr, const char *src, tmpl_span_t tag, const char *name);

/*
 * The next word of a value behind *word, which the caller sets to { value.start, value.start }
 * first. Returns 0 at the end.
 */
int tmpl_word_next(tmpl_span_t *word, const char *src, tmpl_span_t value);

/* Whether the bytes of span are name (lower case), in any case. */
static inline int tmpl_span_is(const char *src, tmpl_span_t span, const char *name)
{
    apr_size_t len = strlen(name);
    return tmpl_span_len(span) == len && apr_cstr_casecmpn(src + span.start, name, len) == 0;
}

/* Whether they are a word of a list, as "a b c" (lower case), in any case. */
int tmpl_span_is_any(const char *src, tmpl_span_t span, const char *words);

/* Whether the value contains the word; is_word compares. (tmpl_span_is ignores case.) */
typedef int tmpl_is_word_t(const char *src, tmpl_span_t span, const char *word);
int tmpl_has_word(const char *src, tmpl_span_t value, const char *word, tmpl_is_word_t *is_word);

/* --- the attributes that the rest of libtmpl looks for --- */

/*
 * X(id, name). The scan lists these attributes while it reads a tag, so that nobody has to read the
 * tag again.
 */
#define TMPL_ATTRS(X)                                                                              \
    X(ARIA_CONTROLS, "aria-controls")                                                              \
    X(ARIA_EXPANDED, "aria-expanded")                                                              \
    X(ARIA_HIDDEN, "aria-hidden")                                                                  \
    X(ARIA_MODAL, "aria-modal")                                                                    \
    X(CLASS, "class")                                                                              \
    X(DATA_BS_TARGET, "data-bs-target")                                                            \
    X(DATA_BS_TOGGLE, "data-bs-toggle")                                                            \
    X(DATA_SRC, "data-src")                                                                        \
    X(DATA_TARGET, "data-target")                                                                  \
    X(DATA_TMPL, "data-tmpl")                                                                      \
    X(DATA_TOGGLE, "data-toggle")                                                                  \
    X(FORM, "form")                                                                                \
    X(HIDDEN, "hidden")                                                                            \
    X(HREF, "href")                                                                                \
    X(ID, "id")                                                                                    \
    X(ITEMPROP, "itemprop")                                                                        \
    X(ITEMSCOPE, "itemscope")                                                                      \
    X(ITEMTYPE, "itemtype")                                                                        \
    X(NAME, "name")                                                                                \
    X(REL, "rel")                                                                                  \
    X(ROLE, "role")                                                                                \
    X(SRC, "src")                                                                                  \
    X(STYLE, "style")

typedef enum {
    TMPL_ATTR_OTHER,
#define TMPL_ATTR_ID_OF(id, name) TMPL_ATTR_##id,
    TMPL_ATTRS(TMPL_ATTR_ID_OF)
#undef TMPL_ATTR_ID_OF
        TMPL_ATTR_COUNT
} tmpl_attr_name_e;

/* An attribute of the table, in a start tag. Lists are in the order of the source. */
typedef struct {
    tmpl_span_t value; /* behind the name, if the attribute has no value */
    tmpl_attr_name_e name;
} tmpl_known_attr_t;

/* The end of a list: behind all tags. */
#define TMPL_ATTRS_END ((tmpl_known_attr_t){ { TMPL_NONE, TMPL_NONE }, TMPL_ATTR_OTHER })

/*
 * The first attribute of that name in the tag that ends at the offset end; NULL if there is none.
 * attrs is a list that begins with the tag's attributes, or behind where they would be.
 */
static inline const tmpl_known_attr_t *tmpl_attrs_find(const tmpl_known_attr_t *attrs, uint32_t end,
                                                       tmpl_attr_name_e name)
{
    while (attrs->value.start < end && attrs->name != name) {
        attrs++;
    }
    return attrs->value.start < end ? attrs : NULL;
}

/* The index of the table's names, which are of type tmpl_attr_name_e; any thread may call. */
const tmpl_name_index_t *tmpl_attr_index(void);

#endif
