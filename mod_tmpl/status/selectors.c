/* SPDX-License-Identifier: Apache-2.0 */
#include <apr_atomic.h>
#include <apr_hash.h>

#include "selectors.h"
#include "shm.h"

typedef struct {
    const char *directive;
    const char *text;
    int index;
} row_t;

/* Made with the configuration; only read afterwards. */
static apr_array_header_t *rows; /* of const row_t *, each directive and text once */
static apr_hash_t *by_name;      /* directive and text -> row_t */
static apr_hash_t *by_selector;  /* const tmpl_selector_t * -> row_t */
static volatile apr_uint64_t *counts;

void tmpl_selectors_reset(apr_pool_t *pconf)
{
    rows = apr_array_make(pconf, 8, sizeof(const row_t *));
    by_name = apr_hash_make(pconf);
    by_selector = apr_hash_make(pconf);
    counts = NULL;
}

static const row_t *row_of(const char *directive, const char *text)
{
    apr_pool_t *pool = rows->pool;
    const char *name = apr_pstrcat(pool, directive, " ", text, NULL);
    row_t *row = apr_hash_get(by_name, name, APR_HASH_KEY_STRING);

    if (row == NULL) {
        row = apr_palloc(pool, sizeof(*row));
        *row = (row_t){ directive, text, rows->nelts };
        APR_ARRAY_PUSH(rows, const row_t *) = row;
        apr_hash_set(by_name, name, APR_HASH_KEY_STRING, row);
    }
    return row;
}

void tmpl_selectors_add(const char *directive, const apr_array_header_t *list, int first)
{
    int i;

    for (i = first; i < list->nelts; i++) {
        const tmpl_selector_t **selector = &APR_ARRAY_IDX(list, i, const tmpl_selector_t *);

        apr_hash_set(by_selector, apr_pmemdup(rows->pool, selector, sizeof(*selector)),
                     sizeof(*selector), row_of(directive, tmpl_selector_text(*selector)));
    }
}

static const row_t *row_at(const apr_array_header_t *list, int i)
{
    return apr_hash_get(by_selector, &APR_ARRAY_IDX(list, i, const tmpl_selector_t *),
                        sizeof(const tmpl_selector_t *));
}

/* The name of the shared memory has all texts, so that another list gets other memory. */
void tmpl_selectors_create(server_rec *s)
{
    const char *name = "selectors";
    int i;

    for (i = 0; i < rows->nelts; i++) {
        const row_t *row = APR_ARRAY_IDX(rows, i, const row_t *);

        name = apr_pstrcat(rows->pool, name, "\n", row->directive, " ", row->text, NULL);
    }
    counts = rows->nelts > 0 ? tmpl_shm(s, name, (apr_size_t)rows->nelts * sizeof(*counts)) : NULL;
}

static void count(const apr_array_header_t *list, const unsigned char *matched)
{
    const row_t *row;
    int i;
    int k;

    for (i = 0; list != NULL && i < list->nelts; i++) {
        row = matched[i] ? row_at(list, i) : NULL;
        /* an inner section may name a selector once more */
        for (k = 0; row != NULL && k < i && !(matched[k] && row_at(list, k) == row);) {
            k++;
        }
        if (row != NULL && k == i) {
            apr_atomic_inc64(&counts[row->index]);
        }
    }
}

void tmpl_selectors_count(const tmpl_conf_t *conf, const unsigned char *matched)
{
    if (counts != NULL && matched != NULL) {
        count(conf->keep, matched);
        count(conf->drop, matched + (conf->keep != NULL ? conf->keep->nelts : 0));
    }
}

json_t *tmpl_selectors(apr_pool_t *pool)
{
    json_t *list = json_array();
    int i;

    for (i = 0; counts != NULL && i < rows->nelts; i++) {
        const row_t *row = APR_ARRAY_IDX(rows, i, const row_t *);

        json_array_append_new(list, json_pack("{s:s, s:o, s:I}", "directive", row->directive,
                                              "selector", tmpl_json_text(row->text, pool), "pages",
                                              (json_int_t)apr_atomic_read64(&counts[i])));
    }
    return list;
}
