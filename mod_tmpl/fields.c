/* SPDX-License-Identifier: Apache-2.0 */
#include "fields.h"

const char *tmpl_field(request_rec *r, const char *name)
{
    const char *out = apr_table_getm(r->pool, r->headers_out, name);
    const char *err = apr_table_getm(r->pool, r->err_headers_out, name);
    if (out == NULL || err == NULL) {
        return out != NULL ? out : err;
    }
    return apr_pstrcat(r->pool, out, ",", err, NULL);
}

void tmpl_field_unset(request_rec *r, const char *name)
{
    apr_table_unset(r->headers_out, name);
    apr_table_unset(r->err_headers_out, name);
}

void tmpl_fields_unset(request_rec *r, const char *const *names)
{
    for (; *names != NULL; names++) {
        tmpl_field_unset(r, *names);
    }
}

void tmpl_field_list_add(apr_array_header_t *items, const char *item)
{
    APR_ARRAY_PUSH(items, const char *) =
        items->nelts == 0 ? item : apr_pstrcat(items->pool, " ", item, NULL);
}

apr_table_t *tmpl_fields_copy(const apr_table_t *from, const char *const *names, apr_pool_t *pool)
{
    apr_table_t *copy = apr_table_make(pool, 4);
    for (; *names != NULL; names++) {
        const char *value = apr_table_getm(pool, from, *names);
        if (value != NULL) {
            apr_table_setn(copy, *names, value);
        }
    }
    return copy;
}

void tmpl_fields_restore(apr_table_t *to, const char *const *names, const apr_table_t *copy)
{
    for (; *names != NULL; names++) {
        const char *value = apr_table_get(copy, *names);
        if (value != NULL) {
            apr_table_setn(to, *names, value);
        }
        else {
            apr_table_unset(to, *names);
        }
    }
}
