/* SPDX-License-Identifier: Apache-2.0 */
/* The models that libtmpl brings, so that it works without any file: conf's own, put in as they are. */
#ifndef TMPL_BUILTIN_H
#define TMPL_BUILTIN_H

#include "model/lines.h"

#define TMPL_BUILTIN_COUNT 2

/* Fills texts with all of them; their bytes are constant. */
void tmpl_builtin_texts(tmpl_model_text_t texts[TMPL_BUILTIN_COUNT]);

#endif
