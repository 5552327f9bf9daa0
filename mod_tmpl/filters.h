/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The filters of a response: the gate, which takes the response, once, and guards a page that is
 * held; TMPL, which holds it; and TMPL_TEE, which copies a page while it passes. Their ctx is a
 * tmpl_ctx_t.
 */
#ifndef TMPL_FILTERS_H
#define TMPL_FILTERS_H

#include "mod_tmpl.h"

apr_status_t tmpl_gate(ap_filter_t *f, apr_bucket_brigade *bb);
apr_status_t tmpl_filter(ap_filter_t *f, apr_bucket_brigade *bb);
apr_status_t tmpl_tee(ap_filter_t *f, apr_bucket_brigade *bb);

/* insert_filter hook: adds the gate. */
void tmpl_gate_insert(request_rec *r);

/*
 * insert_error_filter hook: discards httpd's own page for what is missing, where
 * tmpl_twin_handler() will answer with another.
 */
void tmpl_gate_error(request_rec *r);

/*
 * log_transaction hook, which runs after the client was served. Judges the copy of the page, unless
 * tmpl_tee() has judged it at EOS.
 */
int tmpl_tee_served(request_rec *r);

#endif
