/* SPDX-License-Identifier: Apache-2.0 */
#include "script.h"
#include "control.h"
#include "section.h"

/* value: NULL for any. Those of browsers come last: Vary names the first. */
static const struct {
    const char *name, *value;
} signs[] = {
    { "HX-Request", NULL },
    { "Turbo-Frame", NULL },
    { "X-Up-Target", NULL },
    { "X-PJAX", NULL },
    { "X-Requested-With", "XMLHttpRequest" }, /* web views of Android send the name of their app */
    { "Sec-Fetch-Dest", "empty" },
};

/* <link rel=prefetch>, which has Sec-Fetch-Dest: empty, too, but a page comes of it. */
static int is_ahead(const request_rec *r)
{
    const char *purpose = apr_table_get(r->headers_in, "Sec-Purpose");

    return purpose != NULL && ap_cstr_casecmpn(purpose, "prefetch", 8) == 0;
}

const char *tmpl_script_field(const request_rec *r, const tmpl_conf_t *conf)
{
    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
        const char *value = apr_table_get(r->headers_in, signs[i].name);

        if (value != NULL &&
            (signs[i].value == NULL || ap_cstr_casecmp(value, signs[i].value) == 0)) {
            return tmpl_conf_type(conf) != NULL || tmpl_control_judges(r) || is_ahead(r)
                       ? NULL
                       : signs[i].name;
        }
    }
    return NULL;
}
