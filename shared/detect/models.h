/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The models of the detectors that are trained. The first line of a model's text says which
 * detector it is for. To add a kind of model: a field here, a case in models.c and, if it is to be
 * built in, its arrays by models/arrays (docs/lab/detector.md).
 */
#ifndef TMPL_MODELS_H
#define TMPL_MODELS_H

#include "model/trees.h"

/* One model for each trained detector; NULL: that detector cannot be used. */
typedef struct {
    const struct tmpl_model_t *pagelevel; /* methods/pagelevel_model.h */
    const tmpl_trees_t *trees;            /* for auto */
} tmpl_models_t;

/* Hashes of the models' texts: equal models have equal ids, in every process. 0: no model. */
typedef struct {
    uint64_t pagelevel;
    uint64_t trees;
} tmpl_models_id_t;

tmpl_models_id_t tmpl_models_id(const tmpl_models_t *models);

/*
 * The models of models/, built in, so that libtmpl works without any file. models/arrays writes
 * them as constants when libtmpl is built: reading the texts took most of the tool's start.
 */
extern const struct tmpl_model_t tmpl_builtin_pagelevel;
extern const tmpl_trees_source_t tmpl_builtin_auto;

/* Makes the models that are built in. They are valid while pool lives. */
void tmpl_models_builtin(tmpl_models_t *models, apr_pool_t *pool);

/*
 * Reads a model from a file into the field for its kind; the other fields stay. *detector becomes
 * the name of the detector that the model is for. APR_EINVAL if it is not a model: err then names
 * the file, the line and the fault. Else the error of the file. The model is allocated from pool.
 */
apr_status_t tmpl_models_load(tmpl_models_t *models, const char **detector, const char *path,
                              tmpl_error_t *err, apr_pool_t *pool);

#endif
