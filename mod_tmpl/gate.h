/* SPDX-License-Identifier: Apache-2.0 */
/* The filter that decides whether a response is taken, and guards those that were. */
#ifndef TMPL_GATE_H
#define TMPL_GATE_H

#include "mod_tmpl.h"

/* insert_filter hook. */
void tmpl_gate_insert(request_rec *r);

/* TMPL_GATE's filter function; its ctx is a tmpl_ctx_t. */
apr_status_t tmpl_gate(ap_filter_t *f, apr_bucket_brigade *bb);

/* Counts, logs and, in the Tmpl field of an HTML response, reports that r passes untouched. */
void tmpl_decline(request_rec *r, const tmpl_ctx_t *ctx, tmpl_decline_e reason);

/* The same of a page that was judged: its caller calls tmpl_report_judged(). */
void tmpl_note_decline(request_rec *r, const tmpl_conf_t *conf, tmpl_decline_e reason);

#endif
