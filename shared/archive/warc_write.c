/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/warc_write.h"

#include <apr_encode.h>
#include <apr_sha1.h>
#include <apr_strings.h>

#include <zlib.h>

#include "archive/http_message.h"

struct tmpl_warc_pack_t {
    tmpl_buf_t *to;
    int gzip;
    z_stream z;
};

void tmpl_warc_head_begin(tmpl_buf_t *head)
{
    tmpl_buf_add_text(head, "WARC/1.1\r\n");
}

void tmpl_warc_head_add(tmpl_buf_t *head, const char *name, const char *value)
{
    if (value != NULL) {
        tmpl_buf_add_text(head, name);
        tmpl_buf_add(head, ": ", 2);
        tmpl_buf_add_text(head, value);
        tmpl_buf_add(head, "\r\n", 2);
    }
}

/* len fits into unsigned int, by which apr_sha1 counts: pages have a limit far below. */
static void sha1_of(unsigned char digest[APR_SHA1_DIGESTSIZE], const char *bytes, apr_size_t len)
{
    apr_sha1_ctx_t sha1;
    apr_sha1_init(&sha1);
    apr_sha1_update(&sha1, bytes, (unsigned int)len);
    apr_sha1_final(digest, &sha1);
}

const char *tmpl_warc_digest(const char *bytes, apr_size_t len, apr_pool_t *pool)
{
    unsigned char digest[APR_SHA1_DIGESTSIZE];
    sha1_of(digest, bytes, len);
    return apr_pstrcat(
        pool,
        "sha1:", apr_pencode_base32_binary(pool, digest, sizeof(digest), APR_ENCODE_NONE, NULL),
        NULL);
}

const char *tmpl_warc_id(const char *name, apr_pool_t *pool)
{
    /* the name space of URLs (RFC 9562, 6.6) */
    static const char space[] = "\x6b\xa7\xb8\x11\x9d\xad\x11\xd1\x80\xb4\x00\xc0\x4f\xd4\x30\xc8";
    unsigned char d[APR_SHA1_DIGESTSIZE];
    tmpl_buf_t bytes;
    tmpl_buf_init(&bytes, pool);
    tmpl_buf_add(&bytes, space, 16);
    tmpl_buf_add_text(&bytes, name);
    sha1_of(d, bytes.at, bytes.len);
    d[6] = (unsigned char)((d[6] & 0x0f) | 0x50);
    d[8] = (unsigned char)((d[8] & 0x3f) | 0x80);
    return apr_psprintf(pool,
                        "<urn:uuid:%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-"
                        "%02x%02x%02x%02x%02x%02x>",
                        d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7], d[8], d[9], d[10], d[11],
                        d[12], d[13], d[14], d[15]);
}

static apr_status_t pack_close(void *data)
{
    deflateEnd(&((tmpl_warc_pack_t *)data)->z);
    return APR_SUCCESS;
}

tmpl_warc_pack_t *tmpl_warc_pack_begin(tmpl_buf_t *to, int gzip)
{
    tmpl_warc_pack_t *pack = apr_pcalloc(to->pool, sizeof(*pack));
    pack->to = to;
    pack->gzip = gzip;
    if (gzip) {
        if (deflateInit2(&pack->z, Z_BEST_SPEED, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) !=
            Z_OK) {
            tmpl_no_memory(to->pool);
        }
        apr_pool_cleanup_register(to->pool, pack, pack_close, apr_pool_cleanup_null);
    }
    return pack;
}

static void pack_deflate(tmpl_warc_pack_t *pack, const char *bytes, apr_size_t len, int flush)
{
    z_stream *z = &pack->z;
    z->next_in = (z_const Bytef *)bytes;
    z->avail_in = (uInt)len;
    int rv;
    do {
        apr_size_t room = deflateBound(z, z->avail_in) + 64;
        z->next_out = (Bytef *)tmpl_buf_room(pack->to, room);
        z->avail_out = (uInt)room;
        rv = deflate(z, flush);
        pack->to->len += room - z->avail_out;
        pack->to->at[pack->to->len] = '\0';
    } while (z->avail_in > 0 || (flush == Z_FINISH && rv == Z_OK));
}

void tmpl_warc_pack_add(tmpl_warc_pack_t *pack, const char *bytes, apr_size_t len)
{
    enum { AT_ONCE = 1 << 20 };
    if (!pack->gzip) {
        tmpl_buf_add(pack->to, bytes, len);
        return;
    }
    for (apr_size_t at = 0; at < len; at += AT_ONCE) {
        pack_deflate(pack, bytes + at, len - at < AT_ONCE ? len - at : AT_ONCE, Z_NO_FLUSH);
    }
}

void tmpl_warc_pack_end(tmpl_warc_pack_t *pack)
{
    if (pack->gzip) {
        pack_deflate(pack, "", 0, Z_FINISH);
        apr_pool_cleanup_run(pack->to->pool, pack, pack_close);
    }
}

void tmpl_warc_add(tmpl_buf_t *to, const tmpl_buf_t *head, const char *content, apr_size_t len)
{
    tmpl_buf_room(to, head->len + len + 64);
    tmpl_buf_add(to, head->at, head->len);
    if (tmpl_fields_len(head->at, head->len) == 0) {
        const char *length =
            apr_psprintf(to->pool, "Content-Length: %" APR_SIZE_T_FMT "\r\n\r\n", len);
        tmpl_buf_add_text(to, length);
    }
    tmpl_buf_add(to, content, len);
    tmpl_buf_add(to, "\r\n\r\n", 4);
}
