/* SPDX-License-Identifier: Apache-2.0 */
#include "reader/byline.h"

#include <stdlib.h>
#include <string.h>

#include <apr_cstr.h>

#include "base/ascii.h"

typedef struct {
    const char *at;
    apr_size_t len;
} byline_word_t;

/* The bytes of what parts words at text: other than letters, as in "Ann \xE2\x80\xA2 3 May". */
static apr_size_t len_between(const char *text)
{
    unsigned char c = (unsigned char)*text, next = c != 0 ? (unsigned char)text[1] : 0;
    int is_mark = (c == 0xE2 && next == 0x80 && text[2] != 0) || (c == 0xC2 && next != 0);
    return is_mark ? (c == 0xE2 ? 3 : 2) : c != 0 && c < 0x80 && !tmpl_is_alnum(*text);
}

/* The next word of *text, which is passed; no bytes: there is none. */
static byline_word_t next_byline_word(const char **text)
{
    const char *from = *text;
    for (apr_size_t len; (len = len_between(from)) > 0;) {
        from += len;
    }
    const char *to = from;
    while (*to != '\0' && len_between(to) == 0) {
        to++;
    }
    *text = to;
    return (byline_word_t){ from, (apr_size_t)(to - from) };
}

static int is_equal(byline_word_t word, const char *other, apr_size_t len)
{
    return word.len == len && apr_cstr_casecmpn(word.at, other, len) == 0;
}

static int is_in_name(byline_word_t word, const apr_array_header_t *names)
{
    for (int i = 0; names != NULL && i < names->nelts; i++) {
        const char *name = APR_ARRAY_IDX(names, i, const char *);
        for (byline_word_t of = next_byline_word(&name); of.len > 0; of = next_byline_word(&name)) {
            if (is_equal(word, of.at, of.len)) {
                return 1;
            }
        }
    }
    return 0;
}

/* Whether a word is the year, month or day of a date, YYYY-MM-DD. */
static int is_of_date(byline_word_t word, const char *date)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    unsigned long month = strtoul(date + 5, NULL, 10), number = strtoul(word.at, NULL, 10);
    if (!tmpl_is_digit(*word.at)) {
        return word.len >= 3 && month >= 1 && month <= 12 &&
               apr_cstr_casecmpn(word.at, months + 3 * (month - 1), 3) == 0;
    }
    return number == strtoul(date, NULL, 10) || number == month ||
           number == strtoul(date + 8, NULL, 10);
}

static int is_between(byline_word_t word)
{
    static const char *const words[] = { "by",   "written", "posted", "published", "on",
                                         "date", "author",  "th",     "st" };
    for (apr_size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (is_equal(word, words[i], strlen(words[i]))) {
            return 1;
        }
    }
    return 0;
}

int tmpl_byline_says(const tmpl_metadata_t *metadata, const char *text)
{
    enum { DAY = 10 /* bytes of YYYY-MM-DD */ };
    const char *date = tmpl_metadata_first(metadata, TMPL_METADATA_PUBLISHED);
    const apr_array_header_t *authors = metadata->values[TMPL_METADATA_AUTHOR];
    int said = 0;
    date = date != NULL && strlen(date) >= DAY ? date : NULL;
    for (byline_word_t word = next_byline_word(&text); word.len > 0;
         word = next_byline_word(&text)) {
        int is_name = is_in_name(word, authors);
        int is_date = !is_name && date != NULL && is_of_date(word, date);
        if (!is_name && !is_date && !is_between(word)) {
            return 0;
        }
        said |= is_name || (is_date && is_equal(word, date, 4));
    }
    return said;
}
