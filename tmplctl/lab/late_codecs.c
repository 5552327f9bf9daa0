/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libdeflate, if it is installed (library.h). Its interface has not changed since version 1.0, so
 * it is declared here: building needs no header of it.
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

static const tmpl_codec_t codec_gzip = { "gzip",          "\x1f\x8b\x08",   0,   gzip_codec_begin,
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

const tmpl_codec_t *const ctl_codecs[] = { &codec_gzip, &tmpl_codec_deflate, &tmpl_codec_br,
                                           &tmpl_codec_zstd_wide, NULL };
