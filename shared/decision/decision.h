/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decisions about pages, as bytes for a cache: the edits and the fields of the response, valid
 * under exactly the same configuration for a page that has the same bytes outside of its volatile
 * places (page/places.h). In such a page the edits are moved by what the places differ in length.
 * What is sent in place of the page, if it is short, is kept, too, for a page of exactly its bytes.
 *
 * A cache may lose a value, return the value of another key, or a damaged one. So a value contains
 * its key and ends with a hash of itself, and its places and edits are checked when it is unpacked.
 * A value with any fault is not used: the page is judged.
 *
 * Layout, in the byte order and alignment of this process (a cache is not shared between machines):
 *
 *     key | fixed part | blocks | fingerprint | texts | edits | places | body | hash of all before
 *      16                1 each   with NUL   with NULs  12 each  12 each                8 bytes
 */
#ifndef TMPL_DECISION_H
#define TMPL_DECISION_H

#include "clean.h"
#include "page/places.h"

#define TMPL_DECISION_KEY_SIZE 16
/* The longest body that is kept. */
#define TMPL_DECISION_BODY_MOST (24 * 1024)

/* A secret of one run of the server, so that nobody can construct pages with equal keys. */
typedef struct {
    unsigned char bytes[TMPL_PLACES_SECRET];
} tmpl_decision_secret_t;

typedef struct {
    unsigned char bytes[TMPL_DECISION_KEY_SIZE];
} tmpl_decision_key_t;

typedef struct {
    tmpl_detector_e detector;
    tmpl_state_e state;
    tmpl_decline_e decline;
    uint32_t pages;      /* the site's pages at the time of the decision */
    uint64_t version;    /* version of the site's table at that time */
    apr_time_t made;     /* that time, if it is to be kept */
    uint64_t decided_by; /* tmpl_clean_version() */
    int learned;         /* the request that decided also learnt the page */
    int near_copy;       /* the page has the text of another one: the store never knows it */
    tmpl_document_t document;
    uint32_t blocks, template_blocks;
    const tmpl_verdict_t *verdicts; /* of blocks; their ratios are not kept: 0 or 1 */
    tmpl_part_set_t parts;
    double ratio, confidence, unmarked;
    const char *fingerprint; /* NULL: none */
    tmpl_edits_t edits;
    const char *body; /* what is sent in place of the page; NULL: it is to be made */
    apr_size_t body_len;
} tmpl_decision_t;

/*
 * Fills key: a 128-bit hash (XXH3) of context, which must contain all that the decision depends on
 * except the page's body.
 */
void tmpl_decision_key(tmpl_decision_key_t *key, const tmpl_decision_secret_t *secret,
                       const void *context, apr_size_t context_len);

/*
 * Whether an outcome may be cached: the store has answered, and has learnt the page if it may.
 */
int tmpl_decision_lasts(const tmpl_outcome_t *outcome);

/*
 * The decision of an outcome for which tmpl_decision_lasts, without a body. It points into the
 * outcome.
 */
tmpl_decision_t tmpl_decision_of(const tmpl_outcome_t *outcome, tmpl_detector_e detector,
                                 const char *fingerprint, int learned);

/*
 * Fills outcome from a decision. The outcome's page has n_blocks and nothing else; the rest is from
 * pool. The decision's verdicts must live as long.
 */
void tmpl_decision_outcome(tmpl_outcome_t *outcome, const tmpl_decision_t *decision,
                           apr_pool_t *pool);

/*
 * The decision about input's page, which has places, as *len bytes, from pool; without its body if
 * that is too long. NULL: it cannot be kept.
 */
unsigned char *tmpl_decision_pack(apr_size_t *len, const tmpl_decision_t *decision,
                                  const tmpl_decision_key_t *key,
                                  const tmpl_decision_secret_t *secret, const tmpl_input_t *input,
                                  const tmpl_page_t *page, apr_pool_t *pool);

/*
 * Fills decision from bytes, for input's page. Returns 0 if they are not what tmpl_decision_pack
 * made for that key and secret and for a page that differs in its places only. Copies what it needs
 * to pool, but the body is in bytes.
 */
int tmpl_decision_unpack(tmpl_decision_t *decision, const unsigned char *bytes, apr_size_t len,
                         const tmpl_decision_key_t *key, const tmpl_decision_secret_t *secret,
                         const tmpl_input_t *input, apr_pool_t *pool);

/*
 * Whether a decision is too old for a site that now has this version and number of pages:
 *   0. the site is cold or learning, and has grown at all;
 *   1. a segment has become template since (version), and a minute has passed: on a large site each
 *      new page makes some;
 *   2. the site has grown by more than an eighth, or was removed; or
 *   3. tb / 4 pages were learnt since, when entries in the store must be refreshed (counts.h).
 */
int tmpl_decision_is_stale(const tmpl_decision_t *decision, uint64_t version, uint32_t pages,
                           uint32_t tb, apr_time_t now);

#endif
