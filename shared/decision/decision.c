/* SPDX-License-Identifier: Apache-2.0 */
#include "decision/decision.h"

#include <string.h>

#include <apr_strings.h>

#include "base/buf.h"

/* Debian's xxHash has functions that choose the processor's widest vectors when the process runs */
#if defined(__x86_64__) && __has_include(<xxh_x86dispatch.h>)
#include <xxh_x86dispatch.h>
#else
#include <xxhash.h>
#endif

/* The fixed part of a value. */
typedef struct {
    tmpl_decision_t decision; /* fingerprint, verdicts and edits are NULL */
    uint64_t body_len;
    uint32_t has_fingerprint;
    uint32_t n_texts;
    uint64_t n_edits;
} fixed_t;

#define HASH_SIZE 8
#define TEXTS_MAX 64 /* annotate has 2 texts, 14 for parts, 3 for each of 16 marks; strip has 1 */

int tmpl_decision_key(tmpl_decision_key_t *key, const tmpl_decision_secret_t *secret,
                      const void *context, apr_size_t context_len, const struct iovec *body,
                      apr_size_t n)
{
    XXH3_state_t *state = XXH3_createState();
    if (state == NULL) {
        return 0;
    }
    XXH3_128bits_reset_withSecret(state, secret->bytes, sizeof(secret->bytes));
    for (apr_size_t i = 0; i < n; i++) {
        XXH3_128bits_update(state, body[i].iov_base, body[i].iov_len);
    }
    XXH128_hash_t of_body = XXH3_128bits_digest(state);
    XXH3_freeState(state);
    XXH128_hash_t of_context =
        XXH3_128bits_withSecret(context, context_len, secret->bytes, sizeof(secret->bytes));
    memcpy(key->bytes, &of_body, sizeof(of_body));
    memcpy(key->bytes + sizeof(of_body), &of_context, sizeof(of_context));
    return 1;
}

int tmpl_decision_lasts(const tmpl_outcome_t *outcome)
{
    return outcome->page != NULL && outcome->verdicts != NULL && outcome->counts.records != NULL &&
           outcome->store_error.status == APR_SUCCESS && outcome->state == TMPL_STATE_WARM;
}

tmpl_decision_t tmpl_decision_of(const tmpl_outcome_t *outcome, tmpl_detector_e detector,
                                 const char *fingerprint, int learned)
{
    return (tmpl_decision_t){ .detector = detector,
                              .state = outcome->state,
                              .decline = outcome->decline,
                              .pages = outcome->counts.pages,
                              .version = outcome->counts.version,
                              .decided_by = outcome->version,
                              .learned = learned != 0,
                              .blocks = outcome->page->n_blocks,
                              .template_blocks = outcome->closure.template_blocks,
                              .verdicts = outcome->verdicts,
                              .parts = outcome->closure.parts,
                              .ratio = outcome->closure.ratio,
                              .confidence = outcome->closure.confidence,
                              .unmarked = outcome->unmarked,
                              .fingerprint = fingerprint,
                              .edits = outcome->edits };
}

void tmpl_decision_outcome(tmpl_outcome_t *outcome, const tmpl_decision_t *decision,
                           apr_pool_t *pool)
{
    static tmpl_record_t no_record;
    tmpl_page_t *page = apr_pcalloc(pool, sizeof(*page));
    page->n_blocks = decision->blocks;
    *outcome = (tmpl_outcome_t){
        .decline = decision->decline,
        .declined_at = TMPL_NONE,
        .page = page,
        .detector = tmpl_detector(decision->detector),
        .counts = { .records = &no_record, .pages = decision->pages, .version = decision->version },
        .verdicts = decision->verdicts,
        .closure = { .template_blocks = decision->template_blocks,
                     .parts = decision->parts,
                     .ratio = decision->ratio,
                     .confidence = decision->confidence },
        .edits = decision->edits,
        .unmarked = decision->unmarked,
        .state = decision->state,
        .version = decision->decided_by
    };
}

/* The number of texts up to the last one that the edits use. */
static uint32_t texts_used(const tmpl_edits_t *edits)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < edits->n; i++) {
        n = edits->edits[i].text >= n ? edits->edits[i].text + 1 : n;
    }
    return n;
}

/* The verdicts of n bytes; NULL: one has a part that is none. */
static const tmpl_verdict_t *read_verdicts(const unsigned char *from, uint32_t n, apr_pool_t *pool)
{
    tmpl_verdict_t *verdicts = apr_palloc(pool, (n + (apr_size_t)1) * sizeof(*verdicts));
    for (uint32_t i = 0; i < n; i++) {
        unsigned char template = from[i] & 1, part = from[i] >> 1;
        if (part >= TMPL_PART_COUNT) {
            return NULL;
        }
        verdicts[i] = (tmpl_verdict_t){ template, template, part };
    }
    return verdicts;
}

unsigned char *tmpl_decision_pack(apr_size_t *len, const tmpl_decision_t *decision,
                                  const tmpl_decision_key_t *key, apr_size_t body_len,
                                  apr_pool_t *pool)
{
    const tmpl_edits_t *edits = &decision->edits;
    fixed_t fixed = { .decision = *decision,
                      .body_len = body_len,
                      .has_fingerprint = decision->fingerprint != NULL,
                      .n_texts = texts_used(edits),
                      .n_edits = edits->n };
    fixed.decision.fingerprint = NULL;
    fixed.decision.verdicts = NULL;
    memset(&fixed.decision.edits, 0, sizeof(fixed.decision.edits));
    tmpl_buf_t buf;
    tmpl_buf_init(&buf, pool);
    tmpl_buf_add(&buf, (const char *)key, sizeof(*key));
    tmpl_buf_add(&buf, (const char *)&fixed, sizeof(fixed));
    for (uint32_t i = 0; i < decision->blocks; i++) {
        const tmpl_verdict_t *verdict = &decision->verdicts[i];
        tmpl_buf_add_byte(&buf, (char)(verdict->part << 1 | (verdict->template != 0)));
    }
    if (decision->fingerprint != NULL) {
        tmpl_buf_add(&buf, decision->fingerprint, strlen(decision->fingerprint) + 1);
    }
    for (uint32_t i = 0; i < fixed.n_texts; i++) {
        tmpl_buf_add(&buf, edits->texts[i], strlen(edits->texts[i]) + 1);
    }
    tmpl_buf_add(&buf, (const char *)edits->edits, edits->n * sizeof(*edits->edits));
    uint64_t hash = XXH3_64bits(buf.at, buf.len);
    tmpl_buf_add(&buf, (const char *)&hash, HASH_SIZE);
    *len = buf.len;
    return (unsigned char *)buf.at;
}

/* Whether the value is of this page, and all enumerations and numbers are in range. */
static int fixed_is_valid(const fixed_t *fixed, apr_size_t body_len, apr_size_t rest)
{
    const tmpl_decision_t *decision = &fixed->decision;
    return fixed->body_len == body_len && decision->blocks <= rest &&
           (unsigned)decision->detector < TMPL_DETECTOR_COUNT &&
           (unsigned)decision->state < TMPL_STATE_COUNT &&
           (unsigned)decision->decline < TMPL_DECLINE_COUNT &&
           (decision->parts & ~TMPL_PARTS_ALL) == 0 && fixed->n_texts <= TEXTS_MAX;
}

/* A copy of the text at *p, which then is behind its NUL; NULL if there is none. */
static const char *read_packed_text(const char **p, const char *end, apr_pool_t *pool)
{
    const char *text = *p, *stop = memchr(text, '\0', (apr_size_t)(end - text));
    if (stop == NULL) {
        return NULL;
    }
    *p = stop + 1;
    return apr_pstrmemdup(pool, text, (apr_size_t)(stop - text));
}

/* Whether the edits are in order, do not overlap, lie within the page, and have texts. */
static int edits_are_valid(const tmpl_edits_t *edits, uint32_t n_texts, apr_size_t body_len)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < edits->n; i++) {
        const tmpl_edit_t *edit = &edits->edits[i];
        if (edit->span.start < at || edit->span.end < edit->span.start ||
            edit->span.end > body_len || edit->text >= n_texts) {
            return 0;
        }
        at = edit->span.end;
    }
    return 1;
}

static int hash_is_valid(const unsigned char *bytes, apr_size_t len)
{
    uint64_t hash = XXH3_64bits(bytes, len - HASH_SIZE);
    return memcmp(&hash, bytes + len - HASH_SIZE, HASH_SIZE) == 0;
}

int tmpl_decision_unpack(tmpl_decision_t *decision, const unsigned char *bytes, apr_size_t len,
                         const tmpl_decision_key_t *key, apr_size_t body_len, apr_pool_t *pool)
{
    const apr_size_t least = sizeof(*key) + sizeof(fixed_t) + HASH_SIZE;
    if (len < least || memcmp(bytes, key, sizeof(*key)) != 0 || !hash_is_valid(bytes, len)) {
        return 0;
    }
    fixed_t fixed;
    memcpy(&fixed, bytes + sizeof(*key), sizeof(fixed));
    const unsigned char *blocks = bytes + sizeof(*key) + sizeof(fixed);
    if (!fixed_is_valid(&fixed, body_len, len - least)) {
        return 0;
    }
    const char *p = (const char *)blocks + fixed.decision.blocks;
    const char *end = (const char *)bytes + len - HASH_SIZE;
    const char **texts = apr_palloc(pool, (fixed.n_texts + (apr_size_t)1) * sizeof(*texts));
    *decision = fixed.decision;
    decision->fingerprint = fixed.has_fingerprint ? read_packed_text(&p, end, pool) : NULL;
    int is_whole = !fixed.has_fingerprint || decision->fingerprint != NULL;
    for (uint32_t i = 0; i < fixed.n_texts && is_whole; i++) {
        texts[i] = read_packed_text(&p, end, pool);
        is_whole = texts[i] != NULL;
    }
    if (!is_whole || fixed.n_edits != (apr_size_t)(end - p) / sizeof(tmpl_edit_t) ||
        (apr_size_t)(end - p) % sizeof(tmpl_edit_t) != 0) {
        return 0;
    }
    decision->edits = (tmpl_edits_t){ apr_pmemdup(pool, p, (apr_size_t)(end - p)),
                                      (uint32_t)fixed.n_edits, texts };
    decision->verdicts = read_verdicts(blocks, decision->blocks, pool);
    return decision->verdicts != NULL && edits_are_valid(&decision->edits, fixed.n_texts, body_len);
}

int tmpl_decision_is_stale(const tmpl_decision_t *decision, uint64_t version, uint32_t pages,
                           uint32_t tb)
{
    uint64_t grown = (uint64_t)pages - decision->pages;
    return version != decision->version || pages < decision->pages || grown * 4 >= tb ||
           grown * 8 > decision->pages;
}
