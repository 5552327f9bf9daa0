/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libdeflate and zstd, if they are installed (library.h). Their interfaces have not changed
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

/* --- zstd --- */

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

static struct {
    void *(*begin)(void);
    size_t (*step)(void *state, zstd_out_t *out, zstd_in_t *in);
    unsigned (*is_error)(size_t code);
    size_t (*reset)(void *state, int what);
    size_t (*prime)(void *state, const void *dictionary, size_t len);
    size_t (*end)(void *state);
    int has;
} zstd;

static pthread_once_t zstd_once = PTHREAD_ONCE_INIT;

static void zstd_load(void)
{
    static const ctl_function_t functions[] = { CTL_LATE_AT(ZSTD_createDStream, zstd.begin),
                                                CTL_LATE_AT(ZSTD_decompressStream, zstd.step),
                                                CTL_LATE_AT(ZSTD_isError, zstd.is_error),
                                                CTL_LATE_AT(ZSTD_DCtx_reset, zstd.reset),
                                                CTL_LATE_AT(ZSTD_DCtx_loadDictionary, zstd.prime),
                                                CTL_LATE_AT(ZSTD_freeDStream, zstd.end) };
    zstd.has = ctl_library_load("libzstd.so.1", functions,
                                sizeof(functions) / sizeof(functions[0])) == NULL;
}

static apr_status_t zstd_free(void *state)
{
    zstd.end(state);
    return APR_SUCCESS;
}

static void *zstd_begin(apr_pool_t *pool)
{
    pthread_once(&zstd_once, zstd_load);
    void *state = zstd.has ? zstd.begin() : NULL;
    if (state != NULL) {
        apr_pool_cleanup_register(pool, state, zstd_free, apr_pool_cleanup_null);
    }
    return state;
}

static tmpl_codec_e zstd_step(void *state, tmpl_codec_io_t *io)
{
    zstd_in_t in = { io->in, io->in_len, 0 };
    zstd_out_t out = { io->out, io->out_len, 0 };
    size_t left = zstd.step(state, &out, &in);
    io->in += in.pos;
    io->in_len -= in.pos;
    io->out += out.pos;
    io->out_len -= out.pos;
    return zstd.is_error(left) ? TMPL_CODEC_BAD : left == 0 ? TMPL_CODEC_END : TMPL_CODEC_MORE;
}

static void zstd_again(void *state)
{
    (void)zstd.reset(state, ZSTD_SESSION);
}

static int zstd_prime(void *state, const char *dictionary, apr_size_t len)
{
    return !zstd.is_error(zstd.prime(state, dictionary, len));
}

static const tmpl_codec_t codec_zstd = { "zstd",    "\x28\xb5\x2f\xfd", zstd_begin,
                                         zstd_step, zstd_again,         zstd_prime };

const tmpl_codec_t *const ctl_codecs[] = { &codec_gzip, &tmpl_codec_deflate, &codec_zstd,
                                           &tmpl_codec_br, NULL };
