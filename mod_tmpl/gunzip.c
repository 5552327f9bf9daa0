/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Undoes gzip on a copy of a page. httpd's INFLATE cannot do this: INFLATE changes its own
 * response, and silently stops behind the first of several members.
 */
#include <zlib.h>

#include "gunzip.h"
#include "append.h"

/* inflateInit2(): a window of any size, with gzip's header and trailer, not zlib's. */
#define GZIP_ONLY (15 + 16)

/*
 * Appends the inflated input of z to to. Z_OK if more input is expected, else what inflate()
 * returned.
 */
static int inflate_some(z_stream *z, apr_bucket_brigade *to, apr_off_t *length, apr_off_t limit)
{
    char out[APR_BUCKET_BUFF_SIZE];
    int rv = Z_OK;

    do {
        z->next_out = (Bytef *)out;
        z->avail_out = sizeof(out);
        rv = inflate(z, Z_NO_FLUSH);
        tmpl_append(to, out, sizeof(out) - z->avail_out);
        *length += (apr_off_t)(sizeof(out) - z->avail_out);
    } while (rv == Z_OK && z->avail_out == 0 && *length <= limit);
    /* Z_BUF_ERROR: all input is used */
    return rv == Z_BUF_ERROR ? Z_OK : rv;
}

apr_status_t tmpl_gunzip(apr_bucket_brigade *bb, apr_off_t *length, apr_off_t limit)
{
    apr_bucket_brigade *to = apr_brigade_create(bb->p, bb->bucket_alloc);
    z_stream z = { .zalloc = NULL };
    apr_status_t read = APR_SUCCESS;
    const char *data;
    apr_size_t len;
    apr_bucket *e;
    int rv = inflateInit2(&z, GZIP_ONLY);

    *length = 0;
    for (e = APR_BRIGADE_FIRST(bb);
         rv == Z_OK && read == APR_SUCCESS && *length <= limit && e != APR_BRIGADE_SENTINEL(bb);
         e = APR_BUCKET_NEXT(e)) {
        read = apr_bucket_read(e, &data, &len, APR_BLOCK_READ);
        if (read == APR_SUCCESS) {
            z.next_in = (z_const Bytef *)data;
            z.avail_in = (uInt)len;
            rv = inflate_some(&z, to, length, limit);
        }
    }
    inflateEnd(&z);
    if (*length > limit) {
        return APR_ENOSPC;
    }
    /* exactly one complete member */
    if (read != APR_SUCCESS || rv != Z_STREAM_END || z.avail_in > 0 ||
        e != APR_BRIGADE_SENTINEL(bb)) {
        return APR_EGENERAL;
    }
    apr_brigade_cleanup(bb);
    APR_BRIGADE_CONCAT(bb, to);
    return APR_SUCCESS;
}
