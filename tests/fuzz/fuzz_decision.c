/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kept decisions. A page, judged and kept, then another page that differs from it in its places or
 * anywhere: the decision does not hold for it, or is what judging it gives. And the bytes that a
 * cache may return instead: with another byte and a valid hash, a decision that is accepted has
 * edits that can be applied to the page; with another byte alone it is refused.
 */
#include <apr_general.h>
#include <xxhash.h>

#include "kept.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int holds)
{
    if (!holds) {
        abort();
    }
}

static int unpack(tmpl_decision_t *decision, const unsigned char *bytes, const kept_t *kept,
                  apr_pool_t *pool)
{
    return tmpl_decision_unpack(decision, bytes, kept->len, &kept_key, &kept_secret, &kept->input,
                                pool);
}

/* Another byte of the value, which need not be of the key. */
static void forge(const kept_t *kept, uint64_t series, apr_pool_t *pool)
{
    const apr_size_t before = kept->len - sizeof(uint64_t);
    /* not from the pool: the sanitizer must see a read past the end */
    unsigned char *bytes = malloc(kept->len);
    tmpl_decision_t decision;
    apr_size_t len;
    must(bytes != NULL);
    memcpy(bytes, kept->bytes, kept->len);
    bytes[kept_random(&series, (uint32_t)before)] ^= (unsigned char)(1 + kept_random(&series, 255));
    must(!unpack(&decision, bytes, kept, pool));
    uint64_t hash = XXH3_64bits(bytes, before);
    memcpy(bytes + before, &hash, sizeof(hash));
    if (unpack(&decision, bytes, kept, pool)) {
        must(tmpl_edits_apply(&len, &decision.edits, kept->input.body, kept->input.len, pool) !=
             NULL);
        must(decision.body == NULL ||
             decision.body + decision.body_len == (const char *)bytes + before);
    }
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    apr_pool_t *pool;
    uint16_t first;
    if (size < sizeof(first)) {
        return 0;
    }
    memcpy(&first, data, sizeof(first));
    uint64_t series = first;
    apr_initialize();
    apr_pool_create(&pool, NULL);
    const char *page = (const char *)data + sizeof(first), *other;
    apr_size_t len = size - sizeof(first), other_len;
    kept_judge_t judge = kept_judge(first % 2 ? TMPL_MODE_ANNOTATE : TMPL_MODE_STRIP, pool);
    if (first / 6 % 2) {
        kept_drop(&judge, KEPT_XPATH);
    }
    kept_t kept = kept_of(&judge, page, len, pool);
    if (kept.bytes != NULL) {
        other = first / 2 % 3 == 2 ? kept_insert(&other_len, page, len, &series, pool)
                                   : kept_refill(&other_len, &kept, first / 2 % 3, &series, pool);
        must(kept_try(&judge, &kept, page, len, pool) == 1);
        must(kept_try(&judge, &kept, other, other_len, pool) >= 0);
        forge(&kept, series, pool);
    }
    apr_pool_destroy(pool);
    return 0;
}
