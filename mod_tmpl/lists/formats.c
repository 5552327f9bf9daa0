/* SPDX-License-Identifier: Apache-2.0 */
#include "formats.h"
#include "child_store.h"

#include <apr_escape.h>

#include "base/buf.h"
#include "metadata/titles.h"

/* ---- the documents of a list ---- */

/* Shards that are read at once: some 2,000 documents of the largest list. */
#define SLICE 16

typedef struct {
    const tmpl_list_t *list;
    tmpl_each_listed_t each;
    void *baton;
} due_t;

static apr_status_t each_due(void *baton, const tmpl_listed_t *listed)
{
    const due_t *due = baton;
    return tmpl_listed_is_due(listed, due->list->now) ? due->each(due->baton, listed) : APR_SUCCESS;
}

/*
 * Calls each with the documents of n shards from shard first on that are still to be listed. They
 * live as long as the call, in which the caller must not wait for the client: the store is being
 * read.
 */
static apr_status_t list_read_due(tmpl_list_t *list, apr_uint32_t first, apr_uint32_t n,
                                  tmpl_each_listed_t each, void *baton, tmpl_error_t *err,
                                  apr_pool_t *pool)
{
    due_t due = { list, each, baton };
    tmpl_listed_head_t head;
    /* only while the store is asked: a client may take minutes */
    apr_atomic_inc32(&tmpl_child_stores_users);
    apr_status_t rv =
        tmpl_site_list_read(list->store, list->site, first, n, &head, each_due, &due, err, pool);
    apr_atomic_dec32(&tmpl_child_stores_users);
    return rv == APR_NOTFOUND ? APR_SUCCESS : rv; /* the site has been forgotten just now */
}

/* ---- the first documents ---- */

typedef struct {
    apr_array_header_t *kept;
    int most;
    int (*keeps)(const tmpl_listed_t *listed);
    int (*order)(const void *a, const void *b);
    const tmpl_listed_t *last; /* of the first ones so far; NULL: there are not enough yet */
    apr_uint32_t n;
} first_t;

static void first_sort(first_t *first)
{
    qsort(first->kept->elts, (size_t)first->kept->nelts, sizeof(tmpl_listed_t), first->order);
    if (first->kept->nelts > first->most) {
        first->kept->nelts = first->most;
    }
}

static apr_status_t first_add(void *baton, const tmpl_listed_t *listed)
{
    first_t *first = baton;
    apr_pool_t *pool = first->kept->pool;
    if (first->keeps != NULL && !first->keeps(listed)) {
        return APR_SUCCESS;
    }
    first->n++;
    if (first->last != NULL && first->order(listed, first->last) > 0) {
        return APR_SUCCESS;
    }
    tmpl_listed_t *copy = apr_array_push(first->kept);
    *copy = *listed;
    copy->address = apr_pstrmemdup(pool, listed->address, listed->address_len);
    copy->title = apr_pstrmemdup(pool, listed->title, listed->title_len);
    if (first->kept->nelts == 2 * first->most) {
        first_sort(first);
        first->last = &APR_ARRAY_IDX(first->kept, first->most - 1, tmpl_listed_t);
    }
    return APR_SUCCESS;
}

/*
 * Where a title ends in front of a sign, as tmpl_site_guess() takes them, and a site's name; 0: it
 * does not end in the name, or a word is in front of that.
 */
static apr_size_t end_before_site(const tmpl_listed_t *listed, const char *name)
{
    enum { SIGN_MOST = 3 };
    apr_size_t len = strlen(name), at = listed->title_len;
    if (at < len + sizeof("a - ") - 1 || strcmp(listed->title + at - len, name) != 0 ||
        listed->title[at -= len + 1] != ' ') {
        return 0;
    }
    apr_size_t behind = at;
    while (at > 0 && listed->title[at - 1] != ' ') {
        at--;
    }
    int is_sign =
        at < behind && behind - at <= SIGN_MOST && strchr("|-\xE2", listed->title[at]) != NULL;
    return at > 0 && is_sign ? at - 1 : 0;
}

/* Takes the site's name off titles, if most of them end in it. */
static void drop_site_name(const apr_array_header_t *documents)
{
    enum { LEAST = 3 };
    tmpl_listed_t *listed = (tmpl_listed_t *)documents->elts;
    const char *name = NULL;
    tmpl_site_names_t site;
    int lead = 0, named = 0; /* of the name that is most frequent, if one is at the end of most */
    tmpl_site_init(&site, "", NULL, NULL, documents->pool);
    for (int i = 0; i < documents->nelts; i++) {
        const char *ends = "";
        (void)tmpl_site_guess(&site, listed[i].title, &ends);
        name = lead == 0 ? ends : name;
        lead += strcmp(name, ends) == 0 ? 1 : -1;
    }
    for (int i = 0; i < documents->nelts && *name != '\0'; i++) {
        named += end_before_site(&listed[i], name) > 0;
    }
    for (int i = 0; i < documents->nelts && named >= LEAST && 2 * named > documents->nelts; i++) {
        apr_size_t end = end_before_site(&listed[i], name);
        if (end > 0) {
            listed[i].title = apr_pstrmemdup(documents->pool, listed[i].title, end);
            listed[i].title_len = (uint32_t)end;
        }
    }
}

/*
 * Of all documents keeps the `most` that come first by order, as qsort_r() takes it, and sorts
 * them. Returns an array of tmpl_listed_t, whose strings end in a NUL, without the site's name in
 * titles. *n is the number of
 * documents. keeps tells which documents count; NULL: all.
 */
static apr_array_header_t *list_first(tmpl_list_t *list, int most,
                                      int (*keeps)(const tmpl_listed_t *listed),
                                      int (*order)(const void *a, const void *b), apr_uint32_t *n,
                                      tmpl_error_t *err)
{
    first_t first = {
        apr_array_make(list->r->pool, 2 * most, sizeof(tmpl_listed_t)), most, keeps, order, NULL, 0
    };
    apr_status_t rv = APR_SUCCESS;
    apr_pool_t *pool;
    apr_pool_create(&pool, list->r->pool);
    for (apr_uint32_t at = 0; rv == APR_SUCCESS && at < TMPL_LISTED_SHARDS; at += SLICE) {
        apr_pool_clear(pool);
        rv = list_read_due(list, at, SLICE, first_add, &first, err, pool);
    }
    apr_pool_destroy(pool);
    first_sort(&first);
    drop_site_name(first.kept);
    *n = first.n;
    return rv == APR_SUCCESS ? first.kept : NULL;
}

/* ---- text ---- */

/* Text for an XML document, without what XML does not allow: controls, U+FFFE and U+FFFF. */
static const char *xml(const char *text, apr_pool_t *pool)
{
    char *allowed = apr_palloc(pool, strlen(text) + 1), *end = allowed;
    for (; *text != '\0'; text++) {
        if (text[0] == '\xEF' && text[1] == '\xBF' && (unsigned char)text[2] >= 0xBE) {
            text += 2;
        }
        else if ((unsigned char)*text >= ' ' && *text != 0x7f) {
            *end++ = *text;
        }
    }
    *end = '\0';
    return apr_pescape_entity(pool, allowed, 0);
}

/* A time in seconds since 1970, from pool: "2026-11-26T18:09:42Z". */
static const char *time_of(apr_uint32_t seconds, apr_pool_t *pool)
{
    return ap_ht_time(pool, apr_time_from_sec((apr_time_t)seconds), "%Y-%m-%dT%H:%M:%SZ", 1);
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
    apr_pool_t *pool = slice->text.pool;
    const char *address = apr_pstrmemdup(pool, listed->address, listed->address_len);
    const char *changed =
        listed->changed > 0
            ? apr_pstrcat(pool, "<lastmod>", time_of(listed->changed, pool), "</lastmod>", NULL)
            : "";
    tmpl_buf_add_text(&slice->text,
                      apr_pstrcat(pool, "<url><loc>", xml(slice->list->origin, pool),
                                  xml(address, pool), "</loc>", changed, "</url>\n", NULL));
    return APR_SUCCESS;
}

static void send_index(const tmpl_list_t *list)
{
    request_rec *r = list->r;
    const char *own = xml(apr_pstrcat(r->pool, list->origin, r->uri, NULL), r->pool);
    ap_rputs(XML_BEGIN "<sitemapindex" XMLNS, r);
    for (int part = 1; part <= TMPL_SITEMAP_PARTS; part++) {
        ap_rprintf(r, "<sitemap><loc>%s?part=%d</loc></sitemap>\n", own, part);
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
    for (; rv == APR_SUCCESS && at < end && !list->r->connection->aborted; at += SLICE) {
        sitemap_slice_t slice = { .list = list };
        apr_pool_clear(pool);
        tmpl_buf_init(&slice.text, pool);
        rv = list_read_due(list, at, SLICE, add_url, &slice, err, pool);
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
    return updated(x) != updated(y) ? (updated(x) < updated(y) ? 1 : -1)
                                    : tmpl_listed_by_address(x, y);
}

static void send_entry(const tmpl_list_t *list, const tmpl_listed_t *listed)
{
    request_rec *r = list->r;
    const char *url = xml(apr_pstrcat(r->pool, list->origin, listed->address, NULL), r->pool);
    const char *title = listed->title_len > 0 ? listed->title : listed->address;
    ap_rprintf(r,
               "<entry>\n<id>%s</id>\n<title>%s</title>\n<link rel=\"alternate\" href=\"%s\"/>\n",
               url, xml(title, r->pool), url);
    if (listed->first > 0) {
        ap_rprintf(r, "<published>%s</published>\n", time_of(listed->first, r->pool));
    }
    ap_rprintf(r, "<updated>%s</updated>\n<category term=\"%s\"/>\n</entry>\n",
               time_of(updated(listed), r->pool), listed->changed == 0 ? "new" : "changed");
}

apr_status_t tmpl_feed_send(tmpl_list_t *list, tmpl_error_t *err)
{
    request_rec *r = list->r;
    apr_uint32_t n;
    const apr_array_header_t *newest =
        list_first(list, TMPL_FEED_MOST, has_change, by_date, &n, err);
    if (newest == NULL) {
        return err->status;
    }
    apr_uint32_t date =
        newest->nelts > 0 ? updated(&APR_ARRAY_IDX(newest, 0, tmpl_listed_t)) : list->head.since;
    const char *origin = xml(list->origin, r->pool), *site = xml(list->site, r->pool);
    const char *own = apr_pstrcat(r->pool, origin, xml(r->uri, r->pool), NULL);
    ap_rprintf(r,
               XML_BEGIN
               "<feed xmlns=\"http://www.w3.org/2005/Atom\">\n"
               "<id>%s</id>\n<title>%s</title>\n<updated>%s</updated>\n"
               "<link rel=\"self\" href=\"%s\"/>\n<link rel=\"alternate\" href=\"%s/\"/>\n"
               "<author><name>%s</name>\n</author>\n",
               own, site, time_of(date, r->pool), own, origin, site);
    for (int i = 0; i < newest->nelts; i++) {
        send_entry(list, &APR_ARRAY_IDX(newest, i, tmpl_listed_t));
    }
    ap_rputs("</feed>\n", r);
    return APR_SUCCESS;
}

/* ---- Markdown ---- */

/* Slashes in the path, but for one at its end. */
static unsigned depth_of(const tmpl_listed_t *listed)
{
    unsigned depth = 0;
    for (apr_size_t i = 0; i + 1 < listed->address_len && listed->address[i] != '?'; i++) {
        depth += listed->address[i] == '/';
    }
    return depth;
}

static int by_depth(const void *a, const void *b)
{
    unsigned x = depth_of(a), y = depth_of(b);
    return x != y ? (x > y) - (x < y) : tmpl_listed_by_address(a, b);
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
    return order != 0 ? order : m != n ? (m > n) - (m < n) : tmpl_listed_by_address(x, y);
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
    tmpl_buf_t to;
    tmpl_buf_init(&to, pool);
    for (const char *at = listed->address; *at != '\0'; at++) {
        if (*at == '(' || *at == ')') {
            tmpl_buf_add_text(&to, *at == '(' ? "%28" : "%29");
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
        ap_rprintf(list->r, ": changed %.10s", time_of(listed->changed, pool));
    }
    ap_rputs("\n", list->r);
}

apr_status_t tmpl_outline_send(tmpl_list_t *list, int most, tmpl_error_t *err)
{
    request_rec *r = list->r;
    apr_uint32_t n;
    apr_array_header_t *documents = list_first(list, most, NULL, by_depth, &n, err);
    const tmpl_listed_t *former = NULL;
    apr_pool_t *pool;
    if (documents == NULL) {
        return err->status;
    }
    qsort(documents->elts, (size_t)documents->nelts, sizeof(tmpl_listed_t), by_section);
    apr_pool_create(&pool, r->pool);
    ap_rvputs(r, "# ", plain(list->site, r->pool), "\n", NULL);
    for (int i = 0; i < documents->nelts; i++) {
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
