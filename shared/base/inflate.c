/* SPDX-License-Identifier: Apache-2.0 */
#include "base/inflate.h"

#include <string.h>

#include <zlib.h>

#include "base/ascii.h"

/* inflateInit2(): a window of any size, with gzip's header and trailer, not zlib's. */
#define GZIP_ONLY (15 + 16)

/* Bytes that are inflated at once. */
#define PIECE 8192

/* Inflates the input of z. Z_OK if more input is expected, else what inflate() returned. */
static int inflate_some(const tmpl_inflate_t *to, z_stream *z, apr_off_t *length, apr_off_t limit)
{
    char out[PIECE];
    int rv;
    do {
        z->next_out = (Bytef *)out;
        z->avail_out = sizeof(out);
        rv = inflate(z, Z_NO_FLUSH);
        to->take(to->ctx, out, sizeof(out) - z->avail_out);
        *length += (apr_off_t)(sizeof(out) - z->avail_out);
    } while (rv == Z_OK && z->avail_out == 0 && *length <= limit);
    /* Z_BUF_ERROR: all input is used */
    return rv == Z_BUF_ERROR ? Z_OK : rv;
}

apr_status_t tmpl_inflate(const tmpl_inflate_t *inflate, apr_off_t limit)
{
    z_stream z = { .zalloc = NULL };
    apr_off_t length = 0;
    const char *data;
    apr_size_t len;
    int rv = inflateInit2(&z, GZIP_ONLY);
    while (rv == Z_OK && length <= limit &&
           inflate->next(inflate->ctx, &data, &len) == APR_SUCCESS) {
        z.next_in = (z_const Bytef *)data;
        z.avail_in = (uInt)len;
        rv = inflate_some(inflate, &z, &length, limit);
    }
    inflateEnd(&z);
    if (length > limit) {
        return APR_ENOSPC;
    }
    int is_one = rv == Z_STREAM_END && z.avail_in == 0 &&
                 inflate->next(inflate->ctx, &data, &len) == APR_EOF;
    return is_one ? APR_SUCCESS : APR_EGENERAL;
}

int tmpl_inflate_is_gzip(const char *bytes, apr_size_t len)
{
    /* the ID bytes and the method of a member's header (RFC 1952, 2.3.1) */
    static const char magic[] = { '\x1f', '\x8b', '\x08' };
    return len >= sizeof(magic) && memcmp(bytes, magic, sizeof(magic)) == 0;
}

int tmpl_inflate_is_open(const char *bytes, apr_size_t len)
{
    while (len > 0 && tmpl_is_space(*bytes)) {
        bytes++;
        len--;
    }
    return len > 0 && (*bytes == '<' || *bytes == '\xef');
}
