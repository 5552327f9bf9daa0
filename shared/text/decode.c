/* SPDX-License-Identifier: Apache-2.0 */
#include "text/decode.h"

#include <string.h>

#include <apr_cstr.h>

#include "base/bytes.h"
#include "html/charset.h"

/* The charset that browsers assume for a page without a known charset. */
#define UNKNOWN "WINDOWS-1252"

/* Names of charsets for which browsers use a superset that iconv knows by another name. */
static const struct {
    const char *said;
    const char *meant;
} aliases[] = {
    { "ascii", "WINDOWS-1252" },
    { "us-ascii", "WINDOWS-1252" },
    { "iso-8859-1", "WINDOWS-1252" },
    { "iso8859-1", "WINDOWS-1252" },
    { "latin1", "WINDOWS-1252" },
    { "iso-8859-9", "WINDOWS-1254" },
    { "iso-8859-11", "WINDOWS-874" },
    { "tis-620", "WINDOWS-874" },
    { "gb2312", "GB18030" },
    { "gbk", "GB18030" },
    { "x-gbk", "GB18030" },
    { "shift_jis", "CP932" },
    { "shift-jis", "CP932" },
    { "x-sjis", "CP932" },
    { "sjis", "CP932" },
    { "euc-kr", "CP949" },
    { "ks_c_5601-1987", "CP949" },
    { "big5", "BIG5-HKSCS" },
    { "x-euc-jp", "EUC-JP" },
    { "x-mac-roman", "MACINTOSH" },
    { "x-user-defined", "WINDOWS-1252" },
};

/* The length of the ASCII text without NUL at the start, in whole eights: most of a page. */
static apr_size_t skip_ascii(const char *text, apr_size_t len)
{
    apr_size_t i = 0;
    while (i + 8 <= len) {
        uint64_t eight = tmpl_bytes8(text + i);
        if (((eight & TMPL_EACH(0x80)) | tmpl_bytes8_zero(eight)) != 0) {
            break;
        }
        i += 8;
    }
    return i;
}

static int is_utf8(const char *src, apr_size_t len)
{
    apr_size_t i = skip_ascii(src, len);
    for (apr_size_t used; i < len; i += used) {
        if ((unsigned char)src[i] < 0x80) {
            used = 1 + skip_ascii(src + i + 1, len - i - 1);
        }
        else if (tmpl_utf8_next(src + i, len - i, &used) == TMPL_REPLACEMENT && used == 1) {
            return 0;
        }
    }
    return 1;
}

static const char *meant_by(const char *said)
{
    for (apr_size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
        if (apr_cstr_casecmp(said, aliases[i].said) == 0) {
            return aliases[i].meant;
        }
    }
    return said;
}

void tmpl_decoder_find(tmpl_decoder_t *decoder, const char *src, apr_size_t len, const char *header,
                       apr_pool_t *pool)
{
    const char *said = tmpl_charset(src, len, header, NULL, pool);
    decoder->name = "UTF-8";
    decoder->xlate = NULL;
    if (said != NULL && apr_cstr_casecmp(said, "utf-8") == 0) {
        return; /* perhaps with invalid bytes */
    }
    if (tmpl_charset_is_ascii(said) && is_utf8(src, len)) {
        return;
    }
    decoder->name = said != NULL ? meant_by(said) : UNKNOWN;
    if (apr_xlate_open(&decoder->xlate, "UTF-8", decoder->name, pool) != APR_SUCCESS) {
        decoder->name = UNKNOWN;
        if (apr_xlate_open(&decoder->xlate, "UTF-8", UNKNOWN, pool) != APR_SUCCESS) {
            decoder->xlate = NULL;
        }
    }
}

static void decode_utf8(tmpl_buf_t *buf, const char *text, apr_size_t len)
{
    apr_size_t plain = 0; /* where the bytes begin that stay as they are */
    for (apr_size_t i = 0, used; i < len; i += used) {
        used = skip_ascii(text + i, len - i);
        uint32_t code = used > 0 ? ' ' : tmpl_utf8_next(text + i, len - i, &used);
        if (code == 0 || (code == TMPL_REPLACEMENT && used == 1)) {
            tmpl_buf_add(buf, text + plain, i - plain);
            tmpl_buf_add_char(buf, code);
            plain = i + used;
        }
    }
    tmpl_buf_add(buf, text + plain, len - plain);
}

void tmpl_decode(tmpl_buf_t *buf, const tmpl_decoder_t *decoder, const char *text, apr_size_t len)
{
    if (decoder->xlate == NULL) {
        decode_utf8(buf, text, len);
        return;
    }
    while (len > 0) {
        apr_size_t in = len;
        apr_size_t room = 2 * len + 16;
        apr_size_t left = room;
        char *to = tmpl_buf_room(buf, room);
        apr_status_t status = apr_xlate_conv_buffer(decoder->xlate, text, &in, to, &left);
        int moved = in < len || left < room;
        buf->len += room - left;
        buf->at[buf->len] = '\0';
        text += len - in;
        len = in;
        if (len > 0 && (status != APR_SUCCESS || !moved)) {
            tmpl_buf_add_char(buf, TMPL_REPLACEMENT);
            text++;
            len--;
        }
    }
}
