/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The header fields of a page that may have been changed, what was found in it as the field Tmpl,
 * and notes for httpd's logs.
 */
#ifndef TMPL_HEADERS_H
#define TMPL_HEADERS_H

#include "judge.h"

/* Removes the backend's Tmpl field where the module may set this field. */
void tmpl_headers_unset_foreign(request_rec *r, const tmpl_conf_t *conf);

/*
 * Adds to Vary, for HTML and for a 304 that may be about HTML, Accept where requests may get
 * variants, and script, a field of tmpl_script_field() or NULL, where pages are changed.
 */
void tmpl_headers_vary(request_rec *r, const tmpl_conf_t *conf, const char *script, int is_html);

/* Sets the fields of a page that was judged within took microseconds and has length bytes now. */
void tmpl_headers_judged(request_rec *r, const tmpl_ctx_t *ctx, const tmpl_judged_t *judged,
                         apr_off_t length, apr_interval_time_t took);

/* Changes the fields of an answer to HEAD that came without a body. */
void tmpl_headers_head(request_rec *r, const tmpl_ctx_t *ctx);

/* Changes the fields of a 304. */
void tmpl_headers_not_modified(request_rec *r, const tmpl_conf_t *conf);

/* insert_error_filter hook: for a 304 by a handler itself, which passes no content filters. */
void tmpl_headers_error(request_rec *r);

/*
 * Sets httpd's notes about a page that was judged within took microseconds: tmpl, which has the
 * text of the Tmpl field, tmpl-ms, and, if their values are known, tmpl-state, tmpl-ratio,
 * tmpl-confidence and tmpl-fingerprint.
 */
void tmpl_field_note(request_rec *r, const tmpl_judged_t *judged, apr_interval_time_t took);

/* Sets the notes of a declined response, and, if is_sent is set, its Tmpl field. */
void tmpl_field_declined(request_rec *r, tmpl_decline_e reason, int is_sent);

#endif
