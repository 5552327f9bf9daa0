/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A decision that is kept for a page, and another page: either it does not hold for the other page,
 * or it is what judging that page gives.
 */
#ifndef TESTS_KEPT_H
#define TESTS_KEPT_H

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "decision/decision.h"

typedef struct {
    tmpl_clean_opts_t opts; /* with lasts and a model */
    tmpl_store_t *store;
    apr_pool_t *pool;
} kept_judge_t;

/* A judge of an empty table, in that mode. Everything is from pool. */
static inline kept_judge_t kept_judge(tmpl_mode_e mode, apr_pool_t *pool)
{
    kept_judge_t judge = { .opts = tmpl_clean_opts_default(), .pool = pool };
    tmpl_error_t err;
    judge.opts.mode = mode;
    judge.opts.lasts = 1;
    tmpl_models_builtin(&judge.opts.detect.models, pool);
    if (tmpl_store_open(&judge.store, "memory:", NULL, &err, pool) != APR_SUCCESS) {
        abort();
    }
    return judge;
}

/* Has elements cut that the selector finds. */
static inline void kept_drop(kept_judge_t *judge, const char *selector)
{
    apr_array_header_t *list = apr_array_make(judge->pool, 1, sizeof(tmpl_selector_t *));
    tmpl_error_t err;
    if (tmpl_selector_parse(list, selector, &err) != APR_SUCCESS) {
        abort();
    }
    judge->opts.guards.drop = list;
}

/* Reads the text of all paragraphs. */
#define KEPT_XPATH "xpath://p[contains(., '5')]"

/* A page that is judged, its decision, and what a cache keeps of it. */
typedef struct {
    tmpl_input_t input;
    tmpl_outcome_t outcome;
    tmpl_decision_t decision;
    int lasts;
    unsigned char *bytes; /* NULL: nothing */
    apr_size_t len;
} kept_t;

static const tmpl_decision_secret_t kept_secret = { { 7, 31, 5 } };
static const tmpl_decision_key_t kept_key = { { 1, 2, 3 } };

/* The bytes must live as long as the pool. */
static inline kept_t kept_of(const kept_judge_t *judge, const char *body, apr_size_t len,
                             apr_pool_t *pool)
{
    kept_t kept = { .input = { .body = body, .len = len, .site = "site", .uri = "/page" } };
    tmpl_clean(&kept.outcome, &kept.input, &judge->opts, judge->store, apr_time_from_sec(10), pool);
    kept.lasts = tmpl_decision_lasts(&kept.outcome);
    if (kept.lasts) {
        tmpl_clean_version(&kept.outcome, &judge->opts, pool);
        kept.decision =
            tmpl_decision_of(&kept.outcome, judge->opts.detector,
                             tmpl_clean_fingerprint(&kept.outcome, &kept.input, pool), 0);
        kept.decision.body = "Body.";
        kept.decision.body_len = 5;
        kept.bytes = tmpl_decision_pack(&kept.len, &kept.decision, &kept_key, &kept_secret,
                                        &kept.input, kept.outcome.page, pool);
    }
    return kept;
}

static inline int kept_text_is(const char *one, const char *two)
{
    return (one == NULL) == (two == NULL) && (one == NULL || strcmp(one, two) == 0);
}

/* Whether two decisions are the same, but for the shares of blocks, which are not kept. */
static inline int kept_is_same(const tmpl_decision_t *one, const tmpl_decision_t *two)
{
    int same = one->state == two->state && one->decline == two->decline &&
               one->pages == two->pages && one->version == two->version &&
               one->decided_by == two->decided_by && one->blocks == two->blocks &&
               one->template_blocks == two->template_blocks && one->parts == two->parts &&
               memcmp(&one->ratio, &two->ratio, sizeof(double)) == 0 &&
               memcmp(&one->confidence, &two->confidence, sizeof(double)) == 0 &&
               memcmp(&one->unmarked, &two->unmarked, sizeof(double)) == 0 &&
               kept_text_is(one->fingerprint, two->fingerprint) && one->edits.n == two->edits.n;
    for (uint32_t i = 0; same && i < one->blocks; i++) {
        same = !one->verdicts[i].template == !two->verdicts[i].template &&
               one->verdicts[i].part == two->verdicts[i].part;
    }
    for (uint32_t i = 0; same && i < one->edits.n; i++) {
        same = memcmp(&one->edits.edits[i].span, &two->edits.edits[i].span, sizeof(tmpl_span_t)) ==
                   0 &&
               kept_text_is(tmpl_edit_text(&one->edits, i), tmpl_edit_text(&two->edits, i));
    }
    return same;
}

/* 0: the kept decision does not hold for the other page; 1: it does; -1: and is wrong. */
static inline int kept_try(const kept_judge_t *judge, const kept_t *kept, const char *body,
                           apr_size_t len, apr_pool_t *pool)
{
    tmpl_input_t input = { .body = body, .len = len };
    tmpl_decision_t decision;
    if (kept->bytes == NULL || !tmpl_decision_unpack(&decision, kept->bytes, kept->len, &kept_key,
                                                     &kept_secret, &input, pool)) {
        return 0;
    }
    kept_t fresh = kept_of(judge, body, len, pool);
    return fresh.lasts && kept_is_same(&decision, &fresh.decision) ? 1 : -1;
}

/* --- other pages --- */

/* What changes how the rest is read, if it stands where it is read. */
static const struct {
    const char *text;
    apr_size_t len;
} kept_nasty[] = {
#define KEPT_TEXT(text)                                                                            \
    {                                                                                              \
        text, sizeof(text) - 1                                                                     \
    }
    KEPT_TEXT("</script"),
    KEPT_TEXT("</SCRIPT >"),
    KEPT_TEXT("</scripty>"),
    KEPT_TEXT("<!--"),
    KEPT_TEXT("<!--<script>"),
    KEPT_TEXT("-->"),
    KEPT_TEXT("<script>"),
    KEPT_TEXT("\""),
    KEPT_TEXT("'"),
    KEPT_TEXT("\" hidden x=\""),
    KEPT_TEXT(">"),
    KEPT_TEXT("\0"),
    KEPT_TEXT("\x1b$B"),
    KEPT_TEXT("\x1b(B"),
    KEPT_TEXT("\xff\xfe"),
    KEPT_TEXT("\xc3\xa9"),
    KEPT_TEXT("<meta charset=utf-16>"),
    KEPT_TEXT("<meta charset=\"iso-8859-1\">"),
    KEPT_TEXT("<svg>"),
    KEPT_TEXT("</svg>"),
    KEPT_TEXT("<math>"),
    KEPT_TEXT("<select>"),
    KEPT_TEXT("</select>"),
    KEPT_TEXT("<template>"),
    KEPT_TEXT("<noscript><select>"),
    KEPT_TEXT("</noscript>"),
    KEPT_TEXT("<textarea>"),
    KEPT_TEXT("<plaintext>"),
    KEPT_TEXT("<![CDATA["),
    KEPT_TEXT("</p>"),
    KEPT_TEXT("<table><tr>"),
    KEPT_TEXT("document.write("),
    KEPT_TEXT("document.currentScript"),
    KEPT_TEXT("document.getElementById('content')"),
    KEPT_TEXT("document.querySelector('.menu')"),
    KEPT_TEXT("document.getElementById(\"main\")"),
    KEPT_TEXT("Product"),
    KEPT_TEXT("\"Product\""),
    KEPT_TEXT("QAPage"),
    KEPT_TEXT("DiscussionForumPosting"),
    KEPT_TEXT("<style>"),
    KEPT_TEXT("</style>"),
#undef KEPT_TEXT
};
#define KEPT_NASTY (sizeof(kept_nasty) / sizeof(kept_nasty[0]))

/* A number below most, the next of a series. */
static inline uint32_t kept_random(uint64_t *series, uint32_t most)
{
    *series = *series * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*series >> 33) % most);
}

/* The page with one text more, at any place. */
static inline char *kept_insert(apr_size_t *len, const char *body, apr_size_t body_len,
                                uint64_t *series, apr_pool_t *pool)
{
    uint32_t n = kept_random(series, KEPT_NASTY);
    apr_size_t at = kept_random(series, (uint32_t)body_len + 1), more = kept_nasty[n].len;
    char *other = apr_palloc(pool, body_len + more + 1);
    memcpy(other, body, at);
    memcpy(other + at, kept_nasty[n].text, more);
    memcpy(other + at + more, body + at, body_len - at);
    *len = body_len + more;
    return other;
}

/*
 * The page with its places, or some of them, filled with other letters; nasty: one of them with a
 * nasty text.
 */
static inline char *kept_refill(apr_size_t *len, const kept_t *kept, int nasty, uint64_t *series,
                                apr_pool_t *pool)
{
    enum { MOST = 100 };
    const tmpl_page_t *page = kept->outcome.page;
    uint32_t n = page->n_places, which = n > 0 ? kept_random(series, n) : 0;
    char *other = apr_palloc(pool, page->len + (n + 1) * (apr_size_t)MOST), *to = other;
    uint32_t at = 0;
    for (uint32_t i = 0; i <= n; i++) {
        tmpl_span_t span = i < n ? page->places[i].span : (tmpl_span_t){ page->len, page->len };
        memcpy(to, page->src + at, span.start - at);
        to += span.start - at;
        at = span.end;
        if (i < n && kept_random(series, 4) == 0) {
            memcpy(to, page->src + span.start, tmpl_span_len(span));
            to += tmpl_span_len(span);
        }
        else if (i < n) {
            for (uint32_t left = kept_random(series, MOST / 2); left > 0; left--) {
                *to++ = (char)('0' + kept_random(series, 10));
            }
        }
        if (nasty && i == which && n > 0) {
            uint32_t text = kept_random(series, KEPT_NASTY);
            memcpy(to, kept_nasty[text].text, kept_nasty[text].len);
            to += kept_nasty[text].len;
        }
    }
    *len = (apr_size_t)(to - other);
    return other;
}

#endif
