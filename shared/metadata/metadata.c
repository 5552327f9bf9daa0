/* SPDX-License-Identifier: Apache-2.0 */
#include "metadata/metadata.h"

#include <stdlib.h>
#include <string.h>

#include <apr_cstr.h>
#include <apr_strings.h>

#include "base/chars.h"
#include "dom/dom.h"
#include "metadata/claims.h"
#include "metadata/dates.h"
#include "metadata/linked_data.h"
#include "metadata/elements.h"
#include "metadata/people.h"

typedef struct {
    tmpl_metadata_t *metadata;
    tmpl_claims_t claims;
    const char *url;   /* the page's address, as far as it is known; or "" */
    const char *title; /* what will be the title; NULL: not known yet */
    apr_pool_t *pool;
} facts_t;

/* --- The head --- */

/* Adds what a meta element says, under each of its names, with "dc:" for "dc.". */
static void see_meta(tmpl_claims_t *claims, const xmlNode *meta, const char **label)
{
    static const char *const attributes[] = { "property", "name", "itemprop", "http-equiv" };
    const char *names = NULL;
    for (apr_size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]) && names == NULL; i++) {
        names = tmpl_dom_attribute(meta, attributes[i]);
    }
    const char *content = names != NULL ? tmpl_dom_attribute(meta, "content") : NULL;
    if (content == NULL) {
        return;
    }
    /* "twitter:label1" has the meaning of "twitter:data1" */
    if (apr_cstr_casecmpn(names, "twitter:label", 13) == 0) {
        *label = content;
    }
    if (apr_cstr_casecmpn(names, "twitter:data", 12) == 0 && *label != NULL &&
        tmpl_people_by(*label) == strlen(*label)) {
        tmpl_claims_add(claims, TMPL_SAID_META, "twitter written by", 0, content);
    }
    char *at = apr_pstrdup(claims->pool, names), *last;
    for (char *name = apr_strtok(at, " ", &last); name != NULL;
         name = apr_strtok(NULL, " ", &last)) {
        int is_dublin = apr_cstr_casecmpn(name, "dc", 2) == 0;
        for (char *c = name; is_dublin && *c != '\0'; c++) {
            *c = *c == '.' ? ':' : *c;
        }
        tmpl_claims_add(claims, TMPL_SAID_META, name, 0, content);
    }
}

static void see_head(tmpl_claims_t *claims, const xmlNode *html)
{
    const char *label = NULL;
    uint32_t scripts = 0;
    tmpl_claims_add(claims, TMPL_SAID_META, "html lang", 0, tmpl_dom_attribute(html, "lang"));
    for (const xmlNode *node = html->children->children; node != NULL; node = node->next) {
        const char *name = (const char *)node->name;
        if (strcmp(name, "meta") == 0) {
            see_meta(claims, node, &label);
        }
        else if (strcmp(name, "link") == 0) {
            const char *rel = tmpl_dom_attribute(node, "rel");
            if (rel != NULL && apr_cstr_casecmp(rel, "canonical") == 0) {
                tmpl_claims_add(claims, TMPL_SAID_META, "link canonical", 0,
                                tmpl_dom_attribute(node, "href"));
            }
        }
        else if (strcmp(name, "script") == 0) {
            tmpl_linked_data_read(claims, (const char *)node->children->content, scripts++);
        }
        else if (strcmp(name, "title") == 0 && node->children != NULL) {
            tmpl_claims_add(claims, TMPL_SAID_META, "title", 0,
                            (const char *)node->children->content);
        }
    }
}

/* The letters and digits of a text, in lower case. */
static const char *letters_of(const char *text, apr_size_t len, apr_pool_t *pool)
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

/* --- Values of one kind: each adds what it makes of value --- */

typedef void add_value_t(facts_t *facts, apr_array_header_t *values, const char *value);

static void add_text(facts_t *facts, apr_array_header_t *values, const char *value)
{
    (void)facts;
    APR_ARRAY_PUSH(values, const char *) = value;
}

static void add_date(facts_t *facts, apr_array_header_t *values, const char *value)
{
    char iso[TMPL_DATE_SIZE];
    apr_size_t begin;
    if (tmpl_date_find(iso, &begin, value, strlen(value)) > 0) {
        APR_ARRAY_PUSH(values, const char *) = apr_pstrdup(facts->pool, iso);
    }
}

/* "InStock", with or without an address in front, or "In Stock": "in stock". */
static void add_availability(facts_t *facts, apr_array_header_t *values, const char *value)
{
    const char *slash = strrchr(value, '/');
    tmpl_buf_t words;
    tmpl_buf_init(&words, facts->pool);
    for (const char *c = slash != NULL ? slash + 1 : value; *c != '\0'; c++) {
        int is_capital = *c >= 'A' && *c <= 'Z';
        if (is_capital && words.len > 0 && tmpl_is_alpha(c[-1]) && c[-1] >= 'a') {
            tmpl_buf_add_byte(&words, ' ');
        }
        tmpl_buf_add_byte(&words, *c == '_' ? ' ' : tmpl_lower(*c));
    }
    if (words.len > 0) {
        APR_ARRAY_PUSH(values, const char *) =
            strcmp(words.at, "instock") == 0 ? "in stock" : words.at;
    }
}

/* A number with a sign or not; with a ',' for the decimal point or between thousands. */
static void add_price(facts_t *facts, apr_array_header_t *values, const char *value)
{
    tmpl_buf_t number;
    tmpl_buf_init(&number, facts->pool);
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

static void add_rating(facts_t *facts, apr_array_header_t *values, const char *value)
{
    int has_best = strchr(value, '/') != NULL;
    long whole = strtol(value, NULL, 10);
    /* without the best one, only stars are known */
    int is_zero = value[strspn(value, "0.,")] == '\0' || value[strspn(value, "0.,")] == '/';
    if (!is_zero && (has_best || (whole >= 0 && whole <= 5))) {
        APR_ARRAY_PUSH(values, const char *) =
            has_best ? value : apr_pstrcat(facts->pool, value, "/5", NULL);
    }
}

static void add_tags(facts_t *facts, apr_array_header_t *values, const char *value)
{
    char *last, *at = apr_pstrdup(facts->pool, value);
    for (char *tag = apr_strtok(at, ",;", &last); tag != NULL;
         tag = apr_strtok(NULL, ",;", &last)) {
        tag += strspn(tag, " ");
        if (*tag != '\0') {
            APR_ARRAY_PUSH(values, const char *) = tag;
        }
    }
}

static void add_type(facts_t *facts, apr_array_header_t *values, const char *value)
{
    static const struct {
        const char *end, *type; /* NULL: says nothing */
    } types[] = {
        { "forumposting", "discussion" }, { "question", "question" },    { "article", "article" },
        { "posting", "article" },         { "report", "article" },       { "website", NULL },
        { "product.group", NULL },        { "product.item", "product" },
    };
    char *type = apr_pstrdup(facts->pool, value);
    apr_size_t len = strlen(type);
    for (char *c = type; *c != '\0'; c++) {
        *c = tmpl_lower(*c);
    }
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
    type = colon != NULL ? type + (colon - type) + 1 : type;
    if (type[strspn(type, "abcdefghijklmnopqrstuvwxyz._")] == '\0') {
        APR_ARRAY_PUSH(values, const char *) = type;
    }
}

/* Whether text is nearly the same as the page's title. */
static int is_title(const facts_t *facts, const char *text)
{
    return facts->title != NULL && tmpl_elements_share(text, facts->title) >= 0.75 &&
           tmpl_elements_share(facts->title, text) >= 0.5;
}

static void add_site(facts_t *facts, apr_array_header_t *values, const char *value)
{
    if (*letters_of(value, strlen(value), facts->pool) != '\0') {
        APR_ARRAY_PUSH(values, const char *) = value;
    }
}

static void add_language(facts_t *facts, apr_array_header_t *values, const char *value)
{
    char *language = apr_pstrdup(facts->pool, value);
    for (char *c = language; *c != '\0'; c++) {
        *c = *c == '_' ? '-' : *c;
    }
    APR_ARRAY_PUSH(values, const char *) = language;
}

static add_value_t *const adders[TMPL_METADATA_COUNT] = {
    [TMPL_METADATA_PUBLISHED] = add_date,
    [TMPL_METADATA_MODIFIED] = add_date,
    [TMPL_METADATA_TYPE] = add_type,
    [TMPL_METADATA_TAGS] = add_tags,
    [TMPL_METADATA_SITE] = add_site,
    [TMPL_METADATA_PUBLISHER] = add_site,
    [TMPL_METADATA_LANGUAGE] = add_language,
    [TMPL_METADATA_PRICE] = add_price,
    [TMPL_METADATA_AVAILABILITY] = add_availability,
    [TMPL_METADATA_RATING] = add_rating,
};

static const int most_values[] = {
#define MOST_VALUES(id, key, characters, most) most,
    TMPL_METADATA(MOST_VALUES)
#undef MOST_VALUES
};

/* Sets a field from the best place that says anything that the field may be. */
static void settle_field(facts_t *facts, tmpl_metadata_e field)
{
    add_value_t *add = adders[field] != NULL ? adders[field] : add_text;
    apr_array_header_t *said, *values = apr_array_make(facts->pool, 1, sizeof(const char *));
    apr_size_t rank = 0;
    while (values->nelts == 0 && (said = tmpl_claims_next(&facts->claims, field, &rank)) != NULL) {
        for (int i = 0; i < said->nelts && (i == 0 || most_values[field] > 1); i++) {
            add(facts, values, APR_ARRAY_IDX(said, i, const char *));
        }
    }
    if (values->nelts > most_values[field]) {
        values->nelts = most_values[field];
    }
    facts->metadata->values[field] = values->nelts > 0 ? values : NULL;
}

static void set_text(facts_t *facts, tmpl_metadata_e field, const char *text)
{
    apr_array_header_t *values = apr_array_make(facts->pool, 1, sizeof(const char *));
    APR_ARRAY_PUSH(values, const char *) = text;
    facts->metadata->values[field] = values;
}

/* --- The title, and the site's name in it --- */

/* The host of the page's address without "www.", letters only; "": it has none. */
static const char *host_letters(const facts_t *facts)
{
    const char *host = strstr(facts->url, "://");
    if (host == NULL) {
        return "";
    }
    host += 3;
    host += apr_cstr_casecmpn(host, "www.", 4) == 0 ? 4 : 0;
    return letters_of(host, strcspn(host, "/:?#"), facts->pool);
}

/* Whether a part of a title names the site. */
static int names_site(const facts_t *facts, const char *part, apr_size_t len)
{
    static const tmpl_metadata_e names[] = { TMPL_METADATA_SITE, TMPL_METADATA_PUBLISHER };
    const char *letters = letters_of(part, len, facts->pool);
    if (strlen(letters) < 2) {
        return 0;
    }
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *name = tmpl_metadata_first(facts->metadata, names[i]);
        const char *site = name != NULL ? letters_of(name, strlen(name), facts->pool) : "";
        if (strlen(site) > 1 && (strstr(letters, site) != NULL || strstr(site, letters) != NULL)) {
            return 1;
        }
    }
    return strlen(letters) > 2 && strstr(host_letters(facts), letters) != NULL;
}

/* What may stand between a page's title and its site's name. */
static const char *const between[] = { " | ",
                                       " - ",
                                       " \xE2\x80\x93 ",
                                       " \xE2\x80\x94 ",
                                       " \xC2\xBB ",
                                       " \xC2\xB7 ",
                                       " :: ",
                                       " \xE2\x80\xA2 ",
                                       " : ",
                                       " / ",
                                       " < ",
                                       " > ",
                                       "\xEF\xBD\x9C",
                                       ": " };

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

/*
 * The title without parts at its ends that name the site; *site is such a part, if there is
 * one.
 */
static const char *without_site(const facts_t *facts, const char *title, const char **site)
{
    apr_size_t len = 0;
    const char *sign;
    while ((sign = find_sign(title, 1, &len)) != NULL && sign > title &&
           names_site(facts, sign + len, strlen(sign + len))) {
        *site = sign + len;
        title = apr_pstrmemdup(facts->pool, title, (apr_size_t)(sign - title));
    }
    while ((sign = find_sign(title, 0, &len)) != NULL && sign > title && sign[len] != '\0' &&
           names_site(facts, title, (apr_size_t)(sign - title))) {
        *site = apr_pstrmemdup(facts->pool, title, (apr_size_t)(sign - title));
        title = sign + len;
    }
    return title;
}

/*
 * The title without its last part, which becomes *site: the site has no other name, the part has
 * few words and no comma, behind a bar or dash, and what is in front of it is longer than a word.
 */
static const char *without_unknown(const facts_t *facts, const char *title, const char **site)
{
    apr_size_t len = 0;
    const char *sign = find_sign(title, 1, &len);
    const char *part = sign != NULL ? sign + len : "";
    int spaces = 0;
    for (const char *c = part; *c != '\0'; c++) {
        spaces += *c == ' ';
    }
    if (*part == '\0' || strchr("|-\xE2", sign[1]) == NULL || spaces > 3 ||
        strchr(part, ',') != NULL || memchr(title, ' ', (apr_size_t)(sign - title)) == NULL ||
        facts->metadata->values[TMPL_METADATA_PRICE] != NULL) {
        return title;
    }
    *site = part;
    return apr_pstrmemdup(facts->pool, title, (apr_size_t)(sign - title));
}

static void settle_title(facts_t *facts, const char *headline, int is_like)
{
    const char *title = tmpl_metadata_first(facts->metadata, TMPL_METADATA_TITLE);
    const char *site = NULL;
    title = title != NULL ? without_site(facts, title, &site) : NULL;
    if (site == NULL && title != NULL && facts->metadata->values[TMPL_METADATA_SITE] == NULL) {
        title = without_unknown(facts, title, &site);
    }
    int is_site = headline != NULL && names_site(facts, headline, strlen(headline));
    if (headline != NULL && !is_site &&
        (title == NULL || is_like || names_site(facts, title, strlen(title)))) {
        title = headline;
    }
    facts->title = title;
    if (title != NULL) {
        set_text(facts, TMPL_METADATA_TITLE, title);
    }
    if (site != NULL && facts->metadata->values[TMPL_METADATA_SITE] == NULL) {
        set_text(facts, TMPL_METADATA_SITE, site);
    }
}

/* A breadcrumb has neither the page itself, at its end, nor the site, if others follow. */
static void settle_breadcrumb(facts_t *facts)
{
    static const char *const homes[] = { "home",    "homepage", "startseite", "start",
                                         "accueil", "inicio",   "breadcrumb" };
    apr_array_header_t *crumbs;
    settle_field(facts, TMPL_METADATA_BREADCRUMB);
    crumbs = (apr_array_header_t *)facts->metadata->values[TMPL_METADATA_BREADCRUMB];
    if (crumbs == NULL) {
        return;
    }
    if (is_title(facts, APR_ARRAY_IDX(crumbs, crumbs->nelts - 1, const char *))) {
        apr_array_pop(crumbs);
    }
    const char *first = crumbs->nelts > 1 ? APR_ARRAY_IDX(crumbs, 0, const char *) : NULL;
    int is_home = first != NULL && names_site(facts, first, strlen(first));
    for (unsigned i = 0; first != NULL && i < sizeof(homes) / sizeof(homes[0]); i++) {
        is_home |= apr_cstr_casecmp(first, homes[i]) == 0;
    }
    if (is_home) {
        memmove(crumbs->elts, crumbs->elts + crumbs->elt_size,
                (apr_size_t)--crumbs->nelts * sizeof(const char *));
    }
    if (crumbs->nelts == 0) {
        facts->metadata->values[TMPL_METADATA_BREADCRUMB] = NULL;
    }
}

/* Whether all values of one list are in another one, which has more. */
static int has_more(const apr_array_header_t *values, const apr_array_header_t *than)
{
    int found = 0;
    for (int i = 0; i < than->nelts; i++) {
        for (int j = 0; j < values->nelts; j++) {
            found += apr_cstr_casecmp(APR_ARRAY_IDX(than, i, const char *),
                                      APR_ARRAY_IDX(values, j, const char *)) == 0;
        }
    }
    return values->nelts > than->nelts && found == than->nelts;
}

/* Whether a text is the first value of a field, as far as letters say: a site is no person. */
static int is_called(const facts_t *facts, tmpl_metadata_e field, const char *text)
{
    const char *name = tmpl_metadata_first(facts->metadata, field);
    return name != NULL && strcmp(letters_of(name, strlen(name), facts->pool),
                                  letters_of(text, strlen(text), facts->pool)) == 0;
}

/* The authors of the best place; of a place behind it, if it has all of them and more. */
static void settle_authors(facts_t *facts)
{
    apr_array_header_t *said, *best = NULL;
    apr_size_t rank = 0;
    while ((said = tmpl_claims_next(&facts->claims, TMPL_METADATA_AUTHOR, &rank)) != NULL) {
        apr_array_header_t *names = apr_array_make(facts->pool, 1, sizeof(const char *));
        for (int i = 0; i < said->nelts; i++) {
            const char *text = APR_ARRAY_IDX(said, i, const char *);
            if (!is_called(facts, TMPL_METADATA_SITE, text) &&
                !is_called(facts, TMPL_METADATA_PUBLISHER, text)) {
                tmpl_people_read(names, text);
            }
        }
        if (names->nelts > 0 && names->nelts <= most_values[TMPL_METADATA_AUTHOR] &&
            (best == NULL || has_more(names, best))) {
            best = names;
        }
    }
    facts->metadata->values[TMPL_METADATA_AUTHOR] = best;
}

/*
 * The part of the site's name that the host has, if there is a sign between parts: slogans follow
 * many names.
 */
static void settle_site(facts_t *facts)
{
    const char *site = tmpl_metadata_first(facts->metadata, TMPL_METADATA_SITE);
    const char *host = host_letters(facts);
    for (apr_size_t len = 0; site != NULL && *host != '\0';) {
        const char *sign = find_sign(site, 0, &len);
        apr_size_t n = sign != NULL ? (apr_size_t)(sign - site) : strlen(site);
        const char *letters = letters_of(site, n, facts->pool);
        if (strlen(letters) > 2 && strstr(host, letters) != NULL) {
            set_text(facts, TMPL_METADATA_SITE, apr_pstrmemdup(facts->pool, site, n));
            return;
        }
        site = sign != NULL ? sign + len : NULL;
    }
}

void tmpl_metadata_read(tmpl_metadata_t *metadata, const tmpl_metadata_source_t *source,
                        apr_pool_t *pool)
{
    facts_t facts = { .metadata = metadata, .pool = pool };
    int is_like;
    tmpl_claims_init(&facts.claims, pool);
    see_head(&facts.claims, source->html);
    settle_field(&facts, TMPL_METADATA_TITLE);
    settle_field(&facts, TMPL_METADATA_SITE);
    const char *headline = tmpl_elements_read(&facts.claims, &is_like, source,
                                              tmpl_metadata_first(metadata, TMPL_METADATA_TITLE),
                                              tmpl_metadata_first(metadata, TMPL_METADATA_SITE));
    for (int i = 0; i < TMPL_METADATA_COUNT; i++) {
        if (i != TMPL_METADATA_BREADCRUMB && i != TMPL_METADATA_AUTHOR) {
            settle_field(&facts, (tmpl_metadata_e)i);
        }
    }
    const char *canonical = tmpl_metadata_first(metadata, TMPL_METADATA_CANONICAL);
    facts.url = canonical != NULL && strstr(canonical, "://") != NULL ? canonical : source->url;
    facts.url = facts.url != NULL ? facts.url : "";
    settle_site(&facts);
    settle_title(&facts, headline, is_like);
    settle_authors(&facts);
    settle_breadcrumb(&facts);
}
