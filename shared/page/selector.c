/* SPDX-License-Identifier: Apache-2.0 */
#include "page/selector.h"

#include <string.h>

#include <apr_strings.h>

#include "html/attr.h"

/* How a condition compares its value with the attribute's. */
typedef enum { PRESENT, EQUAL, WORD } compare_e;

typedef struct condition_t {
    struct condition_t *next;
    const char *attribute;
    const char *value;
    compare_e compare;
} condition_t;

struct tmpl_selector_t {
    const char *tag; /* NULL: any */
    condition_t *conditions;
};

static int is_name(char c)
{
    return tmpl_is_alnum(c) || c == '-' || c == '_' || (unsigned char)c >= 0x80;
}

/* The name at *at, in pool; NULL if none stands there. */
static const char *read_name(const char **at, apr_pool_t *pool)
{
    const char *begin = *at;
    while (is_name(**at)) {
        (*at)++;
    }
    return *at > begin ? apr_pstrmemdup(pool, begin, (apr_size_t)(*at - begin)) : NULL;
}

/* Behind the '[': attr] or attr=value] or attr="value"]. */
static int read_attribute(condition_t *condition, const char **at, apr_pool_t *pool)
{
    condition->compare = PRESENT;
    condition->attribute = read_name(at, pool);
    if (condition->attribute != NULL && **at == '=') {
        char quote = (*at)[1] == '"' || (*at)[1] == '\'' ? (*at)[1] : ']';
        const char *begin = *at + (quote == ']' ? 1 : 2);
        const char *end = strchr(begin, quote);
        if (end == NULL) {
            return 0;
        }
        condition->compare = EQUAL;
        condition->value = apr_pstrmemdup(pool, begin, (apr_size_t)(end - begin));
        *at = end + (quote == ']' ? 0 : 1);
    }
    if (condition->attribute == NULL || **at != ']') {
        return 0;
    }
    (*at)++;
    return 1;
}

/* What follows '#', '.' or '['. */
static int read_condition(condition_t *condition, const char **at, apr_pool_t *pool)
{
    char sign = *(*at)++;
    if (sign == '[') {
        return read_attribute(condition, at, pool);
    }
    condition->attribute = sign == '#' ? "id" : "class";
    condition->compare = sign == '#' ? EQUAL : WORD;
    condition->value = read_name(at, pool);
    return condition->value != NULL;
}

apr_status_t tmpl_selector_parse(const tmpl_selector_t **selector, const char *text,
                                 tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_selector_t *s = apr_pcalloc(pool, sizeof(*s));
    const char *at = text;
    s->tag = read_name(&at, pool);
    while (*at == '#' || *at == '.' || *at == '[') {
        condition_t *condition = apr_pcalloc(pool, sizeof(*condition));
        if (!read_condition(condition, &at, pool)) {
            return tmpl_fail(err, APR_EINVAL, "selector '%s': no name or value at character %d",
                             text, (int)(at - text) + 1);
        }
        condition->next = s->conditions;
        s->conditions = condition;
    }
    if (*at != '\0' || at == text) {
        return tmpl_fail(
            err, APR_EINVAL,
            "selector '%s': expected tag, #id, .class, [attr] or [attr=value] at character %d",
            text, (int)(at - text) + 1);
    }
    *selector = s;
    return APR_SUCCESS;
}

/* Whether value is the bytes of span. */
static int is_value(const char *src, tmpl_span_t span, const char *value)
{
    return tmpl_span_len(span) == strlen(value) &&
           memcmp(src + span.start, value, strlen(value)) == 0;
}

/* Whether value is one of the words in the attribute. */
static int has_word(const char *src, tmpl_span_t words, const char *value)
{
    tmpl_span_t word = { words.start, words.start };
    while (tmpl_word_next(&word, src, words)) {
        if (is_value(src, word, value)) {
            return 1;
        }
    }
    return 0;
}

static int holds(const condition_t *condition, const char *src, tmpl_span_t tag)
{
    tmpl_attr_t attr;
    if (!tmpl_attr_find(&attr, src, tag, condition->attribute)) {
        return 0;
    }
    if (condition->compare == WORD) {
        return has_word(src, attr.value, condition->value);
    }
    return condition->compare == PRESENT || is_value(src, attr.value, condition->value);
}

/* Whether the tag's name in the source is name, in any case: the table does not know every tag. */
static int tag_is(const char *src, tmpl_span_t tag, const char *name)
{
    return tmpl_span_is(src, (tmpl_span_t){ tag.start + 1, tmpl_attr_first(src, tag) }, name);
}

int tmpl_selector_matches(const tmpl_selector_t *selector, const tmpl_page_t *page, uint32_t node)
{
    tmpl_span_t tag = page->nodes[node].open;
    if (tmpl_span_len(tag) == 0 ||
        (selector->tag != NULL && !tag_is(page->src, tag, selector->tag))) {
        return 0;
    }
    for (const condition_t *c = selector->conditions; c != NULL; c = c->next) {
        if (!holds(c, page->src, tag)) {
            return 0;
        }
    }
    return 1;
}
