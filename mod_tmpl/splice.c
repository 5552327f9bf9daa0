/* SPDX-License-Identifier: Apache-2.0 */
#include "mod_tmpl.h"

/* A place in a brigade: the start of bucket e, which is byte pos of the data. */
typedef struct {
    apr_bucket_brigade *bb;
    apr_bucket *e;
    apr_off_t pos;
} place_t;

/* How much of e lies before byte end of the data; splits e if it goes on behind. */
static apr_status_t take_until(apr_size_t *len, const place_t *place, apr_off_t end)
{
    apr_status_t rv = APR_SUCCESS;

    *len = APR_BUCKET_IS_METADATA(place->e) ? 0 : place->e->length;
    if ((apr_off_t)*len > end - place->pos) {
        *len = (apr_size_t)(end - place->pos);
        rv = apr_bucket_split(place->e, *len);
    }
    return rv;
}

/* Goes on to byte end; deletes the data on the way if cut is set. */
static apr_status_t advance(place_t *place, apr_off_t end, int cut)
{
    apr_bucket *e;
    apr_size_t len;
    apr_status_t rv = APR_SUCCESS;

    while (rv == APR_SUCCESS && place->pos < end && place->e != APR_BRIGADE_SENTINEL(place->bb)) {
        e = place->e;
        rv = take_until(&len, place, end);
        place->e = APR_BUCKET_NEXT(e);
        place->pos += (apr_off_t)len;
        if (rv == APR_SUCCESS && cut && !APR_BUCKET_IS_METADATA(e)) {
            apr_bucket_delete(e);
        }
    }
    return rv;
}

apr_status_t tmpl_splice(apr_bucket_brigade *bb, const tmpl_edits_t *edits)
{
    place_t place = { bb, APR_BRIGADE_FIRST(bb), 0 };
    apr_status_t rv = APR_SUCCESS;
    uint32_t i;

    for (i = 0; rv == APR_SUCCESS && i < edits->n; i++) {
        const char *text = tmpl_edit_text(edits, i);

        rv = advance(&place, edits->edits[i].span.start, 0);
        if (rv == APR_SUCCESS && *text != '\0') {
            apr_bucket *e = apr_bucket_immortal_create(text, strlen(text), bb->bucket_alloc);

            /* before the sentinel is behind all else */
            APR_BUCKET_INSERT_BEFORE(place.e, e);
        }
        if (rv == APR_SUCCESS) {
            rv = advance(&place, edits->edits[i].span.end, 1);
        }
    }
    return rv;
}
