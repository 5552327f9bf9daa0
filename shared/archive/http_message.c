/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/http_message.h"

#include <string.h>

#include <apr_cstr.h>
#include <apr_strings.h>

#include "base/ascii.h"
#include "base/buf.h"

/* --- fields --- */

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

/* --- messages --- */

int tmpl_http_parse(tmpl_http_message_t *message, const char *bytes, apr_size_t len)
{
    *message = (tmpl_http_message_t){ 0 };
    const char *blank = len > 5 && memcmp(bytes, "HTTP/", 5) == 0 ? memchr(bytes, ' ', len) : NULL;
    apr_size_t head = tmpl_fields_len(bytes, len);
    if (blank == NULL || head == 0 || blank + 4 > bytes + head) {
        return 0;
    }
    for (int i = 1; i <= 3; i++) {
        if (!tmpl_is_digit(blank[i])) {
            return 0;
        }
        message->status = 10 * message->status + (blank[i] - '0');
    }
    message->head = (tmpl_fields_t){ bytes, head };
    message->body = bytes + head;
    message->len = len - head;
    return 1;
}

/* The size of the chunk whose line begins at *at, which advances behind the line; -1: no line. */
static long chunk_size(const char **at, const char *end)
{
    long size = 0;
    const char *c = *at;
    for (; c < end && tmpl_hex_digit(*c) >= 0 && size < (1L << 40); c++) {
        size = 16 * size + tmpl_hex_digit(*c);
    }
    const char *newline = memchr(c, '\n', (apr_size_t)(end - c));
    if (c == *at || newline == NULL || strchr("\r\n; \t", *c) == NULL) {
        return -1;
    }
    *at = newline + 1;
    return size;
}

/*
 * Joins the chunks (RFC 9112, 7.1) in to. Returns 1 if all are there, 0 if they break off. If not
 * even the first has a size, to gets the body as it is: it was joined before it was archived.
 */
static int chunks_join(tmpl_buf_t *to, const char *body, apr_size_t len)
{
    const char *at = body, *end = body + len;
    for (int n = 0;; n++) {
        long size = chunk_size(&at, end);
        if (size < 0 && n == 0) {
            tmpl_buf_add(to, body, len);
            return 1;
        }
        if (size <= 0) {
            return size == 0;
        }
        apr_size_t left = (apr_size_t)(end - at);
        apr_size_t have = (apr_size_t)size < left ? (apr_size_t)size : left;
        tmpl_buf_add(to, at, have);
        at += have;
        if (have < (apr_size_t)size) {
            return 0;
        }
        at += at < end && *at == '\r';
        at += at < end && *at == '\n';
    }
}

static tmpl_decline_e body_inflate(tmpl_buf_t *to, const tmpl_codec_t *codec, const char *body,
                                   apr_size_t len, int is_cut, apr_size_t most)
{
    void *state = codec->begin(to->pool);
    tmpl_codec_e got = tmpl_codec_undo(to, codec, state, body, len, most);
    return to->len > most                                     ? TMPL_DECLINE_TOO_LARGE
           : got == TMPL_CODEC_END || (is_cut && to->len > 0) ? TMPL_DECLINE_NONE
                                                              : TMPL_DECLINE_INFLATE;
}

/* Each one may take as much memory as the body may have at most. */
#define ENCODINGS_MOST 4

/* Undoes a Content-Encoding of one name or several, the last one first (RFC 9110, 8.4). */
static tmpl_decline_e body_decode(const char **body, apr_size_t *len, char *names, int is_cut,
                                  const tmpl_codec_t *const *codecs, apr_size_t most,
                                  apr_pool_t *pool)
{
    for (int n = 0; names[0] != '\0'; n++) {
        if (n == ENCODINGS_MOST) {
            return TMPL_DECLINE_ENCODING;
        }
        char *comma = strrchr(names, ',');
        char *name = comma != NULL ? comma + 1 : names;
        apr_collapse_spaces(name, name);
        const tmpl_codec_t *codec = tmpl_codec_of_encoding(codecs, name);
        if (name[0] != '\0' && apr_cstr_casecmp(name, "identity") != 0 &&
            !tmpl_codec_is_open(*body, *len)) {
            tmpl_buf_t to;
            if (codec == NULL) {
                return TMPL_DECLINE_ENCODING;
            }
            tmpl_buf_init(&to, pool);
            tmpl_buf_room(&to, 8 * *len < most ? 8 * *len : most);
            tmpl_decline_e decline = body_inflate(&to, codec, *body, *len, is_cut, most);
            if (decline != TMPL_DECLINE_NONE) {
                return decline;
            }
            *body = to.at;
            *len = to.len;
        }
        *(comma != NULL ? comma : names) = '\0';
    }
    return TMPL_DECLINE_NONE;
}

tmpl_decline_e tmpl_http_body(const char **body, apr_size_t *len,
                              const tmpl_http_message_t *message, const tmpl_codec_t *const *codecs,
                              apr_size_t most, apr_pool_t *pool)
{
    const char *transfer = tmpl_fields_get(&message->head, "Transfer-Encoding", pool);
    const char *encoding = tmpl_fields_get(&message->head, "Content-Encoding", pool);
    *body = message->body;
    *len = message->len;
    if (transfer != NULL && apr_cstr_casecmp(transfer, "chunked") == 0) {
        tmpl_buf_t joined;
        tmpl_buf_init(&joined, pool);
        tmpl_buf_room(&joined, *len);
        if (!chunks_join(&joined, *body, *len) && !message->is_cut) {
            return TMPL_DECLINE_BROKEN;
        }
        *body = joined.at;
        *len = joined.len;
    }
    if (encoding != NULL && *len > 0) {
        tmpl_decline_e decline = body_decode(body, len, apr_pstrdup(pool, encoding),
                                             message->is_cut, codecs, most, pool);
        if (decline != TMPL_DECLINE_NONE) {
            return decline;
        }
    }
    return *len > most ? TMPL_DECLINE_TOO_LARGE : TMPL_DECLINE_NONE;
}
