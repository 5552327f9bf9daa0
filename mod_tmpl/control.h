/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How operators of the backend steer the module: by the response field Tmpl-Control, a list of
 * words, and by the environment variables no-tmpl and tmpl-judge. And requests of programs in
 * pages: htmx, Turbo, Unpoly, jQuery, fetch(). They ask for pieces of pages with buttons and rows
 * that the page they go into still needs, so the answers are no pages.
 */
#ifndef TMPL_CONTROL_H
#define TMPL_CONTROL_H

#include "mod_tmpl.h"

/* X(id, word): the words of Tmpl-Control. OFF overrides the others. */
#define TMPL_CONTROLS(X)                                                                           \
    X(OFF, "off")           /* the page passes untouched: TMPL_DECLINE_BACKEND */                  \
    X(LEARN, "learn")       /* the page passes untouched, as in mode learn */                      \
    X(NO_LEARN, "no-learn") /* the page is not learnt */

typedef enum {
#define TMPL_CONTROL_ID(id, word) TMPL_CONTROL_##id,
    TMPL_CONTROLS(TMPL_CONTROL_ID)
#undef TMPL_CONTROL_ID
        TMPL_CONTROL_COUNT
} tmpl_control_e;

/* A set of words. */
#define TMPL_CONTROL_HAS(set, id) (((set) >> TMPL_CONTROL_##id) & 1u)

/*
 * Reads the response's field and removes it, so that no client gets it. Returns the set of its
 * words; logs the field if it has unknown words.
 */
unsigned tmpl_control_take(request_rec *r);

/* insert_error_filter hook: removes the field from a response that passes no content filters. */
void tmpl_control_error(request_rec *r);

/* Whether no-tmpl is set for the request. */
int tmpl_control_is_off(const request_rec *r);

/* Whether the backend asks proxies to pass its response on as it comes. */
int tmpl_control_streams(request_rec *r);

/*
 * The field by which r is a script's request for HTML in the mode of conf; NULL: it is not. A
 * request for a form of the page, such as Markdown, is none, nor a browser's request for a page
 * that the user may visit next, nor one for which the variable tmpl-judge is set.
 */
const char *tmpl_script_field(const request_rec *r, const tmpl_conf_t *conf);

#endif
