/* SPDX-License-Identifier: Apache-2.0 */
#include "metadata/titles.h"

#include <string.h>

#include <apr_cstr.h>
#include <apr_strings.h>

#include "base/chars.h"

/* Spaces in a site's name at most. */
#define SPACES 3

/* Parts at an end of a title that may name the site. */
#define PARTS 8

/* Letters of a name that may be in other words by chance. */
#define SHORT 3

/* Words of a title that are compared. */
#define WORDS 64

/* The length of what at at is no part of a word; 0: a word is there. */
static apr_size_t sign_len(const char *at)
{
    /* U+0080 to U+00BF, and general punctuation */
    return *at == '\xC2' && at[1] != '\0'                     ? 2
           : strncmp(at, "\xE2\x80", 2) == 0 && at[2] != '\0' ? 3
                                                              : !tmpl_is_word_byte(*at);
}

/* The next word of a text; returns its length, 0 behind the last one. */
static apr_size_t next_title_word(const char **word, const char **at)
{
    while (**at != '\0' && sign_len(*at) > 0) {
        *at += sign_len(*at);
    }
    *word = *at;
    while (**at != '\0' && sign_len(*at) == 0) {
        ++*at;
    }
    return (apr_size_t)(*at - *word);
}

unsigned tmpl_title_words(const char *text, unsigned most)
{
    const char *word;
    unsigned n = 0;
    while (n < most && next_title_word(&word, &text) > 0) {
        n++;
    }
    return n;
}

static int has_title_word(const char *text, const char *word, apr_size_t len)
{
    const char *theirs;
    apr_size_t length;
    while ((length = next_title_word(&theirs, &text)) > 0) {
        if (length == len && apr_cstr_casecmpn(word, theirs, len) == 0) {
            return 1;
        }
    }
    return 0;
}

double tmpl_title_share(const char *text, const char *other)
{
    const char *word;
    apr_size_t len;
    uint32_t n = 0, found = 0;
    for (; n < WORDS && (len = next_title_word(&word, &text)) > 0; n++) {
        found += has_title_word(other, word, len) ? 1 : 0;
    }
    return n > 0 ? (double)found / n : 0;
}

double tmpl_title_likeness(const char *text, const char *other)
{
    double here = tmpl_title_share(text, other);
    double there = here > 0 ? tmpl_title_share(other, text) : 0;
    return here > 0 ? 2 * here * there / (here + there) : 0;
}

const char *tmpl_letters(const char *text, apr_size_t len, apr_pool_t *pool)
{
    char *letters = apr_palloc(pool, len + 1);
    apr_size_t n = 0;
    for (apr_size_t i = 0; i < len; i++) {
        if (tmpl_is_word_byte(text[i])) {
            letters[n++] = tmpl_lower(text[i]);
        }
    }
    letters[n] = '\0';
    return letters;
}

void tmpl_site_init(tmpl_site_names_t *site, const char *url, const char *name,
                    const char *publisher, apr_pool_t *pool)
{
    const char *host = strstr(url, "://");
    host = host != NULL ? host + 3 : "";
    host += apr_cstr_casecmpn(host, "www.", 4) == 0 ? 4 : 0;
    name = name != NULL ? name : "";
    publisher = publisher != NULL ? publisher : "";
    site->host = tmpl_letters(host, strcspn(host, "/:?#"), pool);
    site->label = "";
    for (const char *label = host; *label != '\0' && strchr("/:?#", *label) == NULL;) {
        apr_size_t len = strcspn(label, "./:?#");
        const char *letters = tmpl_letters(label, len, pool);
        site->label = strlen(letters) > strlen(site->label) ? letters : site->label;
        label += len + (label[len] == '.');
    }
    site->names[0] = tmpl_letters(name, strlen(name), pool);
    site->names[1] = tmpl_letters(publisher, strlen(publisher), pool);
    site->pool = pool;
}

static int is_in_host(const tmpl_site_names_t *site, const char *letters)
{
    return strlen(letters) > 2 && strstr(site->host, letters) != NULL;
}

int tmpl_site_is_host(const tmpl_site_names_t *site, const char *name)
{
    const char *letters = tmpl_letters(name, strlen(name), site->pool);
    return *letters != '\0' && strstr(site->label, letters) != NULL &&
           strlen(letters) * 3 >= strlen(site->label) * 2;
}

int tmpl_site_is_named(const tmpl_site_names_t *site, const char *text, apr_size_t len)
{
    const char *letters = tmpl_letters(text, len, site->pool);
    if (strlen(letters) < 2) {
        return 0;
    }
    for (unsigned i = 0; i < 2; i++) {
        const char *name = site->names[i];
        if (strlen(name) > 1 && (strcmp(letters, name) == 0 || strstr(name, letters) != NULL ||
                                 (strlen(name) > SHORT && strstr(letters, name) != NULL))) {
            return 1;
        }
    }
    return is_in_host(site, letters);
}

/* What may stand between a page's title and its site's name. */
static const char *const between[] = { " | ", " - ",  " – ", " — ", " » ",
                                       " · ", " :: ", " • ", " : ", " / ",
                                       " < ", " > ",  "｜",  ": ",  " \xC2\xA0|\xC2\xA0 " };

/* The first, or last, sign in text that separates parts; NULL: there is none. *len: its bytes. */
static const char *find_sign(const char *text, int last, apr_size_t *len)
{
    const char *found = NULL;
    for (unsigned i = 0; i < sizeof(between) / sizeof(between[0]); i++) {
        for (const char *at = strstr(text, between[i]); at != NULL;
             at = strstr(at + 1, between[i])) {
            if (found == NULL || (last ? at > found : at < found)) {
                found = at;
                *len = strlen(between[i]);
            }
        }
    }
    return found;
}

int tmpl_title_is_home(const char *text)
{
    static const char *const homes[] = {
        "home",          "homepage",         "home page",     "startseite",
        "start",         "accueil",          "inicio",        "you are here:",
        "official site", "official website", "site officiel", "sitio oficial"
    };
    for (unsigned i = 0; i < sizeof(homes) / sizeof(homes[0]); i++) {
        if (apr_cstr_casecmp(text, homes[i]) == 0) {
            return 1;
        }
    }
    return 0;
}

const char *tmpl_title_first(const char *title, const char **rest, apr_pool_t *pool)
{
    apr_size_t len = 0;
    const char *sign = find_sign(title, 0, &len);
    *rest = sign != NULL ? sign + len : "";
    return sign != NULL ? apr_pstrmemdup(pool, title, (apr_size_t)(sign - title)) : title;
}

const char *tmpl_site_part(const tmpl_site_names_t *site, const char *name)
{
    apr_size_t len = 0;
    for (const char *part = name; part != NULL && *site->host != '\0';) {
        const char *sign = find_sign(part, 0, &len);
        apr_size_t n = sign != NULL ? (apr_size_t)(sign - part) : strlen(part);
        if (is_in_host(site, tmpl_letters(part, n, site->pool))) {
            return apr_pstrmemdup(site->pool, part, n);
        }
        part = sign != NULL ? sign + len : NULL;
    }
    return name;
}

/* Whether a text has a name of the site and more: "Harbour Nets" of the site "Harbour". */
static int says_more(const tmpl_site_names_t *site, const char *text, apr_size_t len)
{
    const char *letters = tmpl_letters(text, len, site->pool);
    for (unsigned i = 0; i < 2; i++) {
        apr_size_t n = strlen(site->names[i]);
        if (n > 0 && strstr(letters, site->names[i]) != NULL && n * 5 >= strlen(letters) * 3) {
            return 0;
        }
    }
    return !is_in_host(site, letters) && strstr(site->names[0], letters) == NULL &&
           strstr(site->names[1], letters) == NULL;
}

const char *tmpl_site_without(const tmpl_site_names_t *site, const char *title, const char **name)
{
    apr_size_t len = 0;
    const char *sign;
    title += strspn(title, " |-");
    for (int n = 0; n < PARTS && (sign = find_sign(title, 1, &len)) != NULL && sign > title &&
                    tmpl_site_is_named(site, sign + len, strlen(sign + len));
         n++) {
        *name = sign + len;
        title = apr_pstrmemdup(site->pool, title, (apr_size_t)(sign - title));
    }
    for (int n = 0;
         n < PARTS && (sign = find_sign(title, 0, &len)) != NULL && sign > title &&
         sign[len] != '\0' && tmpl_site_is_named(site, title, (apr_size_t)(sign - title)) &&
         !says_more(site, title, (apr_size_t)(sign - title));
         n++) {
        *name = apr_pstrmemdup(site->pool, title, (apr_size_t)(sign - title));
        title = sign + len;
    }
    return title;
}

const char *tmpl_site_guess(const tmpl_site_names_t *site, const char *title, const char **name)
{
    apr_size_t len = 0;
    const char *sign = find_sign(title, 1, &len);
    const char *part = sign != NULL ? sign + len : "";
    int spaces = 0;
    for (const char *c = part; *c != '\0'; c++) {
        spaces += *c == ' ';
    }
    if (*part == '\0' || strchr("|-\xE2", sign[1]) == NULL || spaces > SPACES ||
        strchr(part, ',') != NULL || memchr(title, ' ', (apr_size_t)(sign - title)) == NULL) {
        return title;
    }
    title = apr_pstrmemdup(site->pool, title, (apr_size_t)(sign - title));
    if (!tmpl_title_is_home(part) || find_sign(title, 1, &len) == NULL) {
        *name = tmpl_title_is_home(part) ? title : part;
    }
    return title;
}
