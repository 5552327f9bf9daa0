/* SPDX-License-Identifier: Apache-2.0 */
#include "formats.h"

static int by_address(const tmpl_listed_t *x, const tmpl_listed_t *y)
{
    apr_size_t least = x->address_len < y->address_len ? x->address_len : y->address_len;
    int order = memcmp(x->address, y->address, least);

    return order != 0 ? order
                      : (x->address_len > y->address_len) - (x->address_len < y->address_len);
}

/* ---- the sitemap in XML ---- */

#define XML_BEGIN "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
#define XMLNS     " xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n"

typedef struct {
    const tmpl_list_t *list;
    tmpl_buf_t text;
} sitemap_slice_t;

static apr_status_t add_url(void *baton, const tmpl_listed_t *listed)
{
    sitemap_slice_t *slice = baton;
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
        sitemap_slice_t slice = { .list = list };

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

/* ---- the feed ---- */

/* When a document was new or changed last; 0: not known. */
static apr_uint32_t updated(const tmpl_listed_t *listed)
{
    return listed->changed > listed->first ? listed->changed : listed->first;
}

static int has_change(const tmpl_listed_t *listed)
{
    return updated(listed) > 0;
}

/* The newest first. */
static int by_date(const void *a, const void *b)
{
    const tmpl_listed_t *x = a;
    const tmpl_listed_t *y = b;

    return updated(x) != updated(y) ? (updated(x) < updated(y) ? 1 : -1) : by_address(x, y);
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
        tmpl_list_first(list, TMPL_FEED_MOST, has_change, by_date, &n, err);
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

/* ---- Markdown ---- */

/* Slashes in the path, but for one at its end. */
static unsigned depth_of(const tmpl_listed_t *listed)
{
    unsigned depth = 0;
    apr_size_t i;

    for (i = 0; i + 1 < listed->address_len && listed->address[i] != '?'; i++) {
        depth += listed->address[i] == '/';
    }
    return depth;
}

static int by_depth(const void *a, const void *b)
{
    unsigned x = depth_of(a), y = depth_of(b);

    return x != y ? (x > y) - (x < y) : by_address(a, b);
}

/* The length of the section in an address: "/blog/" of "/blog/2026/x"; "/" of "/about". */
static apr_size_t section_len(const tmpl_listed_t *listed)
{
    apr_size_t path = strcspn(listed->address, "?");
    const char *slash = path > 1 ? memchr(listed->address + 1, '/', path - 1) : NULL;

    return slash != NULL ? (apr_size_t)(slash - listed->address) + 1 : 1;
}

static int is_section_of(const tmpl_listed_t *a, const tmpl_listed_t *b)
{
    return section_len(a) == section_len(b) && memcmp(a->address, b->address, section_len(a)) == 0;
}

/* Sections by their names; "/" is the first one. */
static int by_section(const void *a, const void *b)
{
    const tmpl_listed_t *x = a;
    const tmpl_listed_t *y = b;
    apr_size_t m = section_len(x), n = section_len(y);
    int order = memcmp(x->address, y->address, m < n ? m : n);

    return order != 0 ? order : m != n ? (m > n) - (m < n) : by_address(x, y);
}

/* A text as one line that is no markup, without control characters. */
static const char *plain(const char *text, apr_pool_t *pool)
{
    char *line = apr_pstrdup(pool, text), *at;

    for (at = line; *at != '\0'; at++) {
        *at = (unsigned char)*at < ' ' || *at == 0x7f ? ' ' : *at;
    }
    return tmpl_escape(line, "\\`*_[]<>&#|~!", pool);
}

/* An address that can stand in (). */
static const char *url_of_listed(const tmpl_listed_t *listed, apr_pool_t *pool)
{
    static const char *const codes[] = { "%28", "%29" };
    tmpl_buf_t to;
    const char *at;

    tmpl_buf_init(&to, pool);
    for (at = listed->address; *at != '\0'; at++) {
        if (*at == '(' || *at == ')') {
            tmpl_buf_add_text(&to, codes[*at == ')']);
        }
        else {
            tmpl_buf_add_byte(&to, *at);
        }
    }
    return to.at;
}

static void send_document(const tmpl_list_t *list, const tmpl_listed_t *listed, apr_pool_t *pool)
{
    const char *title = listed->title_len > 0 ? listed->title : listed->address;

    ap_rvputs(list->r, "- [", plain(title, pool), "](", list->origin, url_of_listed(listed, pool),
              ")", NULL);
    if (listed->changed > 0) {
        ap_rprintf(list->r, ": changed %.10s", tmpl_list_time(listed->changed, pool));
    }
    ap_rputs("\n", list->r);
}

apr_status_t tmpl_outline_send(tmpl_list_t *list, int most, tmpl_error_t *err)
{
    request_rec *r = list->r;
    apr_uint32_t n;
    apr_array_header_t *documents = tmpl_list_first(list, most, NULL, by_depth, &n, err);
    const tmpl_listed_t *former = NULL;
    apr_pool_t *pool;
    int i;

    if (documents == NULL) {
        return err->status;
    }
    qsort(documents->elts, (size_t)documents->nelts, sizeof(tmpl_listed_t), by_section);
    apr_pool_create(&pool, r->pool);
    ap_rvputs(r, "# ", plain(list->site, r->pool), "\n", NULL);
    for (i = 0; i < documents->nelts; i++) {
        const tmpl_listed_t *listed = &APR_ARRAY_IDX(documents, i, tmpl_listed_t);

        apr_pool_clear(pool);
        if (former == NULL || !is_section_of(former, listed)) {
            ap_rvputs(r, "\n## ",
                      plain(apr_pstrmemdup(pool, listed->address, section_len(listed)), pool),
                      "\n\n", NULL);
        }
        send_document(list, listed, pool);
        former = listed;
    }
    if (n > (apr_uint32_t)documents->nelts) {
        ap_rprintf(r, "\n%u more documents are in the sitemap in XML.\n",
                   n - (apr_uint32_t)documents->nelts);
    }
    apr_pool_destroy(pool);
    return APR_SUCCESS;
}
