/* SPDX-License-Identifier: Apache-2.0 */
/* Header fields of responses, and copies of fields. */
#ifndef TMPL_HEADERS_H
#define TMPL_HEADERS_H

#include "judge.h"
#include "mod_tmpl.h"

/* All of the response's field lines of that name, joined by commas; NULL if there are none. */
const char *tmpl_field(request_rec *r, const char *name);

/* Removes the response's field lines of that name. */
void tmpl_field_unset(request_rec *r, const char *name);

/* Adds an item to a list that apr_array_pstrcat() will join by ','; a blank follows each comma. */
void tmpl_field_list_add(apr_array_header_t *items, const char *item);

/* A copy of the fields of those names, lines of one name joined. The list of names ends in NULL. */
apr_table_t *tmpl_fields_copy(const apr_table_t *from, const char *const *names, apr_pool_t *pool);

/*
 * Makes these fields what they were when the copy was made; removes those that did not exist then.
 */
void tmpl_fields_restore(apr_table_t *to, const char *const *names, const apr_table_t *copy);

/* Removes the backend's Tmpl field where the module may set this field. */
void tmpl_headers_unset_foreign(request_rec *r, const tmpl_conf_t *conf);

/* Where requests may get Markdown: sets Vary for HTML, and for a 304 that may be about HTML. */
void tmpl_headers_negotiated(request_rec *r, const tmpl_conf_t *conf, int is_html);

/* Adds the link to the page itself. */
void tmpl_headers_canonical(request_rec *r);

/* For a page that is not declined: adds the link to its twin where requests may get Markdown. */
void tmpl_headers_alternate(request_rec *r, const tmpl_conf_t *conf);

/* Sets the fields of a page that was judged within took microseconds and has length bytes now. */
void tmpl_headers_judged(request_rec *r, const tmpl_ctx_t *ctx, const tmpl_judged_t *judged,
                         apr_off_t length, apr_interval_time_t took);

/*
 * Sets httpd's notes, for its logs, about a page that was judged within took microseconds: tmpl,
 * which has the text of the Tmpl field, tmpl-ms, and, if their values are known, tmpl-state,
 * tmpl-ratio, tmpl-confidence and tmpl-fingerprint.
 */
void tmpl_headers_noted(request_rec *r, const tmpl_judged_t *judged, apr_interval_time_t took);

/* Changes the fields of an answer to HEAD that came without a body. */
void tmpl_headers_head(request_rec *r, const tmpl_ctx_t *ctx);

/* Changes the fields of a 304. */
void tmpl_headers_not_modified(request_rec *r, const tmpl_conf_t *conf);

/* insert_error_filter hook: for a 304 by a handler itself, which passes no content filters. */
void tmpl_headers_error(request_rec *r);

/* Sets the notes of a declined response, and, if field is set, its Tmpl field. */
void tmpl_headers_declined(request_rec *r, tmpl_decline_e reason, int field);

#endif
