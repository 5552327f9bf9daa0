/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edits of a brigade give the same bytes as edits of one buffer, however the page is split into
 * buckets; and a page with many edits does not get one bucket for each.
 *
 * brigade.c is included.
 */
#include "tap.h"

#include "mod_tmpl/brigade.c"

enum { PAGE = 100000, EDITS = 4000 };

static apr_pool_t *pool;
static apr_bucket_alloc_t *alloc;
static uint64_t seed;
static apr_off_t max_body;

apr_int64_t tmpl_conf_number(const tmpl_conf_t *conf, tmpl_setting_e setting)
{
    (void)setting;
    (void)conf;
    return max_body;
}

static int setup(void **state)
{
    (void)state;
    apr_pool_create(&pool, NULL);
    alloc = apr_bucket_alloc_create(pool);
    seed = 88172645463325252u;
    return alloc == NULL;
}

static int teardown(void **state)
{
    (void)state;
    apr_pool_destroy(pool);
    return 0;
}

/* A number below n. */
static unsigned draw(unsigned n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (unsigned)(seed % n);
}

static char *make_page(void)
{
    char *page = apr_palloc(pool, PAGE);
    unsigned i;

    for (i = 0; i < PAGE; i++) {
        page[i] = (char)('a' + draw(26));
    }
    return page;
}

/* Edits of up to most bytes, with up to most bytes between them. */
static void make_edits(tmpl_edits_t *edits, unsigned most)
{
    static const char *const texts[] = { "", "<!--tmpl-->", "x-" };
    tmpl_edit_t *e = apr_palloc(pool, EDITS * sizeof(*e));
    uint32_t at = 0;

    *edits = (tmpl_edits_t){ e, 0, texts };
    while (edits->n < EDITS) {
        uint32_t start = at + draw(most);
        uint32_t end = start + draw(most);

        if (end > PAGE) {
            break;
        }
        e[edits->n++] = (tmpl_edit_t){ { start, end }, draw(3) };
        at = end;
    }
}

/*
 * The page in heap buckets (some of them parts of a larger one) of up to most bytes, with FLUSH
 * between some.
 */
static apr_bucket_brigade *make_brigade(const char *page, unsigned most, unsigned *flushes)
{
    apr_bucket_brigade *bb = apr_brigade_create(pool, alloc);
    apr_size_t at = 0;

    *flushes = 0;
    while (at < PAGE) {
        apr_size_t len = 1 + draw(most);
        apr_bucket *e;

        len = len < PAGE - at ? len : PAGE - at;
        e = apr_bucket_heap_create(page + at, len, NULL, alloc);
        APR_BRIGADE_INSERT_TAIL(bb, e);
        if (len > 1 && draw(2) == 0) {
            apr_bucket_split(e, 1 + draw((unsigned)len - 1));
        }
        if (draw(4) == 0) {
            APR_BRIGADE_INSERT_TAIL(bb, apr_bucket_flush_create(alloc));
            (*flushes)++;
        }
        at += len;
    }
    APR_BRIGADE_INSERT_TAIL(bb, apr_bucket_eos_create(alloc));
    return bb;
}

static void count(unsigned *buckets, unsigned *flushes, const apr_bucket_brigade *bb)
{
    const apr_bucket *e;

    *buckets = 0;
    *flushes = 0;
    for (e = APR_BRIGADE_FIRST(bb); e != APR_BRIGADE_SENTINEL(bb); e = APR_BUCKET_NEXT(e)) {
        *buckets += !APR_BUCKET_IS_METADATA(e);
        *flushes += APR_BUCKET_IS_FLUSH(e);
    }
}

static void check(unsigned most_of_bucket, unsigned most_of_edit)
{
    const char *page = make_page();
    tmpl_edits_t edits;
    unsigned flushes, flushes_after, buckets;
    apr_size_t len, want_len;
    const char *want;
    char *bytes;
    apr_bucket_brigade *bb = make_brigade(page, most_of_bucket, &flushes);

    make_edits(&edits, most_of_edit);
    want = tmpl_edits_apply(&want_len, &edits, page, PAGE, pool);
    assert_int_equal(tmpl_brigade_edit(bb, &edits), APR_SUCCESS);
    assert_true(APR_BUCKET_IS_EOS(APR_BRIGADE_LAST(bb)));
    count(&buckets, &flushes_after, bb);
    assert_int_equal(flushes_after, flushes);
    assert_int_equal(apr_brigade_pflatten(bb, &bytes, &len, pool), APR_SUCCESS);
    assert_int_equal(len, want_len);
    assert_memory_equal(bytes, want, len);
    apr_brigade_destroy(bb);
}

static void bytes_are_those_of_one_piece(void **state)
{
    static const unsigned sizes[] = { 2, 10, 100, 5000, 20000, PAGE };
    unsigned i, k;

    (void)state;
    for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        for (k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
            check(sizes[i], sizes[k]);
        }
    }
}

/* Nine bytes, a cut of one, and so on. */
static void short_pieces_stand_together(void **state)
{
    static const char *const texts[] = { "" };
    tmpl_edit_t *e = apr_palloc(pool, PAGE / 10 * sizeof(*e));
    tmpl_edits_t edits = { e, 0, texts };
    const char *page = make_page();
    unsigned flushes, buckets;
    apr_bucket_brigade *bb = apr_brigade_create(pool, alloc);

    (void)state;
    APR_BRIGADE_INSERT_TAIL(bb, apr_bucket_heap_create(page, PAGE, NULL, alloc));
    while (edits.n < PAGE / 10) {
        e[edits.n] = (tmpl_edit_t){ { edits.n * 10 + 9, edits.n * 10 + 10 }, 0 };
        edits.n++;
    }
    assert_int_equal(tmpl_brigade_edit(bb, &edits), APR_SUCCESS);
    count(&buckets, &flushes, bb);
    assert_in_range(buckets, 1, PAGE / APR_BUCKET_BUFF_SIZE + 2);
}

/* A backend that sends single bytes must not lead to a bucket for each. */
static void what_is_appended_fills_buffers(void **state)
{
    static const unsigned sizes[] = { 1, 7, 3000, APR_BUCKET_BUFF_SIZE, PAGE };
    const char *page = make_page();
    unsigned i;

    (void)state;
    for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        apr_bucket_brigade *bb = apr_brigade_create(pool, alloc);
        unsigned flushes, buckets;
        apr_size_t at, len;
        char *bytes;

        for (at = 0; at < PAGE; at += sizes[i]) {
            tmpl_brigade_append(bb, page + at, sizes[i] < PAGE - at ? sizes[i] : PAGE - at);
        }
        count(&buckets, &flushes, bb);
        assert_int_equal(buckets, (PAGE + APR_BUCKET_BUFF_SIZE - 1) / APR_BUCKET_BUFF_SIZE);
        assert_int_equal(apr_brigade_pflatten(bb, &bytes, &len, pool), APR_SUCCESS);
        assert_int_equal(len, PAGE);
        assert_memory_equal(bytes, page, PAGE);
        apr_brigade_destroy(bb);
    }
}

/* A buffer that others use, too, is not overwritten. */
static void nothing_is_appended_to_shared_buffers(void **state)
{
    apr_bucket_brigade *bb = apr_brigade_create(pool, alloc);
    apr_bucket *e, *rest;
    const char *data;
    apr_size_t len;

    (void)state;
    tmpl_brigade_append(bb, "abcdef", 6);
    e = APR_BRIGADE_FIRST(bb);
    assert_int_equal(apr_bucket_split(e, 3), APR_SUCCESS);
    rest = APR_BUCKET_NEXT(e);
    APR_BUCKET_REMOVE(rest);
    tmpl_brigade_append(bb, "xyz", 3);
    assert_int_equal(apr_bucket_read(rest, &data, &len, APR_BLOCK_READ), APR_SUCCESS);
    assert_memory_equal(data, "def", 3);
    apr_bucket_destroy(rest);
}

/* What is changed has the metadata of the page behind it. */
static void data_is_replaced_and_metadata_stays(void **state)
{
    apr_bucket_brigade *bb = apr_brigade_create(pool, alloc);
    apr_bucket_brigade *made = apr_brigade_create(pool, alloc);
    unsigned flushes, buckets;
    apr_size_t len;
    char *bytes;

    (void)state;
    tmpl_brigade_append(bb, "before", 6);
    APR_BRIGADE_INSERT_TAIL(bb, apr_bucket_flush_create(alloc));
    apr_brigade_puts(bb, NULL, NULL, "before");
    APR_BRIGADE_INSERT_TAIL(bb, apr_bucket_eos_create(alloc));
    tmpl_brigade_append(made, "after", 5);
    tmpl_brigade_replace(bb, made);
    count(&buckets, &flushes, bb);
    assert_int_equal(buckets, 1);
    assert_int_equal(flushes, 1);
    assert_true(APR_BUCKET_IS_EOS(APR_BRIGADE_LAST(bb)));
    assert_true(APR_BRIGADE_EMPTY(made));
    assert_int_equal(apr_brigade_pflatten(bb, &bytes, &len, pool), APR_SUCCESS);
    assert_int_equal(len, 5);
    assert_memory_equal(bytes, "after", 5);
}

/* "<p>one</p>" in gzip. */
static const unsigned char gzipped[] = {
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0xff, 0xb3, 0x29, 0xb0, 0xcb, 0xcf,
    0x4b, 0xb5, 0xd1, 0x2f, 0xb0, 0x03, 0x00, 0xd8, 0x00, 0xc1, 0x88, 0x0a, 0x00, 0x00, 0x00
};

/* The same in Brotli, as it is (RFC 7932, 9.2). */
static const unsigned char packed[] = { 0x90, 0x00, 0x10, '<', 'p', '>', 'o',
                                        'n',  'e',  '<',  '/', 'p', '>', 0x03 };

/* The same in zstd, with a checksum. */
static const unsigned char frame[] = { 0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x68, 0x51, 0x00,
                                       0x00, '<',  'p',  '>',  'o',  'n',  'e',  '<',
                                       '/',  'p',  '>',  0x9b, 0x5c, 0x67, 0x2d };

/* A page of n bytes in a coding, a byte in each bucket and FLUSH behind it, and of more. */
static tmpl_ctx_t page_of(const tmpl_codec_t *codec, const unsigned char *bytes, apr_size_t n,
                          const char *more)
{
    tmpl_ctx_t ctx = { .held = apr_brigade_create(pool, alloc),
                       .codec = codec,
                       .length = (apr_off_t)(n + strlen(more)) };
    apr_size_t i;

    for (i = 0; i < n; i++) {
        APR_BRIGADE_INSERT_TAIL(ctx.held,
                                apr_bucket_heap_create((const char *)bytes + i, 1, NULL, alloc));
        APR_BRIGADE_INSERT_TAIL(ctx.held, apr_bucket_flush_create(alloc));
    }
    apr_brigade_puts(ctx.held, NULL, NULL, more);
    APR_BRIGADE_INSERT_TAIL(ctx.held, apr_bucket_eos_create(alloc));
    return ctx;
}

static void check_member(const tmpl_codec_t *codec, const unsigned char *bytes, apr_size_t n)
{
    tmpl_ctx_t whole = page_of(codec, bytes, n, ""), plain = page_of(codec, NULL, 0, "<p>");
    tmpl_ctx_t cut = page_of(codec, bytes, n - 1, ""), longer = page_of(codec, bytes, n, "x");
    tmpl_ctx_t other = page_of(codec, NULL, 0, "x\x9c");
    apr_bucket_brigade *page;
    apr_size_t len;
    char *inflated;

    max_body = 10;
    assert_int_equal(tmpl_brigade_page(&page, &whole), TMPL_DECLINE_NONE);
    assert_int_equal(apr_brigade_pflatten(page, &inflated, &len, pool), APR_SUCCESS);
    assert_int_equal(len, 10);
    assert_memory_equal(inflated, "<p>one</p>", 10);
    assert_int_equal(tmpl_brigade_page(&page, &plain), TMPL_DECLINE_NONE);
    assert_ptr_equal(page, plain.held);
    assert_int_equal(tmpl_brigade_page(&page, &cut), TMPL_DECLINE_INFLATE);
    assert_int_equal(tmpl_brigade_page(&page, &longer), TMPL_DECLINE_INFLATE);
    assert_int_equal(tmpl_brigade_page(&page, &other), TMPL_DECLINE_INFLATE);
    max_body = 9;
    assert_int_equal(tmpl_brigade_page(&page, &whole), TMPL_DECLINE_TOO_LARGE);
    assert_ptr_equal(page, whole.held);
}

static void a_page_is_one_member(void **state)
{
    (void)state;
    check_member(&tmpl_codec_gzip, gzipped, sizeof(gzipped));
    check_member(&tmpl_codec_br, packed, sizeof(packed));
    check_member(&tmpl_codec_zstd, frame, sizeof(frame));
}

/* More than gzip can make of ten bytes is too large, whatever TmplMaxBody says. */
static void a_page_grows_like_gzip(void **state)
{
    apr_bucket_brigade *page;

    max_body = 1 << 20;
    for (unsigned size = 10319; size <= 10321; size++) {
        /* a block of size bytes, all of them 'a' (RFC 8878, 3.1.1.2) */
        unsigned block = size << 3 | 3;
        unsigned char run[] = { 0x28, 0xb5, 0x2f, 0xfd, 0, 0x58, 0, 0, 0, 'a' };
        for (int i = 0; i < 3; i++) {
            run[6 + i] = (unsigned char)(block >> 8 * i);
        }
        tmpl_ctx_t ctx = page_of(&tmpl_codec_zstd, run, sizeof(run), "");
        assert_int_equal(tmpl_brigade_page(&page, &ctx),
                         size > 10320 ? TMPL_DECLINE_TOO_LARGE : TMPL_DECLINE_NONE);
    }
    (void)state;
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static const struct CMUnitTest tests[] = {
    TEST(bytes_are_those_of_one_piece),
    TEST(short_pieces_stand_together),
    TEST(what_is_appended_fills_buffers),
    TEST(nothing_is_appended_to_shared_buffers),
    TEST(data_is_replaced_and_metadata_stays),
    TEST(a_page_is_one_member),
    TEST(a_page_grows_like_gzip),
};

TAP_MAIN(tests)
