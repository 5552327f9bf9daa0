/* SPDX-License-Identifier: Apache-2.0 */
#include "brigade.h"

/* The free bytes behind the data of the last bucket, if it shares its buffer with no other. */
static apr_size_t room_of(const apr_bucket_brigade *bb)
{
    const apr_bucket *e = APR_BRIGADE_LAST(bb);
    if (APR_BRIGADE_EMPTY(bb) || !APR_BUCKET_IS_HEAP(e)) {
        return 0;
    }
    const apr_bucket_heap *heap = e->data;
    return heap->refcount.refcount == 1 ? heap->alloc_len - (apr_size_t)e->start - e->length : 0;
}

static void add_buffer(apr_bucket_brigade *bb)
{
    char *buffer = apr_bucket_alloc(APR_BUCKET_BUFF_SIZE, bb->bucket_alloc);
    apr_bucket *e =
        apr_bucket_heap_create(buffer, APR_BUCKET_BUFF_SIZE, apr_bucket_free, bb->bucket_alloc);
    e->length = 0;
    APR_BRIGADE_INSERT_TAIL(bb, e);
}

void tmpl_brigade_append(apr_bucket_brigade *bb, const char *data, apr_size_t len)
{
    while (len > 0) {
        apr_size_t room = room_of(bb);
        if (room == 0) {
            add_buffer(bb);
            room = APR_BUCKET_BUFF_SIZE;
        }
        room = room < len ? room : len;
        /* cannot fail: there is room */
        apr_brigade_write(bb, NULL, NULL, data, room);
        data += room;
        len -= room;
    }
}

/* What tmpl_inflate() reads and writes. */
typedef struct {
    apr_bucket_brigade *from, *to;
    apr_bucket *next;
} brigade_coded_t;

static apr_status_t next_bucket(void *ctx, const char **data, apr_size_t *len)
{
    brigade_coded_t *coded = ctx;
    apr_status_t rv = APR_SUCCESS;
    for (*len = 0; rv == APR_SUCCESS && *len == 0;) {
        apr_bucket *e = coded->next;
        if (e == APR_BRIGADE_SENTINEL(coded->from)) {
            return APR_EOF;
        }
        if (!APR_BUCKET_IS_METADATA(e)) {
            rv = apr_bucket_read(e, data, len, APR_BLOCK_READ);
        }
        /* reading may have split the bucket */
        coded->next = APR_BUCKET_NEXT(e);
    }
    return rv;
}

static void add_inflated(void *ctx, const char *bytes, apr_size_t len)
{
    tmpl_brigade_append(((brigade_coded_t *)ctx)->to, bytes, len);
}

/* How many bytes gzip makes of one at most (zlib.net/zlib_tech.html); br and zstd make more. */
#define RATIO_MOST 1032

tmpl_decline_e tmpl_brigade_page(apr_bucket_brigade **page, const tmpl_ctx_t *ctx)
{
    apr_bucket_brigade *held = ctx->held;
    brigade_coded_t coded = { held, NULL, APR_BRIGADE_FIRST(held) };
    tmpl_inflate_t inflate = { next_bucket, add_inflated, &coded };
    char begin[64];
    apr_size_t len = sizeof(begin);
    *page = held;
    if (ctx->codec == NULL || ctx->length == 0) {
        return TMPL_DECLINE_NONE;
    }
    if (apr_brigade_flatten(held, begin, &len) != APR_SUCCESS) {
        return TMPL_DECLINE_INFLATE;
    }
    coded.to = apr_brigade_create(held->p, held->bucket_alloc);
    apr_off_t most = tmpl_conf_max_body(ctx->conf), grown = ctx->length * RATIO_MOST;
    apr_status_t rv = tmpl_inflate(&inflate, ctx->codec, grown < most ? grown : most, held->p);
    if (rv == APR_SUCCESS) {
        *page = coded.to;
        return TMPL_DECLINE_NONE;
    }
    apr_brigade_destroy(coded.to);
    return APR_STATUS_IS_ENOSPC(rv)           ? TMPL_DECLINE_TOO_LARGE
           : tmpl_inflate_is_open(begin, len) ? TMPL_DECLINE_NONE
                                              : TMPL_DECLINE_INFLATE;
}

/*
 * Data that stays is moved from one brigade to the other. A page may have very many cuts, and a
 * bucket takes more memory than most texts between cuts; so shorter data is copied together. Longer
 * data is shared: it has at least the size of a buffer for copies, so buffers take at most twice
 * the size of the page.
 */
#define SHORTEST_SHARED APR_BUCKET_BUFF_SIZE

typedef struct {
    apr_bucket_brigade *from;
    apr_bucket_brigade *to;
    apr_off_t pos; /* the number of bytes of data taken out of from */
} splice_t;

static apr_status_t keep_bucket(const splice_t *s, apr_bucket *e)
{
    const char *data;
    apr_size_t len;
    if (APR_BUCKET_IS_METADATA(e) || e->length >= SHORTEST_SHARED) {
        APR_BUCKET_REMOVE(e);
        APR_BRIGADE_INSERT_TAIL(s->to, e);
        return APR_SUCCESS;
    }
    apr_status_t rv = apr_bucket_read(e, &data, &len, APR_BLOCK_READ);
    if (rv == APR_SUCCESS) {
        tmpl_brigade_append(s->to, data, len);
        apr_bucket_delete(e);
    }
    return rv;
}

/* Advances to byte end; deletes the data up to it if cut is set. */
static apr_status_t edit_until(splice_t *s, apr_off_t end, int cut)
{
    apr_bucket *e, *behind;
    apr_status_t rv = apr_brigade_partition(s->from, end - s->pos, &behind);
    while (rv == APR_SUCCESS && (e = APR_BRIGADE_FIRST(s->from)) != behind) {
        if (cut && !APR_BUCKET_IS_METADATA(e)) {
            apr_bucket_delete(e);
        }
        else {
            rv = keep_bucket(s, e);
        }
    }
    s->pos = end;
    return rv;
}

apr_status_t tmpl_brigade_edit(apr_bucket_brigade *bb, const tmpl_edits_t *edits)
{
    splice_t s = { bb, apr_brigade_create(bb->p, bb->bucket_alloc), 0 };
    apr_status_t rv = APR_SUCCESS;
    for (uint32_t i = 0; rv == APR_SUCCESS && i < edits->n; i++) {
        const char *text = tmpl_edit_text(edits, i);
        rv = edit_until(&s, edits->edits[i].span.start, 0);
        if (rv == APR_SUCCESS) {
            tmpl_brigade_append(s.to, text, strlen(text));
            rv = edit_until(&s, edits->edits[i].span.end, 1);
        }
    }
    /* append the rest, and return all of it in bb */
    APR_BRIGADE_CONCAT(s.to, bb);
    APR_BRIGADE_CONCAT(bb, s.to);
    return rv;
}

void tmpl_brigade_replace(apr_bucket_brigade *bb, apr_bucket_brigade *made)
{
    apr_bucket *next;
    for (apr_bucket *e = APR_BRIGADE_FIRST(bb); e != APR_BRIGADE_SENTINEL(bb); e = next) {
        next = APR_BUCKET_NEXT(e);
        if (!APR_BUCKET_IS_METADATA(e)) {
            apr_bucket_delete(e);
        }
    }
    APR_BRIGADE_PREPEND(bb, made);
}
