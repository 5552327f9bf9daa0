/* SPDX-License-Identifier: Apache-2.0 */
/* libcurl, with some thirty libraries that it brings, for commands that fetch pages (library.h). */
#ifndef CTL_CURL_LIB_H
#define CTL_CURL_LIB_H

/*
 * curl's type checks are macros around the functions' names; here the functions are called by
 * pointer.
 */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#include "base/tmpl.h"

/* X(name): the functions that are used, without "curl_". */
#define CTL_CURL_FUNCTIONS(X)                                                                      \
    X(global_init)                                                                                 \
    X(global_cleanup)                                                                              \
    X(easy_init)                                                                                   \
    X(easy_cleanup)                                                                                \
    X(easy_setopt)                                                                                 \
    X(easy_getinfo)                                                                                \
    X(easy_header)                                                                                 \
    X(easy_perform)                                                                                \
    X(easy_strerror)

typedef struct {
#define CTL_CURL_FIELD(name) __typeof__(curl_##name) *(name);
    CTL_CURL_FUNCTIONS(CTL_CURL_FIELD)
#undef CTL_CURL_FIELD
} ctl_curl_t;

/* On failure err has the loader's reason: libcurl is not installed, or lacks a function. */
apr_status_t ctl_curl_load(ctl_curl_t *lib, tmpl_error_t *err);

#endif
