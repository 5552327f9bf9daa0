/* SPDX-License-Identifier: Apache-2.0 */
/* The filter that decides whether a response is taken, and guards a response that was taken. */
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

/* For TMPL, before it reads r: ends what the gate does to r->prev for INFLATE. */
void tmpl_gate_show_prev(tmpl_ctx_t *ctx, request_rec *r);

/* In the order of the work that is needed to read the body. */
typedef enum {
    TMPL_CODING_NONE,
    TMPL_CODING_GZIP, /* INFLATE can undo it */
    TMPL_CODING_OTHER
} tmpl_coding_e;

/* The coding of the body by r's fields as they are now; filters may change the coding. */
tmpl_coding_e tmpl_gate_coding(request_rec *r);

/*
 * For a filter behind the gate, when the first data comes: filters of the configuration that stand
 * in between may have changed the body. Returns why the body cannot be read now, or
 * TMPL_DECLINE_NONE. most is the coding that the caller can undo.
 */
tmpl_decline_e tmpl_gate_recheck(request_rec *r, tmpl_coding_e most);

/* Counts and logs that r passes untouched, and sets the Tmpl field of an HTML response. */
void tmpl_decline(request_rec *r, const tmpl_ctx_t *ctx, tmpl_decline_e reason);

/* The same for a page that was judged: the caller also calls tmpl_report_judged(). */
void tmpl_note_decline(request_rec *r, const tmpl_conf_t *conf, tmpl_decline_e reason);

#endif
