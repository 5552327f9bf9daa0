/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The whole way, once: bytes -> page -> counts -> verdicts -> edits. What the module does to a
 * response and the tool does to a file is this.
 */
#ifndef TMPL_CLEAN_H
#define TMPL_CLEAN_H

#include "detect/detector.h"
#include "page/page.h"
#include "rewrite/rewrite.h"
#include "table/document.h"
#include "table/store.h"

/* X(id, name, explanation): the values of TmplMode, in the order of what they do. */
#define TMPL_MODES(X)                                                                              \
    X(OFF, "off", "the page passes, nothing is learnt")                                            \
    X(LEARN, "learn", "the page passes and its segments are counted")                              \
    X(HEADERS, "headers", "and response headers say what was found")                               \
    X(ANNOTATE, "annotate", "and template is marked in the page")                                  \
    X(STRIP, "strip", "and template is taken out of the page")

typedef enum {
#define TMPL_MODE_ID(id, name, explanation) TMPL_MODE_##id,
    TMPL_MODES(TMPL_MODE_ID)
#undef TMPL_MODE_ID
        TMPL_MODE_COUNT
} tmpl_mode_e;

/* "off", "learn", ... */
const char *tmpl_mode_name(tmpl_mode_e mode);

/* The mode of that name, in any case; APR_EINVAL, with the valid names, if there is none. */
apr_status_t tmpl_mode_parse(tmpl_mode_e *mode, const char *name, tmpl_error_t *err);

/* Everything that configuration says. */
typedef struct {
    tmpl_mode_e mode;
    tmpl_policy_t policy;
    tmpl_detector_e detector;
    tmpl_detect_opts_t
        detect; /* models must be set where the detector needs one; min_df is policy's */
    tmpl_guards_t guards;
    tmpl_page_opts_t page;
    apr_interval_time_t age; /* how old the counts may be of pages that are not learnt at once */
} tmpl_clean_opts_t;

/* The values of every field that the operator did not set. */
extern const tmpl_clean_opts_t tmpl_clean_opts_default;

/* One page, and where it came from. */
typedef struct {
    const char *body;
    apr_size_t len;
    const char *site;     /* key of the site's table */
    const char *uri;      /* "/path?query" */
    const char *page_key; /* overrides the page's identity; NULL: found from uri and the page */
    const char *charset;  /* of the Content-Type header; may be NULL */
    int learn;
} tmpl_input_t;

/* How well the site is known. X(id, name) */
#define TMPL_STATES(X)                                                                             \
    X(COLD, "cold")         /* nothing is known: no page before this one, or no answer */          \
    X(LEARNING, "learning") /* fewer pages than a template segment needs (min_df) */               \
    X(WARM, "warm")

typedef enum {
#define TMPL_STATE_ID(id, name) TMPL_STATE_##id,
    TMPL_STATES(TMPL_STATE_ID)
#undef TMPL_STATE_ID
        TMPL_STATE_COUNT
} tmpl_state_e;

const char *tmpl_state_name(tmpl_state_e state);

typedef struct {
    tmpl_decline_e decline;  /* why there are no edits, or TMPL_DECLINE_NONE */
    const tmpl_page_t *page; /* NULL if the parser declined */
    const tmpl_detector_t *detector;
    tmpl_document_t document;
    tmpl_observation_t observation; /* what the store is told; points to document */
    void *reading;                  /* what the detector wants to know again */
    tmpl_counts_t counts;           /* records is NULL if the store failed */
    const tmpl_verdict_t *verdicts; /* one a block; NULL where there are none */
    tmpl_closure_t closure;
    tmpl_edits_t edits; /* to input->body; n is 0 in modes that do not edit */
    tmpl_state_e state;
    tmpl_error_t store_error; /* status is APR_SUCCESS unless the store failed */
} tmpl_outcome_t;

/*
 * Judges one page, and counts it if input->learn is set. store may be NULL, as it is while nobody waits for
 * one that failed. Without counts a detector that can judges by the page alone, as if it were the first of
 * its site; one that cannot makes the outcome TMPL_DECLINE_STORE, as does mode LEARN. timeout bounds the
 * time spent waiting for the store. Always fills outcome; there is no failure: what cannot be done is a
 * decline, and a full store is store_error beside good counts.
 */
void tmpl_clean(tmpl_outcome_t *outcome, const tmpl_input_t *input, const tmpl_clean_opts_t *opts,
                tmpl_store_t *store, apr_interval_time_t timeout, apr_pool_t *pool);

/*
 * The two halves of tmpl_clean, for who gets hold of a store only if there is a page to ask about.
 * The first fills outcome and says whether there is; only then may the second be called, with the same
 * arguments.
 */
int tmpl_clean_read(tmpl_outcome_t *outcome, const tmpl_input_t *input,
                    const tmpl_clean_opts_t *opts, apr_pool_t *pool);
void tmpl_clean_judge(tmpl_outcome_t *outcome, const tmpl_input_t *input,
                      const tmpl_clean_opts_t *opts, tmpl_store_t *store,
                      apr_interval_time_t timeout, apr_pool_t *pool);

/*
 * The second half in three, for who works at many pages at once: observe fills outcome->observation, count
 * asks the store and, if input->learn was set, tells it, decide judges. Only count depends on the order of
 * pages; what comes before and after it may be done by other threads meanwhile. outcome may not move from
 * observe to decide, and is given with the same opts to each.
 */
void tmpl_clean_observe(tmpl_outcome_t *outcome, const tmpl_input_t *input,
                        const tmpl_clean_opts_t *opts, apr_pool_t *pool);
void tmpl_clean_count(tmpl_outcome_t *outcome, tmpl_store_t *store, apr_interval_time_t timeout,
                      apr_pool_t *pool);
/*
 * Counts pages of one site in their order, with input->learn set, n >= 1: as tmpl_clean_count would one
 * after the other, at the cost of fewer transactions where the store has such a way. What it fills is from
 * pool, which must live as long as each of outcomes.
 */
void tmpl_clean_count_many(tmpl_outcome_t *const *outcomes, uint32_t n, tmpl_store_t *store,
                           apr_interval_time_t timeout, apr_pool_t *pool);
void tmpl_clean_decide(tmpl_outcome_t *outcome, const tmpl_clean_opts_t *opts, apr_pool_t *pool);

/*
 * The fingerprint of what is left of a page that was judged in a mode beyond LEARN, as text; NULL if there
 * is none: see fingerprint/fingerprint.h.
 */
const char *tmpl_clean_fingerprint(const tmpl_outcome_t *outcome, const tmpl_input_t *input,
                                   apr_pool_t *pool);

#endif
