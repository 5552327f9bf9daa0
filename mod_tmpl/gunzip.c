/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Undoes gzip on a copy of a page. httpd's INFLATE cannot do this: INFLATE changes its own
 * response, and silently stops behind the first of several members.
 */
#include "gunzip.h"
#include "append.h"
#include "base/inflate.h"

typedef struct {
    apr_bucket_brigade *from, *to;
    apr_bucket *next;
    apr_off_t length;
} copy_t;

static apr_status_t next_bucket(void *ctx, const char **data, apr_size_t *len)
{
    copy_t *copy = ctx;
    apr_bucket *e = copy->next;

    if (e == APR_BRIGADE_SENTINEL(copy->from)) {
        return APR_EOF;
    }
    apr_status_t rv = apr_bucket_read(e, data, len, APR_BLOCK_READ);
    /* reading may have split the bucket */
    copy->next = APR_BUCKET_NEXT(e);
    return rv;
}

static void add_bytes(void *ctx, const char *bytes, apr_size_t len)
{
    copy_t *copy = ctx;

    tmpl_append(copy->to, bytes, len);
    copy->length += (apr_off_t)len;
}

apr_status_t tmpl_gunzip(apr_bucket_brigade *bb, apr_off_t *length, apr_off_t limit)
{
    copy_t copy = { bb, apr_brigade_create(bb->p, bb->bucket_alloc), APR_BRIGADE_FIRST(bb), 0 };
    tmpl_inflate_t inflate = { next_bucket, add_bytes, &copy };
    apr_status_t rv = tmpl_inflate(&inflate, limit);

    *length = copy.length;
    if (rv == APR_SUCCESS) {
        apr_brigade_cleanup(bb);
        APR_BRIGADE_CONCAT(bb, copy.to);
    }
    return rv;
}
