/* SPDX-License-Identifier: Apache-2.0 */
#include <apr_atomic.h>

#include "selectors.h"
#include "counters.h"

/* Made with the configuration; only read afterwards. */
static apr_array_header_t *rows; /* of const char *: "TmplKeep nav", each once */
static volatile apr_uint64_t *counts;

void tmpl_selectors_reset(apr_pool_t *pconf)
{
    rows = apr_array_make(pconf, 8, sizeof(const char *));
    counts = NULL;
}

/* The row of a selector. */
static const char *row_of(const char *directive, const apr_array_header_t *list, int i,
                          apr_pool_t *pool)
{
    const tmpl_selector_t *selector = APR_ARRAY_IDX(list, i, const tmpl_selector_t *);

    return apr_pstrcat(pool, directive, " ", tmpl_selector_text(selector), NULL);
}

void tmpl_selectors_add(const char *directive, const apr_array_header_t *list, int first)
{
    for (int i = first; i < list->nelts; i++) {
        const char *row = row_of(directive, list, i, rows->pool);

        if (!ap_array_str_contains(rows, row)) {
            APR_ARRAY_PUSH(rows, const char *) = row;
        }
    }
}

/* The name of the shared memory has all rows, so that another list gets other memory. */
void tmpl_selectors_create(server_rec *s)
{
    const char *name =
        apr_pstrcat(rows->pool, "selectors\n", apr_array_pstrcat(rows->pool, rows, '\n'), NULL);

    counts = rows->nelts > 0 ? tmpl_shm(s, name, (apr_size_t)rows->nelts * sizeof(*counts)) : NULL;
}

/* Notes in counted the selectors of list that matched. */
static void note_matched(char *counted, const char *directive, const apr_array_header_t *list,
                         const unsigned char *matched, apr_pool_t *pool)
{
    for (int i = 0; list != NULL && i < list->nelts; i++) {
        int row = matched[i] ? ap_array_str_index(rows, row_of(directive, list, i, pool), 0) : -1;

        if (row >= 0) {
            counted[row] = 1;
        }
    }
}

void tmpl_selectors_count(const tmpl_conf_t *conf, const unsigned char *matched, apr_pool_t *pool)
{
    if (counts == NULL || matched == NULL) {
        return;
    }
    /* once a page, though merged sections may have the same selector */
    char *counted = apr_pcalloc(pool, (apr_size_t)rows->nelts);
    note_matched(counted, "TmplKeep", conf->keep, matched, pool);
    note_matched(counted, "TmplDrop", conf->drop,
                 matched + (conf->keep != NULL ? conf->keep->nelts : 0), pool);
    for (int i = 0; i < rows->nelts; i++) {
        apr_atomic_add64(&counts[i], (apr_uint64_t)counted[i]);
    }
}

json_t *tmpl_selectors(apr_pool_t *pool)
{
    json_t *list = json_array();

    for (int i = 0; counts != NULL && i < rows->nelts; i++) {
        const char *selector = APR_ARRAY_IDX(rows, i, const char *);
        const char *directive = ap_getword_white(pool, &selector);

        json_array_append_new(list, json_pack("{s:s, s:o, s:I}", "directive", directive, "selector",
                                              tmpl_json_text(selector, pool), "pages",
                                              (json_int_t)apr_atomic_read64(&counts[i])));
    }
    return list;
}
