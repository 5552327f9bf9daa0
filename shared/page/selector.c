/* SPDX-License-Identifier: Apache-2.0 */
#include "page/selector.h"

#include <string.h>

#include <apr_strings.h>

#include "html/attr.h"

/* A memo has two bits for each compound that is left of another, and each node: 0 is unknown. */
#define MEMO_UNITS 4 /* in a byte */
#define MEMO_NO    1u
#define MEMO_YES   2u

/* How a condition compares its value with the attribute's. */
typedef enum { PRESENT, EQUAL, WORD } compare_e;

typedef struct condition_t {
    struct condition_t *next;
    const char *attribute;
    const char *value;
    compare_e compare;
} condition_t;

/*
 * A compound: a tag and conditions on it. outer is the compound on its left, so that
 * a selector is a list from the element itself to its ancestors: "main > ul li" is li, ul, main.
 */
typedef struct compound_t {
    const char *tag; /* NULL: any */
    condition_t *conditions;
    struct compound_t *outer; /* must match an ancestor; NULL: nothing is on the left */
    int is_child;             /* outer must match the parent, not just any ancestor */
    unsigned memo;            /* its place in a memo, from 1 on; 0: the compound is a subject */
} compound_t;

struct tmpl_selector_t {
    const char *text;
    const compound_t *subject; /* the last compound in the text, which the element itself matches */
    unsigned memos;            /* compounds in a memo */
    const char *xpath;         /* NULL: the selector is CSS; else subject is NULL */
};

static int is_name_byte(char c)
{
    return tmpl_is_alnum(c) || c == '-' || c == '_' || (unsigned char)c >= 0x80;
}

/* The name at *at, in pool; NULL if there is none. */
static const char *read_selector_name(const char **at, apr_pool_t *pool)
{
    const char *begin = *at;
    while (is_name_byte(**at)) {
        (*at)++;
    }
    return *at > begin ? apr_pstrmemdup(pool, begin, (apr_size_t)(*at - begin)) : NULL;
}

/* Reads what is behind a '[': attr] or attr=value] or attr="value"]. */
static int read_attribute(condition_t *condition, const char **at, apr_pool_t *pool)
{
    condition->compare = PRESENT;
    condition->attribute = read_selector_name(at, pool);
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

/* Reads a condition that begins with '#', '.' or '['. */
static int read_condition(condition_t *condition, const char **at, apr_pool_t *pool)
{
    char sign = *(*at)++;
    if (sign == '[') {
        return read_attribute(condition, at, pool);
    }
    condition->attribute = sign == '#' ? "id" : "class";
    condition->compare = sign == '#' ? EQUAL : WORD;
    condition->value = read_selector_name(at, pool);
    return condition->value != NULL;
}

static void skip_selector_space(const char **at)
{
    *at += strspn(*at, " \t\r\n\f");
}

/* The compound at *at; NULL if there is none. Moves *at to where reading stopped. */
static compound_t *read_compound(const char **at, apr_pool_t *pool)
{
    compound_t *compound = apr_pcalloc(pool, sizeof(*compound));
    const char *begin = *at;
    compound->tag = read_selector_name(at, pool);
    while (**at == '#' || **at == '.' || **at == '[') {
        condition_t *condition = apr_pcalloc(pool, sizeof(*condition));
        if (!read_condition(condition, at, pool)) {
            return NULL;
        }
        condition->next = compound->conditions;
        compound->conditions = condition;
    }
    return *at > begin ? compound : NULL;
}

/*
 * Reads compounds joined by blanks or '>', up to a comma or the end of the text. Returns NULL if
 * something else is at *at.
 */
static const compound_t *read_complex(const char **at, unsigned *memos, apr_pool_t *pool)
{
    skip_selector_space(at);
    compound_t *subject = read_compound(at, pool);
    while (subject != NULL) {
        const char *end = *at;
        skip_selector_space(at);
        if (**at == ',' || **at == '\0') {
            break;
        }
        int is_child = **at == '>';
        if (is_child) {
            (*at)++;
            skip_selector_space(at);
        }
        else if (*at == end) {
            return NULL; /* "a*": neither a combinator nor an end */
        }
        compound_t *inner = read_compound(at, pool);
        if (inner != NULL) {
            inner->outer = subject;
            subject->memo = ++*memos;
            inner->is_child = is_child;
        }
        subject = inner;
    }
    return subject;
}

const char *tmpl_selector_xpath(const tmpl_selector_t *selector)
{
    return selector->xpath;
}

apr_status_t tmpl_selector_parse(apr_array_header_t *list, const char *text, tmpl_error_t *err)
{
    static const char xpath[] = TMPL_SELECTOR_XPATH;
    int is_xpath = strncmp(text, xpath, sizeof(xpath) - 1) == 0;
    for (const char *at = text;; at++) {
        tmpl_selector_t *s = apr_pcalloc(list->pool, sizeof(*s));
        skip_selector_space(&at);
        const char *begin = at;
        if (is_xpath) {
            s->xpath = apr_pstrdup(list->pool, text + sizeof(xpath) - 1);
            at += strlen(at);
        }
        else {
            s->subject = read_complex(&at, &s->memos, list->pool);
        }
        if (s->xpath == NULL && s->subject == NULL) {
            return tmpl_fail(err, APR_EINVAL,
                             "selector '%s': expected tag, #id, .class, [attr] or [attr=value] at "
                             "character %d",
                             text, (int)(at - text) + 1);
        }
        const char *end = at;
        while (!is_xpath && tmpl_is_space(end[-1])) {
            end--;
        }
        s->text = apr_pstrmemdup(list->pool, begin, (apr_size_t)(end - begin));
        APR_ARRAY_PUSH(list, const tmpl_selector_t *) = s;
        if (*at == '\0') {
            return APR_SUCCESS;
        }
    }
}

const char *tmpl_selector_text(const tmpl_selector_t *selector)
{
    return selector->text;
}

/* Whether the bytes of span are value. */
static int is_value(const char *src, tmpl_span_t span, const char *value)
{
    return tmpl_span_len(span) == strlen(value) &&
           memcmp(src + span.start, value, strlen(value)) == 0;
}

static int attribute_holds(const condition_t *condition, const char *src, tmpl_span_t tag)
{
    tmpl_attr_t attr;
    if (!tmpl_attr_find(&attr, src, tag, condition->attribute)) {
        return 0;
    }
    if (condition->compare == WORD) {
        return tmpl_has_word(src, attr.value, condition->value, is_value);
    }
    return condition->compare == PRESENT || is_value(src, attr.value, condition->value);
}

/* Whether the tag's name in the source is name, in any case; the name may be unknown to tag.h. */
static int tag_is(const char *src, tmpl_span_t tag, const char *name)
{
    return tmpl_span_is(src, (tmpl_span_t){ tag.start + 1, tmpl_attr_first(src, tag) }, name);
}

static int compound_matches(const compound_t *compound, const tmpl_page_t *page, uint32_t node)
{
    tmpl_span_t tag = page->nodes[node].open;
    if (tmpl_span_len(tag) == 0 ||
        (compound->tag != NULL && !tag_is(page->src, tag, compound->tag))) {
        return 0;
    }
    for (const condition_t *c = compound->conditions; c != NULL; c = c->next) {
        if (!attribute_holds(c, page->src, tag)) {
            return 0;
        }
    }
    return 1;
}

size_t tmpl_selector_memo_size(const tmpl_selector_t *selector, const tmpl_page_t *page)
{
    return ((size_t)selector->memos * page->n_nodes + MEMO_UNITS - 1) / MEMO_UNITS;
}

/* The same for an ancestor: with a memo its tag is read once for all its descendants. */
static int outer_matches(const compound_t *compound, const tmpl_page_t *page, uint32_t node,
                         unsigned char *memo)
{
    if (memo == NULL || compound->memo == 0) {
        return compound_matches(compound, page, node);
    }
    size_t at = (size_t)(compound->memo - 1) * page->n_nodes + node;
    unsigned char *unit = &memo[at / MEMO_UNITS];
    unsigned shift = 2 * (unsigned)(at % MEMO_UNITS);
    unsigned known = (unsigned)*unit >> shift & 3;
    if (known == 0) {
        known = compound_matches(compound, page, node) ? MEMO_YES : MEMO_NO;
        *unit |= (unsigned char)(known << shift);
    }
    return known == MEMO_YES;
}

/*
 * Matches a run of compounds joined by '>', from *compound, the innermost, at *node. If all match,
 * *node becomes the node that the outermost one matched, and *compound the next compound on the
 * left, joined by a blank, or NULL.
 */
static int run_matches(const compound_t **compound, const tmpl_page_t *page, uint32_t *node,
                       unsigned char *memo)
{
    const compound_t *c = *compound;
    uint32_t at = *node;
    while (at != TMPL_NONE && outer_matches(c, page, at, memo)) {
        if (!c->is_child) {
            *compound = c->outer;
            *node = at;
            return 1;
        }
        c = c->outer;
        at = page->nodes[at].parent;
    }
    return 0;
}

/*
 * The nearest ancestor that matches a run is the right one: compounds further left must match its
 * ancestors, and a more distant match has fewer ancestors. So nothing is tried twice.
 */
int tmpl_selector_matches(const tmpl_selector_t *selector, const tmpl_page_t *page, uint32_t node,
                          unsigned char *memo)
{
    const compound_t *compound = selector->subject;
    int matches = run_matches(&compound, page, &node, memo);
    while (matches && compound != NULL) {
        do {
            node = page->nodes[node].parent;
            if (node == TMPL_NONE) {
                return 0;
            }
            matches = run_matches(&compound, page, &node, memo);
        } while (!matches);
    }
    return matches;
}
