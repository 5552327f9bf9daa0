/* SPDX-License-Identifier: Apache-2.0 */
#include "feed.h"

/* When a document was new or changed last; 0: not known. */
static apr_uint32_t updated(const tmpl_listed_t *listed)
{
    return listed->changed > listed->first ? listed->changed : listed->first;
}

static int is_dated(const tmpl_listed_t *listed)
{
    return updated(listed) > 0;
}

/* The newest first. */
static int by_date(const void *a, const void *b)
{
    const tmpl_listed_t *x = a;
    const tmpl_listed_t *y = b;
    apr_size_t least = x->address_len < y->address_len ? x->address_len : y->address_len;
    int order = memcmp(x->address, y->address, least);

    return updated(x) != updated(y) ? (updated(x) < updated(y) ? 1 : -1)
           : order != 0             ? order
                        : (x->address_len > y->address_len) - (x->address_len < y->address_len);
}

/* Adds an element with a text. */
static void feed_add_element(tmpl_buf_t *to, const char *name, const char *text)
{
    tmpl_buf_add_text(to, "<");
    tmpl_buf_add_text(to, name);
    tmpl_buf_add_text(to, ">");
    tmpl_list_xml(to, text, strlen(text));
    tmpl_buf_add_text(to, "</");
    tmpl_buf_add_text(to, name);
    tmpl_buf_add_text(to, ">\n");
}

static void feed_add_link(tmpl_buf_t *to, const char *rel, const char *url)
{
    tmpl_buf_add_text(to, "<link rel=\"");
    tmpl_buf_add_text(to, rel);
    tmpl_buf_add_text(to, "\" href=\"");
    tmpl_list_xml(to, url, strlen(url));
    tmpl_buf_add_text(to, "\"/>\n");
}

static void feed_add_entry(tmpl_buf_t *to, const tmpl_list_t *list, const tmpl_listed_t *listed)
{
    apr_pool_t *pool = list->r->pool;
    const char *url = apr_pstrcat(pool, list->origin, listed->address, NULL);
    int is_new = listed->changed == 0;

    tmpl_buf_add_text(to, "<entry>\n");
    feed_add_element(to, "id", url);
    feed_add_element(to, "title", listed->title_len > 0 ? listed->title : listed->address);
    feed_add_link(to, "alternate", url);
    if (listed->first > 0) {
        feed_add_element(to, "published", tmpl_list_time(listed->first, pool));
    }
    feed_add_element(to, "updated", tmpl_list_time(updated(listed), pool));
    tmpl_buf_add_text(to, is_new ? "<category term=\"new\"/>\n" : "<category term=\"changed\"/>\n");
    tmpl_buf_add_text(to, "</entry>\n");
}

apr_status_t tmpl_feed_send(tmpl_list_t *list, tmpl_error_t *err)
{
    request_rec *r = list->r;
    apr_uint32_t n, date;
    const apr_array_header_t *newest =
        tmpl_list_first(list, TMPL_FEED_MOST, is_dated, by_date, &n, err);
    tmpl_buf_t feed;
    int i;

    if (newest == NULL) {
        return err->status;
    }
    date = newest->nelts > 0 ? updated(&APR_ARRAY_IDX(newest, 0, tmpl_listed_t)) : list->head.since;
    tmpl_buf_init(&feed, r->pool);
    tmpl_buf_add_text(&feed, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                             "<feed xmlns=\"http://www.w3.org/2005/Atom\">\n");
    feed_add_element(&feed, "id", apr_pstrcat(r->pool, list->origin, r->uri, NULL));
    feed_add_element(&feed, "title", list->site);
    feed_add_element(&feed, "updated", tmpl_list_time(date, r->pool));
    feed_add_link(&feed, "self", apr_pstrcat(r->pool, list->origin, r->uri, NULL));
    feed_add_link(&feed, "alternate", apr_pstrcat(r->pool, list->origin, "/", NULL));
    tmpl_buf_add_text(&feed, "<author>");
    feed_add_element(&feed, "name", list->site);
    tmpl_buf_add_text(&feed, "</author>\n");
    for (i = 0; i < newest->nelts; i++) {
        feed_add_entry(&feed, list, &APR_ARRAY_IDX(newest, i, tmpl_listed_t));
    }
    tmpl_buf_add_text(&feed, "</feed>\n");
    ap_rwrite(feed.at, (int)feed.len, r);
    return APR_SUCCESS;
}
