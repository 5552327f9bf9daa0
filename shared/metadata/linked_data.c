/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What JSON-LD says of a page (https://schema.org/). Objects stand at the top, in a list at the
 * top, or in @graph, or are the mainEntity of an object there; what lists of items hold is
 * other pages'. By the end of its type an object is one of these:
 *
 *     article       Article, Posting, Report, Recipe and others that people write
 *     page          WebPage and the like: its dates only
 *     product       Product, Book and the like; its first offer
 *     site, organization, breadcrumb
 */
#include "metadata/claims.h"

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

static void say_linked(linked_t *linked, const char *name, const char *value)
{
    tmpl_claims_add(linked->claims, TMPL_SAID_LINKED, name, linked->of, value);
}

static const json_t *first_of(const json_t *value)
{
    return json_is_array(value) ? json_array_get(value, 0) : value;
}

/* The end of the first type of an object: "Article" of "https://schema.org/Article"; or "". */
static const char *type_of(const json_t *object)
{
    const char *name = json_string_value(first_of(json_object_get(object, "@type")));
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

/*
 * The text of a value: a string, a number, or what an object has as member, such as its name; of a
 * list, its first value. NULL: it has none.
 */
static const char *text_of(const linked_t *linked, const json_t *value, const char *member)
{
    value = first_of(value);
    value = json_is_object(value) ? json_object_get(referred(linked, value), member) : value;
    return json_is_number(value)
               ? apr_psprintf(linked->claims->pool, "%.10g", json_number_value(value))
               : json_string_value(value);
}

/* Says each member of an object that places.def knows of a kind of objects: "article.image". */
static void see_members(linked_t *linked, const json_t *object, const char *kind)
{
    const tmpl_claim_place_t *place;
    size_t len = strlen(kind);
    for (apr_size_t rank = 0; (place = tmpl_claims_place(rank)) != NULL; rank++) {
        if (place->said != TMPL_SAID_LINKED || strncmp(place->name, kind, len) != 0 ||
            place->name[len] != '.') {
            continue;
        }
        const json_t *value = json_object_get(object, place->name + len + 1);
        const char *member = place->field == TMPL_METADATA_IMAGE ? "url" : "name";
        size_t n = json_is_array(value) && tmpl_metadata_fields[place->field].most > 1
                       ? json_array_size(value)
                       : 0;
        say_linked(linked, place->name, text_of(linked, value, member));
        for (size_t i = 1; i < n && i < MOST; i++) {
            say_linked(linked, place->name, json_string_value(json_array_get(value, i)));
        }
    }
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
        say_linked(linked, is_person ? "author" : "author organization",
                   text_of(linked, one, "name"));
    }
}

static void see_article(linked_t *linked, const json_t *object)
{
    say_linked(linked, "type", type_of(object));
    see_authors(linked, json_object_get(object, "author"));
}

static void see_rating(linked_t *linked, const json_t *rating)
{
    const char *value = text_of(linked, rating, "ratingValue");
    const char *best = text_of(linked, rating, "bestRating");
    if (value != NULL) {
        say_linked(linked, "rating",
                   apr_pstrcat(linked->claims->pool, value, "/", best != NULL ? best : "5", NULL));
    }
}

/* An offer, what details it, and the first of several; the best one is in front. */
static void see_product(linked_t *linked, const json_t *object)
{
    const json_t *variant = json_array_get(json_object_get(object, "hasVariant"), 0);
    const json_t *offers = json_object_get(object, "offers");
    offers = first_of(offers != NULL ? offers : json_object_get(variant, "offers"));
    say_linked(linked, "type", "product");
    see_rating(linked, json_object_get(object, "aggregateRating"));
    see_members(linked, offers, "offer");
    see_members(linked, first_of(json_object_get(offers, "priceSpecification")), "offer");
    see_members(linked, first_of(json_object_get(offers, "offers")), "offer");
}

static void see_organization(linked_t *linked, const json_t *object)
{
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
        const char *name = text_of(linked, one, "name");
        /* the last one, without an address, is the page itself */
        if (i < MOST && (item != NULL || i + 1 < json_array_size(list))) {
            say_linked(linked, "crumb", name != NULL ? name : text_of(linked, item, "name"));
        }
    }
}

/* The first row that the type ends in; the members of kind are said, and what see finds. */
static const struct {
    const char *end, *kind;
    void (*see)(linked_t *linked, const json_t *object); /* may be NULL */
} kinds[] = {
    { "BreadcrumbList", "", see_breadcrumb },
    { "WebSite", "site", NULL },
    { "Page", "page", NULL },
    { "Article", "article", see_article },
    { "Posting", "article", see_article },
    { "Report", "article", see_article },
    { "Recipe", "article", see_article },
    { "HowTo", "article", see_article },
    { "Question", "article", see_article },
    { "CreativeWork", "article", see_article },
    { "Product", "product", see_product },
    { "ProductGroup", "product", see_product },
    { "ProductModel", "product", see_product },
    { "Vehicle", "product", see_product },
    { "AggregateRating", "", see_rating },
    { "Organization", "organization", see_organization },
    { "Corporation", "organization", see_organization },
    { "LocalBusiness", "organization", see_organization },
};

static void see_linked_object(linked_t *linked, const json_t *object)
{
    const char *type = linked->claims->list->nelts < TMPL_CLAIMS_MOST ? type_of(object) : "";
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (type_ends_in(type, kinds[i].end)) {
            linked->of++;
            see_members(linked, object, kinds[i].kind);
            if (kinds[i].see != NULL) {
                kinds[i].see(linked, object);
            }
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
    json_error_t error;
    json_t *top = json_loads(json, JSON_DISABLE_EOF_CHECK, &error);
    if (top == NULL && error.text[0] == '\0') {
        tmpl_no_memory(claims->pool); /* jansson has a text for every other error */
    }
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
