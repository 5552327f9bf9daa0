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
#include "metadata/site_names.h"

/* Titles, and objects with headlines, that are compared. */
#define TITLES 40

/* Letters of a headline by which an object is known at least. */
#define HEADLINE_LETTERS 10

/* Characters beside the site's name in a heading that names the site. */
#define SITE_WORDS 9

typedef struct {
    tmpl_metadata_t *metadata;
    tmpl_claims_t claims;
    tmpl_site_names_t site;
    const char *url;                 /* the page's address, as far as it is known; or "" */
    const char *title;               /* what will be the title; NULL: not known yet */
    const tmpl_claim_place_t *place; /* that is read */
    const tmpl_claim_place_t
        *places[TMPL_METADATA_COUNT]; /* the place of each field that has values */
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

/* "InStock", with or without an address in front, or "In Stock" or "instock": "in stock". */
static void add_availability(facts_t *facts, apr_array_header_t *values, const char *value)
{
    static const struct {
        const char *letters, *words;
    } known[] = {
        { "instock", "in stock" },        { "in", "in stock" },
        { "outofstock", "out of stock" }, { "outstock", "out of stock" },
        { "oos", "out of stock" },        { "soldout", "sold out" },
        { "preorder", "pre order" },      { "backorder", "back order" },
    };
    const char *slash = strrchr(value, '/');
    value = slash != NULL ? slash + 1 : value;
    const char *letters = tmpl_letters(value, strlen(value), facts->pool);
    for (apr_size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(letters, known[i].letters) == 0) {
            APR_ARRAY_PUSH(values, const char *) = known[i].words;
            return;
        }
    }
    tmpl_buf_t words;
    tmpl_buf_init(&words, facts->pool);
    for (const char *c = value; *c != '\0'; c++) {
        int is_capital = *c >= 'A' && *c <= 'Z';
        if (is_capital && words.len > 0 && tmpl_is_alpha(c[-1]) && c[-1] >= 'a') {
            tmpl_buf_add_byte(&words, ' ');
        }
        tmpl_buf_add_byte(&words, *c == '_' ? ' ' : tmpl_lower(*c));
    }
    if (words.len > 0) {
        APR_ARRAY_PUSH(values, const char *) = words.at;
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

/* Whether values have a text, in any case. */
static int has_value(const apr_array_header_t *values, const char *text)
{
    for (int i = 0; i < values->nelts; i++) {
        if (apr_cstr_casecmp(APR_ARRAY_IDX(values, i, const char *), text) == 0) {
            return 1;
        }
    }
    return 0;
}

static void add_tags(facts_t *facts, apr_array_header_t *values, const char *value)
{
    char *last, *at = apr_pstrdup(facts->pool, value);
    for (char *tag = apr_strtok(at, ",;", &last); tag != NULL;
         tag = apr_strtok(NULL, ",;", &last)) {
        tag += strspn(tag, " ");
        if (*tag != '\0' && !has_value(values, tag)) {
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

/* A link to the site's first page without the words that are no name: "Go to Harbour home". */
static const char *linked_name(const char *text, apr_pool_t *pool)
{
    static const char *const begins[] = { "go to ", "back to ", "link to ", "visit " };
    static const char *const ends[] = { " homepage", " home page", " home", " logo" };
    for (apr_size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
        apr_size_t n = strlen(begins[i]);
        text += apr_cstr_casecmpn(text, begins[i], n) == 0 ? n : 0;
    }
    apr_size_t len = strlen(text);
    for (apr_size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        apr_size_t n = strlen(ends[i]);
        len -= len > n && apr_cstr_casecmpn(text + len - n, ends[i], n) == 0 ? n : 0;
    }
    while (len > 0 && strchr(" -|:", text[len - 1]) != NULL) {
        len--;
    }
    return apr_pstrmemdup(pool, text, len);
}

/* Whether a name is the last part of a title. */
static int ends_title(facts_t *facts, const char *name)
{
    const apr_array_header_t *titles = tmpl_claims_all(&facts->claims, TMPL_METADATA_TITLE);
    apr_size_t n = strlen(name);
    for (int i = 0; i < titles->nelts; i++) {
        const char *title = APR_ARRAY_IDX(titles, i, const char *);
        apr_size_t len = strlen(title);
        if (len > n + 2 && title[len - n - 1] == ' ' && !tmpl_is_alnum(title[len - n - 2]) &&
            apr_cstr_casecmp(title + len - n, name) == 0) {
            return 1;
        }
    }
    return 0;
}

static void add_site(facts_t *facts, apr_array_header_t *values, const char *value)
{
    int is_link = strcmp(facts->place->name, "home link") == 0;
    value = is_link ? linked_name(value, facts->pool) : value;
    if (is_link ? tmpl_site_is_host(&facts->site, value) || ends_title(facts, value)
                : *tmpl_letters(value, strlen(value), facts->pool) != '\0' &&
                      strstr(value, "://") == NULL) {
        APR_ARRAY_PUSH(values, const char *) = value;
    }
}

/* All languages that are registered have two or three letters. */
static void add_language(facts_t *facts, apr_array_header_t *values, const char *value)
{
    apr_size_t letters = strcspn(value, "-_");
    if (letters < 2 || letters > 3) {
        return;
    }
    char *language = apr_pstrdup(facts->pool, value);
    for (char *c = language; *c != '\0'; c++) {
        *c = *c == '_' ? '-' : *c;
    }
    APR_ARRAY_PUSH(values, const char *) = language;
}

/* An address, but of a picture whose name says that it is of the site: a logo, a card to share. */
static void add_image(facts_t *facts, apr_array_header_t *values, const char *value)
{
    static const char *const of_site[] = { "logo",    "favicon",  "placeholder", "default",
                                           "social",  "share",    "opengraph",   "og-image",
                                           "ogimage", "og_image", "apple-touch" };
    const char *name = strrchr(value, '/');
    char *lower = apr_pstrdup(facts->pool, name != NULL ? name : value);
    for (char *c = lower; *c != '\0'; c++) {
        *c = tmpl_lower(*c);
    }
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
    [TMPL_METADATA_SITE] = add_site,
    [TMPL_METADATA_PUBLISHER] = add_site,
    [TMPL_METADATA_LANGUAGE] = add_language,
    [TMPL_METADATA_PRICE] = add_price,
    [TMPL_METADATA_AVAILABILITY] = add_availability,
    [TMPL_METADATA_RATING] = add_rating,
    [TMPL_METADATA_IMAGE] = add_image,
};

const tmpl_metadata_field_t tmpl_metadata_fields[TMPL_METADATA_COUNT] = {
#define FIELD(id, key, characters, most) { key, characters, most },
    TMPL_METADATA(FIELD)
#undef FIELD
};

/* Whether a field has a text. */
static int is_set_to(const facts_t *facts, tmpl_metadata_e field, const char *text)
{
    const char *value = tmpl_metadata_first(facts->metadata, field);
    return value != NULL && strcmp(value, text) == 0;
}

static int is_discussion(const facts_t *facts)
{
    return is_set_to(facts, TMPL_METADATA_TYPE, "discussion") ||
           is_set_to(facts, TMPL_METADATA_TYPE, "question");
}

/*
 * Whether a place counts: the first post of a page says something of the page if people discuss,
 * and then dates in lines are of posts.
 */
static int counts_for(const facts_t *facts, apr_size_t rank)
{
    const char *name = tmpl_claims_place(rank)->name;
    return is_discussion(facts) ? strcmp(name, "line modified") != 0
                                : strncmp(name, "first post", 10) != 0;
}

/* Sets a field from the best place that says anything that the field may be. */
static void settle_field(facts_t *facts, tmpl_metadata_e field)
{
    add_value_t *add = adders[field] != NULL ? adders[field] : add_text;
    apr_array_header_t *said, *values = apr_array_make(facts->pool, 1, sizeof(const char *));
    apr_size_t rank = 0;
    while (values->nelts == 0 && (said = tmpl_claims_next(&facts->claims, field, &rank)) != NULL) {
        facts->place = tmpl_claims_place(rank - 1);
        for (int i = 0;
             i < said->nelts && (values->nelts == 0 || tmpl_metadata_fields[field].most > 1) &&
             counts_for(facts, rank - 1);
             i++) {
            add(facts, values, APR_ARRAY_IDX(said, i, const char *));
        }
        facts->places[field] = facts->place;
    }
    if (values->nelts > tmpl_metadata_fields[field].most) {
        values->nelts = tmpl_metadata_fields[field].most;
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

static int is_home(const char *text)
{
    static const char *const homes[] = { "home",  "homepage", "home page", "startseite",
                                         "start", "accueil",  "inicio" };
    for (unsigned i = 0; i < sizeof(homes) / sizeof(homes[0]); i++) {
        if (apr_cstr_casecmp(text, homes[i]) == 0) {
            return 1;
        }
    }
    return 0;
}

/* The end of the headline that is a title, too: what is in front of it is a mark or a brand. */
static const char *without_mark(facts_t *facts, const char *headline)
{
    const apr_array_header_t *titles = tmpl_claims_all(&facts->claims, TMPL_METADATA_TITLE);
    apr_size_t len = strlen(headline);
    for (int i = 0; i < titles->nelts; i++) {
        const char *site = NULL;
        if (strncmp(APR_ARRAY_IDX(titles, i, const char *), headline, 4) == 0) {
            continue;
        }
        const char *title =
            tmpl_site_without(&facts->site, APR_ARRAY_IDX(titles, i, const char *), &site);
        apr_size_t n = strlen(title);
        if (n < len && n >= len / 2 && headline[len - n - 1] == ' ' &&
            apr_cstr_casecmp(headline + len - n, title) == 0) {
            return headline + len - n;
        }
    }
    return headline;
}

/*
 * Whether a headline is the site's name, with a word or two: "Harbour homepage"; a part of the
 * title that has the name is none.
 */
static int is_site_headline(facts_t *facts, const char *headline)
{
    const char *name = tmpl_metadata_first(facts->metadata, TMPL_METADATA_SITE);
    apr_size_t longest = name != NULL ? strlen(name) + SITE_WORDS : strlen(headline);
    return strlen(headline) <= longest &&
           tmpl_site_is_named(&facts->site, headline, strlen(headline));
}

static void settle_title(facts_t *facts, const tmpl_page_headline_t *found)
{
    const char *headline = found->text;
    const char *title = tmpl_metadata_first(facts->metadata, TMPL_METADATA_TITLE);
    const char *site = NULL;
    title = title != NULL ? tmpl_site_without(&facts->site, title, &site) : NULL;
    if (site == NULL && title != NULL && facts->metadata->values[TMPL_METADATA_SITE] == NULL &&
        facts->metadata->values[TMPL_METADATA_PRICE] == NULL) {
        title = tmpl_site_guess(&facts->site, title, &site);
    }
    if (headline != NULL && !is_site_headline(facts, headline) &&
        (title == NULL || found->is_title || is_home(title) ||
         tmpl_site_is_named(&facts->site, title, strlen(title)))) {
        const char *ignored = NULL;
        title = tmpl_site_without(&facts->site, without_mark(facts, headline), &ignored);
    }
    site = facts->metadata->values[TMPL_METADATA_SITE] == NULL ? site : NULL;
    if (site != NULL) {
        set_text(facts, TMPL_METADATA_SITE, site);
    }
    if (title != NULL && is_home(title)) {
        site = tmpl_metadata_first(facts->metadata, TMPL_METADATA_SITE);
        title = site != NULL ? site : title;
    }
    facts->title = title;
    if (title != NULL) {
        set_text(facts, TMPL_METADATA_TITLE, title);
    }
}

/* Whether an item of a breadcrumb is no place above the page: a way back, a search, or a sign. */
static int is_no_crumb(const facts_t *facts, const char *text)
{
    static const char *const others[] = { "search", "breadcrumb", "breadcrumbs", "youarehere" };
    const char *letters = tmpl_letters(text, strlen(text), facts->pool);
    int is_other = *letters == '\0' || apr_cstr_casecmpn(text, "back to", 7) == 0;
    for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        is_other |= strcmp(letters, others[i]) == 0;
    }
    return is_other;
}

/* Whether text is what the title, or another place that says one, says. */
static int says_page(const facts_t *facts, const char *text)
{
    return is_title(facts, text) ||
           has_value(tmpl_claims_all(&facts->claims, TMPL_METADATA_TITLE), text);
}

/* A breadcrumb has neither the page itself, at its end, nor the site's first page. */
static void settle_breadcrumb(facts_t *facts)
{
    settle_field(facts, TMPL_METADATA_BREADCRUMB);
    const apr_array_header_t *said = facts->metadata->values[TMPL_METADATA_BREADCRUMB];
    apr_array_header_t *crumbs = apr_array_make(facts->pool, 4, sizeof(const char *));
    for (int i = 0; said != NULL && i < said->nelts; i++) {
        const char *text = APR_ARRAY_IDX(said, i, const char *);
        int is_site =
            i == 0 && said->nelts > 1 && tmpl_site_is_named(&facts->site, text, strlen(text));
        int is_last = i + 1 == said->nelts && says_page(facts, text);
        if (!is_site && !is_last && !(i == 0 && is_home(text)) && !is_no_crumb(facts, text)) {
            APR_ARRAY_PUSH(crumbs, const char *) = text;
        }
    }
    facts->metadata->values[TMPL_METADATA_BREADCRUMB] = crumbs->nelts > 0 ? crumbs : NULL;
}

/* Whether all values of one list are in another one, which has more. */
static int has_more(const apr_array_header_t *values, const apr_array_header_t *than)
{
    int found = 0;
    for (int i = 0; i < than->nelts; i++) {
        found += has_value(values, APR_ARRAY_IDX(than, i, const char *));
    }
    return values->nelts > than->nelts && found == than->nelts;
}

/* Whether a text is the first value of a field, as far as letters say: a site is no person. */
static int is_called(const facts_t *facts, tmpl_metadata_e field, const char *text)
{
    const char *name = tmpl_metadata_first(facts->metadata, field);
    return name != NULL && strcmp(tmpl_letters(name, strlen(name), facts->pool),
                                  tmpl_letters(text, strlen(text), facts->pool)) == 0;
}

/* What a single word may be, of a place: those who discuss have logins; a site is no person. */
static tmpl_names_e single_of(const facts_t *facts, tmpl_said_e said, const char *text)
{
    if (is_discussion(facts) && said != TMPL_SAID_META) {
        return TMPL_NAMES_LOGIN;
    }
    return said == TMPL_SAID_ELEMENT || tmpl_site_is_named(&facts->site, text, strlen(text))
               ? TMPL_NAMES_WHOLE
               : TMPL_NAMES_ONE;
}

/* Whether an article has one author of one word, which may be a login. */
static int is_single(const facts_t *facts, const apr_array_header_t *names)
{
    return names->nelts == 1 && !is_discussion(facts) &&
           strchr(APR_ARRAY_IDX(names, 0, const char *), ' ') == NULL;
}

/*
 * The authors of the best place; of a place behind it, if it has all of them and more, or the
 * whole name of a person where the best has a single word. The others of a discussion answer.
 */
static void settle_authors(facts_t *facts)
{
    apr_array_header_t *said, *best = NULL;
    apr_size_t rank = 0;
    /* a site that only the title or a link names may have its author's name */
    const tmpl_claim_place_t *site = facts->places[TMPL_METADATA_SITE];
    int is_sure = site != NULL && site->said != TMPL_SAID_ELEMENT;
    while ((said = tmpl_claims_next(&facts->claims, TMPL_METADATA_AUTHOR, &rank)) != NULL) {
        apr_array_header_t *names = apr_array_make(facts->pool, 1, sizeof(const char *));
        const tmpl_claim_place_t *place = tmpl_claims_place(rank - 1);
        for (int i = 0; i < said->nelts && counts_for(facts, rank - 1); i++) {
            const char *text = APR_ARRAY_IDX(said, i, const char *);
            if (!(is_sure && is_called(facts, TMPL_METADATA_SITE, text)) &&
                !is_called(facts, TMPL_METADATA_PUBLISHER, text)) {
                tmpl_people_read(names, text, single_of(facts, place->said, text));
            }
        }
        if (names->nelts > 0 && names->nelts <= tmpl_metadata_fields[TMPL_METADATA_AUTHOR].most &&
            (best == NULL || (has_more(names, best) && !is_discussion(facts)) ||
             (is_single(facts, best) && !is_single(facts, names)))) {
            best = names;
        }
    }
    facts->metadata->values[TMPL_METADATA_AUTHOR] = best;
}

/* The part of the site's name that the host has: slogans follow many names. */
static void settle_site(facts_t *facts)
{
    const char *name = tmpl_metadata_first(facts->metadata, TMPL_METADATA_SITE);
    const char *publisher = tmpl_metadata_first(facts->metadata, TMPL_METADATA_PUBLISHER);
    tmpl_site_init(&facts->site, facts->url, name, publisher, facts->pool);
    if (name != NULL) {
        set_text(facts, TMPL_METADATA_SITE, tmpl_site_part(&facts->site, name));
    }
}

/*
 * The type that og:type alone says is not sure: an article has an author or a date, a product a
 * price or a brand. A page with a product's price, and no other type, is a product.
 */
static void settle_type(facts_t *facts)
{
    const tmpl_claims_t *claims = &facts->claims;
    const apr_array_header_t **values = facts->metadata->values;
    int is_said = tmpl_claims_has(claims, TMPL_SAID_LINKED, "object.type") ||
                  tmpl_claims_has(claims, TMPL_SAID_ITEM, "type") ||
                  tmpl_claims_has(claims, TMPL_SAID_ELEMENT, "posters");
    int is_dated =
        values[TMPL_METADATA_AUTHOR] != NULL ||
        (values[TMPL_METADATA_PUBLISHED] != NULL &&
         strcmp(facts->places[TMPL_METADATA_PUBLISHED]->name, "page.datePublished") != 0);
    int has_price = values[TMPL_METADATA_PRICE] != NULL || values[TMPL_METADATA_BRAND] != NULL ||
                    values[TMPL_METADATA_AVAILABILITY] != NULL;
    if (!is_said && ((is_set_to(facts, TMPL_METADATA_TYPE, "article") && !is_dated) ||
                     (is_set_to(facts, TMPL_METADATA_TYPE, "product") && !has_price))) {
        values[TMPL_METADATA_TYPE] = NULL;
    }
    if (!is_said && values[TMPL_METADATA_PRICE] != NULL) {
        set_text(facts, TMPL_METADATA_TYPE, "product");
    }
}

/* A price of 0 says that nothing is for sale; a currency without a price says nothing. */
static void settle_offer(facts_t *facts)
{
    const apr_array_header_t **values = facts->metadata->values;
    int is_offered = values[TMPL_METADATA_PRICE] != NULL;
    if (!is_offered && (facts->claims.fields & 1u << TMPL_METADATA_PRICE) &&
        is_set_to(facts, TMPL_METADATA_AVAILABILITY, "in stock")) {
        values[TMPL_METADATA_AVAILABILITY] = NULL;
    }
    if (!is_offered) {
        values[TMPL_METADATA_CURRENCY] = NULL;
    }
}

/* Adds the letters of the first titles that claims of a kind say, and their objects. */
static int find_titles(const char *letters[TITLES], uint32_t of[TITLES], const facts_t *facts,
                       tmpl_said_e said)
{
    const apr_array_header_t *list = facts->claims.list;
    int n = 0;
    for (int i = 0; i < list->nelts && n < TITLES; i++) {
        const tmpl_claim_t *claim = &APR_ARRAY_IDX(list, i, tmpl_claim_t);
        const tmpl_claim_place_t *place = tmpl_claims_place(claim->rank);
        if (place->field == TMPL_METADATA_TITLE && place->said == said) {
            letters[n] = tmpl_letters(claim->value, strlen(claim->value), facts->pool);
            of[n++] = claim->of;
        }
    }
    return n;
}

/* The object of JSON-LD whose headline is, or begins, a title of the head is the page itself. */
static void find_own(facts_t *facts)
{
    const char *titles[TITLES], *names[TITLES];
    uint32_t ignored[TITLES], of[TITLES];
    int n_titles = find_titles(titles, ignored, facts, TMPL_SAID_META);
    int n = find_titles(names, of, facts, TMPL_SAID_LINKED);
    for (int i = 0; i < n && facts->claims.own == TMPL_NONE; i++) {
        apr_size_t len = strlen(names[i]);
        for (int k = 0; k < n_titles && len >= HEADLINE_LETTERS; k++) {
            if (strncmp(titles[k], names[i], len) == 0) {
                facts->claims.own = of[i];
                break;
            }
        }
    }
}

void tmpl_metadata_read(tmpl_metadata_t *metadata, const tmpl_metadata_source_t *source,
                        apr_pool_t *pool)
{
    facts_t facts = { .metadata = metadata, .pool = pool };
    memset(metadata, 0, sizeof(*metadata));
    tmpl_claims_init(&facts.claims, pool);
    see_head(&facts.claims, source->html);
    settle_field(&facts, TMPL_METADATA_CANONICAL);
    const char *canonical = tmpl_metadata_first(metadata, TMPL_METADATA_CANONICAL);
    facts.url = canonical != NULL && strstr(canonical, "://") != NULL ? canonical : source->url;
    facts.url = facts.url != NULL ? facts.url : "";
    tmpl_site_init(&facts.site, facts.url, NULL, NULL, pool);
    find_own(&facts);
    settle_field(&facts, TMPL_METADATA_SITE);
    tmpl_page_headline_t headline = tmpl_elements_read(
        &facts.claims, source, tmpl_metadata_first(metadata, TMPL_METADATA_SITE));
    metadata->headline = headline.node;
    settle_field(&facts, TMPL_METADATA_TYPE);
    for (int i = 0; i < TMPL_METADATA_COUNT; i++) {
        if (i != TMPL_METADATA_BREADCRUMB && i != TMPL_METADATA_AUTHOR) {
            settle_field(&facts, (tmpl_metadata_e)i);
        }
    }
    settle_site(&facts);
    settle_title(&facts, &headline);
    settle_authors(&facts);
    settle_offer(&facts);
    settle_type(&facts);
    settle_breadcrumb(&facts);
}
