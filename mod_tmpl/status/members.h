/* SPDX-License-Identifier: Apache-2.0 */
/* JSON: values of other types. */
#ifndef TMPL_MEMBERS_H
#define TMPL_MEMBERS_H

#include <jansson.h>

#include "mod_tmpl.h"

#include "text/decode.h"

/* A text of any bytes as a JSON string: a byte that is not UTF-8 becomes U+FFFD. */
static inline json_t *tmpl_json_text(const char *text, apr_pool_t *pool)
{
    const tmpl_decoder_t utf8 = { "UTF-8", NULL };
    tmpl_buf_t buf;

    tmpl_buf_init(&buf, pool);
    tmpl_decode(&buf, &utf8, text, strlen(text));
    return json_stringn(buf.at, buf.len);
}

/* Microseconds as seconds; of a time since 1970, 0 is null. */
static inline json_t *tmpl_json_time(apr_time_t time)
{
    return time != 0 ? json_real((double)time / APR_USEC_PER_SEC) : json_null();
}

#endif
