/* SPDX-License-Identifier: Apache-2.0 */
#include "sitemap.h"

#define XML_BEGIN "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
#define XMLNS     " xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n"

typedef struct {
    const tmpl_list_t *list;
    tmpl_buf_t text;
} slice_t;

static apr_status_t add_url(void *baton, const tmpl_listed_t *listed)
{
    slice_t *slice = baton;
    tmpl_buf_t *text = &slice->text;

    tmpl_buf_add_text(text, "<url><loc>");
    tmpl_list_xml(text, slice->list->origin, strlen(slice->list->origin));
    tmpl_list_xml(text, listed->address, listed->address_len);
    tmpl_buf_add_text(text, "</loc>");
    if (listed->changed > 0) {
        tmpl_buf_add_text(text, "<lastmod>");
        tmpl_buf_add_text(text, tmpl_list_time(listed->changed, text->pool));
        tmpl_buf_add_text(text, "</lastmod>");
    }
    tmpl_buf_add_text(text, "</url>\n");
    return APR_SUCCESS;
}

static void send_index(const tmpl_list_t *list)
{
    request_rec *r = list->r;
    tmpl_buf_t own;
    int part;

    tmpl_buf_init(&own, r->pool);
    tmpl_list_xml(&own, list->origin, strlen(list->origin));
    tmpl_list_xml(&own, r->uri, strlen(r->uri));
    ap_rputs(XML_BEGIN "<sitemapindex" XMLNS, r);
    for (part = 1; part <= TMPL_SITEMAP_PARTS; part++) {
        ap_rprintf(r, "<sitemap><loc>%s?part=%d</loc></sitemap>\n", own.at, part);
    }
    ap_rputs("</sitemapindex>\n", r);
}

apr_status_t tmpl_sitemap_send(tmpl_list_t *list, int part, tmpl_error_t *err)
{
    const apr_uint32_t each = TMPL_LISTED_SHARDS / TMPL_SITEMAP_PARTS;
    apr_uint32_t at = part > 0 ? (apr_uint32_t)(part - 1) * each : 0;
    apr_uint32_t end = part > 0 ? at + each : TMPL_LISTED_SHARDS;
    apr_status_t rv = APR_SUCCESS;
    apr_pool_t *pool;

    if (part == 0 && list->head.n > TMPL_SITEMAP_MOST) {
        send_index(list);
        return APR_SUCCESS;
    }
    apr_pool_create(&pool, list->r->pool);
    ap_rputs(XML_BEGIN "<urlset" XMLNS, list->r);
    for (; rv == APR_SUCCESS && at < end && !list->r->connection->aborted; at += TMPL_LIST_SLICE) {
        slice_t slice = { .list = list };

        apr_pool_clear(pool);
        tmpl_buf_init(&slice.text, pool);
        rv = tmpl_list_read(list, at, TMPL_LIST_SLICE, add_url, &slice, err, pool);
        ap_rwrite(slice.text.at, (int)slice.text.len, list->r);
    }
    if (rv == APR_SUCCESS) {
        ap_rputs("</urlset>\n", list->r);
    }
    apr_pool_destroy(pool);
    return rv;
}
