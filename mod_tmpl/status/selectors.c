/* SPDX-License-Identifier: Apache-2.0 */
#include <apr_atomic.h>

#include "selectors.h"
#include "shm.h"

typedef struct {
    const char *directive;
    const char *text;
} selectors_row_t;

/* Made with the configuration; only read afterwards. */
static apr_array_header_t *rows; /* of row_t, each directive and text once */
static volatile apr_uint64_t *counts;

void tmpl_selectors_reset(apr_pool_t *pconf)
{
    rows = apr_array_make(pconf, 8, sizeof(selectors_row_t));
    counts = NULL;
}

static int has_row(const char *directive, const char *text)
{
    int i = 0;

    while (i < rows->nelts &&
           (strcmp(APR_ARRAY_IDX(rows, i, selectors_row_t).directive, directive) != 0 ||
            strcmp(APR_ARRAY_IDX(rows, i, selectors_row_t).text, text) != 0)) {
        i++;
    }
    return i < rows->nelts;
}

void tmpl_selectors_add(const char *directive, const apr_array_header_t *list, int first)
{
    for (int i = first; i < list->nelts; i++) {
        const char *text = tmpl_selector_text(APR_ARRAY_IDX(list, i, const tmpl_selector_t *));

        if (!has_row(directive, text)) {
            APR_ARRAY_PUSH(rows, selectors_row_t) = (selectors_row_t){ directive, text };
        }
    }
}

/* The name of the shared memory has all texts, so that another list gets other memory. */
void tmpl_selectors_create(server_rec *s)
{
    const char *name = "selectors";

    for (int i = 0; i < rows->nelts; i++) {
        const selectors_row_t *row = &APR_ARRAY_IDX(rows, i, selectors_row_t);

        name = apr_pstrcat(rows->pool, name, "\n", row->directive, " ", row->text, NULL);
    }
    counts = rows->nelts > 0 ? tmpl_shm(s, name, (apr_size_t)rows->nelts * sizeof(*counts)) : NULL;
}

/* Whether one of the selectors of list that matched has that text. */
static int has_matched(const char *text, const apr_array_header_t *list,
                       const unsigned char *matched)
{
    int i, n = list != NULL ? list->nelts : 0;

    for (i = 0;
         i < n &&
         !(matched[i] && strcmp(tmpl_selector_text(APR_ARRAY_IDX(list, i, const tmpl_selector_t *)),
                                text) == 0);) {
        i++;
    }
    return i < n;
}

void tmpl_selectors_count(const tmpl_conf_t *conf, const unsigned char *matched)
{
    int i, n_keep = conf->keep != NULL ? conf->keep->nelts : 0;

    for (i = 0; counts != NULL && matched != NULL && i < rows->nelts; i++) {
        const selectors_row_t *row = &APR_ARRAY_IDX(rows, i, selectors_row_t);
        int is_keep = ap_cstr_casecmp(row->directive, "TmplKeep") == 0;

        if (is_keep ? has_matched(row->text, conf->keep, matched)
                    : has_matched(row->text, conf->drop, matched + n_keep)) {
            apr_atomic_inc64(&counts[i]);
        }
    }
}

json_t *tmpl_selectors(apr_pool_t *pool)
{
    json_t *list = json_array();

    for (int i = 0; counts != NULL && i < rows->nelts; i++) {
        const selectors_row_t *row = &APR_ARRAY_IDX(rows, i, selectors_row_t);

        json_array_append_new(list, json_pack("{s:s, s:o, s:I}", "directive", row->directive,
                                              "selector", tmpl_json_text(row->text, pool), "pages",
                                              (json_int_t)apr_atomic_read64(&counts[i])));
    }
    return list;
}
