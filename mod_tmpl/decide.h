/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a response is declined, and what is said of one that is. */
#ifndef TMPL_DECIDE_H
#define TMPL_DECIDE_H

#include "mod_tmpl.h"

/* In the order of the work that is needed to read the body. */
typedef enum { TMPL_CODING_NONE, TMPL_CODING_GZIP, TMPL_CODING_OTHER } tmpl_coding_e;

/* The coding of the body by r's fields as they are now; filters may change the coding. */
tmpl_coding_e tmpl_coding_of(request_rec *r);

int tmpl_is_html(const request_rec *r);

/*
 * Why the response passes untouched, by who asks, its status and fields; or TMPL_DECLINE_NONE.
 */
tmpl_decline_e tmpl_reason_to_decline(request_rec *r, int is_for_script);

/*
 * Why the page of ctx cannot be read any more, now that the data of e has come to a filter behind
 * the gate; or TMPL_DECLINE_NONE. At the first data sets ctx->is_gzip, and looks at the fields
 * anew: filters of the configuration that stand in between may have changed the body, for instance
 * SetOutputFilter INFLATE;SUBSTITUTE;DEFLATE. most is the coding that the caller can undo.
 */
tmpl_decline_e tmpl_reason_to_stop(tmpl_ctx_t *ctx, const apr_bucket *e, request_rec *r,
                                   tmpl_coding_e most);

/* Counts and logs that r passes untouched, and sets the Tmpl field of an HTML response. */
void tmpl_decline(request_rec *r, const tmpl_ctx_t *ctx, tmpl_decline_e reason);

/* The same for a page that was judged: the caller also calls tmpl_report_judged(). */
void tmpl_decline_judged(request_rec *r, const tmpl_conf_t *conf, tmpl_decline_e reason);

#endif
