/* SPDX-License-Identifier: Apache-2.0 */
/* A string of bytes that grows in a pool. TMPL_BYTES16 bytes behind the string may be read. */
#ifndef TMPL_BUF_H
#define TMPL_BUF_H

#include <stdint.h>
#include <string.h>

#include <apr_pools.h>

#include "base/bytes.h"
#include "base/chars.h"

typedef struct {
    char *at; /* len bytes, and a NUL behind them */
    apr_size_t len;
    apr_size_t room;
    apr_pool_t *pool;
} tmpl_buf_t;

/* An empty string. */
void tmpl_buf_init(tmpl_buf_t *buf, apr_pool_t *pool);

/* Empties the string and keeps its memory. */
void tmpl_buf_clear(tmpl_buf_t *buf);

/* Makes room for len more bytes, and returns where they go; len of buf does not change. */
char *tmpl_buf_room(tmpl_buf_t *buf, apr_size_t len);

static inline void tmpl_buf_add(tmpl_buf_t *buf, const char *bytes, apr_size_t len)
{
    char *to = buf->len + len < buf->room ? buf->at + buf->len : tmpl_buf_room(buf, len);
    if (len > 0) {
        memcpy(to, bytes, len);
        to[len] = '\0';
        buf->len += len;
    }
}

/* Adds a text that ends in a NUL, without the NUL. */
static inline void tmpl_buf_add_text(tmpl_buf_t *buf, const char *text)
{
    tmpl_buf_add(buf, text, strlen(text));
}

/* tmpl_buf_add of one byte, inline. */
static inline void tmpl_buf_add_byte(tmpl_buf_t *buf, char byte)
{
    if (buf->len + 2 > buf->room) {
        tmpl_buf_room(buf, 1);
    }
    buf->at[buf->len++] = byte;
    buf->at[buf->len] = '\0';
}

/* Adds a character in UTF-8; TMPL_REPLACEMENT for a code point that is no character. */
void tmpl_buf_add_char(tmpl_buf_t *buf, uint32_t code);

/* Adds text with &, <, > and " as references, and without U+0080 to U+009F: HTML has none. */
void tmpl_buf_add_html(tmpl_buf_t *buf, const char *text, apr_size_t len);

/*
 * text with a backslash in front of each of its bytes that are in chars, from pool; a newline
 * becomes \n then, and a carriage return \r.
 */
const char *tmpl_escape(const char *text, const char *chars, apr_pool_t *pool);

#endif
