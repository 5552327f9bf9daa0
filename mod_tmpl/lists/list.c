/* SPDX-License-Identifier: Apache-2.0 */
#include "list.h"
#include "child_store.h"

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

apr_status_t tmpl_list_read(tmpl_list_t *list, apr_uint32_t first, apr_uint32_t n,
                            tmpl_each_listed_t each, void *baton, tmpl_error_t *err,
                            apr_pool_t *pool)
{
    due_t due = { list, each, baton };
    tmpl_listed_head_t head;
    apr_status_t rv;

    /* only while the store is asked: a client may take minutes */
    apr_atomic_inc32(&tmpl_child_stores_users);
    rv = tmpl_site_list_read(list->store, list->site, first, n, &head, each_due, &due, err, pool);
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
    tmpl_listed_t *copy;

    if (first->keeps != NULL && !first->keeps(listed)) {
        return APR_SUCCESS;
    }
    first->n++;
    if (first->last != NULL && first->order(listed, first->last) > 0) {
        return APR_SUCCESS;
    }
    copy = apr_array_push(first->kept);
    *copy = *listed;
    copy->address = apr_pstrmemdup(pool, listed->address, listed->address_len);
    copy->title = apr_pstrmemdup(pool, listed->title, listed->title_len);
    if (first->kept->nelts == 2 * first->most) {
        first_sort(first);
        first->last = &APR_ARRAY_IDX(first->kept, first->most - 1, tmpl_listed_t);
    }
    return APR_SUCCESS;
}

apr_array_header_t *tmpl_list_first(tmpl_list_t *list, int most,
                                    int (*keeps)(const tmpl_listed_t *listed),
                                    int (*order)(const void *a, const void *b), apr_uint32_t *n,
                                    tmpl_error_t *err)
{
    first_t first = {
        apr_array_make(list->r->pool, 2 * most, sizeof(tmpl_listed_t)), most, keeps, order, NULL, 0
    };
    apr_status_t rv = APR_SUCCESS;
    apr_pool_t *pool;
    apr_uint32_t at;

    apr_pool_create(&pool, list->r->pool);
    for (at = 0; rv == APR_SUCCESS && at < TMPL_LISTED_SHARDS; at += TMPL_LIST_SLICE) {
        apr_pool_clear(pool);
        rv = tmpl_list_read(list, at, TMPL_LIST_SLICE, first_add, &first, err, pool);
    }
    apr_pool_destroy(pool);
    first_sort(&first);
    *n = first.n;
    return rv == APR_SUCCESS ? first.kept : NULL;
}

/* ---- text ---- */

/* The bytes at text, at most left, that are no character of XML: controls, U+FFFE and U+FFFF. */
static apr_size_t not_of_xml(const char *text, apr_size_t left)
{
    static const char noncharacter[] = "\xEF\xBF";

    if ((unsigned char)text[0] < ' ' || text[0] == 0x7f) {
        return 1;
    }
    return left >= 3 && memcmp(text, noncharacter, 2) == 0 && (unsigned char)text[2] >= 0xBE ? 3
                                                                                             : 0;
}

void tmpl_list_xml(tmpl_buf_t *to, const char *text, apr_size_t len)
{
    static const char markup[] = "&<>\"'";
    static const char *const references[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&apos;" };
    apr_size_t i = 0;

    while (i < len) {
        const char *found = memchr(markup, text[i], sizeof(markup) - 1);
        apr_size_t skip = not_of_xml(text + i, len - i);

        if (found != NULL) {
            tmpl_buf_add_text(to, references[found - markup]);
        }
        else if (skip == 0) {
            tmpl_buf_add_byte(to, text[i]);
        }
        i += skip > 0 ? skip : 1;
    }
}

const char *tmpl_list_time(apr_uint32_t seconds, apr_pool_t *pool)
{
    apr_time_exp_t t;

    apr_time_exp_gmt(&t, apr_time_from_sec((apr_time_t)seconds));
    return apr_psprintf(pool, "%04d-%02d-%02dT%02d:%02d:%02dZ", t.tm_year + 1900, t.tm_mon + 1,
                        t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec);
}
