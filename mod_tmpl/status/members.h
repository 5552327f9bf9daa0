/* SPDX-License-Identifier: Apache-2.0 */
/* JSON: texts of any bytes, and members of objects. */
#ifndef TMPL_MEMBERS_H
#define TMPL_MEMBERS_H

#include <jansson.h>

#include "mod_tmpl.h"

/* A text of any bytes as a JSON string: a byte that is not UTF-8 becomes U+FFFD. */
json_t *tmpl_json_text(const char *text, apr_pool_t *pool);

/* Microseconds as seconds; of a time since 1970, 0 is null. */
json_t *tmpl_json_time(apr_time_t time);

/* Members of an object; 0 or "" where there is none. */
json_int_t tmpl_member_count(const json_t *object, const char *name);
double tmpl_member_number(const json_t *object, const char *name);
const char *tmpl_member_text(const json_t *object, const char *name);

/* The sum of the member name of all objects of an array. */
json_int_t tmpl_member_sum(const json_t *array, const char *name);

#endif
