/* SPDX-License-Identifier: Apache-2.0 */
#include "html/attr.h"

#include <pthread.h>

#define NAME(id, name) name,
static const char *const names[TMPL_ATTR_COUNT] = { "", TMPL_ATTRS(NAME) };

static tmpl_name_index_t the_index;
static pthread_once_t index_once = PTHREAD_ONCE_INIT;

static void attr_index_fill(void)
{
    tmpl_name_index_fill(&the_index, names, TMPL_ATTR_COUNT);
}

const tmpl_name_index_t *tmpl_attr_index(void)
{
    pthread_once(&index_once, attr_index_fill);
    return &the_index;
}

/* Reads the value behind the '=', quoted or not. Returns 0 if the source ends first. */
static int read_value(tmpl_attr_t *attr, const char *src, uint32_t len, uint32_t *at)
{
    uint32_t p = tmpl_behind_space(src, *at, len);
    if (p >= len) {
        return 0;
    }
    if (src[p] == '"' || src[p] == '\'') {
        const char *quote = memchr(src + p + 1, src[p], len - p - 1);
        if (quote == NULL) {
            return 0;
        }
        attr->value.start = p + 1;
        attr->value.end = (uint32_t)(quote - src);
        *at = attr->value.end + 1;
        return 1;
    }
    attr->value.start = p;
    while (p < len && !tmpl_is_space(src[p]) && src[p] != '>') {
        p++;
    }
    attr->value.end = p;
    *at = p;
    return 1;
}

tmpl_attr_e tmpl_attr_read(tmpl_attr_t *attr, const char *src, uint32_t len, uint32_t *at)
{
    uint32_t p = *at;
    for (;;) {
        p = tmpl_behind_space(src, p, len);
        if (p >= len) {
            return TMPL_ATTR_TRUNCATED;
        }
        if (src[p] == '>') {
            *at = p + 1;
            return TMPL_ATTR_TAG_END;
        }
        if (src[p] != '/') {
            break;
        }
        if (p + 1 < len && src[p + 1] == '>') {
            *at = p + 2;
            return TMPL_ATTR_TAG_END_SELF;
        }
        p++;
    }
    attr->name.start = p;
    p++; /* a name may begin with '=' */
    while (p < len && tmpl_name_ends[(unsigned char)src[p]] == 0) {
        p++;
    }
    attr->name.end = p;
    attr->value.start = attr->value.end = p;
    *at = p;
    p = tmpl_behind_space(src, p, len);
    if (p < len && src[p] == '=') {
        *at = p + 1;
        return read_value(attr, src, len, at) ? TMPL_ATTR_FOUND : TMPL_ATTR_TRUNCATED;
    }
    return TMPL_ATTR_FOUND;
}

uint32_t tmpl_attr_first(const char *src, tmpl_span_t tag)
{
    return tmpl_tag_name_end(src, tag.end, tag.start + 1);
}

int tmpl_attr_find(tmpl_attr_t *attr, const char *src, tmpl_span_t tag, const char *name)
{
    if (tmpl_span_len(tag) == 0) {
        return 0; /* the page has no such tag: body, tbody and others may be implied */
    }
    uint32_t at = tmpl_attr_first(src, tag);
    while (tmpl_attr_next(attr, src, tag.end, &at) == TMPL_ATTR_FOUND) {
        if (tmpl_span_is(src, attr->name, name)) {
            return 1;
        }
    }
    return 0;
}

int tmpl_word_next(tmpl_span_t *word, const char *src, tmpl_span_t value)
{
    word->start = tmpl_behind_space(src, word->end, value.end);
    for (word->end = word->start; word->end < value.end; word->end += TMPL_BYTES16) {
        unsigned marks =
            tmpl_bytes16_bits(tmpl_bytes16_spaces(tmpl_bytes16(src + word->end, src + value.end)));
        if (marks != 0) {
            word->end += (uint32_t)__builtin_ctz(marks);
            return word->end > word->start;
        }
    }
    word->end = value.end;
    return word->end > word->start;
}

int tmpl_span_is_any(const char *src, tmpl_span_t span, const char *words)
{
    apr_size_t len = tmpl_span_len(span);
    char first = len > 0 ? tmpl_lower(src[span.start]) : '\0';
    while (len > 0 && words != NULL) {
        if (*words == first && apr_cstr_casecmpn(src + span.start, words, len) == 0 &&
            (words[len] == ' ' || words[len] == '\0')) {
            return 1;
        }
        const char *blank = strchr(words, ' ');
        words = blank != NULL ? blank + 1 : NULL;
    }
    return 0;
}

int tmpl_has_word(const char *src, tmpl_span_t value, const char *word, tmpl_is_word_t *is_word)
{
    tmpl_span_t its = { value.start, value.start };
    while (tmpl_word_next(&its, src, value)) {
        if (is_word(src, its, word)) {
            return 1;
        }
    }
    return 0;
}
