/* SPDX-License-Identifier: Apache-2.0 */
#include "data/json_text.h"

#include <string.h>

#include <apr_strings.h>

#include "base/ascii.h"

/* Adds what stands in front of a value. */
static void begin_value(tmpl_buf_t *out, const char *name)
{
    char last = out->len > 0 ? out->at[out->len - 1] : '{';
    if (last != '{' && last != '[') {
        tmpl_buf_add_byte(out, ',');
    }
    if (name != NULL) {
        tmpl_buf_add_byte(out, '"');
        tmpl_buf_add_text(out, name);
        tmpl_buf_add(out, "\":", 2);
    }
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

/* Adds a byte that a string may not have as it is. */
static void add_json_escape(tmpl_buf_t *out, unsigned char byte)
{
    char escape[8];
    if (byte == '\n' || byte == '"' || byte == '\\') {
        tmpl_buf_add_byte(out, '\\');
        tmpl_buf_add_byte(out, byte == '\n' ? 'n' : (char)byte);
        return;
    }
    apr_snprintf(escape, sizeof(escape), "\\u%04x", byte);
    tmpl_buf_add_text(out, escape);
}

void tmpl_json_string(tmpl_buf_t *out, const char *name, const char *text, apr_size_t len)
{
    static const unsigned char special[256] = { [0 ... 31] = 1, ['"'] = 1, ['\\'] = 1 };
    begin_value(out, name);
    tmpl_buf_add_byte(out, '"');
    for (apr_size_t i = 0, from = 0; i <= len; i++) {
        if (i == len || special[(unsigned char)text[i]]) {
            tmpl_buf_add(out, text + from, i - from);
            if (i < len) {
                add_json_escape(out, (unsigned char)text[i]);
            }
            from = i + 1;
        }
    }
    tmpl_buf_add_byte(out, '"');
}

int tmpl_json_is_number(const char *text)
{
    apr_size_t whole = strspn(text, "0123456789");
    if (whole == 0 || text[whole] == '\0') {
        return whole > 0;
    }
    const char *behind = text + whole + 1;
    apr_size_t rest = strspn(behind, "0123456789");
    return text[whole] == '.' && rest > 0 && behind[rest] == '\0';
}

void tmpl_json_number(tmpl_buf_t *out, const char *name, const char *text)
{
    begin_value(out, name);
    while (*text == '0' && tmpl_is_digit(text[1])) {
        text++;
    }
    tmpl_buf_add_text(out, text);
}
