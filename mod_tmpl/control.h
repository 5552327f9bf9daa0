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

/* The words of Tmpl-Control, as a set. OFF overrides the others. */
#define TMPL_CONTROL_OFF      1u /* "off": the page passes untouched: TMPL_DECLINE_BACKEND */
#define TMPL_CONTROL_LEARN    2u /* "learn": the page passes untouched, as in mode learn */
#define TMPL_CONTROL_NO_LEARN 4u /* "no-learn": the page is not learnt */

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
