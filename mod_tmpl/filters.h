/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The filters of a response: the gate, which takes the response, once, and guards a page that is
 * held; TMPL, which holds it; and TMPL_TEE, which copies a page while it passes. Their ctx is a
 * tmpl_ctx_t. And how long they wait for a page (wait.c), in times on tmpl_clock().
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

/* --- wait.c --- */

#define TMPL_WAIT_FOR_EVER APR_INT64_MAX

/* mod_proxy's create_req hook: notes the connection to the backend. */
int tmpl_wait_create_req(request_rec *r, request_rec *to_backend);

/*
 * Waits until the backend sends something, for patience at most. Returns whether it sent nothing.
 * To be called only at the FLUSH that a proxy sends because its backend pauses. Returns 0 at once
 * if the connection to the backend is not known.
 */
int tmpl_wait_is_silent(request_rec *r, apr_interval_time_t patience);

/*
 * Moves buckets from the front of bb, which is not empty, to the end of chunk: all up to the first
 * bucket of unknown length. If bb begins with such a bucket, reads it, waiting until end, and moves
 * the data that came. Returns APR_EAGAIN if no data came until end, otherwise what
 * apr_bucket_read() returned: APR_TIMEUP is httpd's own Timeout, and an error.
 */
apr_status_t tmpl_wait_for_chunk(apr_bucket_brigade *chunk, apr_bucket_brigade *bb, apr_time_t end);

#endif
