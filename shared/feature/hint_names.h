/* SPDX-License-Identifier: Apache-2.0 */
/* What people call the parts of their pages: names in classes and ids. */
#ifndef TMPL_HINT_NAMES_H
#define TMPL_HINT_NAMES_H

#include <stdint.h>

/*
 * Kinds of names: X(id). From COMMENT on, each has a feature NAMED_id, in this order. GOOD is what
 * people call content, BAD what they call everything around it.
 */
#define TMPL_NAMES(X)                                                                              \
    X(GOOD)                                                                                        \
    X(BAD)                                                                                         \
    X(COMMENT)                                                                                     \
    X(MENU)                                                                                        \
    X(SIDE)                                                                                        \
    X(MORE)                                                                                        \
    X(EDGE)                                                                                        \
    X(SHARE)                                                                                       \
    X(ABOUT)                                                                                       \
    X(OFFER)

typedef enum {
#define TMPL_NAME_ID(id) TMPL_NAME_##id,
    TMPL_NAMES(TMPL_NAME_ID)
#undef TMPL_NAME_ID
        TMPL_NAME_COUNT
} tmpl_name_e;

/* The kinds of names in a class or id, as bits 1 << TMPL_NAME_*. */
unsigned tmpl_names_in(const char *value, uint32_t len);

#endif
