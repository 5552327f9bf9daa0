/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libdeflate, zstd and Brotli, if they are installed (library.h). Their interfaces have not changed
 * since version 1.0, so they are declared here: building needs no headers of them.
 */
#include <pthread.h>

#include "library.h"
#include "warc.h"

/*
 * --- gzip by libdeflate: members that are in memory whole, as records of archives mostly are, in a
 * third of zlib's time. zlib does the others ---
 */

static struct {
    void *(*begin)(void);
    int (*inflate)(void *state, const void *in, size_t in_len, void *out, size_t out_len,
                   size_t *used, size_t *made);
    void (*end)(void *state);
    void *(*pack_begin)(int level);
    size_t (*pack_most)(void *state, size_t len);
    size_t (*pack)(void *state, const void *in, size_t in_len, void *out, size_t out_len);
    void (*pack_end)(void *state);
    int has;
} deflates;

static pthread_once_t deflates_once = PTHREAD_ONCE_INIT;

static void deflates_load(void)
{
    static const ctl_function_t functions[] = {
        CTL_LATE_AT(libdeflate_alloc_decompressor, deflates.begin),
        CTL_LATE_AT(libdeflate_gzip_decompress_ex, deflates.inflate),
        CTL_LATE_AT(libdeflate_free_decompressor, deflates.end),
        CTL_LATE_AT(libdeflate_alloc_compressor, deflates.pack_begin),
        CTL_LATE_AT(libdeflate_gzip_compress_bound, deflates.pack_most),
        CTL_LATE_AT(libdeflate_gzip_compress, deflates.pack),
        CTL_LATE_AT(libdeflate_free_compressor, deflates.pack_end)
    };
    deflates.has = ctl_library_load("libdeflate.so.0", functions,
                                    sizeof(functions) / sizeof(functions[0])) == NULL;
}

typedef struct {
    void *by_zlib;
    void *whole; /* libdeflate's; NULL: there is none */
    int begun;   /* zlib does this member */
} gzip_codec_t;

static apr_status_t gzip_codec_free(void *state)
{
    deflates.end(state);
    return APR_SUCCESS;
}

static void *gzip_codec_begin(apr_pool_t *pool)
{
    gzip_codec_t *codec = apr_pcalloc(pool, sizeof(*codec));
    pthread_once(&deflates_once, deflates_load);
    codec->by_zlib = tmpl_codec_gzip.begin(pool);
    codec->whole = deflates.has ? deflates.begin() : NULL;
    if (codec->whole != NULL) {
        apr_pool_cleanup_register(pool, codec->whole, gzip_codec_free, apr_pool_cleanup_null);
    }
    return codec;
}

static tmpl_codec_e gzip_codec_step(void *state, tmpl_codec_io_t *io)
{
    gzip_codec_t *codec = state;
    size_t used, made;
    if (!codec->begun && codec->whole != NULL &&
        deflates.inflate(codec->whole, io->in, io->in_len, io->out, io->out_len, &used, &made) ==
            0) {
        io->in += used;
        io->in_len -= used;
        io->out += made;
        io->out_len -= made;
        return TMPL_CODEC_END;
    }
    codec->begun = 1;
    return tmpl_codec_gzip.step(codec->by_zlib, io);
}

static void gzip_codec_again(void *state)
{
    gzip_codec_t *codec = state;
    codec->begun = 0;
    tmpl_codec_gzip.again(codec->by_zlib);
}

static const tmpl_codec_t codec_gzip = { "gzip",          "\x1f\x8b\x08",   gzip_codec_begin,
                                         gzip_codec_step, gzip_codec_again, NULL };

void ctl_gzip(tmpl_buf_t *to, const char *bytes, apr_size_t len)
{
    pthread_once(&deflates_once, deflates_load);
    void *state = deflates.has ? deflates.pack_begin(1) : NULL;
    if (state != NULL) {
        apr_size_t most = deflates.pack_most(state, len);
        to->len += deflates.pack(state, bytes, len, tmpl_buf_room(to, most), most);
        deflates.pack_end(state);
        return;
    }
    tmpl_warc_pack_t *pack = tmpl_warc_pack_begin(to, 1);
    tmpl_warc_pack_add(pack, bytes, len);
    tmpl_warc_pack_end(pack);
}

/* --- zstd and Brotli --- */

/* zstd.h */
typedef struct {
    const void *src;
    size_t size, pos;
} zstd_in_t;

typedef struct {
    void *dst;
    size_t size, pos;
} zstd_out_t;

/* what ZSTD_DCtx_reset() resets: not the dictionary */
enum { ZSTD_SESSION = 1 };

/* brotli/decode.h: what BrotliDecoderDecompressStream() returns */
enum { BROTLI_ERROR, BROTLI_SUCCESS };

static struct {
    void *(*zstd_begin)(void);
    size_t (*zstd_step)(void *state, zstd_out_t *out, zstd_in_t *in);
    unsigned (*zstd_is_error)(size_t code);
    size_t (*zstd_reset)(void *state, int what);
    size_t (*zstd_prime)(void *state, const void *dictionary, size_t len);
    size_t (*zstd_end)(void *state);
    void *(*br_begin)(void *alloc, void *release, void *opaque);
    int (*br_step)(void *state, size_t *in_len, const unsigned char **in, size_t *out_len,
                   unsigned char **out, size_t *total);
    void (*br_end)(void *state);
    int has_zstd, has_br;
} codecs;

static pthread_once_t codecs_once = PTHREAD_ONCE_INIT;

static void codecs_load(void)
{
    static const ctl_function_t zstd[] = { CTL_LATE_AT(ZSTD_createDStream, codecs.zstd_begin),
                                           CTL_LATE_AT(ZSTD_decompressStream, codecs.zstd_step),
                                           CTL_LATE_AT(ZSTD_isError, codecs.zstd_is_error),
                                           CTL_LATE_AT(ZSTD_DCtx_reset, codecs.zstd_reset),
                                           CTL_LATE_AT(ZSTD_DCtx_loadDictionary, codecs.zstd_prime),
                                           CTL_LATE_AT(ZSTD_freeDStream, codecs.zstd_end) };
    static const ctl_function_t br[] = { CTL_LATE_AT(BrotliDecoderCreateInstance, codecs.br_begin),
                                         CTL_LATE_AT(BrotliDecoderDecompressStream, codecs.br_step),
                                         CTL_LATE_AT(BrotliDecoderDestroyInstance, codecs.br_end) };
    codecs.has_zstd =
        ctl_library_load("libzstd.so.1", zstd, sizeof(zstd) / sizeof(zstd[0])) == NULL;
    codecs.has_br = ctl_library_load("libbrotlidec.so.1", br, sizeof(br) / sizeof(br[0])) == NULL;
}

static apr_status_t zstd_free(void *state)
{
    codecs.zstd_end(state);
    return APR_SUCCESS;
}

static void *zstd_begin(apr_pool_t *pool)
{
    pthread_once(&codecs_once, codecs_load);
    void *state = codecs.has_zstd ? codecs.zstd_begin() : NULL;
    if (state != NULL) {
        apr_pool_cleanup_register(pool, state, zstd_free, apr_pool_cleanup_null);
    }
    return state;
}

static tmpl_codec_e zstd_step(void *state, tmpl_codec_io_t *io)
{
    zstd_in_t in = { io->in, io->in_len, 0 };
    zstd_out_t out = { io->out, io->out_len, 0 };
    size_t left = codecs.zstd_step(state, &out, &in);
    io->in += in.pos;
    io->in_len -= in.pos;
    io->out += out.pos;
    io->out_len -= out.pos;
    return codecs.zstd_is_error(left) ? TMPL_CODEC_BAD
           : left == 0                ? TMPL_CODEC_END
                                      : TMPL_CODEC_MORE;
}

static void zstd_again(void *state)
{
    (void)codecs.zstd_reset(state, ZSTD_SESSION);
}

static int zstd_prime(void *state, const char *dictionary, apr_size_t len)
{
    return !codecs.zstd_is_error(codecs.zstd_prime(state, dictionary, len));
}

static apr_status_t br_free(void *state)
{
    codecs.br_end(state);
    return APR_SUCCESS;
}

static void *br_begin(apr_pool_t *pool)
{
    pthread_once(&codecs_once, codecs_load);
    void *state = codecs.has_br ? codecs.br_begin(NULL, NULL, NULL) : NULL;
    if (state != NULL) {
        apr_pool_cleanup_register(pool, state, br_free, apr_pool_cleanup_null);
    }
    return state;
}

static tmpl_codec_e br_step(void *state, tmpl_codec_io_t *io)
{
    const unsigned char *in = (const unsigned char *)io->in;
    unsigned char *out = (unsigned char *)io->out;
    int got = codecs.br_step(state, &io->in_len, &in, &io->out_len, &out, NULL);
    io->in = (const char *)in;
    io->out = (char *)out;
    return got == BROTLI_ERROR     ? TMPL_CODEC_BAD
           : got == BROTLI_SUCCESS ? TMPL_CODEC_END
                                   : TMPL_CODEC_MORE;
}

static const tmpl_codec_t codec_zstd = { "zstd",    "\x28\xb5\x2f\xfd", zstd_begin,
                                         zstd_step, zstd_again,         zstd_prime };
static const tmpl_codec_t codec_br = { "br", "", br_begin, br_step, NULL, NULL };

const tmpl_codec_t *const ctl_codecs[] = { &codec_gzip, &tmpl_codec_deflate, &codec_zstd, &codec_br,
                                           NULL };
