/* SPDX-License-Identifier: Apache-2.0 */
/* The filter that holds a page. */
#ifndef TMPL_FILTER_H
#define TMPL_FILTER_H

#include "mod_tmpl.h"

/* TMPL's filter function; its ctx is a tmpl_ctx_t. */
apr_status_t tmpl_filter(ap_filter_t *f, apr_bucket_brigade *bb);

#endif
