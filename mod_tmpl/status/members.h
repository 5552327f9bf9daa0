/* SPDX-License-Identifier: Apache-2.0 */
/* JSON: values of other types. */
#ifndef TMPL_MEMBERS_H
#define TMPL_MEMBERS_H

#include <jansson.h>

#include "mod_tmpl.h"

/* A text of any bytes as a JSON string: a byte that is not UTF-8 becomes U+FFFD. */
json_t *tmpl_json_text(const char *text, apr_pool_t *pool);

/* Microseconds as seconds; of a time since 1970, 0 is null. */
json_t *tmpl_json_time(apr_time_t time);

#endif
