/* SPDX-License-Identifier: Apache-2.0 */
#include "metadata/metadata.h"

#include <string.h>

#include <apr_cstr.h>
#include <apr_strings.h>

#include "base/chars.h"
#include "dom/dom.h"
#include "metadata/claims.h"
#include "metadata/elements.h"
#include "metadata/people.h"

/* Bytes of a headline by which an object is known at least. */
#define HEADLINE_BYTES 10

/* The likeness of the title and a text that says the same. */
#define LIKE 0.67

/* Characters beside the site's name in a heading that names the site. */
#define SITE_WORDS 9

typedef struct {
    tmpl_metadata_t *metadata;
    tmpl_claims_t claims;
    tmpl_site_names_t site;
    const char *url; /* the page's address, as far as it is known; in the end, or "" */
    int is_listing;
    const tmpl_claim_place_t *places[TMPL_METADATA_COUNT]; /* of each field that has values */
    apr_pool_t *pool;
} facts_t;

/* --- The head --- */

/* Adds what a meta element says, under each of its names, with "dc:" for "dc.". */
static void see_meta(tmpl_claims_t *claims, const xmlNode *meta)
{
    static const char *const attributes[] = { "property", "name", "itemprop", "http-equiv" };
    const char *content = tmpl_dom_attribute(meta, "content");
    const char *names = NULL;
    for (apr_size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]) && names == NULL; i++) {
        names = tmpl_dom_attribute(meta, attributes[i]);
    }
    if (names == NULL || content == NULL) {
        return;
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
    uint32_t scripts = 0;
    tmpl_claims_add(claims, TMPL_SAID_META, "html lang", 0, tmpl_dom_attribute(html, "lang"));
    for (const xmlNode *node = html->children->children; node != NULL; node = node->next) {
        const char *name = (const char *)node->name;
        if (strcmp(name, "meta") == 0) {
            see_meta(claims, node);
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

/* A link to the site's first page without the words that are no name: "Harbour home". */
static const char *linked_name(const char *text, apr_pool_t *pool)
{
    static const char *const ends[] = { " homepage", " home page", " home", " logo" };
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

/* Adds the name of a site or publisher that a place says. */
static void add_site(facts_t *facts, apr_array_header_t *values, const char *value,
                     const tmpl_claim_place_t *place)
{
    int is_link = place->said == TMPL_SAID_ELEMENT;
    value = is_link ? linked_name(value, facts->pool) : value;
    if (tmpl_title_is_home(value)) {
        return;
    }
    if (is_link ? tmpl_site_is_host(&facts->site, value) || ends_title(facts, value)
                : *tmpl_letters(value, strlen(value), facts->pool) != '\0' &&
                      strstr(value, "://") == NULL) {
        APR_ARRAY_PUSH(values, const char *) = value;
    }
}

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
 * and then dates in lines are of posts; those of a listing are other pages'.
 */
static int counts_for(const facts_t *facts, const char *place)
{
    if (facts->is_listing && !is_set_to(facts, TMPL_METADATA_TYPE, "article") &&
        (strcmp(place, "time") == 0 || strcmp(place, "line date") == 0)) {
        return 0;
    }
    return is_discussion(facts) ? strcmp(place, "line modified") != 0
                                : strstr(place, "first post") == NULL;
}

/* Sets a field from the best place that says anything that the field may be. */
static void settle_field(facts_t *facts, tmpl_metadata_e field)
{
    apr_array_header_t *said, *values = apr_array_make(facts->pool, 1, sizeof(const char *));
    apr_size_t rank = 0;
    int most = tmpl_metadata_fields[field].most;
    while (values->nelts == 0 && (said = tmpl_claims_next(&facts->claims, field, &rank)) != NULL) {
        const tmpl_claim_place_t *place = tmpl_claims_place(rank - 1);
        for (int i = 0; i < said->nelts && values->nelts < most && counts_for(facts, place->name);
             i++) {
            const char *text = APR_ARRAY_IDX(said, i, const char *);
            if (field == TMPL_METADATA_SITE || field == TMPL_METADATA_PUBLISHER) {
                add_site(facts, values, text, place);
            }
            else if (field != TMPL_METADATA_CANONICAL || facts->url != NULL ||
                     strstr(text, "://") != NULL) {
                tmpl_values_add(values, field, text);
            }
        }
        facts->places[field] = place;
    }
    values->nelts = values->nelts < most ? values->nelts : most;
    facts->metadata->values[field] = values->nelts > 0 ? values : NULL;
}

static void set_text(facts_t *facts, tmpl_metadata_e field, const char *text)
{
    apr_array_header_t *values = apr_array_make(facts->pool, 1, sizeof(const char *));
    APR_ARRAY_PUSH(values, const char *) = text;
    facts->metadata->values[field] = values;
}

/* --- The title, and the site's name in it --- */

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
        (title == NULL || found->is_title ||
         tmpl_site_is_named(&facts->site, title, strlen(title)))) {
        const char *ignored = NULL;
        title = tmpl_site_without(&facts->site, without_mark(facts, headline), &ignored);
    }
    site = facts->metadata->values[TMPL_METADATA_SITE] == NULL ? site : NULL;
    if (site != NULL) {
        set_text(facts, TMPL_METADATA_SITE, site);
    }
    if (title != NULL && tmpl_title_is_home(title)) {
        site = tmpl_metadata_first(facts->metadata, TMPL_METADATA_SITE);
        title = site != NULL ? site : title;
    }
    if (title != NULL) {
        set_text(facts, TMPL_METADATA_TITLE, title);
    }
}

/* Whether text is nearly the page's title, or what another place that says one says. */
static int says_page(const facts_t *facts, const char *text)
{
    const char *title = tmpl_metadata_first(facts->metadata, TMPL_METADATA_TITLE);
    return (title != NULL && tmpl_title_likeness(text, title) >= LIKE) ||
           tmpl_values_have(tmpl_claims_all(&facts->claims, TMPL_METADATA_TITLE), text);
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
        if (!is_site && !is_last && !(i == 0 && tmpl_title_is_home(text)) &&
            tmpl_title_words(text, 1) > 0) {
            APR_ARRAY_PUSH(crumbs, const char *) = text;
        }
    }
    facts->metadata->values[TMPL_METADATA_BREADCRUMB] = crumbs->nelts > 0 ? crumbs : NULL;
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

/*
 * Whether names of a place are better than those of one in front: all of them and more, or the
 * whole name of a person instead of a single word, which may be a login.
 */
static int are_better(const apr_array_header_t *names, const apr_array_header_t *than)
{
    int n_found = 0, n_whole = 0;
    for (int i = 0; i < than->nelts; i++) {
        const char *name = APR_ARRAY_IDX(than, i, const char *);
        n_found += tmpl_values_have(names, name);
        n_whole += strchr(name, ' ') != NULL;
    }
    return names->nelts > than->nelts ? n_found == than->nelts
                                      : than->nelts == 1 && n_whole == 0 &&
                                            strchr(APR_ARRAY_IDX(names, 0, const char *), ' ');
}

/* The authors of the best place. The others of a discussion answer. */
static void settle_authors(facts_t *facts)
{
    apr_array_header_t *said, *best = NULL;
    apr_size_t rank = 0;
    /* a site that only the title or a link names may have its author's name */
    const tmpl_claim_place_t *site = facts->places[TMPL_METADATA_SITE];
    int is_sure = site != NULL && site->said != TMPL_SAID_ELEMENT;
    int most = tmpl_metadata_fields[TMPL_METADATA_AUTHOR].most;
    while ((said = tmpl_claims_next(&facts->claims, TMPL_METADATA_AUTHOR, &rank)) != NULL) {
        apr_array_header_t *names = apr_array_make(facts->pool, 1, sizeof(const char *));
        const tmpl_claim_place_t *place = tmpl_claims_place(rank - 1);
        for (int i = 0; i < said->nelts && names->nelts <= most && counts_for(facts, place->name);
             i++) {
            const char *text = APR_ARRAY_IDX(said, i, const char *);
            if (!(is_sure && is_called(facts, TMPL_METADATA_SITE, text)) &&
                !is_called(facts, TMPL_METADATA_PUBLISHER, text)) {
                tmpl_people_read(names, text, single_of(facts, place->said, text));
            }
        }
        if (names->nelts > 0 && names->nelts <= most &&
            (best == NULL || (!is_discussion(facts) && are_better(names, best)))) {
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
 * price or a brand.
 */
static void settle_type(facts_t *facts)
{
    const tmpl_claims_t *claims = &facts->claims;
    const apr_array_header_t **values = facts->metadata->values;
    int is_said = tmpl_claims_has(claims, TMPL_SAID_LINKED, "type") ||
                  tmpl_claims_has(claims, TMPL_SAID_ELEMENT, "itemtype") ||
                  tmpl_claims_has(claims, TMPL_SAID_ELEMENT, "thread");
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
}

static int is_title_of(const tmpl_claim_t *claim, tmpl_said_e said)
{
    const tmpl_claim_place_t *place = tmpl_claims_place(claim->rank);
    return place->field == TMPL_METADATA_TITLE && place->said == said;
}

/* The object of JSON-LD whose headline is, or begins, a title of the head is the page itself. */
static void find_own(tmpl_claims_t *claims)
{
    const tmpl_claim_t *list = (const tmpl_claim_t *)claims->list->elts;
    for (int i = 0; i < claims->list->nelts && claims->own == TMPL_NONE; i++) {
        apr_size_t len = is_title_of(&list[i], TMPL_SAID_LINKED) ? strlen(list[i].value) : 0;
        for (int k = 0; k < claims->list->nelts && len >= HEADLINE_BYTES; k++) {
            if (is_title_of(&list[k], TMPL_SAID_META) &&
                apr_cstr_casecmpn(list[k].value, list[i].value, len) == 0) {
                claims->own = list[i].of;
            }
        }
    }
}

void tmpl_metadata_read(tmpl_metadata_t *metadata, const tmpl_metadata_source_t *source,
                        apr_pool_t *pool)
{
    facts_t facts = {
        .metadata = metadata, .url = source->url, .is_listing = source->is_listing, .pool = pool
    };
    tmpl_elements_t elements = { source->page, source, &facts.claims, .host = &facts.site };
    memset(metadata, 0, sizeof(*metadata));
    tmpl_claims_init(&facts.claims, pool);
    tmpl_buf_init(&elements.text, pool);
    see_head(&facts.claims, source->html);
    settle_field(&facts, TMPL_METADATA_CANONICAL);
    const char *canonical = tmpl_metadata_first(metadata, TMPL_METADATA_CANONICAL);
    facts.url = canonical != NULL && strstr(canonical, "://") != NULL ? canonical : source->url;
    facts.url = facts.url != NULL ? facts.url : "";
    tmpl_site_init(&facts.site, facts.url, NULL, NULL, pool);
    find_own(&facts.claims);
    settle_field(&facts, TMPL_METADATA_SITE);
    elements.site = tmpl_metadata_first(metadata, TMPL_METADATA_SITE);
    tmpl_page_headline_find(&elements);
    tmpl_elements_read(&elements);
    tmpl_lines_read(&elements);
    tmpl_elements_say(&elements, "thread", 0, source->thread);
    tmpl_elements_say(&elements, "author of first post", 0, source->first_author);
    tmpl_elements_say(&elements, "date of first post", 0, source->first_date);
    metadata->headline = elements.headline.node;
    settle_field(&facts, TMPL_METADATA_TYPE);
    for (int i = 0; i < TMPL_METADATA_COUNT; i++) {
        if (i != TMPL_METADATA_CANONICAL && i != TMPL_METADATA_BREADCRUMB &&
            i != TMPL_METADATA_AUTHOR) {
            settle_field(&facts, (tmpl_metadata_e)i);
        }
    }
    settle_site(&facts);
    settle_title(&facts, &elements.headline);
    settle_authors(&facts);
    settle_type(&facts);
    settle_breadcrumb(&facts);
    /* a currency without a price says nothing */
    if (metadata->values[TMPL_METADATA_PRICE] == NULL) {
        metadata->values[TMPL_METADATA_CURRENCY] = NULL;
    }
}
