/* SPDX-License-Identifier: Apache-2.0 */
#include "detect/models.h"

#include <string.h>

#include "detect/builtin.h"
#include "methods/pagelevel_model.h"

static apr_status_t parse_pagelevel(tmpl_models_t *models, const tmpl_model_text_t *text,
                                    tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_model_t *model;
    apr_status_t status = tmpl_model_parse(&model, text, err, pool);
    if (status == APR_SUCCESS) {
        models->pagelevel = model;
    }
    return status;
}

static apr_status_t parse_trees(tmpl_models_t *models, const tmpl_model_text_t *text,
                                tmpl_error_t *err, apr_pool_t *pool)
{
    const tmpl_trees_t *trees;
    apr_status_t status = tmpl_trees_parse(&trees, text, err, pool);
    if (status == APR_SUCCESS) {
        models->trees = trees;
    }
    return status;
}

/* Kinds of models, by the first line of their text. */
static const struct {
    const char *head;
    const char *detector;
    apr_status_t (*parse)(tmpl_models_t *, const tmpl_model_text_t *, tmpl_error_t *, apr_pool_t *);
} kinds[] = {
    { TMPL_MODEL_HEAD, "pagelevel", parse_pagelevel },
    { TMPL_TREES_HEAD, "auto", parse_trees },
};

static apr_status_t parse(tmpl_models_t *models, const char **detector,
                          const tmpl_model_text_t *text, tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_lines_t lines = {
        .name = text->name, .at = text->bytes, .end = text->bytes + text->len, .err = err
    };
    if (tmpl_lines_next(&lines) != APR_SUCCESS) {
        return APR_EINVAL;
    }
    for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strcmp(lines.text, kinds[i].head) == 0) {
            *detector = kinds[i].detector;
            return kinds[i].parse(models, text, err, pool);
        }
    }
    return tmpl_lines_bad(&lines,
                          "not the head of a model: ", TMPL_MODEL_HEAD " or " TMPL_TREES_HEAD);
}

tmpl_models_id_t tmpl_models_id(const tmpl_models_t *models)
{
    return (tmpl_models_id_t){
        .pagelevel = models->pagelevel != NULL ? models->pagelevel->id : 0,
        .trees = models->trees != NULL ? tmpl_trees_id(models->trees) : 0,
    };
}

void tmpl_models_builtin(tmpl_models_t *models, apr_pool_t *pool)
{
    *models = (tmpl_models_t){ .pagelevel = &tmpl_builtin_pagelevel,
                               .trees = tmpl_trees_make(&tmpl_builtin_auto, pool) };
}

apr_status_t tmpl_models_load(tmpl_models_t *models, const char **detector, const char *path,
                              tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_model_text_t text;
    apr_status_t status = tmpl_model_text_read(&text, path, err, pool);
    return status == APR_SUCCESS ? parse(models, detector, &text, err, pool) : status;
}
