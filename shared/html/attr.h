/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The attributes of a start tag, by the rules of the HTML5 tokenizer (13.2.5.32 to 13.2.5.40), as
 * spans of the source. The same code finds where a tag ends and what its attributes are, so the two
 * can never disagree.
 */
#ifndef TMPL_ATTR_H
#define TMPL_ATTR_H

#include <string.h>

#include <apr_cstr.h>

#include "base/ascii.h"
#include "base/bytes8.h"
#include "base/tmpl.h"

typedef struct {
    tmpl_span_t name;
    tmpl_span_t value; /* without quotes; empty if there is none */
} tmpl_attr_t;

typedef enum {
    TMPL_ATTR_FOUND,        /* attr is filled, *at stands behind it */
    TMPL_ATTR_TAG_END,      /* *at stands behind the tag's '>' */
    TMPL_ATTR_TAG_END_SELF, /* the same, and the tag ends in "/>" */
    TMPL_ATTR_TRUNCATED     /* the source ends within the tag */
} tmpl_attr_e;

/* Where what is no white space begins between start and end; end if nowhere. */
static inline uint32_t tmpl_behind_space(const char *src, uint32_t start, uint32_t end)
{
    while (start < end && tmpl_is_space(src[start])) {
        start++;
    }
    return start;
}

/* Of a byte: whether it ends names of tags and attributes, or of attributes only: '='. */
#define TMPL_NAME_ENDS      1
#define TMPL_NAME_ENDS_ATTR 2
extern const unsigned char tmpl_name_ends[256];

/* tmpl_attr_next, where what comes next is not as usual. */
tmpl_attr_e tmpl_attr_read(tmpl_attr_t *attr, const char *src, uint32_t len, uint32_t *at);

/* Marks the bytes that may end the name of an attribute, and a few others. */
static inline uint64_t tmpl_attr_name_ends(uint64_t eight)
{
    return tmpl_bytes8_below(eight, ' ' + 1) | tmpl_bytes8_zero(eight ^ TMPL_EACH('/')) |
           tmpl_bytes8_zero((eight & TMPL_EACH(0xFC)) ^ TMPL_EACH('=' & 0xFC));
}

/* Whether there is an attribute as nearly all are: a space, a short name, '=' and a value in '"'. Then it is read. */
static inline int tmpl_attr_usual(tmpl_attr_t *attr, const char *src, uint32_t len, uint32_t *at)
{
    uint32_t p = *at;
    if (len - p < 12 || src[p] != ' ') {
        return 0;
    }
    uint64_t ends = tmpl_attr_name_ends(tmpl_bytes8(src + ++p));
    uint32_t end = ends != 0 ? p + tmpl_bytes8_first(ends) : p;
    if (end == p || src[end] != '=' || src[end + 1] != '"') {
        return 0;
    }
    const char *value = src + end + 2;
    const char *quote = memchr(value, '"', len - (end + 2));
    if (quote == NULL) {
        return 0;
    }
    attr->name = (tmpl_span_t){ p, end };
    attr->value = (tmpl_span_t){ end + 2, (uint32_t)(quote - src) };
    *at = attr->value.end + 1;
    return 1;
}

/*
 * The next attribute from *at on, which stands behind the tag's name or behind the attribute before.
 * len bounds src.
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

/* Where the name of a tag ends that begins at name; len, which bounds src, if it does not. */
uint32_t tmpl_tag_name_end(const char *src, uint32_t len, uint32_t name);

/* Where the attributes of the start tag at span begin: behind its name. */
uint32_t tmpl_attr_first(const char *src, tmpl_span_t tag);

/*
 * The first attribute of that lower-case name in the start tag at span; 0 if there is none. Where an
 * attribute stands twice the first one counts, as in browsers.
 */
int tmpl_attr_find(tmpl_attr_t *attr, const char *src, tmpl_span_t tag, const char *name);

/* The next word of a value behind *word, which is { value.start, value.start } at first; 0 if there is none. */
int tmpl_word_next(tmpl_span_t *word, const char *src, tmpl_span_t value);

/* Whether name (lower case) is the bytes of span, in any case. */
static inline int tmpl_span_is(const char *src, tmpl_span_t span, const char *name)
{
    apr_size_t len = strlen(name);
    return tmpl_span_len(span) == len && apr_cstr_casecmpn(src + span.start, name, len) == 0;
}

/* Whether a word of the value is the one given, as is_word compares: tmpl_span_is in any case. */
typedef int tmpl_is_word_t(const char *src, tmpl_span_t span, const char *word);
int tmpl_has_word(const char *src, tmpl_span_t value, const char *word, tmpl_is_word_t *is_word);

#endif
