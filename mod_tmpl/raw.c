/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A compressed page as it came. If nothing is changed, or the page is too large or cannot be
 * inflated, the client gets the compressed page, with its encoding, tag and digests. The compressed
 * page is kept only if nothing but INFLATE is between the gate and TMPL, so that no other filter's
 * work is lost.
 */
#include "raw.h"
#include "append.h"
#include "headers.h"

/* The fields that INFLATE changes. */
static const char *const fields[] = { "Content-Encoding", "Content-Length", "Content-MD5", "ETag",
                                      NULL };

void tmpl_raw_start(tmpl_ctx_t *ctx, request_rec *r)
{
    ctx->raw = apr_brigade_create(r->pool, r->connection->bucket_alloc);
    ctx->raw_headers_out = tmpl_fields_copy(r->headers_out, fields, r->pool);
    ctx->raw_err_headers_out = tmpl_fields_copy(r->err_headers_out, fields, r->pool);
    ctx->raw_encoding = r->content_encoding;
}

apr_status_t tmpl_raw_keep(tmpl_ctx_t *ctx, apr_bucket_brigade *bb, apr_off_t most)
{
    apr_bucket *e, *copy;
    const char *data;
    apr_size_t len;
    apr_off_t known;
    apr_status_t rv;

    if (apr_brigade_length(bb, 0, &known) == APR_SUCCESS && known > most - ctx->raw_length) {
        ctx->raw_length += known;
        APR_BRIGADE_CONCAT(ctx->raw, bb);
        return APR_SUCCESS;
    }
    for (e = APR_BRIGADE_FIRST(bb); e != APR_BRIGADE_SENTINEL(bb); e = APR_BUCKET_NEXT(e)) {
        if (APR_BUCKET_IS_METADATA(e)) {
            if (!APR_BUCKET_IS_FLUSH(e) && apr_bucket_copy(e, &copy) == APR_SUCCESS) {
                APR_BRIGADE_INSERT_TAIL(ctx->raw, copy);
            }
            continue;
        }
        rv = apr_bucket_read(e, &data, &len, APR_BLOCK_READ);
        if (rv != APR_SUCCESS) {
            return rv;
        }
        tmpl_append(ctx->raw, data, len);
        ctx->raw_length += (apr_off_t)len;
    }
    return APR_SUCCESS;
}

/* The ID bytes and the method of a member's header (RFC 1952, 2.3.1). */
static const char magic[] = { '\x1f', '\x8b', '\x08' };

/*
 * Whether len bytes of gzip, which inflate to length bytes, are exactly one member. ISIZE, at the
 * end of each member, is the length of the data modulo 2^32 (RFC 1952, 2.3.1).
 */
static int is_one_member(const char *gzip, apr_size_t len, apr_off_t length)
{
    /* the end of a member of this length, and the start of the next */
    char joint[4 + sizeof(magic)];
    apr_size_t i;

    for (i = 0; i < 4; i++) {
        joint[i] = (char)((apr_uint64_t)length >> 8 * i & 0xff);
    }
    memcpy(joint + 4, magic, sizeof(magic));
    return memcmp(gzip + len - 4, joint, 4) == 0 && memmem(gzip, len, joint, sizeof(joint)) == NULL;
}

int tmpl_raw_is_all(const tmpl_ctx_t *ctx)
{
    apr_pool_t *pool;
    char *gzip;
    apr_size_t len;
    int all;

    if (ctx->raw == NULL) {
        return 1;
    }
    apr_pool_create(&pool, ctx->raw->p);
    apr_pool_tag(pool, "tmpl_raw");
    if (apr_brigade_pflatten(ctx->raw, &gzip, &len, pool) != APR_SUCCESS) {
        all = 0;
    }
    else if (len < sizeof(magic) + 4 || memcmp(gzip, magic, sizeof(magic)) != 0) {
        /* not gzip, whatever Content-Encoding says: INFLATE passes the data on as it is */
        all = ctx->length == ctx->raw_length;
    }
    else {
        all = is_one_member(gzip, len, ctx->length);
    }
    apr_pool_destroy(pool);
    return all;
}

void tmpl_raw_restore(tmpl_ctx_t *ctx, request_rec *r)
{
    tmpl_fields_restore(r->headers_out, fields, ctx->raw_headers_out);
    tmpl_fields_restore(r->err_headers_out, fields, ctx->raw_err_headers_out);
    r->content_encoding = ctx->raw_encoding;
    ctx->inflated = 0;
    ctx->length = ctx->raw_length;
    apr_brigade_cleanup(ctx->held);
    APR_BRIGADE_CONCAT(ctx->held, ctx->raw);
    ctx->raw = NULL;
}

void tmpl_raw_drop(tmpl_ctx_t *ctx)
{
    apr_brigade_cleanup(ctx->raw);
    ctx->raw = NULL;
}
