/* SPDX-License-Identifier: Apache-2.0 */
/* What the backend is asked for, and what the module keeps with a request. */
#ifndef TMPL_REQUEST_H
#define TMPL_REQUEST_H

#include "mod_tmpl.h"

/* The section in force for r, in the mode for r: highlight only where TmplHighlightAllow lets. */
const tmpl_conf_t *tmpl_request_conf(request_rec *r);

/*
 * fixups hook: makes conditional requests with the module's tags work with any handler, and keeps
 * in Vary what the expression of an <If> has read.
 */
int tmpl_request_fixups(request_rec *r);

/*
 * handler hook, in front of mod_proxy's: changes the fields that the backend gets. Always declines
 * to handle the request.
 */
int tmpl_request_handler(request_rec *r);

/* Makes r's fields what the client sent, if they were changed; also an insert_error_filter hook. */
void tmpl_request_restore(request_rec *r);

/*
 * The connection to the backend that answers r; NULL if it is not known. It may be used until EOS
 * has come.
 */
void tmpl_request_set_backend(request_rec *r, conn_rec *backend);
conn_rec *tmpl_request_backend(const request_rec *r);

/* The page that TMPL_BESIDE copies from r's response; NULL if it copies none. */
void tmpl_request_set_beside(request_rec *r, tmpl_ctx_t *ctx);
tmpl_ctx_t *tmpl_request_beside(const request_rec *r);

#endif
