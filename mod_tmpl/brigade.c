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

/* Undoes the input of io, all of it. TMPL_CODEC_BAD if some is left behind the end. */
static tmpl_codec_e inflate_some(apr_bucket_brigade *to, const tmpl_codec_t *codec, void *state,
                                 tmpl_codec_io_t *io, apr_off_t *room)
{
    char out[8192];
    tmpl_codec_e got;
    do {
        io->out = out;
        io->out_len = sizeof(out);
        got = codec->step(state, io);
        tmpl_brigade_append(to, out, sizeof(out) - io->out_len);
        *room -= (apr_off_t)(sizeof(out) - io->out_len);
    } while (*room >= 0 &&
             (got == TMPL_CODEC_MORE ? io->out_len == 0
                                     : got == TMPL_CODEC_END && codec->is_chain && io->in_len > 0));
    return got == TMPL_CODEC_END && io->in_len > 0 ? TMPL_CODEC_BAD : got;
}

/*
 * Undoes data that is exactly one complete member, or several if the codec's is_chain is set.
 * APR_ENOSPC if it becomes more than limit bytes; APR_EGENERAL if the data is anything else.
 */
static apr_status_t inflate_all(apr_bucket_brigade *to, const apr_bucket_brigade *from,
                                const tmpl_codec_t *codec, apr_off_t limit)
{
    apr_pool_t *pool;
    apr_pool_create(&pool, to->p);
    void *state = codec->begin(pool);
    tmpl_codec_e got = TMPL_CODEC_MORE;
    apr_status_t rv = APR_SUCCESS;
    for (apr_bucket *e = APR_BRIGADE_FIRST(from); rv == APR_SUCCESS && got != TMPL_CODEC_BAD &&
                                                  limit >= 0 && e != APR_BRIGADE_SENTINEL(from);
         e = APR_BUCKET_NEXT(e)) {
        tmpl_codec_io_t io = { 0 };
        if (!APR_BUCKET_IS_METADATA(e)) {
            rv = apr_bucket_read(e, &io.in, &io.in_len, APR_BLOCK_READ);
        }
        if (rv == APR_SUCCESS && io.in_len > 0) {
            got = got == TMPL_CODEC_END && !codec->is_chain
                      ? TMPL_CODEC_BAD
                      : inflate_some(to, codec, state, &io, &limit);
        }
    }
    apr_pool_destroy(pool);
    return limit < 0                                    ? APR_ENOSPC
           : got == TMPL_CODEC_END && rv == APR_SUCCESS ? APR_SUCCESS
                                                        : APR_EGENERAL;
}

/* How many bytes gzip makes of one at most (zlib.net/zlib_tech.html); br and zstd make more. */
#define RATIO_MOST 1032

tmpl_decline_e tmpl_brigade_page(apr_bucket_brigade **page, const tmpl_ctx_t *ctx)
{
    apr_bucket_brigade *held = ctx->held;
    char begin[64];
    apr_size_t len = sizeof(begin);
    *page = held;
    if (ctx->codec == NULL || ctx->length == 0) {
        return TMPL_DECLINE_NONE;
    }
    if (apr_brigade_flatten(held, begin, &len) != APR_SUCCESS) {
        return TMPL_DECLINE_INFLATE;
    }
    apr_bucket_brigade *inflated = apr_brigade_create(held->p, held->bucket_alloc);
    apr_off_t most = tmpl_conf_max_body(ctx->conf), grown = ctx->length * RATIO_MOST;
    apr_status_t rv = inflate_all(inflated, held, ctx->codec, grown < most ? grown : most);
    if (rv == APR_SUCCESS) {
        *page = inflated;
        return TMPL_DECLINE_NONE;
    }
    apr_brigade_destroy(inflated);
    return APR_STATUS_IS_ENOSPC(rv)         ? TMPL_DECLINE_TOO_LARGE
           : tmpl_codec_is_open(begin, len) ? TMPL_DECLINE_NONE
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
