/* SPDX-License-Identifier: Apache-2.0 */
#include "metadata/claims.h"

#include <string.h>

#include <apr_cstr.h>
#include <apr_strings.h>

#include "base/ascii.h"
#include "text/decode.h"

static const tmpl_claim_place_t places[] = {
#define PLACE(field, said, name) { TMPL_METADATA_##field, TMPL_SAID_##said, name },
#include "metadata/places.def"
#undef PLACE
};
#define N_PLACES (sizeof(places) / sizeof(places[0]))
_Static_assert(N_PLACES <= sizeof(((tmpl_claims_t *)0)->has), "a byte for each place");

void tmpl_claims_init(tmpl_claims_t *claims, apr_pool_t *pool)
{
    claims->list = apr_array_make(pool, 64, sizeof(tmpl_claim_t));
    memset(claims->has, 0, sizeof(claims->has));
    claims->own = TMPL_NONE;
    claims->pool = pool;
}

/* The value as text; NULL: it is empty. */
static const char *claimed(const char *value, apr_pool_t *pool)
{
    value += strspn(value, " \t\r\n\f");
    apr_size_t len = strlen(value);
    while (len > 0 && tmpl_is_space(value[len - 1])) {
        len--;
    }
    tmpl_span_t span = { 0, (uint32_t)(len < 8192 ? len : 8192) };
    /* some write references twice */
    const char *text = len > 0 ? tmpl_value_decode(value, span, pool) : NULL;
    const char *left = text != NULL ? strstr(text, "&#") : NULL;
    span.end = left != NULL ? (uint32_t)strlen(text) : 0;
    return left != NULL ? tmpl_value_decode(text, span, pool) : text;
}

void tmpl_claims_add(tmpl_claims_t *claims, tmpl_said_e said, const char *name, uint32_t of,
                     const char *value)
{
    const char *text = NULL;
    char first = tmpl_lower(*name);
    for (apr_size_t i = 0; i < N_PLACES && value != NULL; i++) {
        if (places[i].said != said || *places[i].name != first ||
            claims->list->nelts == TMPL_CLAIMS_MOST ||
            apr_cstr_casecmp(places[i].name, name) != 0) {
            continue;
        }
        text = text != NULL ? text : claimed(value, claims->pool);
        value = text;
        if (text != NULL) {
            claims->has[i] = 1;
            APR_ARRAY_PUSH(claims->list, tmpl_claim_t) = (tmpl_claim_t){ i, of, text };
        }
    }
}

/* Fields of which several objects say nothing: a page that lists articles has no author. */
static const char of_one_object[TMPL_METADATA_COUNT] = {
    [TMPL_METADATA_AUTHOR] = 1,       [TMPL_METADATA_PUBLISHED] = 1, [TMPL_METADATA_MODIFIED] = 1,
    [TMPL_METADATA_PRICE] = 1,        [TMPL_METADATA_RATING] = 1,    [TMPL_METADATA_BRAND] = 1,
    [TMPL_METADATA_AVAILABILITY] = 1, [TMPL_METADATA_TYPE] = 1,
};

/* Whether the object that is the page itself has claims of a place. */
static int has_own(const tmpl_claims_t *claims, apr_size_t rank)
{
    for (int i = 0; i < claims->list->nelts && claims->own != TMPL_NONE; i++) {
        const tmpl_claim_t *claim = &APR_ARRAY_IDX(claims->list, i, tmpl_claim_t);
        if (claim->rank == rank && claim->of == claims->own) {
            return 1;
        }
    }
    return 0;
}

/*
 * The values of a place, each once, from the page's own object, or the first that says any; NULL:
 * there are none, or objects contradict each other.
 */
static apr_array_header_t *claims_of(const tmpl_claims_t *claims, apr_size_t rank)
{
    apr_array_header_t *values = apr_array_make(claims->pool, 1, sizeof(const char *));
    uint32_t of = TMPL_NONE;
    int only_own = has_own(claims, rank);
    for (int i = 0; i < claims->list->nelts; i++) {
        const tmpl_claim_t *claim = &APR_ARRAY_IDX(claims->list, i, tmpl_claim_t);
        int known = 0;
        if (claim->rank != rank || (only_own && claim->of != claims->own)) {
            continue;
        }
        for (int j = 0; j < values->nelts && !known; j++) {
            known = strcmp(APR_ARRAY_IDX(values, j, const char *), claim->value) == 0;
        }
        int is_other = values->nelts > 0 && claim->of != of;
        if (!known && is_other && of_one_object[places[rank].field]) {
            return NULL;
        }
        of = values->nelts == 0 ? claim->of : of;
        if (!known && !is_other) {
            APR_ARRAY_PUSH(values, const char *) = claim->value;
        }
    }
    return values->nelts > 0 ? values : NULL;
}

apr_array_header_t *tmpl_claims_next(const tmpl_claims_t *claims, tmpl_metadata_e field,
                                     apr_size_t *rank)
{
    apr_array_header_t *values = NULL;
    apr_size_t i = *rank;
    for (; i < N_PLACES && places[i].field <= field && values == NULL; i++) {
        if (claims->has[i] && places[i].field == field) {
            values = claims_of(claims, i);
        }
    }
    *rank = i;
    return values;
}

const tmpl_claim_place_t *tmpl_claims_place(apr_size_t rank)
{
    return rank < N_PLACES ? &places[rank] : NULL;
}

int tmpl_claims_has(const tmpl_claims_t *claims, tmpl_said_e said, const char *name)
{
    for (apr_size_t i = 0; i < N_PLACES; i++) {
        if (claims->has[i] && places[i].said == said && strcmp(places[i].name, name) == 0) {
            return 1;
        }
    }
    return 0;
}

apr_array_header_t *tmpl_claims_all(const tmpl_claims_t *claims, tmpl_metadata_e field)
{
    apr_array_header_t *values, *all = apr_array_make(claims->pool, 4, sizeof(const char *));
    apr_size_t rank = 0;
    while (all->nelts < TMPL_CLAIMS_OF_FIELD &&
           (values = tmpl_claims_next(claims, field, &rank)) != NULL) {
        apr_array_cat(all, values);
    }
    all->nelts = all->nelts < TMPL_CLAIMS_OF_FIELD ? all->nelts : TMPL_CLAIMS_OF_FIELD;
    return all;
}
