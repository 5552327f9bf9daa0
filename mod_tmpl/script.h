/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of programs in pages: htmx, Turbo, Unpoly, jQuery, fetch(). They ask for pieces of pages
 * with buttons and rows that the page they go into still needs, so the answers are no pages.
 */
#ifndef TMPL_SCRIPT_H
#define TMPL_SCRIPT_H

#include "mod_tmpl.h"

/*
 * The field by which r is a script's request for HTML in the mode of conf; NULL: it is not. A
 * request for a form of the page, such as Markdown, is none, nor a browser's request for a page
 * that the user may visit next, nor one for which the variable tmpl-judge is set.
 */
const char *tmpl_script_field(const request_rec *r, const tmpl_conf_t *conf);

#endif
