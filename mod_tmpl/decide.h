/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a response is declined, and what is said of one that is. */
#ifndef TMPL_DECIDE_H
#define TMPL_DECIDE_H

#include "mod_tmpl.h"

/* A coding that cannot be undone here, or two at once. */
extern const tmpl_codec_t tmpl_codec_unknown;

/* The coding of the body by r's fields as they are now; NULL: none. Filters may change it. */
const tmpl_codec_t *tmpl_coding_of(request_rec *r);

int tmpl_is_html(const request_rec *r);

/*
 * Why the response passes untouched, by who asks, its status and fields; or TMPL_DECLINE_NONE.
 */
tmpl_decline_e tmpl_reason_to_decline(request_rec *r, int is_for_script);

/*
 * Why the page of ctx cannot be read any more, now that the data of e has come to a filter behind
 * the gate; or TMPL_DECLINE_NONE. At the first data sets ctx->codec, and looks at the fields
 * anew: filters of the configuration that stand in between may have changed the body, for instance
 * SetOutputFilter INFLATE;SUBSTITUTE;DEFLATE. may_be_coded: the page may be in a coding still.
 */
tmpl_decline_e tmpl_reason_to_stop(tmpl_ctx_t *ctx, const apr_bucket *e, request_rec *r,
                                   int may_be_coded);

/* Counts and logs that r passes untouched, and sets the Tmpl field of an HTML response. */
void tmpl_decline(request_rec *r, const tmpl_ctx_t *ctx, tmpl_decline_e reason);

/* The same for a page that was judged: the caller also calls tmpl_report_judged(). */
void tmpl_decline_judged(request_rec *r, const tmpl_conf_t *conf, tmpl_decline_e reason);

#endif
