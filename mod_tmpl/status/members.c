/* SPDX-License-Identifier: Apache-2.0 */
#include "members.h"

#include "text/decode.h"

json_t *tmpl_json_text(const char *text, apr_pool_t *pool)
{
    const tmpl_decoder_t utf8 = { "UTF-8", NULL };
    tmpl_buf_t buf;

    tmpl_buf_init(&buf, pool);
    tmpl_decode(&buf, &utf8, text, strlen(text));
    return json_stringn(buf.at, buf.len);
}

json_t *tmpl_json_time(apr_time_t time)
{
    return time != 0 ? json_real((double)time / APR_USEC_PER_SEC) : json_null();
}
