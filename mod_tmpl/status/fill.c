/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "fill.h"

#define TAG_MOST 64

typedef struct {
    request_rec *r;
    const json_t *data;
} fill_t;

/* ---- formats ---- */

static const char *plain(const json_t *value, const fill_t *f)
{
    return json_is_string(value) ? json_string_value(value)
                                 : apr_psprintf(f->r->pool, "%" APR_INT64_T_FMT,
                                                (apr_int64_t)json_integer_value(value));
}

static const char *count(const json_t *value, const fill_t *f) /* 12,345 */
{
    const char *digits = plain(value, f);
    apr_size_t len = strlen(digits), i;
    char *text = apr_palloc(f->r->pool, 2 * len + 1), *to = text;

    for (i = 0; i < len; i++) {
        *to++ = digits[i];
        if (i + 1 < len && (len - i - 1) % 3 == 0 && digits[i] != '-') {
            *to++ = ',';
        }
    }
    *to = '\0';
    return text;
}

static const char *bytes(const json_t *value, const fill_t *f) /* 1.2 MB */
{
    static const char *const units[] = { "B", "kB", "MB", "GB", "TB" };
    double number = json_number_value(value);
    size_t i = 0;

    while (number >= 1000 && i + 1 < sizeof(units) / sizeof(units[0])) {
        number /= 1000;
        i++;
    }
    return apr_psprintf(f->r->pool, "%.*f %s", i > 0, number, units[i]);
}

static const char *share(const json_t *value, const fill_t *f) /* 12.3 % */
{
    return apr_psprintf(f->r->pool, "%.1f %%", 100 * json_number_value(value));
}

static const char *percent(const json_t *value, const fill_t *f)
{
    return apr_psprintf(f->r->pool, "%.1f", 100 * json_number_value(value));
}

static const char *tenths(const json_t *value, const fill_t *f)
{
    return apr_psprintf(f->r->pool, "%.1f", json_number_value(value));
}

static const char *thousandths(const json_t *value, const fill_t *f)
{
    return apr_psprintf(f->r->pool, "%.3f", json_number_value(value));
}

const char *tmpl_text_duration(double seconds, apr_pool_t *pool)
{
    return seconds < 0.001         ? apr_psprintf(pool, "%.0f \xC2\xB5s", 1e6 * seconds)
           : seconds < 1           ? apr_psprintf(pool, "%.3g ms", 1000 * seconds)
           : seconds < 60          ? apr_psprintf(pool, "%.3g s", seconds)
           : seconds < 3600        ? apr_psprintf(pool, "%.0f min", seconds / 60)
           : seconds < 2 * 86400.0 ? apr_psprintf(pool, "%.0f h", seconds / 3600)
                                   : apr_psprintf(pool, "%.0f days", seconds / 86400);
}

static const char *duration(const json_t *value, const fill_t *f)
{
    return tmpl_text_duration(json_number_value(value), f->r->pool);
}

static const char *milliseconds(const json_t *value, const fill_t *f)
{
    return tmpl_text_duration(json_number_value(value) / 1000, f->r->pool);
}

static const char *ago(const json_t *value, const fill_t *f)
{
    double past = tmpl_member_number(f->data, "time") - json_number_value(value);

    return tmpl_text_duration(fmax(1, floor(past)), f->r->pool);
}

static const char *moment(const json_t *value, const fill_t *f) /* 2026-01-31 12:00:00Z */
{
    char *text = apr_palloc(f->r->pool, sizeof("2026-01-31 12:00:00Z"));
    apr_size_t len;
    apr_time_exp_t utc;

    apr_time_exp_gmt(&utc, (apr_time_t)(json_number_value(value) * APR_USEC_PER_SEC));
    apr_strftime(text, &len, sizeof("2026-01-31 12:00:00Z"), "%Y-%m-%d %H:%M:%SZ", &utc);
    return text;
}

static const char *size(const json_t *value, const fill_t *f) /* of an array */
{
    return apr_psprintf(f->r->pool, "%" APR_SIZE_T_FMT, json_array_size(value));
}

static const char *query(const json_t *value, const fill_t *f) /* as a value in a query */
{
    return ap_escape_urlencoded(f->r->pool, json_string_value(value));
}

static const struct {
    const char *name;
    const char *(*format)(const json_t *value, const fill_t *f);
} formats[] = {
    { "", plain },
    { "count", count },
    { "bytes", bytes },
    { "share", share },
    { "percent", percent },
    { "tenths", tenths },
    { "thousandths", thousandths },
    { "duration", duration },
    { "milliseconds", milliseconds },
    { "ago", ago },
    { "moment", moment },
    { "size", size },
    { "query", query },
    { "markup", NULL }, /* the text is markup of the module itself, and not escaped */
};

#define N_FORMATS (sizeof(formats) / sizeof(formats[0]))

/* ---- the file ---- */

/* The innermost object, or other value, and those around it. */
typedef struct scope_t {
    const json_t *value;
    const struct scope_t *outer;
} scope_t;

static const json_t *find(const scope_t *scope, const char *name)
{
    const json_t *found = strcmp(name, ".") == 0 ? scope->value : NULL;

    for (; scope != NULL && found == NULL; scope = scope->outer) {
        found = json_object_get(scope->value, name);
    }
    return found;
}

static int is_none(const json_t *value)
{
    return value == NULL || json_is_null(value) || json_is_false(value) ||
           (json_is_number(value) && !(json_number_value(value) > 0)) ||
           (json_is_string(value) && json_string_length(value) == 0) ||
           (json_is_array(value) && json_array_size(value) == 0);
}

/* Writes the value that tag, "name|format|else", stands for. */
static void put_value(const fill_t *f, char *tag, const scope_t *scope)
{
    char *format = strchr(tag, '|'), *other = format != NULL ? strchr(format + 1, '|') : NULL;
    const json_t *value;
    size_t i = 0;

    tag[strcspn(tag, "|")] = '\0';
    value = find(scope, tag);
    if (value == NULL || json_is_null(value) || (json_is_string(value) && is_none(value))) {
        ap_rputs(other != NULL ? other + 1 : "", f->r);
        return;
    }
    if (other != NULL) {
        *other = '\0';
    }
    while (i + 1 < N_FORMATS && strcmp(format != NULL ? format + 1 : "", formats[i].name) != 0) {
        i++;
    }
    ap_rputs(formats[i].format != NULL ? ap_escape_html(f->r->pool, formats[i].format(value, f))
                                       : json_string_value(value),
             f->r);
}

/* Writes, or skips, what is at at, up to the end of the section. Returns what is behind it. */
static const char *put(const fill_t *f, const char *at, const scope_t *scope, int skip);

static const char *put_section(const fill_t *f, char kind, const json_t *value, const char *at,
                               const scope_t *scope, int skip)
{
    const scope_t inner = { value, scope };
    const json_t *element;
    const char *end = at;
    size_t i;

    skip = skip || is_none(value) != (kind == '^');
    if (kind != '#') {
        return put(f, at, scope, skip);
    }
    if (skip || !json_is_array(value)) {
        return put(f, at, &inner, skip);
    }
    json_array_foreach(value, i, element)
    {
        const scope_t each = { element, scope };

        end = put(f, at, &each, 0);
    }
    return end;
}

static const char *put(const fill_t *f, const char *at, const scope_t *scope, int skip)
{
    char tag[TAG_MOST];
    apr_size_t len;

    for (;;) {
        len = strcspn(at, "{");
        if (!skip) {
            ap_rwrite(at, (int)len, f->r);
        }
        at += len;
        if (*at == '\0') {
            return at;
        }
        len = strcspn(++at, "}");
        apr_cpystrn(tag, at, len < TAG_MOST ? len + 1 : TAG_MOST);
        at += at[len] != '\0' ? len + 1 : len;
        if (*tag == '/') {
            return at;
        }
        if (*tag == '#' || *tag == '?' || *tag == '^') {
            at = put_section(f, *tag, find(scope, tag + 1), at, scope, skip);
        }
        else if (*tag != '!' && !skip) {
            put_value(f, tag, scope);
        }
    }
}

void tmpl_fill(request_rec *r, const char *file, const json_t *data)
{
    const fill_t f = { r, data };
    const scope_t outermost = { data, NULL };

    put(&f, file, &outermost, 0);
}
