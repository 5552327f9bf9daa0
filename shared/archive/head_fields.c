/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/head_fields.h"

#include <string.h>

#include <apr_cstr.h>
#include <apr_strings.h>

#include "base/ascii.h"

apr_size_t tmpl_fields_len(const char *bytes, apr_size_t len)
{
    const char *end = bytes + len;
    for (const char *at = bytes; (at = memchr(at, '\n', (apr_size_t)(end - at))) != NULL;) {
        at++;
        if (at < end && *at == '\n') {
            return (apr_size_t)(at + 1 - bytes);
        }
        if (at + 1 < end && at[0] == '\r' && at[1] == '\n') {
            return (apr_size_t)(at + 2 - bytes);
        }
    }
    return 0;
}

int tmpl_fields_line(const tmpl_fields_t *fields, const char **line, apr_size_t *len,
                     apr_size_t *name_len)
{
    const char *end = fields->text + fields->len;
    const char *begin = *line, *at = begin;
    do {
        const char *newline = memchr(at, '\n', (apr_size_t)(end - at));
        at = newline != NULL ? newline + 1 : end;
    } while (at < end && (*at == ' ' || *at == '\t'));
    *line = at;
    *len = (apr_size_t)(at - begin);
    const char *colon = memchr(begin, ':', *len);
    /* a server that writes blanks in front of the colon means the field (RFC 9112, 5.1) */
    while (colon != NULL && colon > begin && (colon[-1] == ' ' || colon[-1] == '\t')) {
        colon--;
    }
    *name_len = colon != NULL ? (apr_size_t)(colon - begin) : 0;
    return *len > 0 && *begin != '\r' && *begin != '\n';
}

/* White space around it goes, line breaks in it become blanks. */
static const char *value_of(const char *text, apr_size_t len, apr_pool_t *pool)
{
    while (len > 0 && tmpl_is_space(text[0])) {
        text++;
        len--;
    }
    while (len > 0 && tmpl_is_space(text[len - 1])) {
        len--;
    }
    char *value = apr_pstrmemdup(pool, text, len);
    for (char *c = value; *c != '\0'; c++) {
        *c = tmpl_is_space(*c) ? ' ' : *c;
    }
    return value;
}

const char *tmpl_fields_get(const tmpl_fields_t *fields, const char *name, apr_pool_t *pool)
{
    const char *at = fields->text, *line = at;
    apr_size_t len, name_len, wanted = strlen(name);
    for (; tmpl_fields_line(fields, &at, &len, &name_len); line = at) {
        if (name_len == wanted && apr_cstr_casecmpn(line, name, wanted) == 0) {
            const char *colon = memchr(line, ':', len);
            return value_of(colon + 1, (apr_size_t)(line + len - colon) - 1, pool);
        }
    }
    return NULL;
}
