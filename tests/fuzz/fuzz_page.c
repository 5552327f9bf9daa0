/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page, its tree, closure and edits, with marks of all presets, judged by the oracle; its
 * fingerprint; or a detector, called directly, and through tmpl_clean without a store, with a store
 * that fails or with one that knows the site. The first byte chooses how the others make a page: as
 * they are, or each as a string of tests/lib/pieces.h, so that tags are everywhere; and the
 * detector and the store. The second byte chooses oracle or detector, and seeds the verdicts
 * and the store's reply. All of them for each page would take twelve times as long, and the fuzzer
 * would see far fewer pages.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apr_general.h>
#include <apr_strings.h>

#include "clean.h"
#include "fingerprint/fingerprint.h"
#include "html/construct.h"
#include "oracle.h"
#include "pieces.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Marks that a page may bring; the last values of a byte stand for them. */
static const char *const own_marks[] = {
    "<!--noindex-->",
    "<!--/noindex-->",
    "<!-- googleoff: all -->",
    "<!--googleon: index-->",
    "<!--/htdig_noindex-->",
    "<!--htdig_noindex-->",
    "<div data-nosnippet>",
    "<p data-pagefind-ignore>",
    "<div data-elastic-include>",
    "<span data-swiftype-index=true>",
};
#define OWN_MARKS (sizeof(own_marks) / sizeof(own_marks[0]))

static size_t put_together(char *html, size_t room, const uint8_t *data, size_t size)
{
    size_t len = 0;
    for (size_t i = 0; i < size && len + 32 < room; i++) {
        const char *piece = data[i] < ORACLE_PIECES      ? oracle_pieces[data[i]]
                            : data[i] >= 256 - OWN_MARKS ? own_marks[255 - data[i]]
                            : data[i] < 200              ? "x"
                                                         : "y z";
        memcpy(html + len, piece, strlen(piece));
        len += strlen(piece);
    }
    return len;
}

/*
 * Pages that Gumbo parses unlike browsers. It does not distinguish elements that it does not know.
 */
static int is_beyond_the_judge(const char *html, size_t len, apr_pool_t *pool)
{
    tmpl_tokens_t tokens;
    if (memchr(html, '\0', len) != NULL) {
        return 1; /* Gumbo ends some constructs there */
    }
    if (memmem(html, len, "</>", 3) != NULL) {
        return 1; /* not a tag, but for Gumbo the next tag begins there */
    }
    const char *text = apr_pstrmemdup(pool, html, len);
    const char *noscript = strcasestr(text, "<noscript");
    if (noscript != NULL && strcasestr(noscript + 1, "<noscript") != NULL) {
        return 1; /* in each other: with scripts, the first end tag ends both */
    }
    if (!oracle_knows(text)) {
        return 1;
    }
    if (tmpl_construct(&tokens, html, (uint32_t)len, UINT32_MAX - 1, UINT32_MAX, pool, pool) !=
        TMPL_DECLINE_NONE) {
        return 0;
    }
    for (uint32_t i = 0; i < tokens.n; i++) {
        if (tokens.tokens[i].type != TMPL_TOKEN_OTHER && tokens.tokens[i].tag == TMPL_TAG_OTHER) {
            return 1;
        }
    }
    return 0;
}

static tmpl_models_t models;

/* A store's reply: keys of no page, keys of some pages, paths with text that was elsewhere. */
static tmpl_record_t *draw_records(const tmpl_observation_t *observation, uint64_t *seed,
                                   apr_pool_t *pool)
{
    tmpl_record_t *records = apr_palloc(pool, observation->n * sizeof(*records));
    for (uint32_t i = 0; i < observation->n; i++) {
        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        uint32_t drawn = (uint32_t)(*seed >> 40);
        records[i] = (tmpl_record_t){ drawn % 8, 3, drawn, drawn / 2 };
    }
    return records;
}

static void must(int holds, const char *what, const char *html, size_t len)
{
    if (!holds) {
        fprintf(stderr, "%s: not expected for\n%.*s\n", what, (int)len, html);
        abort();
    }
}

/* The model's own threshold, or another one, so that other blocks are template. */
static double draw_threshold(uint64_t seed)
{
    static const double thresholds[] = { -1, 0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.9 };
    return thresholds[seed % (sizeof(thresholds) / sizeof(thresholds[0]))];
}

/* ---- each detector, called directly ---- */

static void check_verdicts(const tmpl_page_t *page, const tmpl_verdict_t *verdicts, const char *who)
{
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        must(verdicts[b].ratio >= 0 && verdicts[b].ratio <= 1 && verdicts[b].template <= 1, who,
             page->src, page->len);
    }
}

static void check_paths(const tmpl_observation_t *observation, const tmpl_page_t *page)
{
    for (uint32_t i = 0; i < observation->n_blocks; i++) {
        for (unsigned level = 0; level < TMPL_PATH_LEVELS; level++) {
            must(observation->blocks[i].paths[level] < observation->n, "a layout path", page->src,
                 page->len);
        }
    }
}

static void check_judge(const tmpl_detector_t *detector, int answered, const char *html, size_t len,
                        uint64_t seed, apr_pool_t *pool)
{
    const tmpl_page_t *page;
    tmpl_page_opts_t page_opts = { .separators = detector->separators };
    tmpl_detect_opts_t opts = tmpl_clean_opts_default().detect;
    tmpl_observation_t observation = { 0 };
    tmpl_counts_t counts = { 0 };
    tmpl_case_t of = { .observation = &observation, .counts = &counts, .min_df = 5, .opts = &opts };
    if (tmpl_page_parse(&page, html, len, &page_opts, pool) != TMPL_DECLINE_NONE) {
        return;
    }
    opts.models = models;
    opts.threshold = draw_threshold(seed >> 16);
    of.page = page;
    of.reading = detector->read(&observation, page, pool);
    check_paths(&observation, page);
    if (answered) {
        counts.pages = (uint32_t)(seed >> 32) % 9;
        counts.records = draw_records(&observation, &seed, pool);
    }
    tmpl_verdict_t *verdicts = apr_palloc(pool, page->n_blocks * sizeof(*verdicts));
    detector->judge(verdicts, &of, pool);
    check_verdicts(page, verdicts, detector->name);
}

/* ---- through tmpl_clean ---- */

enum { NO_STORE, FAILING_STORE, REAL_STORE, STORES };

static tmpl_store_t *open_store(apr_pool_t *pool)
{
    tmpl_store_t *store = NULL;
    tmpl_error_t err;
    if (tmpl_store_open(&store, "memory:", NULL, &err, pool) != APR_SUCCESS) {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
    return store;
}

/* The site has other pages: each is this page with so much other text that it is no near copy. */
static void learn_others(tmpl_input_t input, const tmpl_clean_opts_t *opts, tmpl_store_t *store,
                         apr_pool_t *pool)
{
    size_t own = input.len / 4 + 400;
    char *body = apr_palloc(pool, input.len + own);
    memcpy(body, input.body, input.len);
    memcpy(body + input.len, "<p>", 3);
    input.body = body;
    input.len += own;
    for (unsigned i = 0; i < 2; i++) {
        tmpl_outcome_t outcome;
        for (size_t at = 3; at < own; at++) {
            body[input.len - own + at] = at % 6 == 0 ? ' ' : (char)('a' + (at / 6 * 7 + i) % 26);
        }
        input.uri = i == 0 ? "/a" : "/b";
        tmpl_clean(&outcome, &input, opts, store, 0, pool);
    }
}

static void check_edits(const tmpl_outcome_t *outcome, const tmpl_input_t *input, apr_pool_t *pool)
{
    apr_size_t len, want = input->len;
    uint32_t at = 0;
    for (uint32_t i = 0; i < outcome->edits.n; i++) {
        const tmpl_span_t *span = &outcome->edits.edits[i].span;
        must(at <= span->start && span->start <= span->end && span->end <= input->len, "an edit",
             input->body, input->len);
        at = span->end;
        want = want + strlen(tmpl_edit_text(&outcome->edits, i)) - tmpl_span_len(*span);
    }
    tmpl_edits_apply(&len, &outcome->edits, input->body, input->len, pool);
    must(len == want, "the length of what is left", input->body, input->len);
}

/* What highlight inserts leaves each text where it is in the tree. */
static void check_highlight(const tmpl_outcome_t *outcome, const tmpl_input_t *input,
                            const tmpl_clean_opts_t *given, apr_pool_t *pool)
{
    const tmpl_page_t *page;
    tmpl_page_opts_t opts = given->page;
    apr_size_t len;
    for (uint32_t i = 0; i < outcome->edits.n; i++) {
        must(tmpl_span_len(outcome->edits.edits[i].span) == 0, "highlight deletes", input->body,
             input->len);
    }
    const char *shown = tmpl_edits_apply(&len, &outcome->edits, input->body, input->len, pool);
    if (outcome->detector->separators != NULL) {
        opts.separators = outcome->detector->separators;
    }
    must(tmpl_page_parse(&page, shown, len, &opts, pool) == TMPL_DECLINE_NONE &&
             page->n_segments == outcome->page->n_segments &&
             page->n_blocks == outcome->page->n_blocks,
         "highlight changes the tree", input->body, input->len);
    for (uint32_t s = 0; s < page->n_segments; s++) {
        const tmpl_segment_t *was = &outcome->page->segments[s];
        /* an image without a source is known by its tag, which has more attributes now */
        int is_tag = was->span.start == outcome->page->nodes[was->node].open.start;
        must(is_tag || page->keys[page->segments[s].key] == outcome->page->keys[was->key],
             "highlight changes the place of a text", input->body, input->len);
    }
}

/* The members of the outcome agree with each other. */
static void check_outcome(const tmpl_outcome_t *outcome, unsigned kind, const tmpl_input_t *input,
                          apr_pool_t *pool)
{
    const char *who = outcome->detector->name;
    int declined = outcome->decline != TMPL_DECLINE_NONE;
    int answered = outcome->counts.records != NULL;
    int lacks_counts = !answered && outcome->detector->need == TMPL_NEED_COUNTS;
    must(!declined || outcome->edits.n == 0, who, input->body, input->len);
    if (outcome->page == NULL) {
        must(declined, who, input->body, input->len);
        return;
    }
    must(answered == (kind == REAL_STORE), who, input->body, input->len);
    must((outcome->decline == TMPL_DECLINE_STORE) == lacks_counts, who, input->body, input->len);
    must((outcome->verdicts == NULL) == lacks_counts, who, input->body, input->len);
    if (outcome->verdicts != NULL) {
        check_verdicts(outcome->page, outcome->verdicts, who);
        tmpl_clean_fingerprint(outcome, input, pool);
    }
    check_edits(outcome, input, pool);
}

static void check_clean(tmpl_detector_e detector, unsigned kind, const char *html, size_t len,
                        uint64_t seed, apr_pool_t *pool)
{
    static const tmpl_mode_e modes[] = { TMPL_MODE_ANNOTATE, TMPL_MODE_STRIP, TMPL_MODE_HIGHLIGHT };
    static const char name[TMPL_SITE_MAX + 2] = { [0 ... TMPL_SITE_MAX] = 'x' };
    tmpl_clean_opts_t opts = tmpl_clean_opts_default();
    tmpl_outcome_t outcome;
    tmpl_input_t input = { .body = html,
                           .len = len,
                           .uri = "/",
                           .learn = seed % 2 != 0 ? TMPL_LEARNING_NOW : TMPL_LEARNING_OFF };
    tmpl_store_t *store = kind == NO_STORE ? NULL : open_store(pool);
    opts.detector = detector;
    opts.detect.models = models;
    opts.detect.threshold = draw_threshold(seed >> 24);
    opts.policy.min_df = 2;
    opts.mode = modes[seed % (sizeof(modes) / sizeof(modes[0]))];
    opts.marks = seed % 7 < 4 ? oracle_all_marks(pool) : NULL;
    /* a store refuses a key of a site that is too long, as a request may lead to */
    input.site = kind == FAILING_STORE ? name : "site";
    if (kind == REAL_STORE && seed % 5 != 0) {
        learn_others(
            (tmpl_input_t){
                .body = html, .len = len, .site = input.site, .learn = TMPL_LEARNING_NOW },
            &opts, store, pool);
    }
    tmpl_clean(&outcome, &input, &opts, store, 0, pool);
    check_outcome(&outcome, kind, &input, pool);
    if (opts.mode == TMPL_MODE_HIGHLIGHT && outcome.edits.n > 0) {
        check_highlight(&outcome, &input, &opts, pool);
    }
}

/* drawn chooses the detector and the kind of store. */
static void check_detector(unsigned drawn, const char *html, size_t len, uint64_t seed,
                           apr_pool_t *pool)
{
    tmpl_detector_e d = (tmpl_detector_e)(drawn % TMPL_DETECTOR_COUNT);
    unsigned kind = drawn / TMPL_DETECTOR_COUNT % STORES;
    int answered = kind == REAL_STORE || tmpl_detector(d)->need == TMPL_NEED_COUNTS;
    check_judge(tmpl_detector(d), answered, html, len, seed, pool);
    check_clean(d, kind, html, len, seed + kind, pool);
}

/* ---- the page, judged by the oracle ---- */

/* The tree after every edit is as expected; a page that is declined has a reason. */
static void check(const char *html, size_t len, uint64_t seed, apr_pool_t *pool)
{
    const tmpl_page_t *page;
    tmpl_page_opts_t opts = { .comments = 1 };
    oracle_result_t result;
    tmpl_decline_e decline = tmpl_page_parse(&page, html, len, &opts, pool);
    if (decline != TMPL_DECLINE_NONE) {
        return;
    }
    tmpl_fingerprint_t fingerprint;
    tmpl_fingerprint(&fingerprint, page, NULL, NULL, pool);
    tmpl_verdict_t *verdicts = apr_pcalloc(pool, page->n_blocks * sizeof(*verdicts));
    oracle_draw(verdicts, page, 60, &seed);
    if (is_beyond_the_judge(html, len, pool)) {
        return;
    }
    const char *astray = oracle_tree(html, len, pool);
    if (astray != NULL) {
        fprintf(stderr, "the tree of\n%.*s\ndiffers from here on\n%s\n", (int)len, html, astray);
        abort();
    }
    oracle_judge(&result, page, verdicts, pool);
    if (result.what != NULL) {
        fprintf(stderr, "%s of\n%.*s\n--- expected\n%s\n--- found\n%s\n", result.what, (int)len,
                html, result.expected, result.found);
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char pieces[65536];
    apr_pool_t *pool;
    if (size < 2) {
        return 0;
    }
    apr_initialize();
    apr_pool_create(&pool, NULL);
    if (models.trees == NULL) {
        static apr_pool_t *of_models;
        apr_pool_create(&of_models, NULL);
        tmpl_models_builtin(&models, of_models);
    }
    uint64_t seed = 0x9E3779B97F4A7C15u * (data[1] + 1u);
    const char *html = (const char *)data + 2;
    size_t len = size - 2;
    if (data[0] % 4 != 0) {
        size_t doctype = data[0] % 4 == 1 ? 15 : 0;
        memcpy(pieces, "<!DOCTYPE html>", doctype);
        len = doctype + put_together(pieces + doctype, sizeof(pieces) - doctype, data + 2, len);
        html = pieces;
    }
    if (data[1] % 2 == 0) {
        check(html, len, seed, pool);
    }
    else {
        check_detector(data[0] / 4, html, len, seed, pool);
    }
    apr_pool_destroy(pool);
    return 0;
}
