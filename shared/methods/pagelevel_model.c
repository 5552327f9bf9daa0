/* SPDX-License-Identifier: Apache-2.0 */
#include "methods/pagelevel_model.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

#include <apr_cstr.h>
#include <apr_strings.h>

#include "base/names.h"
#include "base/number.h"

static const char *const names[] = { TMPL_FEATURES(TMPL_COLUMN_2) };

typedef enum {
#define TMPL_GROUP_ID(id, name) GROUP_##id,
    TMPL_FEATURE_GROUPS(TMPL_GROUP_ID)
#undef TMPL_GROUP_ID
        GROUP_COUNT
} feature_group_e;

static const unsigned char group_of[TMPL_FEATURE_COUNT] = {
#define TMPL_FEATURE_GROUP_OF(id, name, group) GROUP_##group,
    TMPL_FEATURES(TMPL_FEATURE_GROUP_OF)
#undef TMPL_FEATURE_GROUP_OF
};

static TMPL_ENUM_FIND(find_group, TMPL_FEATURE_GROUPS)

    apr_status_t tmpl_feature_group(unsigned char without[TMPL_FEATURE_COUNT], const char *name,
                                    tmpl_error_t *err)
{
    int group = find_group(name);
    if (group < 0) {
        return tmpl_fail(
            err, APR_EINVAL,
            "'%s' is no group of features: place, size, tree, tag, mark, word, link, text, "
            "near, repeat or attribute",
            name);
    }
    for (unsigned f = 0; f < TMPL_FEATURE_COUNT; f++) {
        without[f] = without[f] || group_of[f] == group;
    }
    return APR_SUCCESS;
}

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

static apr_status_t read_named(double *number, tmpl_lines_t *lines, const char *name, double least,
                               double most)
{
    return tmpl_lines_expect(lines, name) == APR_SUCCESS
               ? tmpl_lines_number(number, lines, name, least, most)
               : APR_EINVAL;
}

static apr_status_t read_count(uint32_t *count, tmpl_lines_t *lines, const char *name)
{
    return tmpl_lines_expect(lines, name) == APR_SUCCESS
               ? tmpl_lines_count(count, lines, name, 0, UINT32_MAX)
               : APR_EINVAL;
}

static apr_status_t read_term(tmpl_term_t *term, tmpl_lines_t *lines, const char *name)
{
    if (tmpl_lines_next(lines) != APR_SUCCESS || tmpl_lines_expect(lines, name) != APR_SUCCESS ||
        tmpl_lines_number(&term->mean, lines, "mean", -1e9, 1e9) != APR_SUCCESS ||
        tmpl_lines_number(&term->sd, lines, "deviation", 0, 1e9) != APR_SUCCESS ||
        tmpl_lines_number(&term->weight, lines, "weight", -1e6, 1e6) != APR_SUCCESS) {
        return APR_EINVAL;
    }
    return tmpl_lines_end(lines);
}

static apr_status_t read_class(tmpl_model_class_t *c, uint32_t number, tmpl_lines_t *lines,
                               apr_pool_t *pool)
{
    uint32_t given = 0;
    if (tmpl_lines_next(lines) != APR_SUCCESS ||
        read_count(&given, lines, "class") != APR_SUCCESS ||
        read_count(&c->nodes, lines, "nodes") != APR_SUCCESS ||
        read_count(&c->template_nodes, lines, "template") != APR_SUCCESS ||
        read_named(&c->loss, lines, "loss", 0, 1e6) != APR_SUCCESS ||
        tmpl_lines_end(lines) != APR_SUCCESS) {
        return APR_EINVAL;
    }
    if (given != number) {
        return tmpl_lines_bad(lines, "classes are not in order", "");
    }
    if (tmpl_lines_next(lines) != APR_SUCCESS ||
        read_named(&c->logistic.bias, lines, "bias", -1e6, 1e6) != APR_SUCCESS ||
        tmpl_lines_end(lines) != APR_SUCCESS) {
        return APR_EINVAL;
    }
    c->logistic.n = TMPL_FEATURE_COUNT;
    c->logistic.terms = apr_palloc(pool, TMPL_FEATURE_COUNT * sizeof(*c->logistic.terms));
    for (uint32_t f = 0; f < TMPL_FEATURE_COUNT; f++) {
        if (read_term(&c->logistic.terms[f], lines, names[f]) != APR_SUCCESS) {
            return APR_EINVAL;
        }
    }
    return APR_SUCCESS;
}

static apr_status_t read_model(tmpl_model_t *model, tmpl_lines_t *lines, apr_pool_t *pool)
{
    if (tmpl_lines_next(lines) != APR_SUCCESS) {
        return APR_EINVAL;
    }
    if (strcmp(lines->text, TMPL_MODEL_HEAD) != 0) {
        return tmpl_lines_bad(lines, "not the head of a model: ", TMPL_MODEL_HEAD);
    }
    if (tmpl_lines_next(lines) != APR_SUCCESS ||
        read_named(&model->threshold, lines, "threshold", 0, 1) != APR_SUCCESS ||
        tmpl_lines_end(lines) != APR_SUCCESS) {
        return APR_EINVAL;
    }
    for (uint32_t c = 0; c < TMPL_SIZE_CLASSES; c++) {
        if (read_class(&model->classes[c], c, lines, pool) != APR_SUCCESS) {
            return APR_EINVAL;
        }
    }
    return tmpl_lines_over(lines);
}

apr_status_t tmpl_model_parse(const tmpl_model_t **model, const tmpl_model_text_t *text,
                              tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_lines_t lines = {
        .name = text->name, .at = text->bytes, .end = text->bytes + text->len, .err = err
    };
    tmpl_model_t *m = apr_pcalloc(pool, sizeof(*m));
    apr_status_t status = read_model(m, &lines, pool);
    m->id = tmpl_model_text_id(text);
    *model = status == APR_SUCCESS ? m : NULL;
    return status;
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
