/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decisions as bytes: unpacked for its own page a decision is as before. A value of another page, a
 * value that is truncated or longer, and a value with any bit flipped are refused.
 */
#include <string.h>

#include "tap.h"

#include <xxhash.h>

#include "decision/decision.h"

#define BODY_LEN 1000

static apr_pool_t *pool;
static tmpl_decision_secret_t secret;

static const tmpl_edit_t some_edits[] = { { { 10, 20 }, 0 },
                                          { { 20, 20 }, 1 },
                                          { { 999, 1000 }, 0 } };
static const char *const some_texts[] = { "", " data-tmpl=\"\"", "not used" };

static tmpl_decision_t a_decision(void)
{
    static tmpl_verdict_t verdicts[40];
    verdicts[3] = (tmpl_verdict_t){ 0.9F, 1, TMPL_PART_TEMPLATE };
    verdicts[39] = (tmpl_verdict_t){ 0.1F, 0, TMPL_PART_HIDDEN };
    return (tmpl_decision_t){ .detector = TMPL_DETECTOR_AUTO,
                              .state = TMPL_STATE_WARM,
                              .pages = 77,
                              .version = 12345678901,
                              .decided_by = 0xFEDCBA9876543210,
                              .learned = 1,
                              .blocks = 40,
                              .template_blocks = 7,
                              .verdicts = verdicts,
                              .parts = TMPL_PART_BIT(TMPL_PART_COMMENT),
                              .ratio = 0.25,
                              .confidence = 0.75,
                              .unmarked = 0.125,
                              .fingerprint = "00ff",
                              .edits = { some_edits, 3, some_texts },
                              .body = "Body.",
                              .body_len = 5 };
}

static tmpl_decision_key_t key_of(const char *context)
{
    tmpl_decision_key_t key;
    tmpl_decision_key(&key, &secret, context, strlen(context));
    return key;
}

/* A page of one letter, with two places: X's in quotes. */
static tmpl_input_t input_of(apr_size_t len, apr_size_t more)
{
    char *body = apr_palloc(pool, len + more);
    memset(body, 'x', len + more);
    body[50] = body[60 + more] = body[500 + more] = body[510 + more] = '"';
    return (tmpl_input_t){ .body = body, .len = len + more };
}

static const tmpl_volatile_t some_places[] = { { { 51, 60 }, '"' }, { { 501, 510 }, '"' } };
static const tmpl_page_t some_page = { .places = some_places, .n_places = 2 };

static unsigned char *pack(apr_size_t *len, const tmpl_decision_t *decision,
                           const tmpl_decision_key_t *key)
{
    tmpl_input_t input = input_of(BODY_LEN, 0);
    return tmpl_decision_pack(len, decision, key, &secret, &input, &some_page, pool);
}

static int unpack(tmpl_decision_t *decision, const unsigned char *bytes, apr_size_t len,
                  const tmpl_decision_key_t *key, apr_size_t body_len, apr_pool_t *to)
{
    tmpl_input_t input = input_of(body_len, 0);
    return tmpl_decision_unpack(decision, bytes, len, key, &secret, &input, to);
}

static int unpacks(const unsigned char *bytes, apr_size_t len, const tmpl_decision_key_t *key,
                   apr_size_t body_len)
{
    tmpl_decision_t decision;
    return unpack(&decision, bytes, len, key, body_len, pool);
}

static void is_unpacked_as_it_was_packed(void **state)
{
    tmpl_decision_t decision = a_decision(), back;
    tmpl_decision_key_t key = key_of("c");
    apr_size_t len;
    unsigned char *bytes = pack(&len, &decision, &key);
    (void)state;
    assert_true(unpack(&back, bytes, len, &key, BODY_LEN, pool));
    assert_int_equal(back.detector, decision.detector);
    assert_int_equal(back.state, decision.state);
    assert_int_equal(back.decline, decision.decline);
    assert_int_equal(back.pages, 77);
    assert_true(back.version == 12345678901);
    assert_true(back.decided_by == 0xFEDCBA9876543210);
    assert_int_equal(back.learned, 1);
    assert_int_equal(back.blocks, 40);
    assert_int_equal(back.template_blocks, 7);
    assert_true(back.verdicts[3].template && back.verdicts[3].ratio == 1);
    assert_true(!back.verdicts[39].template && back.verdicts[39].part == TMPL_PART_HIDDEN);
    assert_int_equal(back.parts, decision.parts);
    assert_true(back.ratio == 0.25 && back.confidence == 0.75 && back.unmarked == 0.125);
    assert_string_equal(back.fingerprint, "00ff");
    assert_int_equal(back.edits.n, 3);
    assert_memory_equal(back.edits.edits, some_edits, sizeof(some_edits));
    assert_string_equal(tmpl_edit_text(&back.edits, 0), "");
    assert_string_equal(tmpl_edit_text(&back.edits, 1), " data-tmpl=\"\"");
    assert_int_equal(back.body_len, 5);
    assert_memory_equal(back.body, "Body.", 5);
    decision.fingerprint = NULL;
    decision.body = NULL;
    decision.edits = (tmpl_edits_t){ 0 };
    bytes = pack(&len, &decision, &key);
    assert_true(unpack(&back, bytes, len, &key, BODY_LEN, pool));
    assert_null(back.fingerprint);
    assert_null(back.body);
    assert_int_equal(back.edits.n, 0);
}

/* A body is that of a page of exactly the same bytes, and is short. */
static void a_body_is_of_one_page(void **state)
{
    tmpl_decision_t decision = a_decision(), back;
    tmpl_decision_key_t key = key_of("c");
    tmpl_input_t input = input_of(BODY_LEN, 0);
    apr_size_t len;
    unsigned char *bytes = pack(&len, &decision, &key);
    (void)state;
    ((char *)input.body)[55] = 'y';
    assert_true(tmpl_decision_unpack(&back, bytes, len, &key, &secret, &input, pool));
    assert_null(back.body);
    decision.body = apr_pcalloc(pool, TMPL_DECISION_BODY_MOST + 1);
    for (unsigned more = 0; more < 2; more++) {
        decision.body_len = TMPL_DECISION_BODY_MOST + more;
        bytes = pack(&len, &decision, &key);
        assert_true(unpack(&back, bytes, len, &key, BODY_LEN, pool));
        assert_int_equal(back.body == NULL, more);
    }
}

/* The key depends on context and secret; the value on each byte of the page but in its places. */
static void keys_and_pages_differ(void **state)
{
    tmpl_decision_t decision = a_decision(), back;
    tmpl_decision_key_t key = key_of("context"), other = key_of("context");
    tmpl_input_t input = input_of(BODY_LEN, 0);
    apr_size_t len;
    unsigned char *bytes = pack(&len, &decision, &key);
    char *body = (char *)input.body;
    (void)state;
    assert_memory_equal(&key, &other, sizeof(key));
    other = key_of("contexu");
    assert_memory_not_equal(&key, &other, sizeof(key));
    for (apr_size_t i = 0; i < BODY_LEN; i++) {
        int is_place = (i >= 51 && i < 60) || (i >= 501 && i < 510);
        body[i] ^= 1;
        assert_int_equal(tmpl_decision_unpack(&back, bytes, len, &key, &secret, &input, pool),
                         is_place);
        body[i] ^= 1;
    }
    secret.bytes[20] ^= 1;
    other = key_of("context");
    assert_memory_not_equal(&key, &other, sizeof(key));
    assert_false(tmpl_decision_unpack(&back, bytes, len, &key, &secret, &input, pool));
    secret.bytes[20] ^= 1;
}

/* Behind a place that is longer, edits are further behind; no edit may touch a place. */
static void edits_move(void **state)
{
    static const apr_size_t edges[] = { 50, 51, 55, 60, 61 };
    tmpl_edit_t edits[] = { { { 40, 50 }, 0 }, { { 61, 999 }, 1 } };
    tmpl_decision_t decision = a_decision(), back;
    tmpl_decision_key_t key = key_of("c");
    tmpl_input_t longer = input_of(BODY_LEN, 7);
    apr_size_t len;
    (void)state;
    decision.edits = (tmpl_edits_t){ edits, 2, some_texts };
    unsigned char *bytes = pack(&len, &decision, &key);
    assert_true(tmpl_decision_unpack(&back, bytes, len, &key, &secret, &longer, pool));
    assert_int_equal(back.edits.edits[0].span.start, 40);
    assert_int_equal(back.edits.edits[0].span.end, 50);
    assert_int_equal(back.edits.edits[1].span.start, 68);
    assert_int_equal(back.edits.edits[1].span.end, 1006);
    for (int i = 0; i < 5; i++) {
        edits[0].span.end = (uint32_t)edges[i];
        edits[1].span.start = (uint32_t)edges[i];
        bytes = pack(&len, &decision, &key);
        assert_int_equal(tmpl_decision_unpack(&back, bytes, len, &key, &secret, &longer, pool),
                         i == 0 || i == 4);
        assert_true(unpacks(bytes, len, &key, BODY_LEN));
    }
}

static void anothers_is_none(void **state)
{
    tmpl_decision_t decision = a_decision();
    tmpl_decision_key_t key = key_of("c");
    apr_size_t len;
    unsigned char *bytes = pack(&len, &decision, &key);
    (void)state;
    assert_true(unpacks(bytes, len, &key, BODY_LEN));
    for (size_t bit = 0; bit < 8 * sizeof(key); bit++) {
        tmpl_decision_key_t other = key;
        other.bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        assert_false(unpacks(bytes, len, &other, BODY_LEN));
    }
    assert_false(unpacks(bytes, len, &key, BODY_LEN - 1));
    assert_false(unpacks(bytes, len, &key, BODY_LEN + 1));
}

static void damage_is_none(void **state)
{
    tmpl_decision_t decision = a_decision();
    tmpl_decision_key_t key = key_of("c");
    apr_size_t len;
    unsigned char *bytes = pack(&len, &decision, &key);
    unsigned char *longer = apr_pcalloc(pool, len + 8);
    (void)state;
    for (size_t bit = 0; bit < 8 * len; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        assert_false(unpacks(bytes, len, &key, BODY_LEN));
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    for (size_t cut = 0; cut < len; cut++) {
        assert_false(unpacks(bytes, cut, &key, BODY_LEN));
    }
    memcpy(longer, bytes, len);
    for (size_t more = 1; more <= 8; more++) {
        assert_false(unpacks(longer, len + more, &key, BODY_LEN));
    }
}

static int is_in_order(const tmpl_edits_t *edits)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < edits->n; i++) {
        if (edits->edits[i].span.start < at || edits->edits[i].span.end > BODY_LEN ||
            edits->edits[i].span.end < edits->edits[i].span.start ||
            strlen(tmpl_edit_text(edits, i)) > 100) {
            return 0;
        }
        at = edits->edits[i].span.end;
    }
    return 1;
}

/* Edits that do not fit the page are refused, even with a valid hash. */
static void a_forger_gets_no_edits_out_of_place(void **state)
{
    tmpl_decision_t decision = a_decision(), back;
    tmpl_decision_key_t key = key_of("c");
    apr_size_t len;
    unsigned char *bytes = pack(&len, &decision, &key);
    unsigned char *forged = apr_palloc(pool, len);
    unsigned refused = 0, taken = 0;
    tmpl_input_t input = input_of(BODY_LEN, 0);
    apr_pool_t *scratch;
    (void)state;
    apr_pool_create(&scratch, pool);
    for (size_t at = sizeof(key); at < len - 8; at++) {
        for (unsigned value = 0; value < 256; value++) {
            uint64_t hash;
            memcpy(forged, bytes, len);
            forged[at] = (unsigned char)value;
            hash = XXH3_64bits(forged, len - 8);
            memcpy(forged + len - 8, &hash, 8);
            if (tmpl_decision_unpack(&back, forged, len, &key, &secret, &input, scratch)) {
                assert_true(is_in_order(&back.edits));
                assert_true(back.body == NULL ||
                            back.body + back.body_len == (const char *)forged + len - 8);
                assert_true((unsigned)back.detector < TMPL_DETECTOR_COUNT);
                assert_true((unsigned)back.state < TMPL_STATE_COUNT);
                taken++;
            }
            else {
                refused++;
            }
            apr_pool_clear(scratch);
        }
    }
    assert_true(taken > 0);
    assert_true(refused > 0);
}

static void ages(void **state)
{
    tmpl_decision_t decision = a_decision();
    const apr_time_t now = apr_time_from_sec(1000);
    decision.made = now - apr_time_from_sec(61);
    (void)state;
    assert_false(tmpl_decision_is_stale(&decision, decision.version, 77, 400, now));
    assert_false(tmpl_decision_is_stale(&decision, decision.version, 86, 400, now));
    assert_true(tmpl_decision_is_stale(&decision, decision.version, 87, 400, now));
    assert_true(tmpl_decision_is_stale(&decision, decision.version, 76, 400, now));
    assert_true(tmpl_decision_is_stale(&decision, decision.version + 1, 77, 400, now));
    assert_true(tmpl_decision_is_stale(&decision, decision.version - 1, 77, 400, now));
    assert_false(tmpl_decision_is_stale(&decision, decision.version, 78, 8, now));
    assert_true(tmpl_decision_is_stale(&decision, decision.version, 79, 8, now));
    decision.made = now - apr_time_from_sec(59);
    assert_false(tmpl_decision_is_stale(&decision, decision.version + 1, 77, 400, now));
    assert_true(tmpl_decision_is_stale(&decision, decision.version - 1, 77, 400, now));
    decision.state = TMPL_STATE_COLD;
    assert_false(tmpl_decision_is_stale(&decision, decision.version, 77, 400, now));
    assert_true(tmpl_decision_is_stale(&decision, decision.version, 78, 400, now));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(is_unpacked_as_it_was_packed),
    cmocka_unit_test(a_body_is_of_one_page),
    cmocka_unit_test(keys_and_pages_differ),
    cmocka_unit_test(edits_move),
    cmocka_unit_test(anothers_is_none),
    cmocka_unit_test(damage_is_none),
    cmocka_unit_test(a_forger_gets_no_edits_out_of_place),
    cmocka_unit_test(ages),
};

static int setup(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof(secret.bytes); i++) {
        secret.bytes[i] = (unsigned char)(i * 37);
    }
    return apr_pool_create(&pool, NULL) != APR_SUCCESS;
}

TAP_MAIN_WITH(tests, setup)
