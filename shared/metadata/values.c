/* SPDX-License-Identifier: Apache-2.0 */
#include "metadata/claims.h"

#include <stdlib.h>
#include <string.h>

#include <apr_cstr.h>
#include <apr_strings.h>

#include "base/buf.h"
#include "base/chars.h"
#include "metadata/dates.h"
#include "metadata/titles.h"

int tmpl_values_have(const apr_array_header_t *values, const char *text)
{
    for (int i = 0; i < values->nelts; i++) {
        if (apr_cstr_casecmp(APR_ARRAY_IDX(values, i, const char *), text) == 0) {
            return 1;
        }
    }
    return 0;
}

static const char *lower_text(const char *text, apr_pool_t *pool)
{
    char *lower = apr_pstrdup(pool, text);
    for (char *c = lower; *c != '\0'; c++) {
        *c = tmpl_lower(*c);
    }
    return lower;
}

/* --- Values of one kind: each adds what it makes of value --- */

typedef void add_value_t(apr_array_header_t *values, const char *value);

static void add_date(apr_array_header_t *values, const char *value)
{
    char iso[TMPL_DATE_SIZE];
    apr_size_t begin;
    if (tmpl_date_find(iso, &begin, value, strlen(value)) > 0) {
        APR_ARRAY_PUSH(values, const char *) = apr_pstrdup(values->pool, iso);
    }
}

/* "InStock", with or without an address in front, or "In Stock" or "instock": "in stock". */
static void add_availability(apr_array_header_t *values, const char *value)
{
    static const struct {
        const char *letters, *words;
    } known[] = {
        { "instock", "in stock" },
        { "in", "in stock" },
        { "limitedavailability", "limited availability" },
        { "onlineonly", "online only" },
        { "instoreonly", "in store only" },
        { "outofstock", "out of stock" },
        { "outstock", "out of stock" },
        { "oos", "out of stock" },
        { "soldout", "sold out" },
        { "discontinued", "discontinued" },
        { "preorder", "pre order" },
        { "presale", "pre sale" },
        { "backorder", "back order" },
    };
    const char *slash = strrchr(value, '/');
    value = slash != NULL ? slash + 1 : value;
    const char *letters = tmpl_letters(value, strlen(value), values->pool);
    for (apr_size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(letters, known[i].letters) == 0) {
            APR_ARRAY_PUSH(values, const char *) = known[i].words;
        }
    }
}

/* A number with a sign or not; with a ',' for the decimal point or between thousands. */
static void add_price(apr_array_header_t *values, const char *value)
{
    tmpl_buf_t number;
    tmpl_buf_init(&number, values->pool);
    value += strcspn(value, "0123456789");
    apr_size_t len = strspn(value, "0123456789.,");
    for (apr_size_t i = 0; i < len; i++) {
        int is_mark = !tmpl_is_digit(value[i]);
        int is_point = is_mark && len - i <= 3 && i + 1 < len;
        if (!is_mark || is_point || (value[i] == '.' && strchr(value, ',') == NULL)) {
            tmpl_buf_add_byte(&number, is_mark ? '.' : value[i]);
        }
    }
    if (number.len > 0 && strpbrk(number.at, "123456789") != NULL) {
        APR_ARRAY_PUSH(values, const char *) = number.at;
    }
}

static void add_rating(apr_array_header_t *values, const char *value)
{
    int has_best = strchr(value, '/') != NULL;
    long whole = strtol(value, NULL, 10);
    /* without the best one, only stars are known */
    int is_zero = value[strspn(value, "0.,")] == '\0' || value[strspn(value, "0.,")] == '/';
    if (!is_zero && (has_best || (whole >= 0 && whole <= 5))) {
        APR_ARRAY_PUSH(values, const char *) =
            has_best ? value : apr_pstrcat(values->pool, value, "/5", NULL);
    }
}

/* Whether a tag is for programs: a key and its value, a machine's number, words of an address. */
static int is_machine_tag(const char *tag)
{
    enum { MARKS = 3, MOST = 60 /* characters */ };
    unsigned characters = 0, marks = 0;
    for (const char *at = tag; *at != '\0'; at++) {
        characters += ((unsigned char)*at & 0xC0) != 0x80;
        marks += *at == '-' || *at == '_';
    }
    return characters > MOST || strstr(tag, ": ") || (marks >= MARKS && !strchr(tag, ' '));
}

static void add_tags(apr_array_header_t *values, const char *value)
{
    char *last, *at = apr_pstrdup(values->pool, value);
    int most = tmpl_metadata_fields[TMPL_METADATA_TAGS].most;
    for (char *tag = apr_strtok(at, ",;", &last); tag != NULL && values->nelts < most;
         tag = apr_strtok(NULL, ",;", &last)) {
        tag += strspn(tag, " ");
        if (*tag != '\0' && !is_machine_tag(tag) && !tmpl_values_have(values, tag)) {
            APR_ARRAY_PUSH(values, const char *) = tag;
        }
    }
}

static void add_type(apr_array_header_t *values, const char *value)
{
    static const struct {
        const char *end, *type; /* NULL: says nothing */
    } types[] = {
        { "forumposting", "discussion" }, { "question", "question" },    { "article", "article" },
        { "posting", "article" },         { "report", "article" },       { "website", NULL },
        { "product.group", NULL },        { "product.item", "product" },
    };
    const char *type = lower_text(value, values->pool);
    apr_size_t len = strlen(type);
    for (apr_size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        apr_size_t n = strlen(types[i].end);
        if (len >= n && strcmp(type + len - n, types[i].end) == 0) {
            if (types[i].type != NULL) {
                APR_ARRAY_PUSH(values, const char *) = types[i].type;
            }
            return;
        }
    }
    const char *colon = strrchr(type, ':');
    type = colon != NULL ? colon + 1 : type;
    if (type[strspn(type, "abcdefghijklmnopqrstuvwxyz._")] == '\0') {
        APR_ARRAY_PUSH(values, const char *) = type;
    }
}

/* All languages that are registered have two or three letters. */
static void add_language(apr_array_header_t *values, const char *value)
{
    apr_size_t letters = strcspn(value, "-_");
    if (letters < 2 || letters > 3) {
        return;
    }
    char *language = apr_pstrdup(values->pool, value);
    for (char *c = language; *c != '\0'; c++) {
        *c = *c == '_' ? '-' : *c;
    }
    APR_ARRAY_PUSH(values, const char *) = language;
}

/* An address, but of a picture whose name says that it is of the site: a logo, a card to share. */
static void add_image(apr_array_header_t *values, const char *value)
{
    static const char *const of_site[] = { "logo",    "favicon",  "placeholder", "default",
                                           "social",  "share",    "opengraph",   "og-image",
                                           "ogimage", "og_image", "apple-touch" };
    const char *name = strrchr(value, '/');
    const char *lower = lower_text(name != NULL ? name : value, values->pool);
    for (apr_size_t i = 0; i < sizeof(of_site) / sizeof(of_site[0]); i++) {
        if (strstr(lower, of_site[i]) != NULL) {
            return;
        }
    }
    APR_ARRAY_PUSH(values, const char *) = value;
}

static add_value_t *const adders[TMPL_METADATA_COUNT] = {
    [TMPL_METADATA_PUBLISHED] = add_date,
    [TMPL_METADATA_MODIFIED] = add_date,
    [TMPL_METADATA_TYPE] = add_type,
    [TMPL_METADATA_TAGS] = add_tags,
    [TMPL_METADATA_LANGUAGE] = add_language,
    [TMPL_METADATA_PRICE] = add_price,
    [TMPL_METADATA_AVAILABILITY] = add_availability,
    [TMPL_METADATA_RATING] = add_rating,
    [TMPL_METADATA_IMAGE] = add_image,
};

void tmpl_values_add(apr_array_header_t *values, tmpl_metadata_e field, const char *text)
{
    if (adders[field] != NULL) {
        adders[field](values, text);
    }
    else {
        APR_ARRAY_PUSH(values, const char *) = text;
    }
}
