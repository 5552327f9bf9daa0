/* SPDX-License-Identifier: Apache-2.0 */
#include "detect/detector.h"
#include "detect/incremental.h"

#include <string.h>

#include <apr_cstr.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "detect/auto.h"
#include "detect/pictures.h"
#include "detect/style.h"
#include "feature/feature.h"
#include "model/builtin.h"

/* The segments, and with room for so many keys more. */
static tmpl_key_t *set_segments(tmpl_observation_t *observation, const tmpl_page_t *page,
                                uint32_t more, apr_pool_t *pool)
{
    tmpl_key_t *keys = apr_palloc(pool, (page->n_keys + more) * sizeof(*keys));
    observation->keys = keys;
    observation->n = page->n_keys + more;
    tmpl_observation_shares(observation, page, pool);
    return tmpl_keys_fill(keys, page->keys, page->n_keys, TMPL_KIND_SEGMENT);
}

/* Segments only. */
static void *read_segments(tmpl_observation_t *observation, const tmpl_page_t *page,
                           apr_pool_t *pool)
{
    set_segments(observation, page, 0, pool);
    return NULL;
}

static void judge_incremental(tmpl_verdict_t *verdicts, const tmpl_case_t *of, apr_pool_t *pool)
{
    (void)pool;
    tmpl_detect_incremental(verdicts, of->page, of->counts->records, of->opts->min_df,
                            of->opts->ratio);
}

/* Segments, so that any other detector can go on with the table, then its own keys, counted as they are. */
static void *read_style(tmpl_observation_t *observation, const tmpl_page_t *page, apr_pool_t *pool)
{
    tmpl_style_t *style = apr_palloc(pool, sizeof(*style));
    tmpl_style_read(style, page, pool);
    tmpl_key_t *keys = set_segments(observation, page, style->n_keys, pool);
    tmpl_keys_fill(keys, style->keys, style->n_keys, TMPL_KIND_SEGMENT);
    return style;
}

/* By words or by segments, whichever finds more of the block. */
static void judge_style(tmpl_verdict_t *verdicts, const tmpl_case_t *of, apr_pool_t *pool)
{
    tmpl_verdict_t *exact = apr_palloc(pool, of->page->n_blocks * sizeof(*exact));
    judge_incremental(exact, of, pool);
    tmpl_detect_style(verdicts, of->page, of->reading, of->counts->records + of->page->n_keys,
                      of->opts->min_df, of->opts->ratio);
    for (uint32_t b = 0; b < of->page->n_blocks; b++) {
        if (exact[b].ratio > verdicts[b].ratio) {
            verdicts[b] = exact[b];
        }
    }
}

static void judge_pagelevel(tmpl_verdict_t *verdicts, const tmpl_case_t *of, apr_pool_t *pool)
{
    tmpl_detect_pagelevel(verdicts, of->page, of->opts->models.pagelevel, of->opts->smoothing,
                          of->opts->threshold, pool);
}

static void *read_auto(tmpl_observation_t *observation, const tmpl_page_t *page, apr_pool_t *pool)
{
    return tmpl_auto_read(observation, page, pool);
}

static void judge_auto(tmpl_verdict_t *verdicts, const tmpl_case_t *of, apr_pool_t *pool)
{
    const tmpl_trees_t *trees = of->opts->models.trees;
    (void)pool;
    tmpl_detect_auto(verdicts, of->reading, of->observation, of->counts, of->opts->min_df, trees);
    double threshold = of->opts->threshold < 0 ? tmpl_trees_threshold(trees) : of->opts->threshold;
    for (uint32_t b = 0; b < of->page->n_blocks; b++) {
        verdicts[b].template = (double)verdicts[b].ratio > threshold;
    }
    tmpl_pictures(verdicts, of->page, of->counts->records, of->counts->pages, of->opts->min_df);
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

apr_status_t tmpl_detector_parse(tmpl_detector_e *id, const char *name, tmpl_error_t *err)
{
    for (unsigned i = 0; i < TMPL_DETECTOR_COUNT; i++) {
        if (apr_cstr_casecmp(name, detectors[i].name) == 0) {
            *id = (tmpl_detector_e)i;
            return APR_SUCCESS;
        }
    }
    return tmpl_fail(err, APR_EINVAL, "'%s' is none of" TMPL_DETECTOR_NAMES, name);
}

apr_status_t tmpl_smoothing_parse(tmpl_smoothing_e *smoothing, const char *name, tmpl_error_t *err)
{
    static const struct {
        const char *name;
        tmpl_smoothing_e smoothing;
    } values[] = {
        { "off", TMPL_SMOOTHING_OFF },
        { "max", TMPL_SMOOTHING_MAX },
        { "min", TMPL_SMOOTHING_MIN },
        { "on", TMPL_SMOOTHING_MIN },
    };
    for (unsigned i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        if (apr_cstr_casecmp(name, values[i].name) == 0) {
            *smoothing = values[i].smoothing;
            return APR_SUCCESS;
        }
    }
    return tmpl_fail(err, APR_EINVAL, "'%s' is none of off max min on", name);
}

/* --- models --- */

static apr_status_t parse_pagelevel(tmpl_models_t *models, const tmpl_model_text_t *text,
                                    tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_model_t *model;
    apr_status_t status = tmpl_model_parse(&model, text, err, pool);
    if (status == APR_SUCCESS) {
        model->id = XXH3_64bits(text->bytes, text->len);
        models->pagelevel = model;
    }
    return status;
}

static apr_status_t parse_trees(tmpl_models_t *models, const tmpl_model_text_t *text,
                                tmpl_error_t *err, apr_pool_t *pool)
{
    const tmpl_trees_t *trees;
    apr_status_t status = tmpl_trees_parse(&trees, text, err, pool);
    if (status == APR_SUCCESS) {
        models->trees = trees;
    }
    return status;
}

/* Kinds of models by the first line of their text. */
static const struct {
    const char *head;
    tmpl_detector_e detector;
    apr_status_t (*parse)(tmpl_models_t *, const tmpl_model_text_t *, tmpl_error_t *, apr_pool_t *);
} kinds[] = {
    { TMPL_MODEL_HEAD, TMPL_DETECTOR_PAGELEVEL, parse_pagelevel },
    { TMPL_TREES_HEAD, TMPL_DETECTOR_AUTO, parse_trees },
};

static apr_status_t parse(tmpl_models_t *models, tmpl_detector_e *detector,
                          const tmpl_model_text_t *text, tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_lines_t lines = {
        .name = text->name, .at = text->bytes, .end = text->bytes + text->len, .err = err
    };
    if (tmpl_lines_next(&lines) != APR_SUCCESS) {
        return APR_EINVAL;
    }
    for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strcmp(lines.text, kinds[i].head) == 0) {
            *detector = kinds[i].detector;
            return kinds[i].parse(models, text, err, pool);
        }
    }
    return tmpl_lines_bad(&lines,
                          "not the head of a model: ", TMPL_MODEL_HEAD " or " TMPL_TREES_HEAD);
}

tmpl_models_id_t tmpl_models_id(const tmpl_models_t *models)
{
    return (tmpl_models_id_t){
        .pagelevel = models->pagelevel != NULL ? models->pagelevel->id : 0,
        .trees = models->trees != NULL ? tmpl_trees_id(models->trees) : 0,
    };
}

apr_status_t tmpl_models_builtin(tmpl_models_t *models, tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_model_text_t texts[TMPL_BUILTIN_COUNT];
    tmpl_detector_e detector;
    *models = (tmpl_models_t){ 0 };
    tmpl_builtin_texts(texts);
    for (int i = 0; i < TMPL_BUILTIN_COUNT; i++) {
        apr_status_t status = parse(models, &detector, &texts[i], err, pool);
        if (status != APR_SUCCESS) {
            return status;
        }
    }
    return APR_SUCCESS;
}

apr_status_t tmpl_models_load(tmpl_models_t *models, tmpl_detector_e *detector, const char *path,
                              tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_model_text_t text;
    apr_status_t status = tmpl_model_text_read(&text, path, err, pool);
    return status == APR_SUCCESS ? parse(models, detector, &text, err, pool) : status;
}
