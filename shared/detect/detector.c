/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "detect/detector.h"

#include "base/names.h"
#include "detect/auto.h"
#include "methods/pagelevel.h"
#include "methods/style.h"
#include "feature/layout.h"
#include "methods/pagelevel_model.h"

static tmpl_read_t read_segments(tmpl_observation_t *observation, const tmpl_page_t *page,
                                 apr_pool_t *pool)
{
    tmpl_segments_observation(observation, page, 0, pool);
    return (tmpl_read_t){ NULL };
}

/* Above this threshold of ratio a block is template; rests_on says what ratio means. */
static void detector_note(const tmpl_case_t *of, double threshold, const char *rests_on)
{
    if (of->opts->explain != NULL) {
        of->opts->explain->threshold = threshold;
        of->opts->explain->rests_on = rests_on;
    }
}

void tmpl_detect_incremental(tmpl_verdict_t *verdicts, const tmpl_page_t *page,
                             const tmpl_record_t *records, uint32_t min_df, double threshold)
{
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        const tmpl_block_t *block = &page->blocks[b];
        uint32_t template_length = 0;
        for (uint32_t s = block->first_segment; s < block->after_segment; s++) {
            if (records[page->segments[s].key].df >= min_df) {
                template_length += page->segments[s].length;
            }
        }
        double ratio = block->length > 0 ? (double)template_length / block->length : 0.0;
        verdicts[b].ratio = (float)ratio;
        verdicts[b].template = ratio > threshold;
    }
}

static void judge_incremental(tmpl_verdict_t *verdicts, const tmpl_case_t *of, apr_pool_t *pool)
{
    (void)pool;
    tmpl_detect_incremental(verdicts, of->page, of->counts->records, of->min_df, of->opts->ratio);
    detector_note(of, of->opts->ratio, "of its text in segments with DF >= MinDF");
}

/*
 * Segments come first, so that all detectors can use one table; then style's keys, as segments,
 * too.
 */
static tmpl_read_t read_style(tmpl_observation_t *observation, const tmpl_page_t *page,
                              apr_pool_t *pool)
{
    tmpl_style_t *style = apr_palloc(pool, sizeof(*style));
    tmpl_style_read(style, page, pool);
    tmpl_key_t *keys = tmpl_segments_observation(observation, page, style->n_keys, pool);
    tmpl_keys_fill(keys, style->keys, style->n_keys, TMPL_KIND_SEGMENT);
    return (tmpl_read_t){ .style = style };
}

/* Judges by words or by segments, whichever has the larger ratio. */
static void judge_style(tmpl_verdict_t *verdicts, const tmpl_case_t *of, apr_pool_t *pool)
{
    tmpl_verdict_t *exact = apr_pcalloc(pool, of->page->n_blocks * sizeof(*exact));
    judge_incremental(exact, of, pool);
    tmpl_detect_style(verdicts, of->page, of->reading.style, of->counts->records + of->page->n_keys,
                      of->min_df, of->opts->ratio);
    detector_note(of, of->opts->ratio,
                  "of its text, or of its words at their places, with DF >= MinDF");
    for (uint32_t b = 0; b < of->page->n_blocks; b++) {
        if (exact[b].ratio > verdicts[b].ratio) {
            verdicts[b] = exact[b];
        }
    }
}

static void judge_pagelevel(tmpl_verdict_t *verdicts, const tmpl_case_t *of, apr_pool_t *pool)
{
    const tmpl_detect_opts_t *opts = of->opts;
    const tmpl_model_t *model = opts->models.pagelevel;
    double threshold = opts->threshold < 0 ? model->threshold : opts->threshold;
    tmpl_detect_pagelevel(verdicts, of->page, model, opts->smoothing, threshold, pool);
    detector_note(of, threshold, "probability by what it looks like");
}

static tmpl_read_t read_auto(tmpl_observation_t *observation, const tmpl_page_t *page,
                             apr_pool_t *pool)
{
    return (tmpl_read_t){ .page = tmpl_auto_read(observation, page, pool) };
}

static void judge_auto(tmpl_verdict_t *verdicts, const tmpl_case_t *of, apr_pool_t *pool)
{
    (void)pool;
    tmpl_detect_auto(verdicts, of->reading.page, of->observation, of->counts, of->min_df,
                     of->opts->models.trees, of->opts->threshold, of->opts->explain);
}

static const tmpl_detector_t detectors[] = {
#define TMPL_DETECTOR_ROW(id, name, need, separators, read, judge, explanation)                    \
    { name, need, separators, explanation, read, judge },
    TMPL_DETECTORS(TMPL_DETECTOR_ROW)
#undef TMPL_DETECTOR_ROW
};

const tmpl_detector_t *tmpl_detector(tmpl_detector_e id)
{
    return &detectors[id];
}

tmpl_detector_memory_t tmpl_detector_memory(tmpl_detector_e id, const tmpl_page_t *page)
{
    /* bytes for each element and each block, as `make bench-bounds` shows */
    static const struct {
        uint32_t node, block;             /* while it judges */
        uint32_t early_node, early_block; /* while the store is asked */
    } bytes[TMPL_DETECTOR_COUNT] = {
        [TMPL_DETECTOR_INCREMENTAL] = { 0, 8, 0, 0 },
        [TMPL_DETECTOR_STYLE] = { 24, 80, 24, 80 },
        [TMPL_DETECTOR_PAGELEVEL] = { 164, 310, 0, 0 },
        [TMPL_DETECTOR_AUTO] = { 134, 120, 134, 8 },
    };
    uint64_t nodes = page->n_nodes, blocks = page->n_blocks;
    return (tmpl_detector_memory_t){
        .early = nodes * bytes[id].early_node + blocks * bytes[id].early_block,
        .judging = nodes * bytes[id].node + blocks * bytes[id].block,
    };
}

TMPL_ENUM_FIND(tmpl_detector_find, TMPL_DETECTORS)

int tmpl_smoothing_find(const char *name)
{
    static const char *const names[] = { "off", "max", "min", "on" };
    int found = tmpl_names_find(names, 4, name, strlen(name));
    return found == 3 ? TMPL_SMOOTHING_MIN : found;
}

/* --- models --- */

static apr_status_t parse_model(tmpl_models_t *models, const char **detector,
                                const tmpl_model_text_t *text, tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_lines_t lines = {
        .name = text->name, .at = text->bytes, .end = text->bytes + text->len, .err = err
    };
    tmpl_lines_next(&lines);
    if (strcmp(lines.text, TMPL_TREES_HEAD) == 0) {
        *detector = "auto";
        return tmpl_trees_parse(&models->trees, text, err, pool);
    }
    if (strcmp(lines.text, TMPL_MODEL_HEAD) == 0) {
        *detector = "pagelevel";
        return tmpl_model_parse(&models->pagelevel, text, err, pool);
    }
    tmpl_lines_bad(&lines, "not the head of a model: " TMPL_MODEL_HEAD " or " TMPL_TREES_HEAD);
    return lines.status;
}

tmpl_models_id_t tmpl_models_id(const tmpl_models_t *models)
{
    return (tmpl_models_id_t){
        .pagelevel = models->pagelevel != NULL ? models->pagelevel->id : 0,
        .trees = models->trees != NULL ? tmpl_trees_id(models->trees) : 0,
    };
}

void tmpl_models_builtin(tmpl_models_t *models, apr_pool_t *pool)
{
    *models = (tmpl_models_t){ .pagelevel = &tmpl_builtin_pagelevel,
                               .trees = tmpl_trees_make(&tmpl_builtin_auto, pool) };
}

apr_status_t tmpl_models_load(tmpl_models_t *models, const char **detector, const char *path,
                              tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_model_text_t text;
    tmpl_models_t changed = *models;
    apr_status_t status = tmpl_model_text_read(&text, path, err, pool);
    if (status == APR_SUCCESS) {
        status = parse_model(&changed, detector, &text, err, pool);
    }
    if (status == APR_SUCCESS) {
        *models = changed;
    }
    return status;
}
