/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libcurl, loaded when it is first needed. It brings some thirty libraries, and to link them took most of
 * the time in which the tool starts, for commands that fetch nothing.
 */
#ifndef CTL_CURL_LIB_H
#define CTL_CURL_LIB_H

/* Its checks of types are macros around the functions that are not called by name here. */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#include "base/tmpl.h"

/* X(name): what is used of it, without "curl_". */
#define CTL_CURL_FUNCTIONS(X)                                                                      \
    X(global_init)                                                                                 \
    X(global_cleanup)                                                                              \
    X(easy_init)                                                                                   \
    X(easy_cleanup)                                                                                \
    X(easy_setopt)                                                                                 \
    X(easy_getinfo)                                                                                \
    X(easy_perform)                                                                                \
    X(easy_strerror)

typedef struct {
#define CTL_CURL_FIELD(name) __typeof__(curl_##name) *(name);
    CTL_CURL_FUNCTIONS(CTL_CURL_FIELD)
#undef CTL_CURL_FIELD
} ctl_curl_t;

/*
 * Fills lib, which may be used as long as pool lives. Otherwise the loader's error: the library is not
 * installed, or not the one that this was built with.
 */
apr_status_t ctl_curl_load(ctl_curl_t *lib, tmpl_error_t *err, apr_pool_t *pool);

#endif
