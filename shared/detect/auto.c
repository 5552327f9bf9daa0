/* SPDX-License-Identifier: Apache-2.0 */
#include "detect/auto.h"

#include <math.h>
#include <string.h>

#include "detect/beside.h"
#include "detect/first_look.h"
#include "detect/kept_notes.h"
#include "detect/parts_find.h"
#include "detect/pictures.h"
#include "detect/records.h"
#include "feature/layout.h"
#include "model/judge_rows.h"

tmpl_auto_t *tmpl_auto_read(tmpl_observation_t *observation, const tmpl_page_t *page,
                            apr_pool_t *pool)
{
    tmpl_auto_t *read = apr_palloc(pool, sizeof(*read));
    apr_pool_create(&read->pool, pool);
    read->reading = tmpl_read_blocks(page, read->pool);
    tmpl_layout_read(&read->layout, read->reading, pool);
    tmpl_layout_observation(observation, page, &read->layout, pool);
    return read;
}

/* Counts the text of a block at those of its layout paths that are not in the table. */
static void count_block(tmpl_record_t *records, const tmpl_record_t *known,
                        const tmpl_block_paths_t *block, const tmpl_share_t *shares)
{
    for (unsigned level = 0; level < TMPL_PATH_LEVELS; level++) {
        uint32_t path = block->paths[level];
        for (uint32_t i = block->first; known[path].df == 0 && i < block->after; i++) {
            uint32_t length = shares[i].length;
            records[path].text += length;
            records[path].repeated += known[shares[i].key].df > 1 ? length : 0;
        }
    }
}

/* Whether the table knows all keys, as it does once the page was counted. */
static int was_counted(const tmpl_record_t *records, uint32_t n)
{
    uint32_t i = 0;
    while (i < n && records[i].df > 0) {
        i++;
    }
    return i == n;
}

/*
 * The records as they are once the page is counted, which the model was trained on. A page may be
 * looked up only: learning is off, or the store is full or does not answer. Then unknown keys get
 * the counts that counting the page would give them. Known keys keep theirs, because this page may
 * be among those that were counted.
 */
static const tmpl_record_t *as_counted(const tmpl_observation_t *observation,
                                       const tmpl_counts_t *counts, apr_pool_t *pool)
{
    size_t size = observation->n * sizeof(tmpl_record_t);
    const tmpl_record_t *known = counts->records;
    if (known != NULL && was_counted(known, observation->n)) {
        return known;
    }
    tmpl_record_t *records = apr_palloc(pool, size);
    if (known == NULL) {
        known = memset(apr_palloc(pool, size), 0, size);
    }
    memcpy(records, known, size);
    for (uint32_t i = 0; i < observation->n; i++) {
        records[i].df = known[i].df > 0 ? known[i].df : 1;
    }
    for (uint32_t i = 0; i < observation->n_blocks; i++) {
        count_block(records, known, &observation->blocks[i], observation->shares);
    }
    return records;
}

/*
 * The threshold with the largest expected F1 of what the page keeps: 1 - F1 / 2 (Lipton, Elkan and
 * Naryanaswamy, "Optimal Thresholding of Classifiers to Maximize F1 Measure", ECML 2014), so a page
 * of which the model is unsure keeps more. A block with templateness t is content with probability
 * 1 - t, and weighs by its words. F1 and threshold are found in turn (Dinkelbach's method): both
 * only rise, and few steps are enough. The threshold is never less than the model's own.
 */
#define F1_STEPS 8

static double best_threshold(const float *templateness, const double *weights, uint32_t n,
                             double least)
{
    double threshold = least;
    double f1 = 0;
    for (int step = 0; step < F1_STEPS; step++) {
        double kept = 0;
        double hit = 0;
        double content = 0;
        for (uint32_t b = 0; b < n; b++) {
            double expected = weights[b] * (1 - (double)templateness[b]);
            int is_kept = (double)templateness[b] <= threshold;
            content += expected;
            kept += is_kept ? weights[b] : 0;
            hit += is_kept ? expected : 0;
        }
        double best = kept + content > 0 ? 2 * hit / (kept + content) : 1;
        if (best <= f1) {
            break;
        }
        f1 = best;
        threshold = fmax(least, 1 - f1 / 2);
    }
    return threshold;
}

/*
 * Of a page that is no thread, replies weigh REPLY_PART of the rest at most: a comment of which the
 * trees are sure would lower the threshold, and take the page's own content off.
 */
#define REPLY_PART 0.25

/*
 * Nor may prose of which the trees are sure do so where nothing says that it is a comment: where
 * its first SURE_WORDS alone would give a threshold that is higher by SURE_FALL, they do. Less is
 * no sign of foreign prose, and would cost pages of much own prose (docs/lab/accuracy.md).
 */
#define SURE_WORDS 150
#define SURE_FALL  0.1

static void leave_sure(double *weights, const float *templateness, uint32_t n)
{
    double left = 2 * SURE_WORDS;
    for (uint32_t b = 0; b < n; b++) {
        if (templateness[b] < TMPL_SURE_CONTENT) {
            weights[b] = fmin(weights[b], left);
            left -= weights[b];
        }
    }
}

static double page_threshold(const float *templateness, const tmpl_reading_t *reading, double least,
                             apr_pool_t *pool)
{
    const uint32_t *words = reading->before.words;
    uint32_t n = reading->page->n_blocks;
    double *weights = apr_palloc(pool, n * sizeof(*weights));
    double content[2] = { 0, 0 }; /* expected words: the page's own, and those of replies */
    for (uint32_t b = 0; b < n; b++) {
        weights[b] = words[b + 1] - words[b];
        content[tmpl_is_reply(reading, b)] += weights[b] * (1 - (double)templateness[b]);
    }
    int is_thread = tmpl_has_thread_address(reading->page);
    if (content[1] > REPLY_PART * content[0] && !is_thread) {
        for (uint32_t b = 0; b < n; b++) {
            weights[b] *= tmpl_is_reply(reading, b) ? REPLY_PART * content[0] / content[1] : 1;
        }
    }
    double threshold = best_threshold(templateness, weights, n, least);
    leave_sure(weights, templateness, n);
    double of_first = best_threshold(templateness, weights, n, least);
    return !is_thread && of_first > threshold + SURE_FALL ? of_first : threshold;
}

/* The rules apply if more than one word in this many is content: TmplMinKeep's default. */
#define LEAST_KEPT 200

void tmpl_detect_auto(tmpl_verdict_t *verdicts, const tmpl_auto_t *page,
                      const tmpl_observation_t *observation, const tmpl_counts_t *counts,
                      uint32_t min_df, const tmpl_trees_t *trees, double threshold,
                      tmpl_explain_t *explain)
{
    apr_pool_t *pool = page->pool;
    const tmpl_page_t *p = page->reading->page;
    const tmpl_record_t *records = as_counted(observation, counts, pool);
    tmpl_evidence_t evidence = { records, records + p->n_keys,
                                 counts->pages > 0 ? counts->pages : 1, min_df };
    tmpl_rows_t *rows = tmpl_rows_of(page->reading, &page->layout, &evidence, pool);
    float *templateness = apr_palloc(pool, p->n_blocks * sizeof(*templateness));
    tmpl_judging_t *judging = tmpl_judge_rows(templateness, trees, rows, p->n_blocks, pool);
    double least = tmpl_trees_threshold(trees);
    int is_set = threshold >= 0;
    threshold = is_set ? threshold : page_threshold(templateness, page->reading, least, pool);
    const uint32_t *words = page->reading->before.words;
    uint32_t kept = 0; /* halves of words */
    for (uint32_t b = 0; b < p->n_blocks; b++) {
        verdicts[b].ratio = templateness[b];
        verdicts[b].part = TMPL_PART_TEMPLATE;
        verdicts[b].template = (double)templateness[b] > threshold;
        kept += verdicts[b].template ? 0 : words[b + 1] - words[b];
    }
    if (explain != NULL) {
        explain->threshold = threshold;
        explain->trees = apr_palloc(explain->pool, p->n_blocks * sizeof(*explain->trees));
        tmpl_contributions(explain->trees, trees, rows, templateness, p->n_blocks, pool);
        tmpl_explain_note(explain, p, verdicts, TMPL_RULE_DETECTOR);
    }
    tmpl_ruled_t judged = { verdicts, page->reading, counts, min_df, explain, NULL };
    tmpl_records_t runs;
    tmpl_records_find(&runs, p, &page->layout, pool);
    tmpl_first_look_t look;
    if (evidence.pages > 1 && counts->records != NULL &&
        tmpl_first_look(&look, &judged, &runs, trees, judging, pool)) {
        double first = is_set ? threshold : page_threshold(look.alone, page->reading, least, pool);
        judged.inside = tmpl_first_look_keep(&look, &judged, &runs, first, pool);
        tmpl_explain_note(explain, p, verdicts, TMPL_RULE_FIRST_LOOK);
    }
    /* otherwise a headline alone would get the page past TmplMinKeep */
    if ((uint64_t)kept * LEAST_KEPT > words[p->n_blocks]) {
        tmpl_records_judge(&judged, &runs, pool);
        tmpl_explain_note(explain, p, verdicts, TMPL_RULE_RECORDS);
        tmpl_headline(&judged);
        tmpl_kept_notes(&judged, pool);
        tmpl_explain_note(explain, p, verdicts, TMPL_RULE_NOTE);
    }
    tmpl_pictures(verdicts, p, counts->records, counts->pages, min_df);
    tmpl_explain_note(explain, p, verdicts, TMPL_RULE_PICTURE);
    if ((uint64_t)kept * LEAST_KEPT > words[p->n_blocks]) {
        tmpl_beside(&judged);
        tmpl_explain_note(explain, p, verdicts, TMPL_RULE_BESIDE);
    }
    tmpl_parts_find(&judged, &runs, pool);
    apr_pool_destroy(pool);
}
