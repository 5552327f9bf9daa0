/* SPDX-License-Identifier: Apache-2.0 */
#include "feature/part_hints.h"

#include <pthread.h>
#include <string.h>

#include "feature/automaton.h"

const unsigned tmpl_hints_of_tag[TMPL_TAG_COUNT] = {
    [TMPL_TAG_DIALOG] = TMPL_HINT_MODAL | TMPL_HINT_DIALOG,
    [TMPL_TAG_BUTTON] = TMPL_HINT_BUTTON,
    [TMPL_TAG_LABEL] = TMPL_HINT_BUTTON,
    [TMPL_TAG_LEGEND] = TMPL_HINT_BUTTON,
    [TMPL_TAG_FIGCAPTION] = TMPL_HINT_CAPTION,
    [TMPL_TAG_FIGURE] = TMPL_HINT_FIGURE,
    [TMPL_TAG_TIME] = TMPL_HINT_DATE,
    [TMPL_TAG_CITE] = TMPL_HINT_AUTHOR,
    [TMPL_TAG_PRE] = TMPL_HINT_CODE,
    [TMPL_TAG_CODE] = TMPL_HINT_CODE,
    [TMPL_TAG_SUMMARY] = TMPL_HINT_TOGGLE,
};

/* Values of attributes, in lower case. A value is compared as a list of words. */
static const struct {
    const char *value;
    tmpl_attr_name_e name;
    unsigned hints;
} statements[] = {
    { "dialog", TMPL_ATTR_ROLE, TMPL_HINT_MODAL | TMPL_HINT_DIALOG },
    { "alertdialog", TMPL_ATTR_ROLE, TMPL_HINT_MODAL | TMPL_HINT_DIALOG },
    { "tooltip", TMPL_ATTR_ROLE, TMPL_HINT_DIALOG },
    { "alert", TMPL_ATTR_ROLE, TMPL_HINT_DIALOG },
    { "button", TMPL_ATTR_ROLE, TMPL_HINT_BUTTON },
    { "author", TMPL_ATTR_REL, TMPL_HINT_AUTHOR },
    { "tag", TMPL_ATTR_REL, TMPL_HINT_TAGS },
    { "prev", TMPL_ATTR_REL, TMPL_HINT_RELATED },
    { "next", TMPL_ATTR_REL, TMPL_HINT_RELATED },
    { "true", TMPL_ATTR_ARIA_HIDDEN, TMPL_HINT_TWIN },
    { "true", TMPL_ATTR_ARIA_MODAL, TMPL_HINT_MODAL | TMPL_HINT_DIALOG },
    { "true", TMPL_ATTR_ARIA_EXPANDED, TMPL_HINT_TOGGLE },
    { "false", TMPL_ATTR_ARIA_EXPANDED, TMPL_HINT_TOGGLE },
    { "comment", TMPL_ATTR_ITEMPROP, TMPL_HINT_COMMENT },
    { "author", TMPL_ATTR_ITEMPROP, TMPL_HINT_AUTHOR },
    { "datepublished", TMPL_ATTR_ITEMPROP, TMPL_HINT_DATE },
    { "datemodified", TMPL_ATTR_ITEMPROP, TMPL_HINT_DATE },
    { "datecreated", TMPL_ATTR_ITEMPROP, TMPL_HINT_DATE },
    { "price", TMPL_ATTR_ITEMPROP, TMPL_HINT_PRICE },
    { "review", TMPL_ATTR_ITEMPROP, TMPL_HINT_REVIEW },
    { "reviews", TMPL_ATTR_ITEMPROP, TMPL_HINT_REVIEW },
    { "keywords", TMPL_ATTR_ITEMPROP, TMPL_HINT_TAGS },
    { "alternativeheadline", TMPL_ATTR_ITEMPROP, TMPL_HINT_LEAD },
    { "caption", TMPL_ATTR_ITEMPROP, TMPL_HINT_CAPTION },
};

/* Types of schema.org, behind "schema.org/" in the itemtype. */
static const struct {
    const char *type;
    unsigned hints;
} types[] = {
    { "comment", TMPL_HINT_COMMENT }, { "usercomments", TMPL_HINT_COMMENT },
    { "review", TMPL_HINT_REVIEW },   { "answer", TMPL_HINT_POST },
    { "question", TMPL_HINT_POST },   { "discussionforumposting", TMPL_HINT_THREAD },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static unsigned hints_of_type(const char *src, tmpl_span_t value)
{
    static const char site[] = "schema.org/";
    const char *at = memmem(src + value.start, tmpl_span_len(value), site, sizeof(site) - 1);
    unsigned hints = 0;
    if (at == NULL) {
        return 0;
    }
    tmpl_span_t type = { (uint32_t)(at - src) + (uint32_t)sizeof(site) - 1, value.end };
    for (unsigned i = 0; i < COUNT(types); i++) {
        hints |= tmpl_span_is(src, type, types[i].type) ? types[i].hints : 0;
    }
    return hints;
}

unsigned tmpl_hints_of_attr(const char *src, const tmpl_known_attr_t *attr)
{
    unsigned hints = 0;
    if (attr->name == TMPL_ATTR_HREF) {
        return 0; /* the most frequent one */
    }
    if (attr->name == TMPL_ATTR_ITEMTYPE) {
        return hints_of_type(src, attr->value);
    }
    for (unsigned i = 0; i < COUNT(statements); i++) {
        if (statements[i].name == attr->name &&
            tmpl_has_word(src, attr->value, statements[i].value, tmpl_span_is)) {
            hints |= statements[i].hints;
        }
    }
    return hints;
}

static const tmpl_word_t words[] = {
#define WORD(hint, word) { word, TMPL_HINT_##hint },
#include "feature/part_hints.def"
#undef WORD
};

static tmpl_automaton_t automaton;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void fill_words(void)
{
    unsigned n = tmpl_automaton_fill(&automaton, words, COUNT(words));
    /* two words are side by side whatever the number of characters between them */
    for (unsigned s = 0; s < n; s++) {
        uint16_t behind = automaton.next[s][TMPL_BETWEEN];
        automaton.next[behind][TMPL_BETWEEN] = behind;
    }
}

/*
 * Names that begin so are of other things: a post's tags and categories, "no-comments", "has-
 * ads"; how a field of Drupal shows its label.
 */
static int is_foreign(const char *name, uint32_t len)
{
    static const char *const begins[] = { "tag-",         "category-", "product_cat-",
                                          "product_tag-", "has-",      "no-",
                                          "with-",        "hide-",     "without-",
                                          "field--label-" };
    char first = tmpl_lower(name[0]);
    for (unsigned i = 0; i < COUNT(begins); i++) {
        size_t n = begins[i][0] == first ? strlen(begins[i]) : 0;
        if (n > 0 && len >= n && apr_cstr_casecmpn(name, begins[i], n) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Kinds of characters of a name. White space ends it, and so do bytes that are not ASCII. */
enum { SMALL = 1, CAPITAL, END };
static const unsigned char kinds[256] = {
    [0 ... ' '] = END,
    ['a' ... 'z'] = SMALL,
    ['A' ... 'Z'] = CAPITAL,
    [0x80 ... 0xFF] = END,
};

/* The offset of the next end of a name from at on. */
static uint32_t behind_name(const char *value, uint32_t len, uint32_t at)
{
    while (at < len && kinds[(unsigned char)value[at]] != END) {
        at++;
    }
    return at;
}

/* Searches the words of a name, up to the end of it, which is one more character. */
static uint32_t search_name(tmpl_search_t *search, const char *value, uint32_t len, uint32_t at)
{
    unsigned kind = 0;
    while (at < len && kind != END) {
        unsigned char c = (unsigned char)value[at++];
        if (kinds[c] == CAPITAL && kind == SMALL) { /* relatedPosts */
            tmpl_search_step(search, TMPL_BETWEEN);
        }
        tmpl_search_step(search, tmpl_symbols[c]);
        kind = kinds[c];
    }
    return at;
}

unsigned tmpl_hints_of_name(const char *value, uint32_t len)
{
    pthread_once(&once, fill_words);
    tmpl_search_t search = tmpl_search(&automaton);
    for (uint32_t at = 0; at < len;) {
        if (is_foreign(value + at, len - at)) {
            at = behind_name(value, len, at);
        }
        at = search_name(&search, value, len, at);
    }
    tmpl_search_step(&search, TMPL_BETWEEN);
    unsigned hints = (unsigned)search.says;
    /* comments have classes such as thread-even */
    hints &= (hints & TMPL_HINT_COMMENT) ? ~(unsigned)TMPL_HINT_THREAD : ~0U;
    /* highlighters call a program's comments so */
    return (hints & TMPL_HINT_CODE) ? TMPL_HINT_CODE : hints;
}
