/* SPDX-License-Identifier: Apache-2.0 */
#include "metadata/linked_data.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>
#include <jansson.h>

#include "base/ascii.h"

#define MOST      20  /* values of a list */
#define OBJECTS   200 /* objects of a script that are looked at */
#define NUMBERING 10000

typedef struct {
    tmpl_claims_t *claims;
    const json_t *graph; /* the list of all objects, or NULL */
    uint32_t of;         /* the number of the object */
} linked_t;

typedef void see_object_t(linked_t *linked, const json_t *object);

static void say_linked(linked_t *linked, const char *name, const char *value)
{
    tmpl_claims_add(linked->claims, TMPL_SAID_LINKED, name, linked->of, value);
}

/* A string, or a number as a string, or the first of a list; NULL: it is neither. */
static const char *text_of(const linked_t *linked, const json_t *value)
{
    value = json_is_array(value) ? json_array_get(value, 0) : value;
    return json_is_number(value)
               ? apr_psprintf(linked->claims->pool, "%.10g", json_number_value(value))
               : json_string_value(value);
}

static const char *member_text(const linked_t *linked, const json_t *object, const char *name)
{
    return text_of(linked, json_object_get(object, name));
}

/* The end of the first type of an object: "Article" of "https://schema.org/Article"; or "". */
static const char *type_of(const json_t *object)
{
    const json_t *type = json_object_get(object, "@type");
    const char *name = json_string_value(json_is_array(type) ? json_array_get(type, 0) : type);
    const char *slash = name != NULL ? strrchr(name, '/') : NULL;
    return name == NULL ? "" : slash != NULL ? slash + 1 : name;
}

static int type_ends_in(const char *type, const char *end)
{
    size_t len = strlen(type), n = strlen(end);
    return len >= n && strcmp(type + len - n, end) == 0;
}

/* The object that an object with an @id alone stands for. */
static const json_t *referred(const linked_t *linked, const json_t *object)
{
    const char *id = json_string_value(json_object_get(object, "@id"));
    size_t n = json_object_size(object) == 1 && id != NULL ? json_array_size(linked->graph) : 0;
    for (size_t i = 0; i < n && i < OBJECTS; i++) {
        const json_t *one = json_array_get(linked->graph, i);
        const char *is = json_string_value(json_object_get(one, "@id"));
        if (is != NULL && json_object_size(one) > 1 && strcmp(is, id) == 0) {
            return one;
        }
    }
    return object;
}

/* The name of an object, or the string itself. */
static const char *name_of(const linked_t *linked, const json_t *value)
{
    value = json_is_array(value) ? json_array_get(value, 0) : value;
    return json_is_object(value) ? member_text(linked, referred(linked, value), "name")
                                 : json_string_value(value);
}

/* Authors are people; an organization is a publisher. */
static void see_authors(linked_t *linked, const json_t *author)
{
    size_t n = json_is_array(author) ? json_array_size(author) : 1;
    for (size_t i = 0; i < n && i < MOST; i++) {
        const json_t *one =
            referred(linked, json_is_array(author) ? json_array_get(author, i) : author);
        const char *type = type_of(one);
        int is_person = *type == '\0' || strcmp(type, "Person") == 0 || strcmp(type, "Thing") == 0;
        say_linked(linked, is_person ? "article.author" : "article.organization",
                   name_of(linked, one));
    }
}

static void see_dates(linked_t *linked, const json_t *object, const char *published,
                      const char *modified)
{
    say_linked(linked, published, member_text(linked, object, "datePublished"));
    say_linked(linked, modified, member_text(linked, object, "dateModified"));
}

/* An address, or the url of an object, or the first of a list. */
static const char *address_of(const linked_t *linked, const json_t *value)
{
    value = json_is_array(value) ? json_array_get(value, 0) : value;
    return json_is_object(value) ? member_text(linked, referred(linked, value), "url")
                                 : json_string_value(value);
}

static void see_article(linked_t *linked, const json_t *object)
{
    const json_t *keywords = json_object_get(object, "keywords");
    size_t i;
    json_t *one;
    say_linked(linked, "object.type", type_of(object));
    say_linked(linked, "article.headline", member_text(linked, object, "headline"));
    say_linked(linked, "article.description", member_text(linked, object, "description"));
    say_linked(linked, "article.inLanguage", member_text(linked, object, "inLanguage"));
    say_linked(linked, "article.articleSection", member_text(linked, object, "articleSection"));
    say_linked(linked, "article.publisher", name_of(linked, json_object_get(object, "publisher")));
    say_linked(linked, "article.image", address_of(linked, json_object_get(object, "image")));
    say_linked(linked, "article.keywords", json_string_value(keywords));
    json_array_foreach(keywords, i, one)
    {
        if (i < MOST) {
            say_linked(linked, "article.keywords", json_string_value(one));
        }
    }
    see_authors(linked, json_object_get(object, "author"));
    see_dates(linked, object, "article.datePublished", "article.dateModified");
}

static void see_linked_page(linked_t *linked, const json_t *object)
{
    say_linked(linked, "page.inLanguage", member_text(linked, object, "inLanguage"));
    see_dates(linked, object, "page.datePublished", "page.dateModified");
}

static void see_rating(linked_t *linked, const json_t *rating)
{
    const char *value = member_text(linked, rating, "ratingValue");
    const char *best = member_text(linked, rating, "bestRating");
    if (value != NULL) {
        say_linked(linked, "product.rating",
                   apr_pstrcat(linked->claims->pool, value, "/", best != NULL ? best : "5", NULL));
    }
}

static void see_offer(linked_t *linked, const json_t *offer)
{
    const json_t *detail = json_object_get(offer, "priceSpecification");
    const char *price = member_text(linked, offer, "price");
    const char *currency = member_text(linked, offer, "priceCurrency");
    detail = json_is_array(detail) ? json_array_get(detail, 0) : detail;
    price = price != NULL ? price : member_text(linked, offer, "lowPrice");
    price = price != NULL ? price : member_text(linked, detail, "price");
    currency = currency != NULL ? currency : member_text(linked, detail, "priceCurrency");
    say_linked(linked, "product.price", price);
    say_linked(linked, "product.priceCurrency", currency);
    say_linked(linked, "product.availability", member_text(linked, offer, "availability"));
}

static void see_product(linked_t *linked, const json_t *object)
{
    const json_t *offers = json_object_get(object, "offers");
    const json_t *variant = json_array_get(json_object_get(object, "hasVariant"), 0);
    offers = offers != NULL ? offers : json_object_get(variant, "offers");
    offers = json_is_array(offers) ? json_array_get(offers, 0) : offers;
    say_linked(linked, "object.type", "product");
    say_linked(linked, "product.name", member_text(linked, object, "name"));
    say_linked(linked, "product.description", member_text(linked, object, "description"));
    say_linked(linked, "product.brand", name_of(linked, json_object_get(object, "brand")));
    say_linked(linked, "product.image", address_of(linked, json_object_get(object, "image")));
    see_rating(linked, json_object_get(object, "aggregateRating"));
    see_offer(linked, offers);
    const json_t *inner = json_object_get(offers, "offers");
    if (member_text(linked, offers, "availability") == NULL && json_array_size(inner) > 0) {
        say_linked(linked, "product.availability",
                   member_text(linked, json_array_get(inner, 0), "availability"));
    }
}

static void see_linked_site(linked_t *linked, const json_t *object)
{
    say_linked(linked, "site.name", member_text(linked, object, "name"));
    say_linked(linked, "site.inLanguage", member_text(linked, object, "inLanguage"));
}

static void see_organization(linked_t *linked, const json_t *object)
{
    say_linked(linked, "organization.name", member_text(linked, object, "name"));
    see_rating(linked, json_object_get(object, "aggregateRating"));
}

static void see_breadcrumb(linked_t *linked, const json_t *object)
{
    const json_t *list = json_object_get(object, "itemListElement");
    size_t i;
    json_t *one;
    json_array_foreach(list, i, one)
    {
        const json_t *item = json_object_get(one, "item");
        const char *name = member_text(linked, one, "name");
        /* the last one, without an address, is the page itself */
        if (i < MOST && (item != NULL || i + 1 < json_array_size(list))) {
            say_linked(linked, "breadcrumb.item", name != NULL ? name : name_of(linked, item));
        }
    }
}

/* The first row that the type ends in. */
static const struct {
    const char *end;
    see_object_t *see;
} kinds[] = {
    { "BreadcrumbList", see_breadcrumb },
    { "WebSite", see_linked_site },
    { "WebPage", see_linked_page },
    { "AboutPage", see_linked_page },
    { "ItemPage", see_linked_page },
    { "CollectionPage", see_linked_page },
    { "Article", see_article },
    { "Posting", see_article },
    { "Report", see_article },
    { "Recipe", see_article },
    { "HowTo", see_article },
    { "Question", see_article },
    { "CreativeWork", see_article },
    { "Product", see_product },
    { "ProductGroup", see_product },
    { "ProductModel", see_product },
    { "Vehicle", see_product },
    { "AggregateRating", see_rating },
    { "Organization", see_organization },
    { "Corporation", see_organization },
    { "LocalBusiness", see_organization },
};

static void see_linked_object(linked_t *linked, const json_t *object)
{
    const char *type = linked->claims->list->nelts < TMPL_CLAIMS_MOST ? type_of(object) : "";
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (type_ends_in(type, kinds[i].end)) {
            linked->of++;
            kinds[i].see(linked, object);
            break;
        }
    }
}

/* Sees an object, and what is in it. */
static void see_top(linked_t *linked, const json_t *object)
{
    static const char *const within[] = { "mainEntity", "breadcrumb" };
    see_linked_object(linked, object);
    for (size_t i = 0; i < sizeof(within) / sizeof(within[0]); i++) {
        see_linked_object(linked, json_object_get(object, within[i]));
    }
}

void tmpl_linked_data_read(tmpl_claims_t *claims, const char *json, uint32_t of)
{
    json_t *top = json_loads(json, JSON_DISABLE_EOF_CHECK, NULL);
    const json_t *graph = json_object_get(top, "@graph");
    linked_t linked = { claims, json_is_array(graph) ? graph : top, of * NUMBERING };
    size_t i;
    json_t *one;
    see_top(&linked, top);
    json_array_foreach(linked.graph, i, one)
    {
        if (i < OBJECTS) {
            see_top(&linked, one);
        }
    }
    json_decref(top);
}
