/* SPDX-License-Identifier: Apache-2.0 */
/* What the module keeps with a request. */
#ifndef TMPL_REQUEST_STATE_H
#define TMPL_REQUEST_STATE_H

#include "mod_tmpl.h"

/* A request for a twin, or for its page (twin.h). */
struct tmpl_twin_t {
    enum {
        TMPL_TWIN_WAITS,  /* the handlers have not been called */
        TMPL_TWIN_TRIES,  /* they are being called */
        TMPL_TWIN_MISSED, /* they have found nothing: next is requested */
        TMPL_TWIN_DONE
    } stage;
    int is_page;      /* the request is for a page */
    const char *next; /* path and query to be requested if nothing is found here; NULL: none */
    int discarded;    /* the status of the response that the gate has discarded; 0: none */
    apr_table_t *err_headers_out; /* as it was before the handlers were called */
};

typedef struct {
    /* the fields that request.c has changed, as they came; NULL: the request is as it came */
    const apr_table_t *sent;
    const char *accept; /* the client's Accept field, while html replaces it */
    const char *html;   /* NULL: request.c has not changed Accept */
    /* the connection to the backend, which may be used until EOS has come; NULL: not known */
    conn_rec *backend;
    tmpl_ctx_t *copied;         /* the page that TMPL_TEE copies; NULL: none */
    tmpl_twin_t *twin;          /* NULL: the request has nothing to do with twins */
    const tmpl_conf_t *section; /* NULL: conf is not made yet */
    const tmpl_conf_t *conf;    /* section, in the mode for this request */
} tmpl_request_t;

/* The record of r, which is created if there is none yet. */
tmpl_request_t *tmpl_request_of(request_rec *r);

/* The record of r to be read: one without values if there is none yet. */
const tmpl_request_t *tmpl_request_read(const request_rec *r);

/* The section in force for r, in the mode for r: highlight only if TmplHighlightAllow allows r. */
const tmpl_conf_t *tmpl_request_conf(request_rec *r);

#endif
