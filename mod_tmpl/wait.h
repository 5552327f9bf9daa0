/* SPDX-License-Identifier: Apache-2.0 */
/* How long a page is waited for. Times are on tmpl_clock(). */
#ifndef TMPL_WAIT_H
#define TMPL_WAIT_H

#include "mod_tmpl.h"

#define TMPL_WAIT_FOR_EVER APR_INT64_MAX

/* mod_proxy's create_req hook: notes the connection to the backend. */
int tmpl_wait_create_req(request_rec *r, request_rec *to_backend);

/*
 * Waits until the backend sends something, for patience at most. Returns whether it sent nothing.
 * To be called only at the FLUSH that a proxy sends because its backend pauses. Returns 0 at once
 * if the connection to the backend is not known.
 */
int tmpl_wait_is_silent(request_rec *r, apr_interval_time_t patience);

/*
 * Moves buckets from the front of bb, which is not empty, to the end of chunk: all up to the first
 * bucket of unknown length. If bb begins with such a bucket, reads it, waiting until end, and moves
 * the data that came. Returns APR_EAGAIN if no data came until end, otherwise what
 * apr_bucket_read() returned: APR_TIMEUP is httpd's own Timeout, and an error.
 */
apr_status_t tmpl_wait_for_chunk(apr_bucket_brigade *chunk, apr_bucket_brigade *bb, apr_time_t end);

#endif
