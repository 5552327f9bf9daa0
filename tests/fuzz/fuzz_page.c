/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page, its tree, closure and edits, judged by the oracle; its fingerprint; what auto makes of it. The first
 * byte chooses how the others make a page: as they are, or each as a piece of tests/pieces.h, so that
 * tags stand everywhere; the second draws verdicts and what a store answers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apr_general.h>

#include "detect/auto.h"
#include "detect/detector.h"
#include "fingerprint/fingerprint.h"
#include "oracle.h"
#include "page/scan.h"
#include "pieces.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t put_together(char *html, size_t room, const uint8_t *data, size_t size)
{
    size_t len = 0;
    for (size_t i = 0; i < size && len + 32 < room; i++) {
        const char *piece = data[i] < ORACLE_PIECES ? oracle_pieces[data[i]]
                            : data[i] < 200         ? "x"
                                                    : "y z";
        memcpy(html + len, piece, strlen(piece));
        len += strlen(piece);
    }
    return len;
}

/* Gumbo takes all elements that it does not know for one another, so it cannot judge them. */
static int is_beyond_the_judge(const char *html, size_t len, apr_pool_t *pool)
{
    tmpl_tokens_t tokens;
    if (memchr(html, '\0', len) != NULL) {
        return 1; /* the end of some of what Gumbo reads */
    }
    if (memmem(html, len, "</>", 3) != NULL) {
        return 1; /* is nothing, but Gumbo lets the next tag begin there */
    }
    if (tmpl_scan(&tokens, html, (uint32_t)len, UINT32_MAX, pool) != TMPL_DECLINE_NONE) {
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

/* A store's answer: keys that no page had, some that some had, paths with text that stood elsewhere. */
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

/* What auto makes of the page: whatever it is, a share for each block, and keys that there are. */
static void check_auto(const char *html, size_t len, uint64_t seed, apr_pool_t *pool)
{
    const tmpl_page_t *page;
    tmpl_page_opts_t opts = { .separators = &tmpl_separators_leaf };
    tmpl_observation_t observation = { 0 };
    if (tmpl_page_parse(&page, html, len, &opts, pool) != TMPL_DECLINE_NONE) {
        return;
    }
    tmpl_auto_t *read = tmpl_auto_read(&observation, page, pool);
    tmpl_counts_t counts = { .pages = (uint32_t)(seed >> 32) % 9 };
    counts.records = counts.pages % 3 == 0 ? NULL : draw_records(&observation, &seed, pool);
    tmpl_verdict_t *verdicts = apr_palloc(pool, page->n_blocks * sizeof(*verdicts));
    tmpl_detect_auto(verdicts, read, &observation, &counts, 5, models.trees);
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        int in_range = verdicts[b].ratio >= 0 && verdicts[b].ratio <= 1;
        for (unsigned level = 0; level < TMPL_PATH_LEVELS; level++) {
            in_range &= observation.parts[b].paths[level] < observation.n;
        }
        if (!in_range) {
            fprintf(stderr, "block %u of\n%.*s\n", b, (int)len, html);
            abort();
        }
    }
}

/* Every edit must parse as before; what is not understood must say why. */
static void check(const char *html, size_t len, uint64_t seed, apr_pool_t *pool)
{
    const tmpl_page_t *page;
    tmpl_page_opts_t opts = { 0 };
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
        fprintf(stderr, "the tree of\n%.*s\nis another one from here on\n%s\n", (int)len, html,
                astray);
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
        tmpl_error_t err;
        apr_pool_create(&of_models, NULL);
        if (tmpl_models_builtin(&models, &err, of_models) != APR_SUCCESS) {
            fprintf(stderr, "%s\n", err.text);
            abort();
        }
    }
    uint64_t seed = 0x9E3779B97F4A7C15u * (data[1] + 1u);
    if (data[0] % 4 == 0) {
        check((const char *)data + 2, size - 2, seed, pool);
        check_auto((const char *)data + 2, size - 2, seed, pool);
    }
    else {
        size_t doctype = data[0] % 4 == 1 ? 15 : 0;
        memcpy(pieces, "<!DOCTYPE html>", doctype);
        size_t len = put_together(pieces + doctype, sizeof(pieces) - doctype, data + 2, size - 2);
        check(pieces, doctype + len, seed, pool);
        check_auto(pieces, doctype + len, seed, pool);
    }
    apr_pool_destroy(pool);
    return 0;
}
