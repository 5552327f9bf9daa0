/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was decided about a page, as bytes that a cache may keep: the edits and what the response
 * says, for a page of exactly these bytes under exactly this configuration.
 *
 * A cache may lose what it holds, hand out another's value, or a damaged one. So a value names the key
 * and the page's length it was made for, ends in a hash of itself, and its edits are looked at
 * again; whatever is wrong, there is no decision and the page is judged.
 */
#ifndef TMPL_DECISION_H
#define TMPL_DECISION_H

#include "clean.h"

#define TMPL_DECISION_KEY_SIZE 32

/* Secret of one run of the server: nobody can aim pages at keys. */
typedef struct {
    unsigned char bytes[192];
} tmpl_decision_secret_t;

typedef struct {
    unsigned char bytes[TMPL_DECISION_KEY_SIZE];
} tmpl_decision_key_t;

/* All of a decision. */
typedef struct {
    tmpl_detector_e detector;
    tmpl_state_e state;
    tmpl_decline_e decline;
    uint32_t pages;   /* of the site, when it was decided */
    uint64_t version; /* of its table */
    int learned;      /* by a request that had the page learnt */
    uint32_t blocks, template_blocks;
    double ratio;
    const char *fingerprint; /* NULL: none was asked for */
    tmpl_edits_t edits;
} tmpl_decision_t;

/*
 * The key of a page: two hashes of 128 bits (XXH3), of its body and of context, which is all else that
 * its decision hangs on.
 */
void tmpl_decision_key(tmpl_decision_key_t *key, const tmpl_decision_secret_t *secret,
                       const void *context, apr_size_t context_len, const char *body,
                       apr_size_t len);

/*
 * Whether an outcome may be used again: the store has answered and taken what was to be learnt, and
 * the site is known so well that its state stays as it is.
 */
int tmpl_decision_lasts(const tmpl_outcome_t *outcome);

/* Of an outcome that lasts. Points into it. */
tmpl_decision_t tmpl_decision_of(const tmpl_outcome_t *outcome, tmpl_detector_e detector,
                                 const char *fingerprint, int learned);

/* An outcome that says the same: its page has a number of blocks and nothing else. */
void tmpl_decision_outcome(tmpl_outcome_t *outcome, const tmpl_decision_t *decision,
                           apr_pool_t *pool);

/* As bytes, from pool, for a page of body_len bytes. */
unsigned char *tmpl_decision_pack(apr_size_t *len, const tmpl_decision_t *decision,
                                  const tmpl_decision_key_t *key, apr_size_t body_len,
                                  apr_pool_t *pool);

/* From bytes: 0 if they are not what pack made for that key and length. Copies what it needs. */
int tmpl_decision_unpack(tmpl_decision_t *decision, const unsigned char *bytes, apr_size_t len,
                         const tmpl_decision_key_t *key, apr_size_t body_len, apr_pool_t *pool);

/*
 * Whether a decision is too old for a site that is now at a version and at so many pages: a segment has
 * become template since, the site has grown by an eighth, or its entries in the store are to be
 * refreshed (after tb / 4 pages, see store.h).
 */
int tmpl_decision_is_stale(const tmpl_decision_t *decision, uint64_t version, uint32_t pages,
                           uint32_t tb);

#endif
