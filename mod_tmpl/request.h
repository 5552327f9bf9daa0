/* SPDX-License-Identifier: Apache-2.0 */
/* What the backend is asked for. */
#ifndef TMPL_REQUEST_H
#define TMPL_REQUEST_H

#include "mod_tmpl.h"

/*
 * type_checker hook, in front of mod_negotiation's, which chooses a file by Accept, for a
 * directory's index, too: adds HTML to Accept where a variant will be made of HTML. Always
 * declines.
 */
int tmpl_request_type_checker(request_rec *r);

/*
 * fixups hook: sets the mode of the variant that requests prefer, makes conditional requests
 * with the module's tags work with any handler, and keeps in Vary the fields that the expression of
 * an <If> has read.
 */
int tmpl_request_fixups(request_rec *r);

/*
 * handler hook, in front of mod_proxy's and mod_negotiation's: changes the fields that the backend
 * gets. Other handlers get the client's own fields, with HTML added to Accept where a
 * variant or text will be made of HTML. Always declines to handle the request.
 */
int tmpl_request_handler(request_rec *r);

/* Whether the URI may name a page, or a program that makes pages. */
int tmpl_request_names_page(const request_rec *r);

/* Makes r's fields what the client sent, if they were changed; also an insert_error_filter hook. */
void tmpl_request_restore(request_rec *r);

#endif
