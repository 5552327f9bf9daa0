/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An archive: its records, and the messages of HTTP that they have. Reading ends, and a record that
 * is read has as many bytes as its head says.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <apr_general.h>
#include <apr_portable.h>

#include "archive/http_message.h"
#include "archive/warc_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST 65536

static const tmpl_codec_t *const fuzz_codecs[] = { &tmpl_codec_gzip, &tmpl_codec_deflate,
                                                   &tmpl_codec_br, &tmpl_codec_zstd_wide, NULL };

static void expect(int right)
{
    if (!right) {
        abort();
    }
}

static tmpl_warc_t *open_bytes(const uint8_t *data, size_t size, apr_pool_t *pool)
{
    apr_os_file_t fd = memfd_create("warc", 0);
    apr_file_t *file;
    tmpl_warc_t *warc;
    tmpl_error_t err;
    expect(fd >= 0 && write(fd, data, size) == (ssize_t)size && lseek(fd, 0, SEEK_SET) == 0);
    expect(apr_os_file_put(&file, &fd, APR_FOPEN_READ, pool) == APR_SUCCESS);
    apr_status_t status = tmpl_warc_open(&warc, file, fuzz_codecs, &err, pool);
    if (status != APR_SUCCESS) {
        close(fd);
        return NULL;
    }
    apr_pool_userdata_set(file, "file", NULL, pool);
    return warc;
}

static void close_bytes(apr_pool_t *pool)
{
    void *file;
    apr_pool_userdata_get(&file, "file", pool);
    apr_file_close(file);
}

static void read_message(const char *content, apr_size_t len, int is_cut, apr_pool_t *pool)
{
    tmpl_http_message_t message;
    const char *body;
    apr_size_t body_len;
    if (tmpl_http_parse(&message, content, len)) {
        message.is_cut = is_cut;
        expect(message.head.len + message.len == len && message.status <= 999);
        tmpl_fields_get(&message.head, "Content-Type", pool);
        if (tmpl_http_body(&body, &body_len, &message, fuzz_codecs, MOST, pool) ==
            TMPL_DECLINE_NONE) {
            expect(body_len <= MOST && (body_len == 0 || memchr(body, 0, body_len) != body - 1));
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    apr_pool_t *pool, *scratch;
    apr_initialize();
    apr_pool_create(&pool, NULL);
    apr_pool_create(&scratch, pool);
    tmpl_warc_t *warc = open_bytes(data, size, pool);
    apr_status_t status = APR_SUCCESS;
    for (size_t n = 0; warc != NULL && status != APR_EOF; n++) {
        tmpl_warc_record_t record = { .length = 0 };
        tmpl_error_t err = { .text = "" };
        const char *content;
        status = tmpl_warc_next(warc, &record, &err, scratch);
        expect(n < 2000 && (status == APR_SUCCESS || status == APR_EOF || err.text[0] != '\0'));
        /* of three records one is not read, which the next call skips */
        if (status == APR_SUCCESS && n % 3 != 0) {
            apr_status_t got = tmpl_warc_content(warc, &content, MOST, &err, scratch);
            expect(got == APR_SUCCESS || got == APR_ENOSPC || err.text[0] != '\0');
            if (got == APR_SUCCESS) {
                read_message(content, (apr_size_t)record.length, n % 2 == 0, scratch);
            }
        }
        apr_pool_clear(scratch);
    }
    if (warc != NULL) {
        close_bytes(pool);
    }
    apr_pool_destroy(pool);
    return 0;
}
