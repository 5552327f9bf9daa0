/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The models of models/, built in, so that libtmpl works without any file. models/arrays writes
 * them as constants when libtmpl is built: reading the texts took most of the tool's start.
 */
#ifndef TMPL_BUILTIN_H
#define TMPL_BUILTIN_H

#include "methods/pagelevel_model.h"
#include "model/trees_source.h"

extern const tmpl_model_t tmpl_builtin_pagelevel;
extern const tmpl_trees_source_t tmpl_builtin_auto;

#endif
