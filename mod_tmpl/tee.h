/* SPDX-License-Identifier: Apache-2.0 */
/* The filter that copies a page while it passes. */
#ifndef TMPL_TEE_H
#define TMPL_TEE_H

#include "mod_tmpl.h"

/* TMPL_TEE's filter function; its ctx is a tmpl_ctx_t. */
apr_status_t tmpl_tee(ap_filter_t *f, apr_bucket_brigade *bb);

/*
 * log_transaction hook, which runs after the client was served. Judges the copy of the page, unless
 * tmpl_tee() has judged it at EOS.
 */
int tmpl_tee_served(request_rec *r);

#endif
