/* SPDX-License-Identifier: Apache-2.0 */
#include "outline.h"

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

static int by_address(const tmpl_listed_t *x, const tmpl_listed_t *y)
{
    apr_size_t least = x->address_len < y->address_len ? x->address_len : y->address_len;
    int order = memcmp(x->address, y->address, least);

    return order != 0 ? order
                      : (x->address_len > y->address_len) - (x->address_len < y->address_len);
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
