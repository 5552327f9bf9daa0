/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a page says of itself: title, authors, dates, site, a product's price and so on, from
 * its head, JSON-LD, microdata, names of elements, and the lines beside its headline
 * (claims.h). A wrong value is worse than none: values that contradict each other, or are not
 * what their field says, are left out.
 *
 *     title       the page's headline if it is like the title or the only one, or if verdicts say
 *                 that it is the headline; else the title without the site's name
 *     author      names of people only: no organisation, role or address; logins of those who
 *                 began a discussion. Of a thread, its first post says author and date
 *     published, modified   ISO 8601 (dates.h)
 *     breadcrumb  from the site's top, without the page itself
 *     price       a number; currency as the page names it, by ISO 4217; availability in words of
 *                 schema.org, "in stock"; rating "4.5/5"
 */
#ifndef TMPL_METADATA_H
#define TMPL_METADATA_H

#include <apr_tables.h>
#include <libxml/tree.h>

#include "detect/verdict.h"
#include "rewrite/rewrite.h"
#include "text/decode.h"

/* X(id, key, characters of a value at most, values at most) */
#define TMPL_METADATA(X)                                                                           \
    X(TITLE, "title", 300, 1)                                                                      \
    X(DESCRIPTION, "description", 1000, 1)                                                         \
    X(CANONICAL, "canonical", 2000, 1)                                                             \
    X(LANGUAGE, "language", 35, 1)                                                                 \
    X(AUTHOR, "author", 100, 20)                                                                   \
    X(PUBLISHED, "published", 40, 1)                                                               \
    X(MODIFIED, "modified", 40, 1)                                                                 \
    X(SITE, "site", 200, 1)                                                                        \
    X(PUBLISHER, "publisher", 200, 1)                                                              \
    X(TYPE, "type", 40, 1)                                                                         \
    X(SECTION, "section", 100, 1)                                                                  \
    X(TAGS, "tags", 100, 20)                                                                       \
    X(BREADCRUMB, "breadcrumb", 200, 20)                                                           \
    X(PRICE, "price", 40, 1)                                                                       \
    X(CURRENCY, "currency", 10, 1)                                                                 \
    X(AVAILABILITY, "availability", 40, 1)                                                         \
    X(RATING, "rating", 40, 1)                                                                     \
    X(BRAND, "brand", 100, 1)                                                                      \
    X(IMAGE, "image", 2000, 1)

typedef enum {
#define TMPL_METADATA_ID(id, key, characters, most) TMPL_METADATA_##id,
    TMPL_METADATA(TMPL_METADATA_ID)
#undef TMPL_METADATA_ID
        TMPL_METADATA_COUNT
} tmpl_metadata_e;

/* What is written of a field: its key, characters of a value at most, values at most. */
typedef struct {
    const char *key;
    apr_size_t characters;
    int most;
} tmpl_metadata_field_t;

extern const tmpl_metadata_field_t tmpl_metadata_fields[TMPL_METADATA_COUNT];

/* Texts (const char *) in UTF-8 of each field, never empty; NULL: there is none. */
typedef struct {
    const apr_array_header_t *values[TMPL_METADATA_COUNT];
    uint32_t headline; /* the page's node: the heading that its content begins with; TMPL_NONE */
} tmpl_metadata_t;

/* The first value of a field; NULL: there is none. */
static inline const char *tmpl_metadata_first(const tmpl_metadata_t *metadata, tmpl_metadata_e of)
{
    return metadata->values[of] != NULL ? APR_ARRAY_IDX(metadata->values[of], 0, const char *)
                                        : NULL;
}

typedef struct {
    const tmpl_page_t *page;
    const tmpl_edits_t *edits;      /* what they delete is not displayed: lines there say less */
    const tmpl_decoder_t *decoder;  /* the page's decoder */
    const xmlNode *html;            /* of a tree with data (dom/dom.h): its head is read */
    const char *url;                /* the page's URL; NULL: not known */
    const tmpl_verdict_t *verdicts; /* by block, with parts; NULL: not known */
    const char *thread;             /* "discussion" or "question", if the page is one; or NULL */
    int is_listing;                 /* dates in its elements are other pages' */
    const char *first_author;       /* who wrote its first post; NULL: not known */
    const char *first_date;         /* when; the same */
} tmpl_metadata_source_t;

/* Fills metadata, from pool. Addresses are as the page writes them. */
void tmpl_metadata_read(tmpl_metadata_t *metadata, const tmpl_metadata_source_t *source,
                        apr_pool_t *pool);

#endif
