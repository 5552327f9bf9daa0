/* SPDX-License-Identifier: Apache-2.0 */
#include "feature/part_hints.h"

#include <pthread.h>
#include <string.h>

const unsigned tmpl_hints_of_tag[TMPL_TAG_COUNT] = {
    [TMPL_TAG_DIALOG] = TMPL_HINT_DIALOG,      [TMPL_TAG_BUTTON] = TMPL_HINT_BUTTON,
    [TMPL_TAG_LABEL] = TMPL_HINT_BUTTON,       [TMPL_TAG_LEGEND] = TMPL_HINT_BUTTON,
    [TMPL_TAG_FIGCAPTION] = TMPL_HINT_CAPTION, [TMPL_TAG_FIGURE] = TMPL_HINT_FIGURE,
    [TMPL_TAG_TIME] = TMPL_HINT_DATE,          [TMPL_TAG_CITE] = TMPL_HINT_AUTHOR,
    [TMPL_TAG_PRE] = TMPL_HINT_CODE,           [TMPL_TAG_CODE] = TMPL_HINT_CODE,
    [TMPL_TAG_SUMMARY] = TMPL_HINT_TOGGLE,
};

/* Values of attributes, in lower case. A value is compared as a list of words. */
static const struct {
    const char *name, *value;
    unsigned hints;
} statements[] = {
    { "role", "dialog", TMPL_HINT_DIALOG },
    { "role", "alertdialog", TMPL_HINT_DIALOG },
    { "role", "tooltip", TMPL_HINT_DIALOG },
    { "role", "alert", TMPL_HINT_DIALOG },
    { "role", "button", TMPL_HINT_BUTTON },
    { "rel", "author", TMPL_HINT_AUTHOR },
    { "rel", "tag", TMPL_HINT_TAGS },
    { "rel", "prev", TMPL_HINT_RELATED },
    { "rel", "next", TMPL_HINT_RELATED },
    { "aria-hidden", "true", TMPL_HINT_TWIN },
    { "aria-modal", "true", TMPL_HINT_DIALOG },
    { "aria-expanded", "true", TMPL_HINT_TOGGLE },
    { "aria-expanded", "false", TMPL_HINT_TOGGLE },
    { "itemprop", "comment", TMPL_HINT_COMMENT },
    { "itemprop", "author", TMPL_HINT_AUTHOR },
    { "itemprop", "datepublished", TMPL_HINT_DATE },
    { "itemprop", "datemodified", TMPL_HINT_DATE },
    { "itemprop", "datecreated", TMPL_HINT_DATE },
    { "itemprop", "price", TMPL_HINT_PRICE },
    { "itemprop", "review", TMPL_HINT_REVIEW },
    { "itemprop", "reviews", TMPL_HINT_REVIEW },
    { "itemprop", "keywords", TMPL_HINT_TAGS },
    { "itemprop", "alternativeheadline", TMPL_HINT_LEAD },
    { "itemprop", "caption", TMPL_HINT_CAPTION },
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

unsigned tmpl_hints_of_attr(const char *src, const tmpl_attr_t *attr)
{
    char first = tmpl_lower(src[attr->name.start]);
    unsigned hints = 0;
    char third = tmpl_span_len(attr->name) > 2 ? tmpl_lower(src[attr->name.start + 2]) : 0;
    /* ro(l)e, re(l), it(e)m.., ar(i)a-.. */
    if (!(first == 'r' && third == 'l') && !(first == 'i' && third == 'e') &&
        !(first == 'a' && third == 'i')) {
        return 0;
    }
    if (tmpl_span_is(src, attr->name, "itemtype")) {
        return hints_of_type(src, attr->value);
    }
    for (unsigned i = 0; i < COUNT(statements); i++) {
        if (statements[i].name[0] == first && tmpl_span_is(src, attr->name, statements[i].name) &&
            tmpl_has_word(src, attr->value, statements[i].value, tmpl_span_is)) {
            hints |= statements[i].hints;
        }
    }
    return hints;
}

/*
 * Words of classes and ids. A word ends in '*' if words that only begin so count, too; "a-b" are
 * two words side by side.
 */
typedef struct {
    const char *word;
    unsigned hints;
} word_t;

static const word_t words[] = {
#define WORD(hint, word) { word, TMPL_HINT_##hint },
#include "feature/part_hints.def"
#undef WORD
};

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
    for (unsigned i = 0; i < COUNT(begins); i++) {
        size_t n = strlen(begins[i]);
        if (len >= n && apr_cstr_casecmpn(name, begins[i], n) == 0) {
            return 1;
        }
    }
    return 0;
}

/* The words of a value, each in lower case and with a '-' behind it. Digits are letters here. */
#define VALUE_MAX 256

static void words_of(char *out, const char *value, uint32_t len)
{
    uint32_t n = 0;
    int is_small = 0; /* the character before is a small letter */
    for (uint32_t i = 0; i < len && n + 3 < VALUE_MAX; i++) {
        char c = value[i];
        if ((i == 0 || value[i - 1] <= ' ') && is_foreign(value + i, len - i)) {
            while (i + 1 < len && value[i + 1] > ' ') {
                i++;
            }
            c = ' ';
        }
        int is_letter = tmpl_is_alpha(c) || tmpl_is_digit(c);
        if (n > 0 && out[n - 1] != '-' && (!is_letter || (is_small && c >= 'A' && c <= 'Z'))) {
            out[n++] = '-';
        }
        if (is_letter) {
            out[n++] = tmpl_lower(c);
        }
        is_small = c >= 'a' && c <= 'z';
    }
    out[n++] = '-';
    out[n] = '\0';
}

/* Whether the word stands at `at`, where a word of the value begins. */
static int stands(const char *word, const char *at)
{
    while (*word != '\0' && *word == *at) {
        word++;
        at++;
    }
    return *word == '*' || (*word == '\0' && *at == '-');
}

/* [letter][letter]: 1 + index of the first word that begins with both; 0: there is none. */
static unsigned short firsts[26][26];
static pthread_once_t firsts_once = PTHREAD_ONCE_INIT;

/* Words with the same first two letters are side by side. */
static void firsts_fill(void)
{
    for (unsigned i = 0; i < COUNT(words); i++) {
        unsigned short *first = &firsts[words[i].word[0] - 'a'][words[i].word[1] - 'a'];
        *first = *first != 0 ? *first : (unsigned short)(i + 1);
    }
}

static unsigned hints_of_word(const char *at)
{
    unsigned first = (unsigned)(at[0] - 'a');
    unsigned second = (unsigned)(at[1] - 'a');
    unsigned hints = 0;
    if (first >= 26 || second >= 26 || firsts[first][second] == 0) {
        return 0;
    }
    for (unsigned i = firsts[first][second] - 1U;
         i < COUNT(words) && words[i].word[0] == at[0] && words[i].word[1] == at[1]; i++) {
        hints |= stands(words[i].word, at) ? words[i].hints : 0;
    }
    return hints;
}

unsigned tmpl_hints_of_name(const char *value, uint32_t len)
{
    char text[VALUE_MAX + 1];
    unsigned hints = 0;
    pthread_once(&firsts_once, firsts_fill);
    words_of(text, value, len);
    for (const char *at = text; *at != '\0'; at = strchr(at, '-') + 1) {
        hints |= hints_of_word(at);
    }
    /* comments have classes such as thread-even */
    hints &= (hints & TMPL_HINT_COMMENT) ? ~(unsigned)TMPL_HINT_THREAD : ~0U;
    /* highlighters call a program's comments so */
    return (hints & TMPL_HINT_CODE) ? TMPL_HINT_CODE : hints;
}
