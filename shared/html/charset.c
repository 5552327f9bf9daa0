/* SPDX-License-Identifier: Apache-2.0 */
#include "html/charset.h"

#include <string.h>

#include <apr_cstr.h>
#include <apr_strings.h>

#include "base/ascii.h"

/* Bytes in which HTML5 searches for a meta element (13.2.3.2). */
#define PRESCAN 1024

/* Charsets in which a byte of markup may be part of another character. */
static const char *const not_ascii[] = { "utf-16",   "utf16",     "utf-32",    "utf32",   "ucs-",
                                         "ucs2",     "ucs4",      "iso-10646", "utf-7",   "utf7",
                                         "iso-2022", "csiso2022", "hz",        "unicode", "scsu",
                                         "bocu",     "ebcdic",    "ibm037",    "cp037" };

const char *tmpl_charset_of_type(const char *type, apr_pool_t *pool)
{
    static const char name[] = "charset=";
    const char *p = type;
    while (p != NULL && (p = strchr(p, ';')) != NULL) {
        p += 1 + strspn(p + 1, " \t");
        if (apr_cstr_casecmpn(p, name, sizeof(name) - 1) == 0) {
            p += sizeof(name) - 1;
            p += *p == '"';
            apr_size_t len = strcspn(p, "\"; \t");
            return len > 0 ? apr_pstrmemdup(pool, p, len) : NULL;
        }
    }
    return NULL;
}

int tmpl_charset_is_ascii(const char *charset)
{
    for (unsigned i = 0; charset != NULL && i < sizeof(not_ascii) / sizeof(not_ascii[0]); i++) {
        if (apr_cstr_casecmpn(charset, not_ascii[i], strlen(not_ascii[i])) == 0) {
            return 0;
        }
    }
    return 1;
}

/* The value behind "charset=" between from and end, without quotes. */
static const char *charset_value(const char *from, const char *end, apr_pool_t *pool)
{
    for (const char *p = from; end - p > 7; p++) {
        if (apr_cstr_casecmpn(p, "charset", 7) != 0) {
            continue;
        }
        p += 7;
        while (p < end && tmpl_is_space(*p)) {
            p++;
        }
        if (p == end || *p++ != '=') {
            return NULL;
        }
        while (p < end && (tmpl_is_space(*p) || *p == '"' || *p == '\'')) {
            p++;
        }
        const char *value = p;
        while (p < end && !tmpl_is_space(*p) && strchr("\"'>;/", *p) == NULL) {
            p++;
        }
        return p > value ? apr_pstrmemdup(pool, value, (apr_size_t)(p - value)) : NULL;
    }
    return NULL;
}

/* The charset that a byte order mark says, or the bytes with which markup begins. */
static const char *charset_by_mark(const char *src, apr_size_t len)
{
    static const struct {
        const char *bytes;
        unsigned len;
        const char *name;
    } marks[] = { { "\xef\xbb\xbf", 3, "utf-8" }, { "\xfe\xff", 2, "utf-16be" },
                  { "\xff\xfe", 2, "utf-16le" },  { "\0\0\xfe\xff", 4, "utf-32be" },
                  { "<\0", 2, "utf-16le" },       { "\0<", 2, "utf-16be" } };
    for (unsigned i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
        if (len >= marks[i].len && memcmp(src, marks[i].bytes, marks[i].len) == 0) {
            return marks[i].name;
        }
    }
    return NULL;
}

static const char *charset_by_meta(const char **at, const char *src, apr_size_t len,
                                   apr_pool_t *pool)
{
    const char *end = src + (len < PRESCAN ? len : PRESCAN);
    const char *p = src;
    for (; (p = memchr(p, '<', (apr_size_t)(end - p))) != NULL && end - p > 5; p++) {
        const char *close = memchr(p, '>', (apr_size_t)(end - p));
        if (apr_cstr_casecmpn(p + 1, "meta", 4) == 0 && close != NULL) {
            const char *value = charset_value(p, close, pool);
            if (value != NULL) {
                *at = p;
                return value;
            }
        }
    }
    return NULL;
}

/*
 * ISO-2022-JP switches to two-byte characters by ESC $ and back by ESC (. ASCII text does not
 * contain these sequences. Browsers guess no other charset that has bytes of markup in its
 * characters: they read undeclared HZ (~{) and UTF-7 (+ADw-) as ASCII. This code does the same,
 * because ~{ and + occur in ordinary text.
 */
static const char *charset_by_escape(const char **at, const char *src, apr_size_t len)
{
    const char *end = src + len;
    const char *p = src;
    for (; (p = memchr(p, '\x1b', (apr_size_t)(end - p))) != NULL && end - p > 1; p++) {
        if (p[1] == '$' || p[1] == '(') {
            *at = p;
            return "iso-2022-jp";
        }
    }
    return NULL;
}

const char *tmpl_charset(const char *src, apr_size_t len, const char *header, uint32_t *at,
                         apr_pool_t *pool)
{
    const char *found = src;
    const char *charset = charset_by_mark(src, len);
    if (charset == NULL && header != NULL && *header != '\0') {
        return header;
    }
    if (charset == NULL) {
        charset = charset_by_meta(&found, src, len, pool);
    }
    if (charset == NULL) {
        charset = charset_by_escape(&found, src, len);
    }
    if (charset != NULL && at != NULL) {
        *at = (uint32_t)(found - src);
    }
    return charset;
}
