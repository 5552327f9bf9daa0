/* SPDX-License-Identifier: Apache-2.0 */
/* The filter that takes a response, once, and guards a page that is held. */
#ifndef TMPL_GATE_H
#define TMPL_GATE_H

#include "mod_tmpl.h"

/* insert_filter hook. */
void tmpl_gate_insert(request_rec *r);

/*
 * insert_error_filter hook: discards httpd's own page for what is missing, where
 * tmpl_twin_handler() will answer with another.
 */
void tmpl_gate_error(request_rec *r);

/* TMPL_GATE's filter function; its ctx is a tmpl_ctx_t. */
apr_status_t tmpl_gate(ap_filter_t *f, apr_bucket_brigade *bb);

#endif
