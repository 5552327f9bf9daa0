/* SPDX-License-Identifier: Apache-2.0 */
#include "methods/pagelevel_model.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

#include <apr_strings.h>

#include "base/names.h"
#include "base/number.h"

static const char *const names[] = { TMPL_FEATURES(TMPL_COLUMN_2) };

/* Bytes of text from which a region belongs to the next class. */
static const uint32_t class_from[TMPL_SIZE_CLASSES] = { 0, 24, 96, 400 };

uint32_t tmpl_size_class(uint32_t length)
{
    uint32_t c = TMPL_SIZE_CLASSES - 1;
    while (length < class_from[c]) {
        c--;
    }
    return c;
}

static double read_named(tmpl_lines_t *lines, const char *name, double least, double most)
{
    tmpl_lines_expect(lines, name);
    return tmpl_lines_number(lines, name, least, most);
}

static uint32_t read_count(tmpl_lines_t *lines, const char *name)
{
    tmpl_lines_expect(lines, name);
    return tmpl_lines_count(lines, name, 0, UINT32_MAX);
}

static void read_class(tmpl_model_class_t *c, uint32_t number, tmpl_lines_t *lines,
                       apr_pool_t *pool)
{
    tmpl_lines_next(lines);
    uint32_t given = read_count(lines, "class");
    c->nodes = read_count(lines, "nodes");
    c->template_nodes = read_count(lines, "template");
    c->loss = read_named(lines, "loss", 0, 1e6);
    tmpl_lines_end(lines);
    if (given != number) {
        tmpl_lines_bad(lines, "classes are not in order");
    }
    tmpl_lines_next(lines);
    c->logistic.bias = read_named(lines, "bias", -1e6, 1e6);
    tmpl_lines_end(lines);
    tmpl_term_t *terms = apr_palloc(pool, TMPL_FEATURE_COUNT * sizeof(*terms));
    for (uint32_t f = 0; f < TMPL_FEATURE_COUNT; f++) {
        tmpl_lines_next(lines);
        tmpl_lines_expect(lines, names[f]);
        terms[f].mean = tmpl_lines_number(lines, "mean", -1e9, 1e9);
        terms[f].sd = tmpl_lines_number(lines, "deviation", 0, 1e9);
        terms[f].weight = tmpl_lines_number(lines, "weight", -1e6, 1e6);
        tmpl_lines_end(lines);
    }
    c->logistic.n = TMPL_FEATURE_COUNT;
    c->logistic.terms = terms;
}

apr_status_t tmpl_model_parse(const tmpl_model_t **model, const tmpl_model_text_t *text,
                              tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_lines_t lines = {
        .name = text->name, .at = text->bytes, .end = text->bytes + text->len, .err = err
    };
    tmpl_model_t *m = apr_pcalloc(pool, sizeof(*m));
    m->id = tmpl_model_text_id(text);
    tmpl_lines_next(&lines);
    if (strcmp(lines.text, TMPL_MODEL_HEAD) != 0) {
        tmpl_lines_bad(&lines, "not the head of a model: %s", TMPL_MODEL_HEAD);
    }
    tmpl_lines_next(&lines);
    m->threshold = read_named(&lines, "threshold", 0, 1);
    tmpl_lines_end(&lines);
    for (uint32_t c = 0; c < TMPL_SIZE_CLASSES; c++) {
        read_class(&m->classes[c], c, &lines, pool);
    }
    tmpl_lines_over(&lines);
    *model = lines.status == APR_SUCCESS ? m : NULL;
    return lines.status;
}

/* APR's %g may not read back as the same number. */
static const char *number_text(double number, apr_pool_t *pool)
{
    char text[40];
    locale_t before = uselocale(tmpl_number_locale());
    snprintf(text, sizeof(text), "%.6g", number);
    uselocale(before);
    return apr_pstrdup(pool, text);
}

const char *tmpl_model_text(const tmpl_model_t *model, const char *provenance, apr_pool_t *pool)
{
    apr_array_header_t *lines = apr_array_make(pool, 256, sizeof(const char *));
    APR_ARRAY_PUSH(lines, const char *) =
        apr_pstrcat(pool, TMPL_MODEL_HEAD "\n", provenance, "threshold ",
                    number_text(model->threshold, pool), "\n", NULL);
    for (uint32_t c = 0; c < TMPL_SIZE_CLASSES; c++) {
        const tmpl_model_class_t *class = &model->classes[c];
        APR_ARRAY_PUSH(lines, const char *) =
            apr_psprintf(pool, "class %u nodes %u template %u loss %s\nbias %s\n", c, class->nodes,
                         class->template_nodes, number_text(class->loss, pool),
                         number_text(class->logistic.bias, pool));
        for (uint32_t f = 0; f < TMPL_FEATURE_COUNT; f++) {
            const tmpl_term_t *term = &class->logistic.terms[f];
            APR_ARRAY_PUSH(lines, const char *) = apr_pstrcat(
                pool, names[f], " ", number_text(term->mean, pool), " ",
                number_text(term->sd, pool), " ", number_text(term->weight, pool), "\n", NULL);
        }
    }
    return apr_array_pstrcat(pool, lines, '\0');
}
