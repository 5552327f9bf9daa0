/* SPDX-License-Identifier: Apache-2.0 */
#include "dom/dom_text.h"

#include <string.h>

#include "base/bytes.h"

static void add_dom_code(tmpl_buf_t *buf, uint32_t code)
{
    /* U+FFFE and U+FFFF are no characters of XML */
    tmpl_buf_add_char(buf, code == 0xFFFE || code == 0xFFFF ? TMPL_REPLACEMENT : code);
}

/* Marks those of sixteen bytes that may not stand for themselves. */
static inline unsigned odd_bytes(const char *text)
{
    tmpl_bytes16_t bytes = tmpl_bytes16_load(text);
    return tmpl_bytes16_bits(
        (tmpl_bytes16_t)(((bytes < ' ') & (bytes != '\n')) | (bytes >= 0x80) | (bytes == '&')));
}

/* The number of bytes at the start that stand for themselves: most of ASCII. */
static apr_size_t plain_bytes(const char *text, apr_size_t len)
{
    apr_size_t n = 0;
    for (; len - n >= TMPL_BYTES16; n += TMPL_BYTES16) {
        unsigned odd = odd_bytes(text + n);
        if (odd != 0) {
            return n + (apr_size_t)__builtin_ctz(odd);
        }
    }
    if (n > 0 && n < len) {
        /* the last sixteen bytes, without those that were looked at */
        unsigned odd = odd_bytes(text + len - TMPL_BYTES16) >> (TMPL_BYTES16 - (len - n));
        return odd != 0 ? n + (apr_size_t)__builtin_ctz(odd) : len;
    }
    while (n < len && (text[n] >= ' ' || text[n] == '\n' || text[n] == '\t') && text[n] != '&') {
        n++;
    }
    return n;
}

/* Adds a character that is written as a reference, or a control character. */
static void add_odd(tmpl_buf_t *buf, uint32_t code)
{
    if ((code >= ' ' && code != 0x7F) || code == '\n' || code == '\t') {
        add_dom_code(buf, code);
    }
    else if (code == '\f' || code == '\r') {
        tmpl_buf_add_byte(buf, '\n');
    }
}

static void add_utf8(tmpl_buf_t *buf, const char *text, apr_size_t len, tmpl_reference_e where)
{
    for (apr_size_t i = 0, used; i < len; i += used) {
        used = plain_bytes(text + i, len - i);
        if (used > 0) {
            tmpl_buf_add(buf, text + i, used);
            continue;
        }
        if (text[i] == '&') {
            tmpl_reference_t reference = tmpl_reference_read(text + i, len - i, where);
            used = reference.used;
            if (used > 0) {
                add_odd(buf, reference.codes[0]);
                if (reference.codes[1] != 0) {
                    add_odd(buf, reference.codes[1]);
                }
                continue;
            }
        }
        uint32_t code = tmpl_utf8_next(text + i, len - i, &used);
        if (code == '\r' && i + 1 < len && text[i + 1] == '\n') {
            continue;
        }
        add_odd(buf, code);
    }
}

void tmpl_dom_decode(tmpl_buf_t *buf, const tmpl_decoder_t *decoder, const char *src,
                     tmpl_span_t span, tmpl_reference_e where)
{
    apr_size_t before = buf->len;
    if (decoder->xlate == NULL) {
        add_utf8(buf, src + span.start, tmpl_span_len(span), where);
        return;
    }
    /* references are decoded where the converted text ends, and moved to where it began */
    tmpl_decode(buf, decoder, src + span.start, tmpl_span_len(span));
    apr_size_t len = buf->len - before;
    tmpl_buf_room(buf, 4 * len + 16); /* so that the buffer does not move while it is read */
    apr_size_t middle = buf->len;
    add_utf8(buf, buf->at + before, len, where);
    memmove(buf->at + before, buf->at + middle, buf->len - middle + 1);
    buf->len = before + (buf->len - middle);
}
