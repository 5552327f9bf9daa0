/* SPDX-License-Identifier: Apache-2.0 */
#include "metadata/people.h"

#include <string.h>

#include <apr_cstr.h>
#include <apr_strings.h>

#include "base/chars.h"
#include "metadata/claims.h"

#define BY_BYTES    36
#define NAME_BYTES  80
#define NAME_WORDS  6
#define LOGIN_BYTES 40
/* Names of a text that are read, and bytes in which the end of one is looked for. */
#define NAMES     64
#define END_BYTES (NAME_BYTES + 32)

static const struct {
    tmpl_words_e is;
    const char *words;
} lists[] = {
#define WORDS(kind, words) { TMPL_WORDS_##kind, words },
#include "metadata/people.def"
#undef WORDS
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

int tmpl_people_word(tmpl_words_e is, const char *word, apr_size_t len)
{
    char small[NAME_BYTES + TMPL_UTF8_MOST];
    tmpl_small_text(small, sizeof(small), word, len);
    for (apr_size_t i = 0; i < COUNT(lists) && len < NAME_BYTES; i++) {
        for (const char *at = lists[i].is == is ? lists[i].words : NULL; at != NULL;
             at = strchr(at, ' ')) {
            at += *at == ' ';
            if (*at == *small && strncmp(at, small, len) == 0 &&
                (at[len] == ' ' || at[len] == '\0')) {
                return 1;
            }
        }
    }
    return 0;
}

apr_size_t tmpl_people_by(const char *text)
{
    static const char wide_colon[] = "：";
    char small[BY_BYTES];
    tmpl_small_text(small, sizeof(small), text, strlen(text));
    for (apr_size_t i = 0; i < COUNT(lists); i++) {
        if (lists[i].is != TMPL_WORDS_BY || *lists[i].words != *small) {
            continue;
        }
        apr_size_t len = strlen(lists[i].words);
        if (strncmp(small, lists[i].words, len) != 0) {
            continue;
        }
        apr_size_t signs = strspn(text + len, " :,|\n");
        int is_wide = strncmp(text + len + signs, wide_colon, strlen(wide_colon)) == 0;
        /* "ByAnn Lee": two boxes side by side */
        int is_glued = len > 1 && text[len - 2] == 'B' && text[len - 1] == 'y' &&
                       text[len] >= 'A' && text[len] <= 'Z';
        if (text[len] == '\0' || signs > 0 || is_wide || is_glued) {
            return len + signs + (is_wide ? strlen(wide_colon) : 0);
        }
    }
    return 0;
}

/* Whether a word begins with a capital, or with a letter of a script that has none. */
static int is_capital_word(const char *word, apr_size_t len)
{
    apr_size_t used;
    uint32_t c = tmpl_utf8_next(word, len, &used);
    return c < 0x80 ? c >= 'A' && c <= 'Z'
                    : tmpl_small_letter(c) != c || (c >= 0x386 && c <= 0x38F) || c >= 0x590;
}

/* Whether a word may be in a name: *capitals counts words that begin as names do. */
static int may_be_in_name(const char *word, apr_size_t len, int *capitals)
{
    if (tmpl_people_word(TMPL_WORDS_NO_NAME, word, len)) {
        return 0;
    }
    int is_capital = is_capital_word(word, len);
    *capitals += is_capital;
    return is_capital || tmpl_people_word(TMPL_WORDS_PARTICLE, word, len) ||
           (len > 2 && (word[1] == '\'' || strncmp(word + 1, "\xE2\x80\x99", 3) == 0));
}

/* Whether a text is one word that may be a login. */
static int is_login(const char *name, apr_size_t len)
{
    int letters = 0;
    for (apr_size_t i = 0; i < len; i++) {
        letters += tmpl_is_alpha(name[i]) || (unsigned char)name[i] >= 0x80;
        if (!tmpl_is_word_byte(name[i]) && strchr("_-.", name[i]) == NULL) {
            return 0;
        }
    }
    return letters > 0 && len > 1 && len <= LOGIN_BYTES &&
           !tmpl_people_word(TMPL_WORDS_NO_NAME, name, len);
}

static int is_name(const char *name, apr_size_t len, tmpl_names_e single)
{
    int words = 0, capitals = 0, wide = 0, ends = 0; /* ends: as no name does, as in "Text von" */
    if (single == TMPL_NAMES_LOGIN && is_login(name, len)) {
        return 1;
    }
    if (len < 2 || len > NAME_BYTES) {
        return 0;
    }
    for (apr_size_t at = 0; at < len;) {
        apr_size_t n = 0;
        while (at + n < len && name[at + n] != ' ') {
            char c = name[at + n];
            if (!tmpl_is_alpha(c) && (unsigned char)c < 0x80 && strchr(".'-()", c) == NULL) {
                return 0;
            }
            wide |= (unsigned char)c >= 0xE1; /* scripts that may write names without spaces */
            n++;
        }
        if (n > 0 && !may_be_in_name(name + at, n, &capitals)) {
            return 0;
        }
        ends = n > 0 ? tmpl_lower(name[at]) == name[at] &&
                           tmpl_people_word(TMPL_WORDS_PARTICLE, name + at, n)
                     : ends;
        words += n > 0;
        at += n + 1;
    }
    return words <= NAME_WORDS && capitals > 0 && !ends &&
           (words > 1 || wide || (single == TMPL_NAMES_ONE && len > 2)) &&
           memchr(name, '.', len) != name && !memmem(name, len, ".com", 4);
}

/*
 * The offset of what ends a name at begin. *pass: the length of a sign or a word between names;
 * 0: no name follows.
 */
static apr_size_t name_end(apr_size_t *pass, const char *begin)
{
    /* up to NULL, what stands between names */
    static const char *const ends[] = {
        ",",      ";",     " / ",        " and ",    " & ",     " und ",  " et ",  " y ",   " e ",
        " with ", "\n",    " og ",       " och ",    " i ",     " oraz ", " a ",   " en ",  " ja ",
        " és ",   " și ",  " ve ",       " и ",      " та ",    " і ",    " και ", " dan ", " và ",
        "、",     "，",    NULL,         "|",        "/",       "·",      "•",     " – ",   " — ",
        " - ",    "(",     "<",          "[",        "（",      "｜",     " @",    " on ",  " in ",
        " for ",  " 기자", " Published", " Updated", " Posted", " Last "
    };
    char text[END_BYTES];
    apr_size_t first = (apr_size_t)(apr_cpystrn(text, begin, sizeof(text)) - text);
    int is_last = 0;
    *pass = 0;
    for (apr_size_t i = 0; i < COUNT(ends); i++) {
        const char *at = ends[i] != NULL ? strstr(text, ends[i]) : NULL;
        is_last |= ends[i] == NULL;
        if (at != NULL && (apr_size_t)(at - text) < first) {
            first = (apr_size_t)(at - text);
            *pass = is_last ? 0 : strlen(ends[i]);
        }
    }
    return first;
}

/* Adds the name of len bytes; returns 0 if it is none. */
static int add_person(apr_array_header_t *names, const char *text, apr_size_t len,
                      tmpl_names_e single)
{
    while (len > 0 && strchr(" .:", text[len - 1]) != NULL) {
        len--;
    }
    if (!is_name(text, len, single)) {
        return 0;
    }
    const char *name = apr_pstrmemdup(names->pool, text, len);
    if (!tmpl_values_have(names, name)) {
        APR_ARRAY_PUSH(names, const char *) = name;
    }
    return 1;
}

void tmpl_people_read(apr_array_header_t *names, const char *text, tmpl_names_e single)
{
    apr_size_t by;
    text += strspn(text, " \t\n|-");
    while ((by = tmpl_people_by(text)) > 0) {
        text += by;
    }
    if (strpbrk(text, " ,;|/\n") != NULL) {
        single = TMPL_NAMES_WHOLE;
    }
    /* what follows the first text that is no name names no author, either */
    for (apr_size_t pass = 1, n = 0; *text != '\0' && pass > 0 && n < NAMES; n++) {
        apr_size_t len = name_end(&pass, text);
        if (len > 0 && !add_person(names, text, len, single)) {
            return;
        }
        text += len + pass;
        text += strspn(text, " ");
    }
}
