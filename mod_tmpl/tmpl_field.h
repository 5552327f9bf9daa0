/* SPDX-License-Identifier: Apache-2.0 */
/* What was found in a page: the Tmpl field of its response, and notes for httpd's logs. */
#ifndef TMPL_TMPL_FIELD_H
#define TMPL_TMPL_FIELD_H

#include "judge.h"

/*
 * Sets httpd's notes about a page that was judged within took microseconds: tmpl, which has the
 * text of the Tmpl field, tmpl-ms, and, if their values are known, tmpl-state, tmpl-ratio,
 * tmpl-confidence and tmpl-fingerprint.
 */
void tmpl_field_note(request_rec *r, const tmpl_judged_t *judged, apr_interval_time_t took);

/* After tmpl_field_note(): sets the fields Tmpl and Server-Timing. */
void tmpl_field_set(request_rec *r, apr_interval_time_t took);

/* Sets the notes of a declined response, and, if is_sent is set, its Tmpl field. */
void tmpl_field_declined(request_rec *r, tmpl_decline_e reason, int is_sent);

#endif
