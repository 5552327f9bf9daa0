/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"

#include <string.h>

void tmpl_buf_init(tmpl_buf_t *buf, apr_pool_t *pool)
{
    buf->room = 256;
    buf->at = apr_palloc(pool, buf->room + TMPL_BYTES16);
    buf->pool = pool;
    tmpl_buf_clear(buf);
}

void tmpl_buf_clear(tmpl_buf_t *buf)
{
    buf->len = 0;
    buf->at[0] = '\0';
}

char *tmpl_buf_room(tmpl_buf_t *buf, apr_size_t len)
{
    if (buf->len + len + 1 > buf->room) {
        apr_size_t room = 2 * buf->room > buf->len + len + 1 ? 2 * buf->room : buf->len + len + 1;
        char *at = apr_palloc(buf->pool, room + TMPL_BYTES16);
        memcpy(at, buf->at, buf->len + 1);
        buf->at = at;
        buf->room = room;
    }
    return buf->at + buf->len;
}

void tmpl_buf_add_char(tmpl_buf_t *buf, uint32_t code)
{
    buf->len += tmpl_utf8_put(tmpl_buf_room(buf, TMPL_UTF8_MOST), code);
    buf->at[buf->len] = '\0';
}

/* The next byte from at on that may not stand in HTML as it is; end: there is none. */
static const char *next_of_html(const char *at, const char *end)
{
    for (; at < end; at += TMPL_BYTES16) {
        tmpl_bytes16_t bytes = tmpl_bytes16(at, end);
        /* '<' and '>' differ in one bit, as do '"' and '&' */
        unsigned marks = tmpl_bytes16_bits(
            (tmpl_bytes16_t)(((bytes | 2) == '>') | ((bytes | 4) == '&') | (bytes == 0xC2)));
        if (marks != 0) {
            return at + __builtin_ctz(marks);
        }
    }
    return end;
}

void tmpl_buf_add_html(tmpl_buf_t *buf, const char *text, apr_size_t len)
{
    static const char *const references[256] = {
        ['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", [0xC2] = "\xC2"
    };
    /* text may be NULL then */
    const char *end = len > 0 ? text + len : text;
    for (const char *next; text < end; text = next) {
        next = next_of_html(text, end);
        tmpl_buf_add(buf, text, (apr_size_t)(next - text));
        if (next < end) {
            int is_control = (unsigned char)*next == 0xC2 && (unsigned char)next[1] < 0xA0;
            tmpl_buf_add_text(buf, is_control ? "" : references[(unsigned char)*next]);
            next += 1 + is_control;
        }
    }
}

const char *tmpl_escape(const char *text, const char *chars, apr_pool_t *pool)
{
    char *escaped = apr_palloc(pool, 2 * strlen(text) + 1);
    char *to = escaped;
    for (; *text != '\0'; text++) {
        int is_special = strchr(chars, *text) != NULL;
        if (is_special) {
            *to++ = '\\';
        }
        *to++ = is_special && *text == '\n' ? 'n' : is_special && *text == '\r' ? 'r' : *text;
    }
    *to = '\0';
    return escaped;
}
