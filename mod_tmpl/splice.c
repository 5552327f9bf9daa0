/* SPDX-License-Identifier: Apache-2.0 */
#include "splice.h"
#include "append.h"

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

/* Sets *len to the bytes of e before byte end of the data; splits e if e continues behind end. */
static apr_status_t take_until(apr_size_t *len, const splice_t *s, apr_bucket *e, apr_off_t end)
{
    apr_status_t rv = APR_SUCCESS;

    *len = APR_BUCKET_IS_METADATA(e) ? 0 : e->length;
    if ((apr_off_t)*len > end - s->pos) {
        *len = (apr_size_t)(end - s->pos);
        rv = apr_bucket_split(e, *len);
    }
    return rv;
}

static apr_status_t keep(const splice_t *s, apr_bucket *e)
{
    const char *data;
    apr_size_t len;
    apr_status_t rv;

    if (APR_BUCKET_IS_METADATA(e) || e->length >= SHORTEST_SHARED) {
        APR_BUCKET_REMOVE(e);
        APR_BRIGADE_INSERT_TAIL(s->to, e);
        return APR_SUCCESS;
    }
    rv = apr_bucket_read(e, &data, &len, APR_BLOCK_READ);
    if (rv == APR_SUCCESS) {
        tmpl_append(s->to, data, len);
        apr_bucket_delete(e);
    }
    return rv;
}

/* Advances to byte end; deletes the data up to it if cut is set. */
static apr_status_t advance(splice_t *s, apr_off_t end, int cut)
{
    apr_status_t rv = APR_SUCCESS;

    while (rv == APR_SUCCESS && s->pos < end && !APR_BRIGADE_EMPTY(s->from)) {
        apr_bucket *e = APR_BRIGADE_FIRST(s->from);
        apr_size_t len;

        rv = take_until(&len, s, e, end);
        if (rv != APR_SUCCESS) {
            break;
        }
        s->pos += (apr_off_t)len;
        if (cut && !APR_BUCKET_IS_METADATA(e)) {
            apr_bucket_delete(e);
        }
        else {
            rv = keep(s, e);
        }
    }
    return rv;
}

apr_status_t tmpl_splice(apr_bucket_brigade *bb, const tmpl_edits_t *edits)
{
    splice_t s = { bb, apr_brigade_create(bb->p, bb->bucket_alloc), 0 };
    apr_status_t rv = APR_SUCCESS;
    uint32_t i;

    for (i = 0; rv == APR_SUCCESS && i < edits->n; i++) {
        const char *text = tmpl_edit_text(edits, i);

        rv = advance(&s, edits->edits[i].span.start, 0);
        if (rv == APR_SUCCESS) {
            tmpl_append(s.to, text, strlen(text));
            rv = advance(&s, edits->edits[i].span.end, 1);
        }
    }
    /* append the rest, and return all of it in bb */
    APR_BRIGADE_CONCAT(s.to, bb);
    APR_BRIGADE_CONCAT(bb, s.to);
    return rv;
}

void tmpl_splice_body(apr_bucket_brigade *bb, const char *body, apr_size_t len)
{
    apr_bucket_brigade *made = apr_brigade_create(bb->p, bb->bucket_alloc);
    apr_bucket *e;
    apr_bucket *next;

    for (e = APR_BRIGADE_FIRST(bb); e != APR_BRIGADE_SENTINEL(bb); e = next) {
        next = APR_BUCKET_NEXT(e);
        if (!APR_BUCKET_IS_METADATA(e)) {
            apr_bucket_delete(e);
        }
    }
    tmpl_append(made, body, len);
    APR_BRIGADE_PREPEND(bb, made);
}
