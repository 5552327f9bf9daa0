/* SPDX-License-Identifier: Apache-2.0 */
#include "accept.h"

#include "base/ascii.h"

/* Thousandths, the precision of weights; a range that is not named has none. */
#define NOT_NAMED (-1)

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

/* A weight in thousandths; 0 if it is none by 12.4.2, as the range is better not served then. */
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

/* The weight among the parameters of a range, which end at end. */
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

/* Reads the item at text into weights; of a range that is named twice the higher one counts. */
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

int tmpl_accept_markdown(const char *accept)
{
    int weights[RANGES] = { NOT_NAMED, NOT_NAMED, NOT_NAMED, NOT_NAMED };
    int html = HTML;

    while (accept != NULL && *accept != '\0') {
        const char *end;

        accept = skip_space(accept);
        end = end_of(accept, ",");
        read_item(weights, accept, end);
        accept = *end != '\0' ? end + 1 : end;
    }
    while (html < ANY && weights[html] == NOT_NAMED) {
        html++;
    }
    return weights[MARKDOWN] > 0 && weights[MARKDOWN] > weights[html];
}
