/* SPDX-License-Identifier: Apache-2.0 */
#include "curl_lib.h"

#include "library.h"

/* The ABI that curl has kept since 2006. */
#define LIBRARY "libcurl.so.4"

apr_status_t ctl_curl_load(ctl_curl_t *lib, tmpl_error_t *err)
{
    const ctl_function_t functions[] = {
#define FUNCTION(name) { "curl_" #name, (void **)(void *)&lib->name },
        CTL_CURL_FUNCTIONS(FUNCTION)
#undef FUNCTION
    };
    const char *why =
        ctl_library_load(LIBRARY, functions, sizeof(functions) / sizeof(functions[0]));
    return why == NULL ? APR_SUCCESS : tmpl_fail(err, APR_EDSOOPEN, "%s", why);
}
