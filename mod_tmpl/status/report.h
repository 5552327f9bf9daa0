/* SPDX-License-Identifier: Apache-2.0 */
/* Reports a page to all figures: counters, histograms, the last decisions, the page's site. */
#ifndef TMPL_REPORT_H
#define TMPL_REPORT_H

#include "judge.h"

/* A page that was judged within took microseconds, declined or not; its bytes before and after. */
void tmpl_report_judged(const tmpl_judged_t *judged, const tmpl_ctx_t *ctx, request_rec *r,
                        apr_off_t before, apr_off_t after, apr_interval_time_t took);

/* A response that was declined without judging. */
void tmpl_report_declined(const tmpl_ctx_t *ctx, request_rec *r, tmpl_decline_e reason);

#endif
