/* SPDX-License-Identifier: Apache-2.0 */
#include "curl_lib.h"

#include <apr_dso.h>

/* The ABI that curl has kept since 2006. */
#define LIBRARY "libcurl.so.4"

apr_status_t ctl_curl_load(ctl_curl_t *lib, tmpl_error_t *err, apr_pool_t *pool)
{
    const struct {
        const char *name;
        apr_dso_handle_sym_t *at;
    } functions[] = {
#define FUNCTION(name) { "curl_" #name, (apr_dso_handle_sym_t *)&lib->name },
        CTL_CURL_FUNCTIONS(FUNCTION)
#undef FUNCTION
    };
    apr_dso_handle_t *handle;
    char text[200];
    apr_status_t status = apr_dso_load(&handle, LIBRARY, pool);
    for (size_t i = 0; status == APR_SUCCESS && i < sizeof(functions) / sizeof(functions[0]); i++) {
        status = apr_dso_sym(functions[i].at, handle, functions[i].name);
    }
    if (status != APR_SUCCESS) {
        return tmpl_fail(err, status, "%s", apr_dso_error(handle, text, sizeof(text)));
    }
    return APR_SUCCESS;
}
