/* SPDX-License-Identifier: Apache-2.0 */
/* The models of models/, built in, so that libtmpl works without any file. */
#ifndef TMPL_BUILTIN_H
#define TMPL_BUILTIN_H

#include "model/lines.h"

#define TMPL_BUILTIN_COUNT 2

/* Fills texts with all built-in models, whose bytes are constant. */
void tmpl_builtin_texts(tmpl_model_text_t texts[TMPL_BUILTIN_COUNT]);

#endif
