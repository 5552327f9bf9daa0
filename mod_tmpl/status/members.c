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

json_int_t tmpl_member_count(const json_t *object, const char *name)
{
    return json_integer_value(json_object_get(object, name));
}

double tmpl_member_number(const json_t *object, const char *name)
{
    return json_number_value(json_object_get(object, name));
}

const char *tmpl_member_text(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text != NULL ? text : "";
}

json_int_t tmpl_member_sum(const json_t *array, const char *name)
{
    json_int_t sum = 0;
    const json_t *object;
    size_t i;

    json_array_foreach(array, i, object)
    {
        sum += tmpl_member_count(object, name);
    }
    return sum;
}
