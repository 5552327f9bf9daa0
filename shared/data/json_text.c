/* SPDX-License-Identifier: Apache-2.0 */
#include "data/page_data.h"

#include <string.h>

#include <apr_strings.h>

#include "base/bytes.h"

/* Adds what stands in front of a value. */
static void begin_value(tmpl_buf_t *out, const char *name)
{
    apr_size_t len = name != NULL ? strlen(name) : 0;
    char *at = tmpl_buf_room(out, len + 4);
    char last = out->len > 0 ? at[-1] : '{';
    if (last != '{' && last != '[') {
        *at++ = ',';
    }
    if (name != NULL) {
        *at++ = '"';
        at = (char *)memcpy(at, name, len) + len;
        *at++ = '"';
        *at++ = ':';
    }
    *at = '\0';
    out->len = (apr_size_t)(at - out->at);
}

void tmpl_json_open(tmpl_buf_t *out, const char *name, char bracket)
{
    begin_value(out, name);
    tmpl_buf_add_byte(out, bracket);
}

void tmpl_json_close(tmpl_buf_t *out, char bracket)
{
    tmpl_buf_add_byte(out, bracket);
}

/* Writes a byte that may not stand in a string as it is. Returns the bytes written, 7 at most. */
static apr_size_t put_json_escape(char *to, unsigned char byte)
{
    static const char letters[256] = { ['\n'] = 'n', ['\t'] = 't', ['"'] = '"', ['\\'] = '\\' };
    if (letters[byte] == '\0') {
        return (apr_size_t)apr_snprintf(to, sizeof("\\u0000"), "\\u%04x", byte);
    }
    to[0] = '\\';
    to[1] = letters[byte];
    return 2;
}

/* Bits of the bytes that a string may not have as they are. */
static inline unsigned special_bits(tmpl_bytes16_t bytes)
{
    return tmpl_bytes16_bits((tmpl_bytes16_t)((bytes < ' ') | (bytes == '"') | (bytes == '\\')));
}

/* The next byte, from i on, that a string may not have as it is; len: there is none. */
static inline apr_size_t next_special(const char *text, apr_size_t i, apr_size_t len)
{
    unsigned marks = 0;
    while (i + TMPL_BYTES16 <= len && (marks = special_bits(tmpl_bytes16_load(text + i))) == 0) {
        i += TMPL_BYTES16;
    }
    if (marks == 0 && i < len) {
        marks = special_bits(tmpl_bytes16_part(text + i, len - i)) & ((1u << (len - i)) - 1);
    }
    return marks != 0 ? i + (apr_size_t)__builtin_ctz(marks) : len;
}

void tmpl_json_string(tmpl_buf_t *out, const char *name, const char *text, apr_size_t len)
{
    enum { ROOM = sizeof("\\u0000") };
    begin_value(out, name);
    tmpl_buf_add_byte(out, '"');
    for (apr_size_t i = 0, special; i < len; i = special + 1) {
        special = next_special(text, i, len);
        apr_size_t n = special - i, room = n + ROOM;
        char *to = out->len + room < out->room ? out->at + out->len : tmpl_buf_room(out, room);
        memcpy(to, text + i, n);
        out->len += n;
        if (special < len) {
            out->len += put_json_escape(to + n, (unsigned char)text[special]);
        }
    }
    tmpl_buf_add_byte(out, '"');
}

int tmpl_json_is_number(const char *text)
{
    text += *text == '-';
    apr_size_t whole = strspn(text, "0123456789");
    if (whole == 0 || (*text == '0' && whole > 1)) {
        return 0;
    }
    text += whole;
    apr_size_t rest = *text == '.' ? strspn(text + 1, "0123456789") : 0;
    return *text == '\0' || (rest > 0 && text[1 + rest] == '\0');
}

void tmpl_json_word(tmpl_buf_t *out, const char *name, const char *word)
{
    begin_value(out, name);
    tmpl_buf_add_text(out, word);
}

void tmpl_value_text(tmpl_buf_t *out, const char *name, const char *text)
{
    if (text != NULL && *text != '\0') {
        tmpl_json_string(out, name, text, strlen(text));
    }
}

void tmpl_value_address(tmpl_buf_t *out, const char *name, const char *address,
                        const tmpl_hrefs_t *hrefs, apr_pool_t *pool)
{
    tmpl_value_text(out, name, tmpl_href_absolute(hrefs, address, pool));
}

void tmpl_value_number(tmpl_buf_t *out, const char *name, const char *text)
{
    while (text[0] == '0' && text[1] >= '0' && text[1] <= '9') {
        text++;
    }
    if (tmpl_json_is_number(text)) {
        tmpl_json_word(out, name, text);
    }
}

void tmpl_value_rating(tmpl_buf_t *out, const char *name, const char *text, apr_pool_t *pool)
{
    const char *slash = strchr(text, '/');
    const char *value = apr_pstrmemdup(pool, text, strcspn(text, "/"));
    if (tmpl_json_is_number(value)) {
        tmpl_json_open(out, name, '{');
        tmpl_value_number(out, "value", value);
        if (slash != NULL) {
            tmpl_value_number(out, "best", slash + 1);
        }
        tmpl_json_close(out, '}');
    }
}
