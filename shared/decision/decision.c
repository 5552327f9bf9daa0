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
    tmpl_decision_t decision; /* fingerprint, verdicts, edits and body are NULL */
    unsigned char around[TMPL_PLACES_HASH];
    XXH128_hash_t whole; /* of the page, if there is a body */
    uint32_t has_fingerprint, n_texts, n_edits, n_places;
} fixed_t;

#define HASH_SIZE 8
#define TEXTS_MAX 64 /* annotate has 2 texts, 14 for parts, 3 for each of 16 marks; strip has 1 */

static XXH128_hash_t hash_of(const tmpl_decision_secret_t *secret, const void *bytes,
                             apr_size_t len)
{
    return XXH3_128bits_withSecret(bytes, len, secret->bytes, sizeof(secret->bytes));
}

void tmpl_decision_key(tmpl_decision_key_t *key, const tmpl_decision_secret_t *secret,
                       const void *context, apr_size_t context_len)
{
    XXH128_hash_t of = hash_of(secret, context, context_len);
    memcpy(key->bytes, &of, sizeof(key->bytes));
}

int tmpl_decision_lasts(const tmpl_outcome_t *outcome)
{
    return outcome->page != NULL && outcome->verdicts != NULL && outcome->counts.records != NULL &&
           outcome->store_error.status == APR_SUCCESS;
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
                              .near_copy = outcome->counts.near_copy,
                              .document = outcome->document,
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

/*
 * Moves the edits of a page to where they are in one with other places, or in the page itself.
 * Returns 0 if an edit begins or ends in a place, or at its edge.
 */
static int move_edits(tmpl_edit_t *edits, uint32_t n, const tmpl_volatile_t *from,
                      const tmpl_volatile_t *to, uint32_t n_places)
{
    uint32_t passed = 0, moved = 0; /* moved is modulo 2^32: places may become shorter */
    for (uint32_t i = 0; i < 2 * n; i++) {
        uint32_t *at = i % 2 == 0 ? &edits[i / 2].span.start : &edits[i / 2].span.end;
        while (passed < n_places && from[passed].span.end < *at) {
            moved = to[passed].span.end - from[passed].span.end;
            passed++;
        }
        if (passed < n_places && from[passed].span.start <= *at) {
            return 0;
        }
        *at += moved;
    }
    return 1;
}

unsigned char *tmpl_decision_pack(apr_size_t *len, const tmpl_decision_t *decision,
                                  const tmpl_decision_key_t *key,
                                  const tmpl_decision_secret_t *secret, const tmpl_input_t *input,
                                  const tmpl_page_t *page, apr_pool_t *pool)
{
    const tmpl_edits_t *edits = &decision->edits;
    const apr_size_t size = edits->n * sizeof(*edits->edits);
    tmpl_volatile_t *found = apr_palloc(pool, (page->n_places + 1) * sizeof(*found));
    fixed_t fixed = { .decision = *decision,
                      .has_fingerprint = decision->fingerprint != NULL,
                      .n_texts = texts_used(edits),
                      .n_edits = edits->n };
    if (move_edits(apr_pmemdup(pool, edits->edits, size), edits->n, page->places, page->places,
                   page->n_places)) {
        fixed.n_places = page->n_places;
    }
    if (!tmpl_places_hash(fixed.around, found, page->places, fixed.n_places, input->body,
                          (uint32_t)input->len, input->charset, secret->bytes, pool)) {
        return NULL;
    }
    if (decision->body == NULL || decision->body_len > TMPL_DECISION_BODY_MOST) {
        fixed.decision.body_len = 0;
    }
    else {
        fixed.whole = hash_of(secret, input->body, input->len);
    }
    fixed.decision.fingerprint = fixed.decision.body = NULL;
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
    tmpl_buf_add(&buf, (const char *)edits->edits, size);
    tmpl_buf_add(&buf, (const char *)page->places, fixed.n_places * sizeof(*page->places));
    tmpl_buf_add(&buf, decision->body, fixed.decision.body_len);
    uint64_t hash = XXH3_64bits(buf.at, buf.len);
    tmpl_buf_add(&buf, (const char *)&hash, HASH_SIZE);
    *len = buf.len;
    return (unsigned char *)buf.at;
}

/* Whether all enumerations and numbers are in range. */
static int fixed_is_valid(const fixed_t *fixed, apr_size_t rest)
{
    const tmpl_decision_t *decision = &fixed->decision;
    return decision->blocks <= rest && decision->body_len <= rest &&
           (unsigned)decision->detector < TMPL_DETECTOR_COUNT &&
           (unsigned)decision->state < TMPL_STATE_COUNT &&
           (unsigned)decision->decline < TMPL_DECLINE_COUNT &&
           (decision->parts & ~TMPL_PARTS_ALL) == 0 && fixed->n_texts <= TEXTS_MAX &&
           fixed->n_places <= TMPL_PLACES_MOST;
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

/* Reads the edits and places at p, and whether the page is that of the places. */
static int read_edits(tmpl_edits_t *edits, const fixed_t *fixed, const char *p,
                      const tmpl_decision_secret_t *secret, const tmpl_input_t *input,
                      apr_pool_t *pool)
{
    const apr_size_t size = fixed->n_edits * sizeof(tmpl_edit_t);
    tmpl_edit_t *list = apr_pmemdup(pool, p, size);
    tmpl_volatile_t places[TMPL_PLACES_MOST], found[TMPL_PLACES_MOST];
    unsigned char around[TMPL_PLACES_HASH];
    memcpy(places, p + size, fixed->n_places * sizeof(*places));
    edits->edits = list;
    edits->n = fixed->n_edits;
    return tmpl_places_hash(around, found, places, fixed->n_places, input->body,
                            (uint32_t)input->len, input->charset, secret->bytes, pool) &&
           memcmp(around, fixed->around, sizeof(around)) == 0 &&
           move_edits(list, edits->n, places, found, fixed->n_places) &&
           edits_are_valid(edits, fixed->n_texts, input->len);
}

static int hash_is_valid(const unsigned char *bytes, apr_size_t len)
{
    uint64_t hash = XXH3_64bits(bytes, len - HASH_SIZE);
    return memcmp(&hash, bytes + len - HASH_SIZE, HASH_SIZE) == 0;
}

int tmpl_decision_unpack(tmpl_decision_t *decision, const unsigned char *bytes, apr_size_t len,
                         const tmpl_decision_key_t *key, const tmpl_decision_secret_t *secret,
                         const tmpl_input_t *input, apr_pool_t *pool)
{
    const apr_size_t least = sizeof(*key) + sizeof(fixed_t) + HASH_SIZE;
    if (len < least || memcmp(bytes, key, sizeof(*key)) != 0 || !hash_is_valid(bytes, len)) {
        return 0;
    }
    fixed_t fixed;
    memcpy(&fixed, bytes + sizeof(*key), sizeof(fixed));
    const unsigned char *blocks = bytes + sizeof(*key) + sizeof(fixed);
    if (!fixed_is_valid(&fixed, len - least)) {
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
    decision->edits.texts = texts;
    if (!is_whole || (apr_size_t)(end - p) != fixed.n_edits * sizeof(tmpl_edit_t) +
                                                  fixed.n_places * sizeof(tmpl_volatile_t) +
                                                  decision->body_len) {
        return 0;
    }
    decision->verdicts = read_verdicts(blocks, decision->blocks, pool);
    decision->body = NULL;
    if (decision->verdicts == NULL ||
        !read_edits(&decision->edits, &fixed, p, secret, input, pool)) {
        return 0;
    }
    if (decision->body_len > 0 &&
        XXH128_isEqual(fixed.whole, hash_of(secret, input->body, input->len))) {
        decision->body = end - decision->body_len;
    }
    return 1;
}

int tmpl_decision_is_stale(const tmpl_decision_t *decision, uint64_t version, uint32_t pages,
                           uint32_t tb, apr_time_t now)
{
    uint64_t grown = (uint64_t)pages - decision->pages;
    return (decision->state != TMPL_STATE_WARM && pages != decision->pages) ||
           (version != decision->version && now - decision->made > apr_time_from_sec(60)) ||
           version < decision->version || pages < decision->pages || grown * 4 >= tb ||
           grown * 8 > decision->pages;
}
