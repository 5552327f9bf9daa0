/* SPDX-License-Identifier: Apache-2.0 */
/* The filter that copies a page while it passes. */
#ifndef TMPL_BESIDE_H
#define TMPL_BESIDE_H

#include "mod_tmpl.h"

/* TMPL_BESIDE's filter function; its ctx is a tmpl_ctx_t. */
apr_status_t tmpl_beside(ap_filter_t *f, apr_bucket_brigade *bb);

/*
 * log_transaction hook, which runs after the client was served. Judges the copy of the page, unless
 * tmpl_beside() has judged it at EOS.
 */
int tmpl_beside_served(request_rec *r);

#endif
