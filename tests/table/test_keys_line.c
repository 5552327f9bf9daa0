/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of a page as a line: what was written is read, and damaged lines do no harm. */
#include <stdlib.h>
#include <string.h>

#include <apr_encode.h>
#include <apr_general.h>
#include <apr_strings.h>

#include "tap.h"

#include "table/keys_line.h"

static const tmpl_document_t document = { 0x123456789abcdef0, 42 };
static const tmpl_key_t keys[] = {
    { TMPL_HASH_MASK, TMPL_KIND_SEGMENT },
    { 0, TMPL_KIND_SEGMENT },
    { 300, TMPL_KIND_SEGMENT },
    { 5, TMPL_KIND_PATH },
    { 6, TMPL_KIND_PATH },
};
static const tmpl_share_t shares[] = {
    { 0, INT32_MAX, 1 }, { 2, 0, 0 }, { 1, 127, 1 }, { 0, 128, 0 }
};
static const tmpl_block_paths_t blocks[] = {
    { { 3, 4, TMPL_NONE }, 0, 1 },
    { { TMPL_NONE, TMPL_NONE, TMPL_NONE }, 1, 1 },
    { { 4, TMPL_NONE, 3 }, 1, 4 },
};
static const tmpl_observation_t page = { .site = "a.example",
                                         .document = &document,
                                         .keys = keys,
                                         .n = 5,
                                         .shares = shares,
                                         .n_shares = 4,
                                         .blocks = blocks,
                                         .n_blocks = 3 };

static void what_was_written_is_read(void **state)
{
    apr_pool_t *pool = *state;
    tmpl_keys_page_t read;
    tmpl_error_t err;
    char *line = apr_pstrdup(pool, tmpl_keys_line(&page, 7, pool));
    assert_memory_equal(line, "a.example\t123456789abcdef0\t000000000000002a\t1\t", 46);
    line[strlen(line) - 1] = '\0';
    assert_int_equal(tmpl_keys_line_read(&read, line, &err, pool), APR_SUCCESS);
    assert_int_equal(read.check, tmpl_keys_check(7));
    assert_int_not_equal(read.check, tmpl_keys_check(8));
    assert_string_equal(read.page.site, page.site);
    assert_memory_equal(&read.document, &document, sizeof(document));
    assert_int_equal(read.page.n, page.n);
    for (uint32_t i = 0; i < page.n; i++) {
        assert_int_equal(read.page.keys[i].hash, keys[i].hash);
        assert_int_equal(read.page.keys[i].kind, keys[i].kind);
    }
    assert_int_equal(read.page.n_shares, page.n_shares);
    assert_memory_equal(read.page.shares, shares, sizeof(shares));
    assert_int_equal(read.page.n_blocks, page.n_blocks);
    assert_memory_equal(read.page.blocks, blocks, sizeof(blocks));
}

static void sites_with_control_characters_have_no_line(void **state)
{
    tmpl_observation_t other = page;
    other.site = "a\tb";
    assert_null(tmpl_keys_line(&other, 7, *state));
    other.site = "a\nb";
    assert_null(tmpl_keys_line(&other, 7, *state));
}

/* Whatever a line says, indices of what was read are in their arrays. */
static void check_read(const tmpl_observation_t *read, uint32_t n_segments)
{
    for (uint32_t i = 0; i < read->n_shares; i++) {
        assert_true(read->shares[i].key < n_segments);
    }
    for (uint32_t i = 0; i < read->n_blocks; i++) {
        assert_true(read->blocks[i].first <= read->blocks[i].after);
        assert_true(read->blocks[i].after <= read->n_shares);
        for (int level = 0; level < TMPL_PATH_LEVELS; level++) {
            uint32_t path = read->blocks[i].paths[level];
            assert_true(path == TMPL_NONE || (path >= n_segments && path < read->n));
        }
    }
}

static void damaged_lines_do_no_harm(void **state)
{
    char *line = apr_pstrdup(*state, tmpl_keys_line(&page, 7, *state));
    const char *coded = strrchr(line, '\t') + 1;
    unsigned char bytes[200];
    apr_size_t len;
    apr_pool_t *pool;
    int good = 0;
    line[strlen(line) - 1] = '\0';
    apr_pool_create(&pool, *state);
    assert_int_equal(
        apr_decode_base64_binary(bytes, coded, APR_ENCODE_STRING, APR_ENCODE_NONE, &len),
        APR_SUCCESS);
    for (int i = 0; i < 20000; i++) {
        unsigned char damaged[200];
        memcpy(damaged, bytes, len);
        for (int n = 1 + rand() % 3; n > 0; n--) {
            damaged[(size_t)rand() % len] = (unsigned char)(rand() % (rand() % 2 ? 8 : 256));
        }
        apr_size_t end = rand() % 4 > 0 ? len : (apr_size_t)rand() % len;
        const char *other = apr_psprintf(
            pool, "%.*s%s", (int)(coded - line), line,
            apr_pencode_base64_binary(pool, damaged, (apr_ssize_t)end, APR_ENCODE_NONE, NULL));
        tmpl_keys_page_t read;
        tmpl_error_t err;
        if (tmpl_keys_line_read(&read, other, &err, pool) == APR_SUCCESS) {
            uint32_t n_segments = 0;
            while (n_segments < read.page.n &&
                   read.page.keys[n_segments].kind == TMPL_KIND_SEGMENT) {
                n_segments++;
            }
            check_read(&read.page, n_segments);
            good++;
        }
        apr_pool_clear(pool);
    }
    assert_in_range(good, 1, 19999);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_was_written_is_read),
    cmocka_unit_test(sites_with_control_characters_have_no_line),
    cmocka_unit_test(damaged_lines_do_no_harm),
};

static int make_pool(void **state)
{
    apr_pool_t *pool;
    apr_pool_create(&pool, NULL);
    *state = pool;
    return 0;
}

TAP_MAIN_WITH(tests, make_pool)
