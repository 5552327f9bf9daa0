/* SPDX-License-Identifier: Apache-2.0 */
#include "accept.h"

#include "base/ascii.h"

/* The weight of a range that the field does not name. Weights are in thousandths. */
#define NOT_NAMED (-1)

/* The weight of the added HTML if the client neither prefers Markdown nor accepts HTML. */
#define LITTLE 100

/* The ranges that decide, the more specific ones first. */
typedef enum { MARKDOWN, HTML, ANY_TEXT, ANY, RANGES } range_e;

static const char *const names[RANGES] = { "text/markdown", "text/html", "text/*", "*/*" };

/* The end of the item, or of its part, that begins at text: quoted strings may hold separators. */
static const char *end_of(const char *text, const char *separators)
{
    int quoted = 0;

    for (; *text != '\0' && (quoted || ap_strchr_c(separators, *text) == NULL); text++) {
        if (*text == '"') {
            quoted = !quoted;
        }
        else if (quoted && *text == '\\' && text[1] != '\0') {
            text++;
        }
    }
    return text;
}

static const char *skip_space(const char *text)
{
    return text + strspn(text, " \t");
}

/* The weight at text; 0 if RFC 9110, 12.4.2 does not allow it: better not to serve such a range. */
static int weight_of(const char *text)
{
    static const int digit_worth[] = { 100, 10, 1 };
    int weight;
    int i;

    if (*text != '0' && *text != '1') {
        return 0;
    }
    weight = (*text++ - '0') * 1000;
    if (*text == '.') {
        text++;
        for (i = 0; i < 3 && tmpl_is_digit(*text); i++) {
            weight += digit_worth[i] * (*text++ - '0');
        }
    }
    text = skip_space(text);
    return weight <= 1000 && (*text == '\0' || *text == ',' || *text == ';') ? weight : 0;
}

/* The weight that the parameters of a range say, 1000 by default. The parameters end at end. */
static int weight_in(const char *parameters, const char *end)
{
    const char *p = parameters;

    while (p < end) {
        p = skip_space(p + 1);
        if (tmpl_lower(p[0]) == 'q' && p[1] == '=') {
            return weight_of(p + 2);
        }
        p = end_of(p, ";,");
    }
    return 1000;
}

/* Reads the item at text into weights. If a range is named twice, the higher weight counts. */
static void read_item(int *weights, const char *text, const char *end)
{
    size_t len = strcspn(text, "; \t,");
    int i;

    for (i = 0; i < RANGES; i++) {
        if (strlen(names[i]) == len && ap_cstr_casecmpn(text, names[i], len) == 0) {
            int weight = weight_in(end_of(text, ";,"), end);

            weights[i] = weight > weights[i] ? weight : weights[i];
        }
    }
}

static void read_field(int *weights, const char *accept)
{
    int i;

    for (i = 0; i < RANGES; i++) {
        weights[i] = NOT_NAMED;
    }
    while (accept != NULL && *accept != '\0') {
        const char *end;

        accept = skip_space(accept);
        end = end_of(accept, ",");
        read_item(weights, accept, end);
        accept = *end != '\0' ? end + 1 : end;
    }
}

/* The weight of HTML: the weight of the most specific range that the field names. */
static int weight_of_html(const int *weights)
{
    int html = HTML;

    while (html < ANY && weights[html] == NOT_NAMED) {
        html++;
    }
    return weights[html];
}

static int prefers_markdown(const int *weights)
{
    return weights[MARKDOWN] > 0 && weights[MARKDOWN] > weight_of_html(weights);
}

int tmpl_accept_markdown(const char *accept)
{
    int weights[RANGES];

    read_field(weights, accept);
    return prefers_markdown(weights);
}

const char *tmpl_accept_html(const char *accept, apr_pool_t *pool)
{
    int weights[RANGES];
    int below = LITTLE;

    read_field(weights, accept);
    if (prefers_markdown(weights)) {
        below = weights[MARKDOWN] > 1 ? weights[MARKDOWN] - 1 : 1;
    }
    else if (weight_of_html(weights) > 0) {
        /* an added text/html would lower HTML's weight */
        return accept;
    }
    const char *html = apr_psprintf(pool, "text/html;q=0.%03d", below);
    /* if text/html is in the field twice, mod_negotiation heeds the first */
    return weights[HTML] == NOT_NAMED ? apr_pstrcat(pool, accept, ", ", html, NULL)
                                      : apr_pstrcat(pool, html, ", ", accept, NULL);
}
