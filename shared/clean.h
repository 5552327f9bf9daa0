/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library's front door: one call takes a page the whole way, bytes -> page -> counts ->
 * verdicts -> edits. The module runs it on responses, tmplctl on files.
 *
 *     tmpl_clean_opts_t opts = tmpl_clean_opts_default();
 *     opts.mode = TMPL_MODE_STRIP;
 *     tmpl_models_builtin(&opts.detect.models, pool);
 *     tmpl_store_open(&store, "lmdb:/var/lib/tmpl", NULL, &err, pool);
 *
 *     tmpl_input_t input = { .body = body, .len = len, .site = "example.org", .uri = "/news?id=7",
 *                            .learn = TMPL_LEARNING_NOW };
 *     tmpl_clean(&outcome, &input, &opts, store, timeout, pool);
 *     clean = tmpl_edits_apply(&clean_len, &outcome.edits, body, len, pool);
 *
 * tmpl_clean does four steps, each of which is a function below for callers that need them apart:
 *
 *     read     bytes -> page                     page/page.h
 *     observe  page -> document, keys            detect/detector.h, feature/feature.h
 *     count    keys -> counts; learns the page   table/store.h; the only step that waits
 *     decide   counts -> verdicts -> edits       detect/, cut/closure.h, rewrite/rewrite.h
 *
 * No function keeps state between pages: everything that is learnt is in the store. Any number of
 * threads may work at different pages at the same time.
 */
#ifndef TMPL_CLEAN_H
#define TMPL_CLEAN_H

#include "cut/closure.h"
#include "detect/detector.h"
#include "page/page.h"
#include "rewrite/rewrite.h"
#include "feature/document.h"
#include "table/store.h"

/*
 * X(id, name, explanation): the values of TmplMode. Up to strip each adds to the one before it.
 */
#define TMPL_MODES(X)                                                                              \
    X(OFF, "off", "pages pass untouched")                                                          \
    X(LEARN, "learn", "pages pass untouched, and are learnt")                                      \
    X(HEADERS, "headers", "and response fields report the verdicts")                               \
    X(ANNOTATE, "annotate", "and template is marked")                                              \
    X(STRIP, "strip", "and template is removed instead of marked")                                 \
    X(TEXT, "text", "and the text that is left is sent instead of the page")                       \
    X(MARKDOWN, "markdown", "and it is sent as Markdown")                                          \
    X(JSON, "json", "and it is sent as data: metadata, parts, records, links and images")          \
    X(READER, "reader", "and it is sent as a page of its own, for reading")                        \
    X(HIGHLIGHT, "highlight", "pages are shaded by their verdicts, for people who look at them")

typedef enum {
#define TMPL_MODE_ID(id, name, explanation) TMPL_MODE_##id,
    TMPL_MODES(TMPL_MODE_ID)
#undef TMPL_MODE_ID
        TMPL_MODE_COUNT
} tmpl_mode_e;

/* The mode's name; "unknown" for a value out of range. */
const char *tmpl_mode_name(tmpl_mode_e mode);

/* The mode with that name, in any case; -1: there is none. */
int tmpl_mode_find(const char *name);

/* The configuration of a site. Pointers in it must live as long as every outcome made with it. */
typedef struct {
    tmpl_mode_e mode;
    tmpl_policy_t policy;
    tmpl_detector_e detector;
    tmpl_detect_opts_t detect; /* models has the detector's model */
    tmpl_guards_t guards;
    const tmpl_marks_t *marks; /* marks that ANNOTATE writes; NULL: tmpl_marks_default */
    tmpl_page_opts_t page;
    int lasts; /* the outcome may be kept for other pages (decision/decision.h) */
    apr_interval_time_t
        age; /* how old counts may be, in microseconds, unless the page is learnt now */
} tmpl_clean_opts_t;

/* The presets of settings.h; models stay empty. The mode is OFF. */
tmpl_clean_opts_t tmpl_clean_opts_default(void);

/* A page, and where it came from. Every pointer must live as long as the outcome. */
typedef struct {
    const char *body;
    apr_size_t len;
    const char *site;     /* key of the site's table */
    const char *uri;      /* "/path?query" */
    const char *fields;   /* of the request, which the page may show (feature/echo.h); NULL: none */
    const char *page_key; /* identifies the document; NULL: by uri and the page's canonical URL */
    const char *charset;  /* from the Content-Type header; NULL: none */
    /* OFF: judge only. NOW: count the page, too. LATER: judge as if NOW, and write nothing. */
    tmpl_learning_e learn;
} tmpl_input_t;

/* X(id, name): how much is known of the site. */
#define TMPL_STATES(X)                                                                             \
    X(COLD, "cold")         /* no page before this one, or the store did not answer */             \
    X(LEARNING, "learning") /* fewer pages than min_df: no segment can be template by its DF */    \
    X(WARM, "warm")

typedef enum {
#define TMPL_STATE_ID(id, name) TMPL_STATE_##id,
    TMPL_STATES(TMPL_STATE_ID)
#undef TMPL_STATE_ID
        TMPL_STATE_COUNT
} tmpl_state_e;

/* The state's name; "unknown" for a value out of range. */
const char *tmpl_state_name(tmpl_state_e state);

/* All results for a page, from the caller's pool. */
typedef struct {
    tmpl_decline_e decline;  /* why there are no edits, or TMPL_DECLINE_NONE */
    uint32_t declined_at;    /* offset in body of the decline's cause; TMPL_NONE: no single place */
    const tmpl_page_t *page; /* NULL if the parser declined */
    const tmpl_detector_t *detector;
    tmpl_document_t document;
    tmpl_observation_t observation; /* the store's input; points to document */
    tmpl_read_t reading;            /* what the detector's read() leaves for its judge() */
    tmpl_counts_t counts;           /* records is NULL if the store failed */
    const tmpl_verdict_t *verdicts; /* one for each block; NULL if none were made */
    tmpl_closure_t closure;
    tmpl_edits_t edits; /* edits of input->body; n is 0 in modes that do not edit */
    double unmarked;    /* what tmpl_annotate returned; -1 if it was not called */
    tmpl_state_e state;
    uint64_t version;               /* set by tmpl_clean_version(); 0: not computed */
    tmpl_error_t store_error;       /* status is APR_SUCCESS unless the store failed or is full */
    int was_asked;                  /* the store was asked: no, if the page was declined before */
    apr_interval_time_t store_took; /* time that the store took, in microseconds */
} tmpl_outcome_t;

/*
 * Judges a page, and counts it as input->learn says. All four steps.
 *
 * Always fills outcome; there is no other failure:
 *   - a page that cannot be edited has a decline;
 *   - if the store fails, store_error says why, and counts.records is NULL, as if store were NULL.
 *     A detector that can judge the page alone does so, as if it were the first of its site. With
 *     other detectors, and in mode LEARN, the page is declined: TMPL_DECLINE_STORE;
 *   - if the store is full, counts are valid and store_error.status is APR_ENOSPC.
 * timeout bounds the time spent waiting for the store, in microseconds.
 */
void tmpl_clean(tmpl_outcome_t *outcome, const tmpl_input_t *input, const tmpl_clean_opts_t *opts,
                tmpl_store_t *store, apr_interval_time_t timeout, apr_pool_t *pool);

/*
 * The first step. Fills outcome, and returns 1 if the page can be used, 0 if it is declined. Call
 * the other steps only if this one returned 1, and with the same arguments.
 */
int tmpl_clean_read(tmpl_outcome_t *outcome, const tmpl_input_t *input,
                    const tmpl_clean_opts_t *opts, apr_pool_t *pool);

/* The other three steps: tmpl_clean is tmpl_clean_read, then this function. */
void tmpl_clean_judge(tmpl_outcome_t *outcome, const tmpl_input_t *input,
                      const tmpl_clean_opts_t *opts, tmpl_store_t *store,
                      apr_interval_time_t timeout, apr_pool_t *pool);

/*
 * These three steps one by one, for callers that work at many pages at once. Only count depends on
 * the order of pages: while one page is counted, other threads may observe and decide other pages.
 * From observe to decide outcome must not move in memory, because observation points into it, and
 * opts must stay the same.
 */
void tmpl_clean_observe(tmpl_outcome_t *outcome, const tmpl_input_t *input,
                        const tmpl_clean_opts_t *opts, apr_pool_t *pool);
void tmpl_clean_count(tmpl_outcome_t *outcome, tmpl_store_t *store, apr_interval_time_t timeout,
                      apr_pool_t *pool);

/*
 * tmpl_clean_count for n >= 1 pages of one site with TMPL_LEARNING_NOW, in their order, in fewer
 * transactions if the store can. Results are from pool, which must live as long as each outcome.
 */
void tmpl_clean_count_many(tmpl_outcome_t *const *outcomes, uint32_t n, tmpl_store_t *store,
                           apr_interval_time_t timeout, apr_pool_t *pool);

void tmpl_clean_decide(tmpl_outcome_t *outcome, const tmpl_clean_opts_t *opts, apr_pool_t *pool);

/*
 * The fingerprint of the page's content (fingerprint/fingerprint.h) as 16 hexadecimal digits, from
 * pool. NULL if the page was declined or not judged, or its content is too short.
 */
const char *tmpl_clean_fingerprint(const tmpl_outcome_t *outcome, const tmpl_input_t *input,
                                   apr_pool_t *pool);

/*
 * Fills outcome->version: a hash of all that decided the verdicts beside the page. Equal pages with
 * equal versions have equal verdicts, also if the site's table was imported elsewhere. Temporary
 * memory is from pool.
 *
 *     upper 32 bits   this library's version, the models, the settings that decide, and the site's
 *                     table: its documents, and how often an entry has reached MinDF
 *     lower 32 bits   what the table says of this page's own keys
 *
 * So while nothing is learnt of a site, all its pages have the same upper half. Neither half
 * reveals anything about the secret that seeds the keys.
 */
void tmpl_clean_version(tmpl_outcome_t *outcome, const tmpl_clean_opts_t *opts, apr_pool_t *pool);

#endif
