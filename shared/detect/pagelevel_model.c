/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model as a file of lines: what it is, the threshold, and for each size class its nodes, its bias and a
 * line for each feature. Lines that begin with # say where it comes from.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <apr_file_io.h>
#include <apr_strings.h>

#include "detect/pagelevel.h"

#define HEAD      "tmpl-pagelevel 1"
#define LINE_MOST 4096

static const char *const names[TMPL_FEATURE_COUNT] = {
#define TMPL_FEATURE_NAME(id, name, group) name,
    TMPL_FEATURES(TMPL_FEATURE_NAME)
#undef TMPL_FEATURE_NAME
};

typedef enum {
#define TMPL_GROUP_ID(id, name) GROUP_##id,
    TMPL_FEATURE_GROUPS(TMPL_GROUP_ID)
#undef TMPL_GROUP_ID
        GROUP_COUNT
} group_e;

static const char *const group_names[GROUP_COUNT] = {
#define TMPL_GROUP_NAME(id, name) name,
    TMPL_FEATURE_GROUPS(TMPL_GROUP_NAME)
#undef TMPL_GROUP_NAME
};

static const unsigned char group_of[TMPL_FEATURE_COUNT] = {
#define TMPL_FEATURE_GROUP_OF(id, name, group) GROUP_##group,
    TMPL_FEATURES(TMPL_FEATURE_GROUP_OF)
#undef TMPL_FEATURE_GROUP_OF
};

apr_status_t tmpl_feature_group(unsigned char without[TMPL_FEATURE_COUNT], const char *name,
                                tmpl_error_t *err)
{
    for (unsigned group = 0; group < GROUP_COUNT; group++) {
        if (strcasecmp(name, group_names[group]) == 0) {
            for (unsigned f = 0; f < TMPL_FEATURE_COUNT; f++) {
                without[f] = without[f] || group_of[f] == group;
            }
            return APR_SUCCESS;
        }
    }
    return tmpl_fail(
        err, APR_EINVAL,
        "'%s' is no group of features: place, size, tree, tag, mark, word, link, text, "
        "near, repeat or attribute",
        name);
}

/* A model while it is read. */
typedef struct {
    const char *path;
    apr_file_t *file;
    unsigned line;
    char text[LINE_MOST];
    char *next; /* the words of the line that are still to be read */
    tmpl_error_t *err;
} reader_t;

static apr_status_t bad(const reader_t *reader, const char *what, const char *name)
{
    return tmpl_fail(reader->err, APR_EINVAL, "%s: line %u: %s%s", reader->path, reader->line, what,
                     name);
}

/* The next line that is no comment. */
static apr_status_t next_line(reader_t *reader)
{
    do {
        apr_status_t status = apr_file_gets(reader->text, sizeof(reader->text), reader->file);
        reader->line++;
        if (APR_STATUS_IS_EOF(status)) {
            return bad(reader, "the end of the file, before that of the model", "");
        }
        if (status != APR_SUCCESS) {
            return bad(reader, "cannot be read", "");
        }
    } while (reader->text[0] == '#');
    reader->text[strcspn(reader->text, "\r\n")] = '\0';
    reader->next = reader->text;
    return APR_SUCCESS;
}

/* The line goes on with this word. */
static apr_status_t read_word(reader_t *reader, const char *word)
{
    apr_size_t len = strlen(word);
    reader->next += strspn(reader->next, " ");
    if (strncmp(reader->next, word, len) != 0 ||
        (reader->next[len] != ' ' && reader->next[len] != '\0')) {
        return bad(reader, "not what is expected here: ", word);
    }
    reader->next += len;
    return APR_SUCCESS;
}

/* A word and a number of least to most behind it. */
static apr_status_t read_number(double *number, reader_t *reader, const char *word, double least,
                                double most)
{
    char *end;
    if (word[0] != '\0' && read_word(reader, word) != APR_SUCCESS) {
        return APR_EINVAL;
    }
    *number = strtod(reader->next, &end);
    if (end == reader->next || (*end != ' ' && *end != '\0') || !isfinite(*number) ||
        *number < least || *number > most) {
        return bad(reader, "no number, or one out of range, behind ", word);
    }
    reader->next = end;
    return APR_SUCCESS;
}

static apr_status_t read_count(uint32_t *count, reader_t *reader, const char *word)
{
    double number = 0;
    if (read_number(&number, reader, word, 0, UINT32_MAX) != APR_SUCCESS) {
        return APR_EINVAL;
    }
    *count = (uint32_t)number;
    return *count == number ? APR_SUCCESS : bad(reader, "no whole number behind ", word);
}

static apr_status_t read_end(reader_t *reader)
{
    return reader->next[strspn(reader->next, " ")] == '\0'
               ? APR_SUCCESS
               : bad(reader, "too long: ", reader->next);
}

static apr_status_t read_term(tmpl_term_t *term, reader_t *reader, const char *name)
{
    if (next_line(reader) != APR_SUCCESS || read_word(reader, name) != APR_SUCCESS ||
        read_number(&term->mean, reader, "", -1e9, 1e9) != APR_SUCCESS ||
        read_number(&term->sd, reader, "", 0, 1e9) != APR_SUCCESS ||
        read_number(&term->weight, reader, "", -1e6, 1e6) != APR_SUCCESS) {
        return APR_EINVAL;
    }
    return read_end(reader);
}

static apr_status_t read_class(tmpl_model_class_t *c, uint32_t number, reader_t *reader,
                               apr_pool_t *pool)
{
    uint32_t given = 0;
    if (next_line(reader) != APR_SUCCESS || read_count(&given, reader, "class") != APR_SUCCESS ||
        read_count(&c->nodes, reader, "nodes") != APR_SUCCESS ||
        read_count(&c->template_nodes, reader, "template") != APR_SUCCESS ||
        read_number(&c->loss, reader, "loss", 0, 1e6) != APR_SUCCESS ||
        read_end(reader) != APR_SUCCESS) {
        return APR_EINVAL;
    }
    if (given != number) {
        return bad(reader, "classes are not in order", "");
    }
    if (next_line(reader) != APR_SUCCESS ||
        read_number(&c->logistic.bias, reader, "bias", -1e6, 1e6) != APR_SUCCESS ||
        read_end(reader) != APR_SUCCESS) {
        return APR_EINVAL;
    }
    c->logistic.n = TMPL_FEATURE_COUNT;
    c->logistic.terms = apr_palloc(pool, TMPL_FEATURE_COUNT * sizeof(*c->logistic.terms));
    for (uint32_t f = 0; f < TMPL_FEATURE_COUNT; f++) {
        if (read_term(&c->logistic.terms[f], reader, names[f]) != APR_SUCCESS) {
            return APR_EINVAL;
        }
    }
    return APR_SUCCESS;
}

static apr_status_t read_model(tmpl_model_t *model, reader_t *reader, apr_pool_t *pool)
{
    if (next_line(reader) != APR_SUCCESS) {
        return APR_EINVAL;
    }
    if (strcmp(reader->text, HEAD) != 0) {
        return bad(reader, "not the head of a model: ", HEAD);
    }
    if (next_line(reader) != APR_SUCCESS ||
        read_number(&model->threshold, reader, "threshold", 0, 1) != APR_SUCCESS ||
        read_end(reader) != APR_SUCCESS) {
        return APR_EINVAL;
    }
    for (uint32_t c = 0; c < TMPL_SIZE_CLASSES; c++) {
        if (read_class(&model->classes[c], c, reader, pool) != APR_SUCCESS) {
            return APR_EINVAL;
        }
    }
    if (apr_file_gets(reader->text, sizeof(reader->text), reader->file) == APR_SUCCESS) {
        reader->line++;
        return bad(reader, "goes on behind the last class", "");
    }
    return APR_SUCCESS;
}

apr_status_t tmpl_model_load(tmpl_model_t **model, const char *path, tmpl_error_t *err,
                             apr_pool_t *pool)
{
    char text[120];
    reader_t reader = { .path = path, .err = err };
    apr_status_t status =
        apr_file_open(&reader.file, path, APR_FOPEN_READ | APR_FOPEN_BUFFERED, 0, pool);
    if (status != APR_SUCCESS) {
        return tmpl_fail(err, status, "%s: %s", path, apr_strerror(status, text, sizeof(text)));
    }
    tmpl_model_t *m = apr_pcalloc(pool, sizeof(*m));
    status = read_model(m, &reader, pool);
    apr_file_close(reader.file);
    *model = status == APR_SUCCESS ? m : NULL;
    return status;
}

/* APR's formats know no %g that reads back as it was. */
static const char *number_text(double number, apr_pool_t *pool)
{
    char text[40];
    snprintf(text, sizeof(text), "%.6g", number);
    return apr_pstrdup(pool, text);
}

const char *tmpl_model_text(const tmpl_model_t *model, const char *provenance, apr_pool_t *pool)
{
    apr_array_header_t *lines = apr_array_make(pool, 256, sizeof(const char *));
    APR_ARRAY_PUSH(lines, const char *) = apr_pstrcat(
        pool, HEAD "\n", provenance, "threshold ", number_text(model->threshold, pool), "\n", NULL);
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
