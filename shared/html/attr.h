/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The attributes of a start tag, by the rules of the HTML5 tokenizer (13.2.5.32 to 13.2.5.40), as
 * spans of the source. The scan finds the end of a tag with the same code that reads its
 * attributes, so the two always agree.
 */
#ifndef TMPL_ATTR_H
#define TMPL_ATTR_H

#include <string.h>

#include <apr_cstr.h>

#include "base/ascii.h"
#include "base/bytes.h"
#include "base/tmpl.h"

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

/* Whether a byte ends names: of tags and attributes, or of attributes only ('='). */
#define TMPL_NAME_ENDS      1
#define TMPL_NAME_ENDS_ATTR 2
extern const unsigned char tmpl_name_ends[256];

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

/* The end of the tag name that begins at name; len, the length of src, if it does not end. */
uint32_t tmpl_tag_name_end(const char *src, uint32_t len, uint32_t name);

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

#endif
