/* SPDX-License-Identifier: Apache-2.0 */
#include "metadata/dates.h"

#include <string.h>

#include <apr_cstr.h>
#include <apr_strings.h>

#include "base/chars.h"

typedef struct {
    int year, month, day;
} day_t;

/*
 * Forms of dates. Y: four digits; y: two, at the end of a line or part, of a date of eight bytes
 * or more; m, d: one or two, d with an ending ("1st", "2."); M: a month's name; T: a time and its
 * zone; ' ': white space, signs and "of" or "de"; other bytes stand for themselves. In forms that
 * are not sure, day and month must be equal, or the day above 12.
 */
static const struct {
    const char *form;
    int is_sure;
} date_forms[] = {
    { "Y-m-d", 1 },       { "Y/m/d", 1 },       { "Y. m. d", 1 },     { "d. m. Y", 1 },
    { "d M Y", 1 },       { "M d Y", 1 },       { "Y M d", 1 },       { "Y d M", 1 },
    { "d/m/Y", 0 },       { "m/d/Y", 0 },       { "d-m-Y", 0 },       { "m-d-Y", 0 },
    { "Y 年 m 月 d", 1 }, { "Y 년 m 월 d", 1 }, { "d tháng m Y", 1 }, { "M d T Y", 1 },
    { "d.m.y", 0 },       { "d M y", 1 },       { "d/m/y", 0 },       { "m/d/y", 0 },
    { "m.d.y", 0 },
};
#define N_DATE_FORMS (sizeof(date_forms) / sizeof(date_forms[0]))

/* Bytes of a month's name, and in front of a date that say what it is, which are looked at. */
#define MONTH_BYTES 32
#define FRONT_BYTES 160

/* Names of a month; what says that a date is one of a change has the number 0. */
static const struct {
    int number;
    const char *names;
} words[] = {
#define MONTH(number, names) { number, names },
#define CHANGED(text)        { 0, text },
#include "metadata/dates.def"
#undef MONTH
#undef CHANGED
};
#define N_WORDS (sizeof(words) / sizeof(words[0]))

/* Reads a number of least to most digits, none of which follows; NULL: there is none. */
static const char *read_digits(int *number, const char *at, int least, int most)
{
    int n = 0;
    *number = 0;
    while (n < most && tmpl_is_digit(at[n])) {
        *number = 10 * *number + (at[n++] - '0');
    }
    return n >= least && !tmpl_is_digit(at[n]) ? at + n : NULL;
}

/* Whether a word in small letters is one of names, or begins one. */
static int is_month(const char *word, const char *names)
{
    for (const char *name = names; name != NULL; name = strchr(name, ' ')) {
        name += *name == ' ';
        if (*name == *word && strncmp(name, word, strlen(word)) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Passes what stands between the parts of a date, which may be nothing. */
static const char *pass_between(const char *at)
{
    static const char *const small[] = { "of ", "de ", "del ",  "d'",   "d’",
                                         "m. ", "г. ", "gada ", "năm ", "\xC2\xA0" };
    const char *start;
    do {
        start = at;
        at += strspn(at, " \t\n,.-/'");
        for (apr_size_t i = 0; i < sizeof(small) / sizeof(small[0]); i++) {
            if (apr_cstr_casecmpn(at, small[i], strlen(small[i])) == 0) {
                at += strlen(small[i]);
            }
        }
    } while (at != start && at - start < 8);
    return at;
}

static const char *read_month(day_t *day, const char *at)
{
    char small[MONTH_BYTES];
    apr_size_t len = 0;
    while (tmpl_is_word_byte(at[len]) && !tmpl_is_digit(at[len]) &&
           strncmp(at + len, "\xC2\xA0", 2) != 0) {
        len++;
    }
    /* a number follows if the year is not known yet, and behind few words */
    if (len < 3 || len >= sizeof(small) - TMPL_UTF8_MOST ||
        (day->year == 0 && !tmpl_is_digit(*pass_between(at + len)))) {
        return NULL;
    }
    tmpl_small_text(small, sizeof(small), at, len);
    for (apr_size_t i = 0; i < N_WORDS; i++) {
        if (words[i].number > 0 && is_month(small, words[i].names)) {
            day->month = words[i].number;
            return at + len;
        }
    }
    return NULL;
}

static const char *pass_ordinal(const char *at)
{
    static const char *const endings[] = { "st", "nd", "rd", "th", "er", "\xC2\xBA" };
    for (apr_size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        apr_size_t len = strlen(endings[i]);
        if (apr_cstr_casecmpn(at, endings[i], len) == 0 && !tmpl_is_alpha(at[len])) {
            return at + len;
        }
    }
    return at;
}

/* Whether no word or number follows in a line but behind a sign. */
static int is_part_end(const char *at)
{
    at += strspn(at, " ");
    return *at != ':' && *at != '.' && !tmpl_is_word_byte(*at);
}

/* Reads what a byte of a form stands for; NULL: it is not there. */
static const char *read_part(day_t *day, char part, const char *at)
{
    switch (part) {
    case 'Y':
        return read_digits(&day->year, at, 4, 4);
    case 'y':
        at = read_digits(&day->year, at, 2, 2);
        day->year += 2000;
        return at != NULL && is_part_end(at) ? at : NULL;
    case 'm':
        return read_digits(&day->month, at, 1, 2);
    case 'M':
        return read_month(day, at);
    case 'd':
        at = read_digits(&day->day, at, 1, 2);
        return at != NULL ? pass_ordinal(at) : NULL;
    case 'T':
        at += strspn(at, "0123456789:");
        return pass_between(at + strspn(at, " ABCDEFGHIJKLMNOPQRSTUVWXYZ"));
    case ' ':
        return pass_between(at);
    default:
        return *at == part ? at + 1 : NULL;
    }
}

static int is_day(const day_t *day)
{
    static const int longest[] = { 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    return day->year >= 1900 && day->year < 2100 && day->month >= 1 && day->month <= 12 &&
           day->day >= 1 && day->day <= longest[day->month - 1];
}

static const char *read_date_form(day_t *day, const char *form, const char *at)
{
    enum { LEAST = sizeof("01.02.03") - 1 };
    const char *begin = at;
    for (; *form != '\0' && at != NULL; form++) {
        at = read_part(day, *form, at);
    }
    return at != NULL && is_day(day) && !tmpl_is_digit(*at) && at - begin >= LEAST ? at : NULL;
}

/* Reads two digits, which are at most limit; NULL: they are not there. */
static const char *read_two(int *number, const char *at, int limit)
{
    if (!tmpl_is_digit(at[0]) || !tmpl_is_digit(at[1])) {
        return NULL;
    }
    *number = 10 * (at[0] - '0') + at[1] - '0';
    return *number <= limit ? at + 2 : NULL;
}

/* Adds the zone at at, if there is one: "Z", "+01:00", "+0100" or "+01". */
static const char *read_zone(char *iso, const char *at)
{
    int hours, minutes = 0;
    const char *begin = at + strspn(at, " ");
    if (*begin == 'Z' || apr_cstr_casecmpn(begin, "utc", 3) == 0) {
        apr_cpystrn(iso, "Z", 2);
        return begin + (*begin == 'Z' ? 1 : 3);
    }
    const char *end = *begin == '+' || *begin == '-' ? read_two(&hours, begin + 1, 14) : NULL;
    if (end == NULL) {
        return at;
    }
    const char *behind = read_two(&minutes, end + (*end == ':'), 59);
    apr_snprintf(iso, sizeof("+00:00"), "%c%02d:%02d", *begin, hours, behind != NULL ? minutes : 0);
    return behind != NULL ? behind : end;
}

/* Adds the time behind a date, if there is one; returns the byte behind it. */
static const char *read_time(char *iso, const char *at)
{
    int hour, minute, second;
    const char *end = *at == 'T' || *at == 't' || *at == ' ' ? read_two(&hour, at + 1, 23) : NULL;
    end = end != NULL && *end == ':' ? read_two(&minute, end + 1, 59) : NULL;
    if (end == NULL) {
        return at;
    }
    iso += strlen(iso);
    iso += apr_snprintf(iso, sizeof("T00:00"), "T%02d:%02d", hour, minute);
    const char *behind = *end == ':' ? read_two(&second, end + 1, 60) : NULL;
    if (behind != NULL) {
        iso += apr_snprintf(iso, sizeof(":00"), ":%02d", second);
        end = behind;
        if ((*end == '.' || *end == ',') && tmpl_is_digit(end[1])) {
            end += 1 + strspn(end + 1, "0123456789");
        }
    }
    return read_zone(iso, end);
}

/* Reads the date that begins at at; NULL: none does. */
static const char *read_date(char iso[TMPL_DATE_SIZE], const char *at)
{
    for (apr_size_t i = 0; i < N_DATE_FORMS; i++) {
        day_t day = { 0 };
        if (tmpl_is_digit(*at) == (date_forms[i].form[0] == 'M')) {
            continue;
        }
        const char *end = read_date_form(&day, date_forms[i].form, at);
        if (end != NULL && (date_forms[i].is_sure || day.day > 12 || day.day == day.month)) {
            apr_snprintf(iso, TMPL_DATE_SIZE, "%04d-%02d-%02d", day.year, day.month, day.day);
            return date_forms[i].form[0] == 'Y' ? read_time(iso, end) : end;
        }
    }
    return NULL;
}

int tmpl_date_is_of_change(const char *text, apr_size_t len)
{
    char small[FRONT_BYTES + TMPL_UTF8_MOST];
    apr_size_t n = len < FRONT_BYTES ? len : FRONT_BYTES;
    tmpl_small_text(small, sizeof(small), text + len - n, n);
    for (apr_size_t i = 0; i < N_WORDS; i++) {
        if (words[i].number == 0 && strstr(small, words[i].names) != NULL) {
            return 1;
        }
    }
    return 0;
}

/* Whether a short text has a sign and two digits, as in front of a year. */
static int has_short_year(const char *text, apr_size_t len)
{
    enum { SHORT = 48 };
    apr_size_t i = len <= SHORT ? 1 : len;
    while (i + 1 < len && !(tmpl_is_digit(text[i]) && tmpl_is_digit(text[i + 1]) &&
                            strchr(".-/'", text[i - 1]) != NULL)) {
        i++;
    }
    return i + 1 < len;
}

int tmpl_date_may_be(const char *text, apr_size_t len)
{
    apr_size_t digits = 0;
    for (apr_size_t i = 0; i < len && digits < 4; i++) {
        digits = tmpl_is_digit(text[i]) ? digits + 1 : 0;
    }
    return digits == 4;
}

apr_size_t tmpl_date_find(char iso[TMPL_DATE_SIZE], apr_size_t *begin, const char *text,
                          apr_size_t len)
{
    if (!tmpl_date_may_be(text, len) && !has_short_year(text, len)) {
        return 0;
    }
    for (apr_size_t at = 0; at < len; at++) {
        /* a date begins as a word does, behind no part of a number or an address; words of some
         * scripts have no space between them and numbers */
        char before = at > 0 ? text[at - 1] : ' ';
        int is_within = tmpl_is_digit(text[at]) ? tmpl_is_alnum(before) : tmpl_is_word_byte(before);
        if (!tmpl_is_word_byte(text[at]) || is_within || before == '/' || before == '=' ||
            (at > 1 && strchr(".-_", before) != NULL && tmpl_is_word_byte(text[at - 2]))) {
            continue;
        }
        const char *end = read_date(iso, text + at);
        if (end != NULL) {
            *begin = at;
            return (apr_size_t)(end - text);
        }
    }
    return 0;
}
