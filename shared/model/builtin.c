/* SPDX-License-Identifier: Apache-2.0 */
#include "model/builtin.h"

/*
 * Includes the bytes of a file by the assembler, which searches from the directory that make runs
 * in.
 */
#define INCLUDE_BYTES(symbol, file)                                                                \
    __asm__(".pushsection .rodata\n" symbol ":\n.incbin \"" file "\"\n" symbol                     \
            "_end:\n.byte 0\n.popsection\n")

#define HERE __attribute__((visibility("hidden")))

INCLUDE_BYTES("tmpl_builtin_pagelevel", "models/pagelevel.model");
extern const char tmpl_builtin_pagelevel[] HERE;
extern const char tmpl_builtin_pagelevel_end[] HERE;

INCLUDE_BYTES("tmpl_builtin_auto", "models/auto.model");
extern const char tmpl_builtin_auto[] HERE;
extern const char tmpl_builtin_auto_end[] HERE;

static tmpl_model_text_t text_of(const char *name, const char *first, const char *end)
{
    return (tmpl_model_text_t){ name, first, (apr_size_t)(end - first) };
}

void tmpl_builtin_texts(tmpl_model_text_t texts[TMPL_BUILTIN_COUNT])
{
    texts[0] =
        text_of("models/pagelevel.model", tmpl_builtin_pagelevel, tmpl_builtin_pagelevel_end);
    texts[1] = text_of("models/auto.model", tmpl_builtin_auto, tmpl_builtin_auto_end);
}
