/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "fill.h"

#define TAG_MOST 256
#define MOMENT   "%Y-%m-%d %H:%M:%SZ"

typedef struct {
    request_rec *r;
    const json_t *data;
    const tmpl_language_t *language;
} fill_t;

/* ---- formats ---- */

static const char *count(json_int_t n, apr_pool_t *pool)
{
    const char *text = "";
    for (; n >= 1000; n /= 1000) {
        text = apr_psprintf(pool, ",%03d%s", (int)(n % 1000), text);
    }
    return apr_psprintf(pool, "%d%s", (int)n, text);
}

static const char *duration(double seconds, apr_pool_t *pool)
{
    return seconds < 0.001         ? apr_psprintf(pool, "%.0f \xC2\xB5s", 1e6 * seconds)
           : seconds < 1           ? apr_psprintf(pool, "%.3g ms", 1000 * seconds)
           : seconds < 60          ? apr_psprintf(pool, "%.3g s", seconds)
           : seconds < 3600        ? apr_psprintf(pool, "%.0f min", seconds / 60)
           : seconds < 2 * 86400.0 ? apr_psprintf(pool, "%.0f h", seconds / 3600)
                                   : apr_psprintf(pool, "%.0f days", seconds / 86400);
}

/* A value in a format. Without one: a string, or a number. */
static const char *text_of_value(const json_t *value, const char *format, const fill_t *f)
{
    double number = json_number_value(value);
    double past = json_number_value(json_object_get(f->data, "time")) - number;
    json_int_t integer = json_integer_value(value);
    apr_pool_t *pool = f->r->pool;
    return *format == '.'                    ? apr_psprintf(pool, "%.*f", format[1] - '0', number)
           : strcmp(format, "ago") == 0      ? duration(fmax(1, floor(past)), pool)
           : strcmp(format, "bytes") == 0    ? apr_strfsize(integer, apr_palloc(pool, 5))
           : strcmp(format, "count") == 0    ? count(integer, pool)
           : strcmp(format, "duration") == 0 ? duration(number, pool)
           : strcmp(format, "moment") == 0
               ? ap_ht_time(pool, (apr_time_t)(number * APR_USEC_PER_SEC), MOMENT, 1)
           : strcmp(format, "query") == 0 ? ap_escape_urlencoded(pool, json_string_value(value))
           : strcmp(format, "share") == 0 ? apr_psprintf(pool, "%.1f %%", 100 * number)
           : json_is_string(value)        ? json_string_value(value)
           : json_is_real(value)          ? apr_psprintf(pool, "%.5g", number)
                                 : apr_psprintf(pool, "%" APR_INT64_T_FMT, (apr_int64_t)integer);
}

/* ---- the file ---- */

/* The innermost object, or other value, and those around it. */
typedef struct scope_t {
    json_t *value;
    const struct scope_t *outer;
} scope_t;

static json_t *find_value(const scope_t *scope, const char *name)
{
    json_t *found = strcmp(name, ".") == 0 ? scope->value : NULL;
    for (; scope != NULL && found == NULL; scope = scope->outer) {
        found = json_object_get(scope->value, name);
    }
    return found;
}

/* Of a value of another type, and of NULL, jansson's functions return 0. */
static int is_none(const json_t *value)
{
    return !json_is_true(value) && !(json_number_value(value) > 0) &&
           json_string_length(value) == 0 && json_array_size(value) == 0 &&
           json_object_size(value) == 0;
}

/* Writes the value that tag, "name|format|else", stands for. */
static void put_value(const fill_t *f, char *tag, const scope_t *scope)
{
    const json_t *value = find_value(scope, strsep(&tag, "|"));
    const char *format = strsep(&tag, "|");
    if (value == NULL || json_is_null(value) || (json_is_string(value) && is_none(value))) {
        ap_rputs(tag != NULL ? tag : "", f->r);
    }
    else {
        ap_rputs(
            f->language->escape(f->r->pool, text_of_value(value, format != NULL ? format : "", f)),
            f->r);
    }
}

/* Writes, or skips, what is at at, up to the end of the section. Returns what is behind it. */
static const char *put(const fill_t *f, const char *at, const scope_t *scope, int skip);

/* Writes the section for each element of an array, or for each member of an object. */
static const char *put_each(const fill_t *f, json_t *all, const char *at, const scope_t *scope)
{
    const char *end = at, *name;
    json_t *value;
    size_t i;
    json_array_foreach(all, i, value)
    {
        const scope_t inner = { value, scope };
        end = put(f, at, &inner, 0);
    }
    json_object_foreach(all, name, value)
    {
        const scope_t inner = { json_pack("{s:s, s:O}", "name", name, "value", value), scope };
        end = put(f, at, &inner, 0);
        json_decref(inner.value);
    }
    return end;
}

/* Writes, or skips, the section that begins with tag, "#name", "*name", "?name" or "^name". */
static const char *put_section(const fill_t *f, char *tag, const char *at, const scope_t *scope,
                               int skip)
{
    char kind = *tag++;
    json_t *value = find_value(scope, strsep(&tag, "="));
    const scope_t inner = { value, scope };
    int is = tag != NULL ? json_equal(value, find_value(scope, tag)) : !is_none(value);
    skip = skip || is == (kind == '^');
    return !skip && (kind == '*' || (kind == '#' && json_is_array(value)))
               ? put_each(f, value, at, scope)
               : put(f, at, kind == '#' ? &inner : scope, skip);
}

static const char *put(const fill_t *f, const char *at, const scope_t *scope, int skip)
{
    const char *open, *close;
    char tag[TAG_MOST];
    while ((open = ap_strstr_c(at, "{{")) != NULL && (close = ap_strstr_c(open, "}}")) != NULL) {
        if (!skip) {
            ap_rwrite(at, (int)(open - at), f->r);
        }
        apr_cpystrn(tag, open + 2,
                    close - open < TAG_MOST ? (apr_size_t)(close - open) - 1 : TAG_MOST);
        at = close + 2;
        at += strchr("/#*?^>!", *tag) != NULL && *at == '\n';
        if (*tag == '/') {
            return at;
        }
        if (strchr("#*?^", *tag) != NULL) {
            at = put_section(f, tag, at, scope, skip);
        }
        else if (*tag == '>' && !skip) {
            f->language->head(f->r, tag + 1);
        }
        else if (*tag != '>' && *tag != '!' && !skip) {
            put_value(f, tag, scope);
        }
    }
    ap_rputs(at, f->r);
    return at + strlen(at);
}

void tmpl_fill(request_rec *r, const char *file, json_t *data, const tmpl_language_t *language)
{
    const fill_t f = { r, data, language };
    const scope_t outermost = { data, NULL };
    put(&f, file, &outermost, 0);
}
