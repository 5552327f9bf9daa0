/* SPDX-License-Identifier: Apache-2.0 */
#include "detect/models.h"

#include <string.h>

#include "methods/pagelevel_model.h"

static apr_status_t parse_model(tmpl_models_t *models, const char **detector,
                                const tmpl_model_text_t *text, tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_lines_t lines = {
        .name = text->name, .at = text->bytes, .end = text->bytes + text->len, .err = err
    };
    tmpl_lines_next(&lines);
    if (strcmp(lines.text, TMPL_TREES_HEAD) == 0) {
        *detector = "auto";
        return tmpl_trees_parse(&models->trees, text, err, pool);
    }
    if (strcmp(lines.text, TMPL_MODEL_HEAD) == 0) {
        *detector = "pagelevel";
        return tmpl_model_parse(&models->pagelevel, text, err, pool);
    }
    tmpl_lines_bad(&lines, "not the head of a model: " TMPL_MODEL_HEAD " or " TMPL_TREES_HEAD);
    return lines.status;
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
    tmpl_models_t changed = *models;
    apr_status_t status = tmpl_model_text_read(&text, path, err, pool);
    if (status == APR_SUCCESS) {
        status = parse_model(&changed, detector, &text, err, pool);
    }
    if (status == APR_SUCCESS) {
        *models = changed;
    }
    return status;
}
