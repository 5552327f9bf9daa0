/* SPDX-License-Identifier: Apache-2.0 */
#include "base/codec.h"

#include <string.h>

#include <apr_cstr.h>

#include <brotli/decode.h>
#include <zlib.h>
#include <zstd.h>

#include "base/ascii.h"

/* --- gzip and deflate --- */

typedef struct {
    z_stream z;
    int is_open; /* a byte was read: the window is chosen */
    int window;  /* inflateInit2()'s; 0: zlib's or none, by the first byte */
} codec_zlib_t;

#define WINDOW_GZIP (15 + 16)
#define WINDOW_ZLIB 15
#define WINDOW_RAW  (-15)

static apr_status_t codec_close(void *data)
{
    codec_zlib_t *codec = data;
    if (codec->is_open) {
        inflateEnd(&codec->z);
    }
    return APR_SUCCESS;
}

static codec_zlib_t *codec_open(int window, apr_pool_t *pool)
{
    codec_zlib_t *codec = apr_pcalloc(pool, sizeof(*codec));
    codec->window = window;
    apr_pool_cleanup_register(pool, codec, codec_close, apr_pool_cleanup_null);
    return codec;
}

static void *gzip_begin(apr_pool_t *pool)
{
    return codec_open(WINDOW_GZIP, pool);
}

static void *deflate_begin(apr_pool_t *pool)
{
    return codec_open(0, pool);
}

/* The method of zlib's header is 8 (RFC 1950, 2.2); a block of bare deflate begins otherwise. */
static int window_of(const codec_zlib_t *codec, char first)
{
    return codec->window != 0 ? codec->window : (first & 0x0f) == 8 ? WINDOW_ZLIB : WINDOW_RAW;
}

static tmpl_codec_e zlib_step(void *state, tmpl_codec_io_t *io)
{
    codec_zlib_t *codec = state;
    if (!codec->is_open) {
        if (io->in_len == 0) {
            return TMPL_CODEC_MORE;
        }
        if (inflateInit2(&codec->z, window_of(codec, io->in[0])) != Z_OK) {
            return TMPL_CODEC_BAD;
        }
        codec->is_open = 1;
    }
    codec->z.next_in = (z_const Bytef *)io->in;
    codec->z.avail_in = (uInt)io->in_len;
    codec->z.next_out = (Bytef *)io->out;
    codec->z.avail_out = (uInt)io->out_len;
    int rv = inflate(&codec->z, Z_NO_FLUSH);
    io->in += io->in_len - codec->z.avail_in;
    io->in_len = codec->z.avail_in;
    io->out += io->out_len - codec->z.avail_out;
    io->out_len = codec->z.avail_out;
    return rv == Z_STREAM_END                ? TMPL_CODEC_END
           : rv == Z_OK || rv == Z_BUF_ERROR ? TMPL_CODEC_MORE
                                             : TMPL_CODEC_BAD;
}

static void gzip_again(void *state)
{
    codec_zlib_t *codec = state;
    if (codec->is_open) {
        inflateReset(&codec->z);
    }
}

const tmpl_codec_t tmpl_codec_gzip = { "gzip",    "\x1f\x8b\x08", 0,   gzip_begin,
                                       zlib_step, gzip_again,     NULL };
const tmpl_codec_t tmpl_codec_deflate = { "deflate", "", 0, deflate_begin, zlib_step, NULL, NULL };

/* --- Brotli --- */

static apr_status_t br_free(void *state)
{
    BrotliDecoderDestroyInstance(state);
    return APR_SUCCESS;
}

static void *br_begin(apr_pool_t *pool)
{
    BrotliDecoderState *state = BrotliDecoderCreateInstance(NULL, NULL, NULL);
    if (state == NULL) {
        tmpl_no_memory(pool);
    }
    apr_pool_cleanup_register(pool, state, br_free, apr_pool_cleanup_null);
    return state;
}

static tmpl_codec_e br_step(void *state, tmpl_codec_io_t *io)
{
    const uint8_t *in = (const uint8_t *)io->in;
    uint8_t *out = (uint8_t *)io->out;
    BrotliDecoderResult got =
        BrotliDecoderDecompressStream(state, &io->in_len, &in, &io->out_len, &out, NULL);
    io->in = (const char *)in;
    io->out = (char *)out;
    return got == BROTLI_DECODER_RESULT_ERROR     ? TMPL_CODEC_BAD
           : got == BROTLI_DECODER_RESULT_SUCCESS ? TMPL_CODEC_END
                                                  : TMPL_CODEC_MORE;
}

const tmpl_codec_t tmpl_codec_br = { "br", "", 0, br_begin, br_step, NULL, NULL };

/* --- Zstandard --- */

static apr_status_t zstd_free(void *state)
{
    ZSTD_freeDStream(state);
    return APR_SUCCESS;
}

static void *zstd_wide_begin(apr_pool_t *pool)
{
    ZSTD_DStream *state = ZSTD_createDStream();
    if (state == NULL) {
        tmpl_no_memory(pool);
    }
    apr_pool_cleanup_register(pool, state, zstd_free, apr_pool_cleanup_null);
    return state;
}

static void *zstd_begin(apr_pool_t *pool)
{
    void *state = zstd_wide_begin(pool);
    (void)ZSTD_DCtx_setParameter(state, ZSTD_d_windowLogMax, 23);
    return state;
}

static tmpl_codec_e zstd_step(void *state, tmpl_codec_io_t *io)
{
    ZSTD_inBuffer in = { io->in, io->in_len, 0 };
    ZSTD_outBuffer out = { io->out, io->out_len, 0 };
    size_t left = ZSTD_decompressStream(state, &out, &in);
    io->in += in.pos;
    io->in_len -= in.pos;
    io->out += out.pos;
    io->out_len -= out.pos;
    return ZSTD_isError(left) ? TMPL_CODEC_BAD : left == 0 ? TMPL_CODEC_END : TMPL_CODEC_MORE;
}

static void zstd_again(void *state)
{
    (void)ZSTD_DCtx_reset(state, ZSTD_reset_session_only);
}

static int zstd_prime(void *state, const char *dictionary, apr_size_t len)
{
    return !ZSTD_isError(ZSTD_DCtx_loadDictionary(state, dictionary, len));
}

#define ZSTD_MAGIC "\x28\xb5\x2f\xfd"
const tmpl_codec_t tmpl_codec_zstd = { "zstd",    ZSTD_MAGIC, 1,   zstd_begin,
                                       zstd_step, zstd_again, NULL };
const tmpl_codec_t tmpl_codec_zstd_wide = { "zstd",    ZSTD_MAGIC, 1,         zstd_wide_begin,
                                            zstd_step, zstd_again, zstd_prime };

/* --- data of any of them --- */

int tmpl_codec_is_open(const char *bytes, apr_size_t len)
{
    while (len > 0 && tmpl_is_space(*bytes)) {
        bytes++;
        len--;
    }
    return len > 0 && (*bytes == '<' || *bytes == '\xef');
}

tmpl_codec_e tmpl_codec_undo(tmpl_buf_t *to, const tmpl_codec_t *codec, void *state,
                             const char *bytes, apr_size_t len, apr_size_t most)
{
    enum { PIECE = 16384 };
    const tmpl_codec_t *const only[] = { codec, NULL };
    tmpl_codec_io_t io = { .in = bytes, .in_len = len };
    tmpl_codec_e got = TMPL_CODEC_MORE;
    while (to->len <= most) {
        io.out = tmpl_buf_room(to, PIECE);
        apr_size_t room = io.out_len = to->room - to->len - 1, left = io.in_len;
        got = codec->step(state, &io);
        to->len += room - io.out_len;
        if (got == TMPL_CODEC_END && codec->again != NULL &&
            (codec->is_chain ? io.in_len > 0
                             : tmpl_codec_of_bytes(only, io.in, io.in_len) != NULL)) {
            codec->again(state);
        }
        else if (got != TMPL_CODEC_MORE || (room == io.out_len && left == io.in_len)) {
            break;
        }
    }
    to->at[to->len] = '\0';
    return got;
}

const tmpl_codec_t *tmpl_codec_of_bytes(const tmpl_codec_t *const *codecs, const char *bytes,
                                        apr_size_t len)
{
    for (; *codecs != NULL; codecs++) {
        apr_size_t n = strlen((*codecs)->magic);
        if (n > 0 && len >= n && memcmp(bytes, (*codecs)->magic, n) == 0) {
            return *codecs;
        }
    }
    return NULL;
}

const tmpl_codec_t *tmpl_codec_of_encoding(const tmpl_codec_t *const *codecs, const char *encoding)
{
    /* the old name (RFC 9110, 8.4.1.3) */
    encoding = apr_cstr_casecmp(encoding, "x-gzip") == 0 ? "gzip" : encoding;
    while (*codecs != NULL && apr_cstr_casecmp((*codecs)->encoding, encoding) != 0) {
        codecs++;
    }
    return *codecs;
}
