/* SPDX-License-Identifier: Apache-2.0 */
/* Codings undone in one piece: what follows a member, what is cut, what is no member. */
#include "check.h"

#include <zlib.h>
#include <zstd.h>

#include "base/codec.h"

#define TEXT "<p>one of the pages</p>"

enum { SKIPPED = 11, ROOM = 400 };

/* A frame that decoders skip (RFC 8878, 3.1.2), of three bytes. */
static const char skipped[SKIPPED] = "\x50\x2a\x4d\x18\3\0\0\0abc";

/* What bytes become; *got: how they end. */
static const char *undone(tmpl_codec_e *got, const tmpl_codec_t *codec, const char *bytes,
                          apr_size_t len, apr_pool_t *pool)
{
    tmpl_buf_t to;
    tmpl_buf_init(&to, pool);
    *got = tmpl_codec_undo(&to, codec, codec->begin(pool), bytes, len, ROOM);
    return to.at;
}

static void frames_are_one_text(void **state)
{
    const tmpl_codec_t *const codecs[] = { &tmpl_codec_zstd, &tmpl_codec_zstd_wide };
    for (int i = 0; i < 2; i++) {
        char bytes[ROOM];
        tmpl_codec_e got;
        size_t one = ZSTD_compress(bytes, ROOM, TEXT, strlen(TEXT), 3), all = 2 * one + SKIPPED;
        memcpy(bytes + one, skipped, SKIPPED);
        memcpy(bytes + one + SKIPPED, bytes, one);
        assert_string_equal(undone(&got, codecs[i], bytes, all, *state), TEXT TEXT);
        assert_int_equal(got, TMPL_CODEC_END);
        assert_string_equal(undone(&got, codecs[i], bytes, one + SKIPPED, *state), TEXT);
        assert_int_equal(got, TMPL_CODEC_END);
        undone(&got, codecs[i], bytes, all - 1, *state);
        assert_int_equal(got, TMPL_CODEC_MORE);
        bytes[one] = 'x';
        undone(&got, codecs[i], bytes, all, *state);
        assert_int_equal(got, TMPL_CODEC_BAD);
    }
}

static void a_dictionary_is_for_all_frames(void **state)
{
    const tmpl_codec_t *codec = &tmpl_codec_zstd_wide;
    const char *dictionary = "the words that " TEXT " repeats";
    char bytes[ROOM];
    ZSTD_CCtx *packer = ZSTD_createCCtx();
    size_t one = ZSTD_compress_usingDict(packer, bytes, ROOM / 2, TEXT, strlen(TEXT), dictionary,
                                         strlen(dictionary), 3);
    ZSTD_freeCCtx(packer);
    void *primed = codec->begin(*state);
    tmpl_buf_t to;
    memcpy(bytes + one, bytes, one);
    tmpl_buf_init(&to, *state);
    assert_true(codec->prime(primed, dictionary, strlen(dictionary)));
    assert_int_equal(tmpl_codec_undo(&to, codec, primed, bytes, 2 * one, ROOM), TMPL_CODEC_END);
    assert_string_equal(to.at, TEXT TEXT);
    /* a dictionary of zstd that is damaged (RFC 8878, 6) */
    assert_false(codec->prime(primed, "\x37\xa4\x30\xec broken", 11));
}

static void deflate_is_bare_or_of_zlib(void **state)
{
    const int windows[] = { 15, -15 };
    for (int i = 0; i < 2; i++) {
        z_stream z = { .next_in = (z_const Bytef *)TEXT, .avail_in = (uInt)strlen(TEXT) };
        char bytes[ROOM];
        tmpl_codec_e got;
        assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, windows[i], 8, 0), Z_OK);
        z.next_out = (Bytef *)bytes;
        z.avail_out = ROOM;
        assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
        deflateEnd(&z);
        assert_string_equal(undone(&got, &tmpl_codec_deflate, bytes, z.total_out, *state), TEXT);
        assert_int_equal(got, TMPL_CODEC_END);
        undone(&got, &tmpl_codec_deflate, bytes, z.total_out - 1, *state);
        assert_int_equal(got, TMPL_CODEC_MORE);
    }
}

static void a_body_has_one_name(void **state)
{
    const tmpl_codec_t *const codecs[] = { &tmpl_codec_gzip, &tmpl_codec_br, &tmpl_codec_zstd,
                                           NULL };
    (void)state;
    assert_ptr_equal(tmpl_codec_of_encoding(codecs, "X-GZIP"), &tmpl_codec_gzip);
    assert_ptr_equal(tmpl_codec_of_encoding(codecs, "Zstd"), &tmpl_codec_zstd);
    assert_null(tmpl_codec_of_encoding(codecs, "deflate"));
    assert_ptr_equal(tmpl_codec_of_bytes(codecs, "\x28\xb5\x2f\xfd", 4), &tmpl_codec_zstd);
    assert_null(tmpl_codec_of_bytes(codecs, "\x28\xb5\x2f", 3));
}

static const struct CMUnitTest tests[] = {
    CHECK(frames_are_one_text),
    CHECK(a_dictionary_is_for_all_frames),
    CHECK(deflate_is_bare_or_of_zlib),
    CHECK(a_body_has_one_name),
};

TAP_MAIN(tests)
