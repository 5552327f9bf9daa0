/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes that a cache may return instead of a decision: first as they are, then between a valid
 * key and a valid hash, so that the code behind the hash check is reached. A decision that is
 * accepted must have edits that can be applied to the page, must be the same when it is written and
 * read again, and must be refused with a flipped bit, a missing byte, or another page.
 */
#include <stdlib.h>
#include <string.h>

#include <apr_general.h>
#include <apr_strings.h>
#include <xxhash.h>

#include "decision/decision.h"

/* as in the seeds */
#define BODY_LEN 1000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int holds)
{
    if (!holds) {
        abort();
    }
}

/* The edits can be applied; the result has the length that follows from them. */
static void try_edits(const tmpl_edits_t *edits, apr_pool_t *pool)
{
    char *body = apr_pcalloc(pool, BODY_LEN);
    apr_size_t len, want = BODY_LEN;
    for (uint32_t i = 0; i < edits->n; i++) {
        const tmpl_span_t *span = &edits->edits[i].span;
        want = want + strlen(tmpl_edit_text(edits, i)) - (span->end - span->start);
    }
    must(tmpl_edits_apply(&len, edits, body, BODY_LEN, pool) != NULL);
    must(len == want);
}

static void must_be_equal(const tmpl_decision_t *one, const tmpl_decision_t *other)
{
    must(one->detector == other->detector && one->state == other->state &&
         one->decline == other->decline && one->pages == other->pages &&
         one->version == other->version && one->learned == other->learned &&
         one->blocks == other->blocks && one->template_blocks == other->template_blocks &&
         memcmp(&one->ratio, &other->ratio, sizeof(one->ratio)) == 0);
    must((one->fingerprint == NULL) == (other->fingerprint == NULL));
    must(one->fingerprint == NULL || strcmp(one->fingerprint, other->fingerprint) == 0);
    must(one->edits.n == other->edits.n);
    for (uint32_t i = 0; i < one->edits.n; i++) {
        must(memcmp(&one->edits.edits[i], &other->edits.edits[i], sizeof(tmpl_edit_t)) == 0);
        must(strcmp(tmpl_edit_text(&one->edits, i), tmpl_edit_text(&other->edits, i)) == 0);
    }
}

/*
 * Its own bytes are accepted; with a flipped bit, without the last byte, or for another page they
 * are not.
 */
static void try_bytes(const tmpl_decision_t *decision, tmpl_decision_key_t *key, size_t turned,
                      apr_pool_t *pool)
{
    tmpl_decision_t back;
    apr_size_t len;
    unsigned char *bytes = tmpl_decision_pack(&len, decision, key, BODY_LEN, pool);
    must(tmpl_decision_unpack(&back, bytes, len, key, BODY_LEN, pool));
    must_be_equal(decision, &back);
    must(!tmpl_decision_unpack(&back, bytes, len - 1, key, BODY_LEN, pool));
    must(!tmpl_decision_unpack(&back, bytes, len, key, BODY_LEN + 1, pool));
    bytes[turned / 8 % len] ^= (unsigned char)(1 << turned % 8);
    must(!tmpl_decision_unpack(&back, bytes, len, key, BODY_LEN, pool));
    bytes[turned / 8 % len] ^= (unsigned char)(1 << turned % 8);
    key->bytes[turned / 8 % sizeof(key->bytes)] ^= (unsigned char)(1 << turned % 8);
    must(!tmpl_decision_unpack(&back, bytes, len, key, BODY_LEN, pool));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tmpl_decision_key_t key;
    tmpl_decision_t decision;
    apr_pool_t *pool;
    uint16_t turned;
    if (size < sizeof(turned)) {
        return 0;
    }
    memcpy(&turned, data, sizeof(turned));
    data += sizeof(turned);
    size -= sizeof(turned);
    apr_initialize();
    apr_pool_create(&pool, NULL);
    memset(key.bytes, 'k', sizeof(key.bytes));
    must(!tmpl_decision_unpack(&decision, data, size, &key, BODY_LEN, pool));

    /* not from the pool: the sanitizer must see a read past the end */
    size_t len = sizeof(key) + size;
    unsigned char *value = malloc(len + sizeof(uint64_t));
    must(value != NULL);
    memcpy(value, &key, sizeof(key));
    memcpy(value + sizeof(key), data, size);
    uint64_t hash = XXH3_64bits(value, len);
    memcpy(value + len, &hash, sizeof(hash));
    if (tmpl_decision_unpack(&decision, value, len + sizeof(hash), &key, BODY_LEN, pool)) {
        try_edits(&decision.edits, pool);
        try_bytes(&decision, &key, turned, pool);
    }
    free(value);
    apr_pool_destroy(pool);
    return 0;
}
