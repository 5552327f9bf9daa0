/* SPDX-License-Identifier: Apache-2.0 */
/* Records are read as they were written; tests/tool/warc.t has damage, and all forms of files. */
#include <string.h>

#include <apr_file_io.h>

#include "tap.h"

#include "archive/http_message.h"
#include "archive/warc_read.h"
#include "archive/warc_write.h"

static const tmpl_codec_t *const codecs[] = { &tmpl_codec_gzip, &tmpl_codec_deflate, NULL };

/* Begins to read bytes as an archive. */
static tmpl_warc_t *archive_of(const tmpl_buf_t *bytes, apr_pool_t *pool)
{
    char name[] = "/tmp/test_archive-XXXXXX";
    apr_file_t *file;
    tmpl_warc_t *warc;
    apr_off_t begin = 0;
    assert_int_equal(apr_file_mktemp(&file, name, 0, pool), APR_SUCCESS);
    assert_int_equal(apr_file_write_full(file, bytes->at, bytes->len, NULL), APR_SUCCESS);
    assert_int_equal(apr_file_seek(file, APR_SET, &begin), APR_SUCCESS);
    assert_int_equal(tmpl_warc_open(&warc, file, codecs, NULL, pool), APR_SUCCESS);
    return warc;
}

static void add_record(tmpl_buf_t *to, const char *type, const char *content, int gzip)
{
    tmpl_buf_t head, record;
    tmpl_buf_init(&head, to->pool);
    tmpl_warc_head_begin(&head);
    tmpl_warc_head_add(&head, "WARC-Type", type);
    tmpl_warc_head_add(&head, "WARC-Target-URI", NULL);
    tmpl_buf_init(&record, to->pool);
    tmpl_warc_add(&record, &head, content, strlen(content));
    tmpl_warc_pack_t *pack = tmpl_warc_pack_begin(to, gzip);
    tmpl_warc_pack_add(pack, record.at, record.len);
    tmpl_warc_pack_end(pack);
}

/* Reads the next record whole. */
static void expect_record(tmpl_warc_t *warc, const char *type, const char *content,
                          apr_pool_t *pool)
{
    tmpl_warc_record_t record;
    tmpl_error_t err;
    const char *got;
    assert_int_equal(tmpl_warc_next(warc, &record, &err, pool), APR_SUCCESS);
    assert_string_equal(record.type, type);
    assert_int_equal(record.length, strlen(content));
    assert_int_equal(tmpl_warc_content(warc, &got, 1 << 20, &err, pool), APR_SUCCESS);
    assert_string_equal(got, content);
}

static void records_are_read_as_written(void **state)
{
    for (int gzip = 0; gzip <= 1; gzip++) {
        tmpl_warc_record_t record;
        tmpl_error_t err;
        tmpl_buf_t bytes;
        apr_pool_t *pool;
        apr_pool_create(&pool, NULL);
        tmpl_buf_init(&bytes, pool);
        add_record(&bytes, "warcinfo", "a: b\r\n", gzip);
        add_record(&bytes, "conversion", "", gzip);
        add_record(&bytes, "conversion", "WARC/1.1 is no record here\r\n\r\n", gzip);
        tmpl_warc_t *warc = archive_of(&bytes, pool);
        expect_record(warc, "warcinfo", "a: b\r\n", pool);
        expect_record(warc, "conversion", "", pool);
        expect_record(warc, "conversion", "WARC/1.1 is no record here\r\n\r\n", pool);
        assert_int_equal(tmpl_warc_next(warc, &record, &err, pool), APR_EOF);
        assert_int_equal(tmpl_warc_consumed(warc), bytes.len);
        /* without reading the content of records */
        warc = archive_of(&bytes, pool);
        assert_int_equal(tmpl_warc_next(warc, &record, &err, pool), APR_SUCCESS);
        assert_int_equal(tmpl_warc_next(warc, &record, &err, pool), APR_SUCCESS);
        expect_record(warc, "conversion", "WARC/1.1 is no record here\r\n\r\n", pool);
        apr_pool_destroy(pool);
    }
    (void)state;
}

static void damage_costs_its_record(void **state)
{
    for (int gzip = 0; gzip <= 1; gzip++) {
        tmpl_warc_record_t record;
        tmpl_error_t err;
        tmpl_buf_t bytes;
        apr_pool_t *pool;
        apr_pool_create(&pool, NULL);
        tmpl_buf_init(&bytes, pool);
        add_record(&bytes, "response", "first", gzip);
        tmpl_buf_add_text(&bytes, "garbage \x1f\x8b\x08 garbage");
        add_record(&bytes, "response", "second", gzip);
        tmpl_warc_t *warc = archive_of(&bytes, pool);
        expect_record(warc, "response", "first", pool);
        assert_int_equal(tmpl_warc_next(warc, &record, &err, pool), APR_EGENERAL);
        assert_non_null(strstr(err.text, "begins here"));
        if (gzip) {
            /* in a plain file a record is found at the begin of a line only */
            expect_record(warc, "response", "second", pool);
        }
        assert_int_equal(tmpl_warc_next(warc, &record, &err, pool), APR_EOF);
        apr_pool_destroy(pool);
    }
    (void)state;
}

static void bodies_are_decoded(void **state)
{
    static const struct {
        const char *message, *body;
        tmpl_decline_e decline;
    } cases[] = {
        { "HTTP/1.1 200 OK\r\nA: b\r\n\r\n<p>", "<p>", TMPL_DECLINE_NONE },
        { "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x\r\n<p\r\n1\r\n>\r\n0\r\n\r\n",
          "<p>", TMPL_DECLINE_NONE },
        { "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n<p>", "<p>", TMPL_DECLINE_NONE },
        { "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n<p>", NULL,
          TMPL_DECLINE_BROKEN },
        { "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n<p>", "<p>", TMPL_DECLINE_NONE },
        { "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nnone", NULL, TMPL_DECLINE_INFLATE },
        { "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\nnone", NULL, TMPL_DECLINE_ENCODING },
        { "HTTP/2 200\n\n0123456789abcdefghijk", NULL, TMPL_DECLINE_TOO_LARGE },
    };
    apr_pool_t *pool;
    apr_pool_create(&pool, NULL);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tmpl_http_message_t message;
        const char *body;
        apr_size_t len;
        assert_true(tmpl_http_parse(&message, cases[i].message, strlen(cases[i].message)));
        assert_int_equal(message.status, 200);
        assert_int_equal(tmpl_http_body(&body, &len, &message, codecs, 20, pool), cases[i].decline);
        if (cases[i].body != NULL) {
            assert_int_equal(len, strlen(cases[i].body));
            assert_memory_equal(body, cases[i].body, len);
        }
    }
    apr_pool_destroy(pool);
    (void)state;
}

static void fields_are_found(void **state)
{
    static const char text[] =
        "HTTP/1.1 200 OK\r\nA:b\r\nLong: one\r\n two\r\n\tthree \r\nEmpty:\r\n\r\nX: y";
    tmpl_fields_t fields = { text, tmpl_fields_len(text, sizeof(text) - 1) };
    apr_pool_t *pool;
    apr_pool_create(&pool, NULL);
    assert_int_equal(fields.len, sizeof(text) - 1 - strlen("X: y"));
    assert_string_equal(tmpl_fields_get(&fields, "a", pool), "b");
    assert_string_equal(tmpl_fields_get(&fields, "LONG", pool), "one   two   three");
    assert_string_equal(tmpl_fields_get(&fields, "Empty", pool), "");
    assert_null(tmpl_fields_get(&fields, "X", pool));
    apr_pool_destroy(pool);
    (void)state;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(records_are_read_as_written),
    cmocka_unit_test(damage_costs_its_record),
    cmocka_unit_test(bodies_are_decoded),
    cmocka_unit_test(fields_are_found),
};

TAP_MAIN(tests)
