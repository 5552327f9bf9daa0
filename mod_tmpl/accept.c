/* SPDX-License-Identifier: Apache-2.0 */
#include "accept.h"
#include "fields.h"

#include <apr_cstr.h>

#include "base/ascii.h"

/* The weight of a range that the field does not name. Weights are in thousandths. */
#define NOT_NAMED (-1)

/* The weight of the added HTML if the client neither prefers a variant nor accepts HTML. */
#define LITTLE 100

const tmpl_variant_t tmpl_variants[TMPL_VARIANTS] = {
    { TMPL_MODE_MARKDOWN, "text/markdown", 1 },
    { TMPL_MODE_JSON, "application/json", 0 },
};

/* The ranges that decide: the variants, and those that HTML is in, the more specific ones first. */
typedef enum { HTML = TMPL_VARIANTS, ANY_TEXT, ANY, RANGES } range_e;

static const char *name_of(range_e range)
{
    static const char *const names[] = { "text/html", "text/*", "*/*" };
    return range < HTML ? tmpl_variants[range].type : names[range - HTML];
}

/* What a field says of the ranges: the weight of each, and the item that gives it this weight. */
typedef struct {
    int weight[RANGES];
    int item[RANGES];
} wishes_t;

/* The weight at text; 0 if RFC 9110, 12.4.2 does not allow it: better not to serve such a range. */
static int weight_of(const char *text)
{
    int weight = *text == '1' ? 1000 : 0;
    if (*text != '0' && *text != '1') {
        return 0;
    }
    if (*++text == '.') {
        text++;
        for (int worth = 100; worth > 0 && tmpl_is_digit(*text); worth /= 10) {
            weight += worth * (*text++ - '0');
        }
    }
    text += strspn(text, " \t");
    return weight <= 1000 && (*text == '\0' || *text == ',' || *text == ';') ? weight : 0;
}

/* The weight that the parameters of the item at text say, 1000 by default. */
static int weight_in(const char *text)
{
    while (*(text += strcspn(text, ";,")) == ';') {
        text += 1 + strspn(text + 1, " \t");
        if (tmpl_lower(text[0]) == 'q' && text[1] == '=') {
            return weight_of(text + 2);
        }
    }
    return 1000;
}

/* The range that the item at text names; RANGES if it names another. */
static range_e range_of(const char *text)
{
    size_t len = strcspn(text, "; \t,");
    range_e range = 0;
    while (range < RANGES &&
           (strlen(name_of(range)) != len || apr_cstr_casecmpn(text, name_of(range), len) != 0)) {
        range++;
    }
    return range;
}

/*
 * Cuts the next item off *rest. Returns its start, and sets *end; NULL if there is none. No client
 * has separators in quoted parameters; here they would only part an item.
 */
static const char *next_item(const char **end, const char **rest)
{
    const char *item = *rest + strspn(*rest, " \t,");
    *rest = *end = item + strcspn(item, ",");
    return *item != '\0' ? item : NULL;
}

/* If a range is named twice, the higher weight counts. */
static wishes_t read_field(const char *accept)
{
    wishes_t wishes = { { 0 }, { 0 } };
    const char *rest = accept != NULL ? accept : "";
    const char *item, *end;
    for (int n = 0; n < RANGES; n++) {
        wishes.weight[n] = NOT_NAMED;
    }
    for (int n = 0; (item = next_item(&end, &rest)) != NULL; n++) {
        range_e range = range_of(item);
        int weight = range < RANGES ? weight_in(item) : NOT_NAMED;
        if (range < RANGES && weight > wishes.weight[range]) {
            wishes.weight[range] = weight;
            wishes.item[range] = n;
        }
    }
    return wishes;
}

/* The most specific range that the field names and that HTML is in; ANY if there is none. */
static range_e range_of_html(const wishes_t *wishes)
{
    range_e range = HTML;
    while (range < ANY && wishes->weight[range] == NOT_NAMED) {
        range++;
    }
    return range;
}

/* Whether a variant is preferred to another range. */
static int is_preferred(const wishes_t *wishes, range_e variant, range_e other)
{
    int more = wishes->weight[variant] - wishes->weight[other];
    if (more != 0) {
        return more > 0;
    }
    return other > HTML ? tmpl_variants[variant].beats
                        : wishes->item[variant] < wishes->item[other];
}

/* The variant that is preferred to HTML; else the range that HTML is in. */
static range_e range_wished(const wishes_t *wishes, unsigned offers)
{
    range_e best = range_of_html(wishes);
    for (range_e variant = 0; variant < HTML; variant++) {
        if ((offers & TMPL_VARIANT(tmpl_variants[variant].mode)) && wishes->weight[variant] > 0 &&
            is_preferred(wishes, variant, best)) {
            best = variant;
        }
    }
    return best;
}

tmpl_mode_e tmpl_accept_mode(const char *accept, unsigned offers)
{
    wishes_t wishes = read_field(accept);
    range_e wished = range_wished(&wishes, offers);
    return wished < HTML ? tmpl_variants[wished].mode : TMPL_MODE_OFF;
}

/* The field without the items of the ranges for which weights has a weight, and with these. */
static const char *rewritten(const char *accept, const int *weights, apr_pool_t *pool)
{
    apr_array_header_t *items = apr_array_make(pool, 8, sizeof(const char *));
    const char *item, *end;
    range_e range;
    while ((item = next_item(&end, &accept)) != NULL) {
        range = range_of(item);
        if (range == RANGES || weights[range] == NOT_NAMED) {
            tmpl_field_list_add(items, apr_pstrmemdup(pool, item, (apr_size_t)(end - item)));
        }
    }
    for (range = HTML; range < RANGES; range++) {
        if (weights[range] != NOT_NAMED) {
            tmpl_field_list_add(items,
                                apr_psprintf(pool, "%s;q=0.%03d", name_of(range), weights[range]));
        }
    }
    return apr_array_pstrcat(pool, items, ',');
}

const char *tmpl_accept_html(const char *accept, unsigned offers, apr_pool_t *pool)
{
    wishes_t wishes = read_field(accept);
    range_e wished = range_wished(&wishes, offers);
    int most = wishes.weight[wished];
    int weights[RANGES];
    range_e range;
    for (range = 0; range < RANGES; range++) {
        weights[range] = NOT_NAMED;
    }
    weights[HTML] = LITTLE;
    if (wished < HTML) {
        weights[HTML] = most > 1 ? most - 1 : 1;
        for (range = ANY_TEXT; range < RANGES; range++) {
            /* a wildcard that ties with the variant is below HTML, too */
            if (wishes.weight[range] == most) {
                weights[range] = most > 2 ? most - 2 : 1;
            }
        }
    }
    else if (wishes.weight[range_of_html(&wishes)] > 0) {
        /* an added text/html would lower HTML's weight */
        return accept;
    }
    return rewritten(accept, weights, pool);
}
