/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long a page is waited for.
 *
 * A filter is called when data come. mod_proxy_http reads without blocking as long as it can, sends
 * a FLUSH when the backend pauses, and then waits for the backend, for its own timeout of a minute
 * or more, where no filter can interrupt it. So this file waits for the end of the pause, at the
 * FLUSH, on the backend's own socket, which mod_proxy passes to its hook create_req. Without that
 * hook (FastCGI, AJP, HTTP/2) the time is checked when data come.
 *
 * A readable socket need not have data of the page: there may be only a part of a TLS record, or of
 * the line of a chunk's length. Then mod_proxy reads on, and waits for the rest until its own
 * timeout.
 *
 * A CGI script's output is a bucket of unknown length, which is read here, with the same limit.
 */
#include <apr_poll.h>

#include <mod_proxy.h>

#include "filters.h"

/*
 * The interval at which a bucket of unknown length is polled: such buckets have no common handle.
 */
#define POLL apr_time_from_msec(2)

int tmpl_wait_create_req(request_rec *r, request_rec *to_backend)
{
    if (tmpl_conf_holds(tmpl_request_conf(r))) {
        tmpl_request_of(r)->backend = to_backend->connection;
    }
    return OK;
}

int tmpl_wait_is_silent(request_rec *r, apr_interval_time_t patience)
{
    conn_rec *backend = tmpl_request_read(r)->backend;
    apr_socket_t *socket = backend != NULL ? ap_get_conn_socket(backend) : NULL;
    apr_pollfd_t polled = { .p = r->pool, .desc_type = APR_POLL_SOCKET, .reqevents = APR_POLLIN };
    apr_time_t end = tmpl_clock() + patience;
    apr_int32_t n;
    apr_status_t rv;
    if (socket == NULL) {
        return 0;
    }
    polled.desc.s = socket;
    do {
        rv = apr_poll(&polled, 1, &n, patience);
        patience = end - tmpl_clock();
    } while (APR_STATUS_IS_EINTR(rv) && patience > 0);
    return APR_STATUS_IS_TIMEUP(rv);
}

/* Reads e, which splits into data and a rest; APR_EAGAIN if no data came until end. */
static apr_status_t read_until(apr_bucket *e, apr_time_t end)
{
    const char *data;
    apr_size_t len;
    apr_status_t rv;
    if (end == TMPL_WAIT_FOR_EVER) {
        return apr_bucket_read(e, &data, &len, APR_BLOCK_READ);
    }
    while (APR_STATUS_IS_EAGAIN(rv = apr_bucket_read(e, &data, &len, APR_NONBLOCK_READ))) {
        if (tmpl_clock() >= end) {
            return rv;
        }
        apr_sleep(POLL);
    }
    return rv;
}

apr_status_t tmpl_wait_for_chunk(apr_bucket_brigade *chunk, apr_bucket_brigade *bb, apr_time_t end)
{
    apr_bucket *e = APR_BRIGADE_FIRST(bb);
    apr_bucket *next;
    apr_status_t rv = APR_SUCCESS;
    while (e != APR_BRIGADE_SENTINEL(bb) &&
           (APR_BUCKET_IS_METADATA(e) || e->length != (apr_size_t)-1)) {
        e = APR_BUCKET_NEXT(e);
    }
    if (e == APR_BRIGADE_FIRST(bb)) {
        rv = read_until(e, end);
        e = rv == APR_SUCCESS ? APR_BUCKET_NEXT(e) : e;
    }
    while ((next = APR_BRIGADE_FIRST(bb)) != e) {
        APR_BUCKET_REMOVE(next);
        APR_BRIGADE_INSERT_TAIL(chunk, next);
    }
    return rv;
}
