/* SPDX-License-Identifier: Apache-2.0 */
#include "settings.h"

#include <string.h>

#include <apr_strings.h>

#include "base/names.h"
#include "base/number.h"
#include "dom/xpath.h"

/* The most that N of a lifetime may be; TMPL_VALUES_LIFETIME says so. */
#define LIFETIME_N_MOST 1000

const tmpl_setting_t tmpl_settings[] = {
#define TMPL_SETTING_ROW(field, directive, option, form, least, most, preset, decides, opt, group, \
                         about)                                                                    \
    { directive, option,           least,   most, TMPL_VALUES_##form(least, most), preset,         \
      about,     TMPL_FORM_##form, decides, opt },
    TMPL_SETTINGS(TMPL_SETTING_ROW)
#undef TMPL_SETTING_ROW
};

const char *tmpl_setting_refuse(const tmpl_setting_t *setting, const char *text, const char *why,
                                apr_pool_t *pool)
{
    /* a store's URI may hold a password */
    const char *shown =
        setting->form == TMPL_FORM_STORE ? "" : apr_psprintf(pool, ", not \"%s\"", text);
    return apr_psprintf(pool, "must be %s%s%s%s", setting->values, shown, why != NULL ? ": " : "",
                        why != NULL ? why : "");
}

static const tmpl_unit_t units_of_time[] = {
    { "", APR_USEC_PER_SEC },
    { "ms", 1000 },
    { "s", APR_USEC_PER_SEC },
    { "mi", 60 * (int64_t)APR_USEC_PER_SEC },
    { "min", 60 * (int64_t)APR_USEC_PER_SEC },
    { "h", 3600 * (int64_t)APR_USEC_PER_SEC },
    { NULL, 0 },
};

/* The units of each form whose values are numbers. */
static const tmpl_unit_t *const units[TMPL_FORM_COUNT] = {
    [TMPL_FORM_NUMBER] = tmpl_units_none, [TMPL_FORM_LIFETIME] = tmpl_units_none,
    [TMPL_FORM_GLOBAL] = tmpl_units_none, [TMPL_FORM_SIZE] = tmpl_units_bytes,
    [TMPL_FORM_TIME] = units_of_time,
};

/* Whether text is a number within the setting's range. */
static int read_number_between(int64_t *number, const tmpl_setting_t *setting, const char *text)
{
    return tmpl_number_between(number, text, units[setting->form], setting->least, setting->most);
}

/* The value of TmplValidate that a word names; -1: none. */
static int validate_find(const char *word)
{
    static const char *const names[] = {
        [TMPL_VALIDATE_BACKEND] = "backend", [TMPL_VALIDATE_CONTENT] = "content"
    };
    return tmpl_names_find(names, 2, word, strlen(word));
}

/* For each form whose values are words: a function that returns the value of a word, or -1. */
static int (*const word_values[TMPL_FORM_COUNT])(const char *word) = {
    [TMPL_FORM_MODE] = tmpl_mode_find,
    [TMPL_FORM_DETECTOR] = tmpl_detector_find,
    [TMPL_FORM_SMOOTHING] = tmpl_smoothing_find,
    [TMPL_FORM_VALIDATE] = validate_find,
};

/* Copies the word at text: up to a blank or a comma. Returns what is behind it. */
static const char *next_setting_word(char word[32], const char *text)
{
    size_t len = strcspn(text, " ,");
    apr_cpystrn(word, text, len + 1 < 32 ? len + 1 : 32);
    return text + len + (text[len] != '\0');
}

static const char *read_number(void *value, const tmpl_setting_t *setting, const char *text,
                               apr_pool_t *pool)
{
    int64_t number;
    int ok;
    if (word_values[setting->form] != NULL) {
        number = word_values[setting->form](text);
        ok = number >= 0;
    }
    else {
        ok = read_number_between(&number, setting, text);
    }
    if (!ok) {
        return tmpl_setting_refuse(setting, text, NULL, pool);
    }
    *(int64_t *)value = number;
    return NULL;
}

static const char *read_lifetime(void *value, const tmpl_setting_t *setting, const char *text,
                                 apr_pool_t *pool)
{
    int64_t *lifetime = value, pages, factor;
    char tb[32];
    const char *n = next_setting_word(tb, text);
    if (!read_number_between(&pages, setting, tb) ||
        !tmpl_number_with(&factor, n, tmpl_units_none) || factor < 1 || factor > LIFETIME_N_MOST) {
        return tmpl_setting_refuse(setting, text, NULL, pool);
    }
    lifetime[0] = pages;
    lifetime[1] = factor;
    return NULL;
}

static const char *read_share(void *value, const tmpl_setting_t *setting, const char *text,
                              apr_pool_t *pool)
{
    char *end;
    /* tmpl_number() reads nan, inf, hexadecimal numbers and exponents, too */
    if (strspn(text, "0123456789.%") != strlen(text) || !strpbrk(text, "0123456789")) {
        return tmpl_setting_refuse(setting, text, NULL, pool);
    }
    double share = tmpl_number(text, &end);
    if (*end == '%') {
        share /= 100;
        end++;
    }
    if (*end != '\0' || share > 1) {
        return tmpl_setting_refuse(setting, text, NULL, pool);
    }
    *(double *)value = share;
    return NULL;
}

static const char *read_selectors(void *value, const tmpl_setting_t *setting, const char *text,
                                  apr_pool_t *pool)
{
    tmpl_error_t err;
    apr_array_header_t **list = value;
    if (*list == NULL) {
        *list = apr_array_make(pool, 4, sizeof(const tmpl_selector_t *));
    }
    if (tmpl_selector_parse(*list, text, &err) != APR_SUCCESS) {
        return tmpl_setting_refuse(setting, text, err.text, pool);
    }
    const char *xpath =
        tmpl_selector_xpath(APR_ARRAY_IDX(*list, (*list)->nelts - 1, const tmpl_selector_t *));
    return xpath != NULL && tmpl_xpath_check(xpath, &err) != APR_SUCCESS
               ? tmpl_setting_refuse(setting, text, err.text, pool)
               : NULL;
}

static const char *read_parts(void *value, const tmpl_setting_t *setting, const char *text,
                              apr_pool_t *pool)
{
    tmpl_error_t err;
    tmpl_parts_t *parts = value, said;
    if (tmpl_parts_parse(&said, text, &err) != APR_SUCCESS) {
        return tmpl_setting_refuse(setting, text, err.text, pool);
    }
    *parts = tmpl_parts_join(*parts, said);
    return NULL;
}

static const char *read_mark(void *value, const tmpl_setting_t *setting, const char *text,
                             apr_pool_t *pool)
{
    tmpl_error_t err;
    return tmpl_marks_add(value, text, &err, pool) == APR_SUCCESS
               ? NULL
               : tmpl_setting_refuse(setting, text, err.text, pool);
}

static const char *read_secret(void *value, const tmpl_setting_t *setting, const char *text,
                               apr_pool_t *pool)
{
    if (text[0] == '\0') {
        return tmpl_setting_refuse(setting, text, NULL, pool);
    }
    *(uint64_t *)value = tmpl_seed(text);
    return NULL;
}

const char *tmpl_setting_read(void *value, const tmpl_setting_t *setting, const char *text,
                              apr_pool_t *pool)
{
    static const char *(*const readers[TMPL_FORM_COUNT])(void *, const tmpl_setting_t *,
                                                         const char *, apr_pool_t *) = {
        [TMPL_FORM_MODE... TMPL_FORM_TIME] = read_number,
        [TMPL_FORM_LIFETIME] = read_lifetime,
        [TMPL_FORM_SHARE] = read_share,
        [TMPL_FORM_SELECTORS] = read_selectors,
        [TMPL_FORM_PARTS] = read_parts,
        [TMPL_FORM_MARKS] = read_mark,
        [TMPL_FORM_SECRET] = read_secret,
    };
    return readers[setting->form](value, setting, text, pool);
}

const char *tmpl_setting_read_opt(void *opt, const tmpl_setting_t *setting, const char *text,
                                  apr_pool_t *pool)
{
    int n = setting->form < TMPL_FORM_STORE ? 1 : setting->form == TMPL_FORM_LIFETIME ? 2 : 0;
    int64_t numbers[2];
    const char *wrong = tmpl_setting_read(n > 0 ? numbers : opt, setting, text, pool);
    for (int i = 0; i < n && wrong == NULL; i++) {
        ((uint32_t *)opt)[i] = (uint32_t)numbers[i];
    }
    return wrong;
}

/* ---- defaults ---- */

int64_t tmpl_setting_preset(tmpl_setting_e setting)
{
    char word[32];
    int64_t number = 0;
    (void)next_setting_word(word, tmpl_settings[setting].preset);
    (void)tmpl_setting_read(&number, &tmpl_settings[setting], word, NULL);
    return number;
}

tmpl_clean_opts_t tmpl_clean_opts_default(void)
{
    tmpl_clean_opts_t opts = { .policy = { .max_entries = 1000000 },
                               .detect = { .threshold = -1 },
                               .guards = { .without = TMPL_PARTS_ALL & ~TMPL_PARTS_DEFAULT } };
    for (int i = 0; i < TMPL_SETTING_COUNT; i++) {
        const tmpl_setting_t *setting = &tmpl_settings[i];
        char word[32];
        if (setting->opt == TMPL_NO_OPT) {
            continue;
        }
        (void)next_setting_word(word, setting->preset);
        if (setting->form < TMPL_FORM_STORE || setting->form == TMPL_FORM_SHARE ||
            setting->form == TMPL_FORM_LIFETIME) {
            (void)tmpl_setting_read_opt(
                (char *)&opts + setting->opt - 1, setting,
                setting->form == TMPL_FORM_LIFETIME ? setting->preset : word, NULL);
        }
    }
    return opts;
}

/* ---- separators ---- */

const char *tmpl_setting_separators(tmpl_separators_t *separators, const tmpl_setting_t *setting,
                                    int n, char *const *words, apr_pool_t *pool)
{
    tmpl_error_t err;
    tmpl_separators_t set = { .relative = n > 0 && words[0][0] == '+' };
    if (n == 0) {
        return tmpl_setting_refuse(setting, "", NULL, pool);
    }
    for (int i = 0; i < n; i++) {
        const char *names = words[i] + set.relative;
        if ((words[i][0] == '+') != set.relative || names[strspn(names, " \t\r\n")] == '\0') {
            return tmpl_setting_refuse(setting, words[i], NULL, pool);
        }
        if (tmpl_tag_set_add(&set.own, names, &err) != APR_SUCCESS) {
            return tmpl_setting_refuse(setting, words[i], err.text, pool);
        }
    }
    set.all = set.own;
    for (size_t i = 0; set.relative && i < sizeof(set.all.has); i++) {
        set.all.has[i] |= tmpl_separators_default.has[i];
    }
    *separators = set;
    return NULL;
}
