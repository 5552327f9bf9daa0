/* SPDX-License-Identifier: Apache-2.0 */
/* What the places of a page say of its metadata, in one table of places, the best first. */
#ifndef TMPL_CLAIMS_H
#define TMPL_CLAIMS_H

#include "metadata/metadata.h"

/* Where a claim stands. */
typedef enum {
    TMPL_SAID_META,   /* a meta element: name, property or itemprop; link rel; html lang */
    TMPL_SAID_LINKED, /* JSON-LD: "article.image", or what was found there */
    TMPL_SAID_ITEM,   /* microdata: itemprop */
    TMPL_SAID_ELEMENT /* other elements, and lines beside the headline */
} tmpl_said_e;

typedef struct {
    tmpl_metadata_e field;
    tmpl_said_e said;
    const char *name;
} tmpl_claim_place_t;

typedef struct {
    apr_size_t rank; /* the row of the table */
    uint32_t of;     /* the object that says it: several objects may contradict each other */
    const char *value;
} tmpl_claim_t;

typedef struct {
    apr_array_header_t *list; /* tmpl_claim_t */
    unsigned char has[128];   /* whether a row of the table has claims */
    uint32_t own;             /* the object that is the page itself; TMPL_NONE: not known */
    apr_pool_t *pool;
} tmpl_claims_t;

/* Claims of a page at most: further ones are ignored. */
#define TMPL_CLAIMS_MOST 1000

void tmpl_claims_init(tmpl_claims_t *claims, apr_pool_t *pool);

/*
 * Adds what a place says to each field for which the table has the place. value, which may be
 * NULL, is copied without white space around it, and with character references that are left in
 * it decoded.
 */
void tmpl_claims_add(tmpl_claims_t *claims, tmpl_said_e said, const char *name, uint32_t of,
                     const char *value);

/*
 * Adds the claims of one script of JSON-LD (linked_data.c); nothing if it is not JSON. of: the
 * number of the script.
 */
void tmpl_linked_data_read(tmpl_claims_t *claims, const char *json, uint32_t of);

/* A row of the table; NULL behind the last one. */
const tmpl_claim_place_t *tmpl_claims_place(apr_size_t rank);

/* Whether a place has claims. */
int tmpl_claims_has(const tmpl_claims_t *claims, tmpl_said_e said, const char *name);

/* The values (const char *) of all places of a field, the best first, and so many at most. */
#define TMPL_CLAIMS_OF_FIELD 8
apr_array_header_t *tmpl_claims_all(const tmpl_claims_t *claims, tmpl_metadata_e field);

/*
 * The values (const char *) of the best place, from row *rank on, that says anything of the field
 * and does not contradict itself; *rank gets the row behind it. NULL: there is no further
 * place.
 */
apr_array_header_t *tmpl_claims_next(const tmpl_claims_t *claims, tmpl_metadata_e field,
                                     apr_size_t *rank);

/* --- values.c: what a field makes of a text that a place of the page says --- */

/* Adds to values (const char *) what the text is as a value of the field; nothing if it is none. */
void tmpl_values_add(apr_array_header_t *values, tmpl_metadata_e field, const char *text);

/* Whether values have a text, in any case. */
int tmpl_values_have(const apr_array_header_t *values, const char *text);

#endif
