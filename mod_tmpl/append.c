/* SPDX-License-Identifier: Apache-2.0 */
#include "append.h"

/* The free bytes behind the data of the last bucket, if it shares its buffer with no other. */
static apr_size_t room_of(const apr_bucket_brigade *bb)
{
    const apr_bucket *e = APR_BRIGADE_LAST(bb);
    const apr_bucket_heap *heap;

    if (APR_BRIGADE_EMPTY(bb) || !APR_BUCKET_IS_HEAP(e)) {
        return 0;
    }
    heap = e->data;
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

void tmpl_append(apr_bucket_brigade *bb, const char *data, apr_size_t len)
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
