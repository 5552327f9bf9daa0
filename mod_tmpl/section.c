/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A section of the configuration: one table of its fields, from which sections are created and merged, and what is in force
 * where nothing is said.
 */
#include <stddef.h>

#include "mod_tmpl.h"

/* A field of a section by its kind, which says what unset is and how two are merged. */
typedef enum { KIND_NUMBER, KIND_SHARE, KIND_POINTER, KIND_LIST, KIND_SEPARATORS } kind_e;

static const struct {
    size_t offset;
    kind_e kind;
} fields[] = {
    { offsetof(tmpl_conf_t, mode), KIND_NUMBER },
    { offsetof(tmpl_conf_t, detector), KIND_NUMBER },
    { offsetof(tmpl_conf_t, smoothing), KIND_NUMBER },
    { offsetof(tmpl_conf_t, models) + offsetof(tmpl_models_t, pagelevel), KIND_POINTER },
    { offsetof(tmpl_conf_t, models) + offsetof(tmpl_models_t, trees), KIND_POINTER },
    { offsetof(tmpl_conf_t, min_df), KIND_NUMBER },
    { offsetof(tmpl_conf_t, lifetime_tb), KIND_NUMBER },
    { offsetof(tmpl_conf_t, lifetime_n), KIND_NUMBER },
    { offsetof(tmpl_conf_t, max_body), KIND_NUMBER },
    { offsetof(tmpl_conf_t, max_wait), KIND_NUMBER },
    { offsetof(tmpl_conf_t, timeout), KIND_NUMBER },
    { offsetof(tmpl_conf_t, delay), KIND_NUMBER },
    { offsetof(tmpl_conf_t, headers), KIND_NUMBER },
    { offsetof(tmpl_conf_t, ratio), KIND_SHARE },
    { offsetof(tmpl_conf_t, min_keep), KIND_SHARE },
    { offsetof(tmpl_conf_t, learn), KIND_POINTER },
    { offsetof(tmpl_conf_t, site_key), KIND_POINTER },
    { offsetof(tmpl_conf_t, page_key), KIND_POINTER },
    { offsetof(tmpl_conf_t, separators), KIND_SEPARATORS },
    { offsetof(tmpl_conf_t, keep), KIND_LIST },
    { offsetof(tmpl_conf_t, drop), KIND_LIST },
    { offsetof(tmpl_conf_t, seed), KIND_POINTER },
    { offsetof(tmpl_conf_t, store), KIND_POINTER },
    { offsetof(tmpl_conf_t, cache), KIND_POINTER },
};

#define AT(type, conf, offset) ((type *)(void *)((char *)(conf) + (offset)))

static void copy_number(void *to, const void *from, apr_pool_t *pool)
{
    const apr_int64_t *number = from;

    (void)pool;
    if (*number != TMPL_UNSET) {
        *(apr_int64_t *)to = *number;
    }
}

static void copy_share(void *to, const void *from, apr_pool_t *pool)
{
    const double *share = from;

    (void)pool;
    if (*share >= 0) {
        *(double *)to = *share;
    }
}

static void copy_pointer(void *to, const void *from, apr_pool_t *pool)
{
    void *const *pointer = from;

    (void)pool;
    if (*pointer != NULL) {
        *(void **)to = *pointer;
    }
}

static void copy_list(void *to, const void *from, apr_pool_t *pool)
{
    apr_array_header_t *const *list = from;
    apr_array_header_t **merged = to;

    if (*list != NULL) {
        *merged = *merged == NULL ? *list : apr_array_append(pool, *merged, *list);
    }
}

void tmpl_conf_add_separators(const tmpl_separators_t **to, const tmpl_separators_t *named,
                              apr_pool_t *pool)
{
    tmpl_separators_t *both;
    size_t i;

    if (*to == NULL || !named->relative) {
        *to = named;
        return;
    }
    both = apr_pmemdup(pool, *to, sizeof(*both));
    for (i = 0; i < sizeof(both->own.has); i++) {
        both->own.has[i] |= named->own.has[i];
        both->all.has[i] |= named->own.has[i];
    }
    *to = both;
}

static void copy_separators(void *to, const void *from, apr_pool_t *pool)
{
    const tmpl_separators_t *const *inner = from;

    if (*inner != NULL) {
        tmpl_conf_add_separators(to, *inner, pool);
    }
}

/* By kind: sets *to to what is in force if it is set so outside, and *from is said inside. */
static void (*const copy_if_set[])(void *to, const void *from, apr_pool_t *pool) = {
    [KIND_NUMBER] = copy_number, [KIND_SHARE] = copy_share,           [KIND_POINTER] = copy_pointer,
    [KIND_LIST] = copy_list,     [KIND_SEPARATORS] = copy_separators,
};

void *tmpl_conf_create(apr_pool_t *pool, char *dir)
{
    tmpl_conf_t *conf = apr_pcalloc(pool, sizeof(*conf));
    size_t i;

    (void)dir;
    for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        if (fields[i].kind == KIND_NUMBER) {
            *AT(apr_int64_t, conf, fields[i].offset) = TMPL_UNSET;
        }
        else if (fields[i].kind == KIND_SHARE) {
            *AT(double, conf, fields[i].offset) = TMPL_UNSET;
        }
    }
    return conf;
}

void *tmpl_conf_merge(apr_pool_t *pool, void *base, void *add)
{
    tmpl_conf_t *conf = apr_pmemdup(pool, base, sizeof(*conf));
    size_t i;

    for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        copy_if_set[fields[i].kind](AT(void, conf, fields[i].offset),
                                    AT(const void, add, fields[i].offset), pool);
    }
    return conf;
}

const tmpl_conf_t *tmpl_conf_of(const request_rec *r)
{
    return ap_get_module_config(r->per_dir_config, &tmpl_module);
}

tmpl_mode_e tmpl_conf_mode(const tmpl_conf_t *conf)
{
    return conf->mode == TMPL_UNSET ? TMPL_MODE_OFF : (tmpl_mode_e)conf->mode;
}

int tmpl_conf_edits(const tmpl_conf_t *conf)
{
    return tmpl_conf_mode(conf) >= TMPL_MODE_ANNOTATE;
}

apr_off_t tmpl_conf_max_body(const tmpl_conf_t *conf)
{
    return conf->max_body == TMPL_UNSET ? TMPL_DEFAULT_MAX_BODY : conf->max_body;
}

apr_interval_time_t tmpl_conf_max_wait(const tmpl_conf_t *conf)
{
    return conf->max_wait == TMPL_UNSET ? TMPL_DEFAULT_MAX_WAIT : conf->max_wait;
}

apr_interval_time_t tmpl_conf_timeout(const tmpl_conf_t *conf)
{
    return conf->timeout == TMPL_UNSET ? TMPL_DEFAULT_TIMEOUT : conf->timeout;
}

apr_interval_time_t tmpl_conf_delay(const tmpl_conf_t *conf)
{
    return conf->delay == TMPL_UNSET ? TMPL_DEFAULT_DELAY : conf->delay;
}

/* Who only learns wants to be unseen; whoever does more wants to be told. */
int tmpl_conf_headers(const tmpl_conf_t *conf)
{
    return conf->headers == TMPL_UNSET ? tmpl_conf_mode(conf) >= TMPL_MODE_HEADERS
                                       : conf->headers != 0;
}

int tmpl_conf_holds(const tmpl_conf_t *conf)
{
    return tmpl_conf_edits(conf) || tmpl_conf_headers(conf);
}

/* Of this generation of the configuration: written before any section is, only read afterwards. */
static tmpl_models_t builtin;

apr_status_t tmpl_conf_begin(tmpl_error_t *err, apr_pool_t *pconf)
{
    return tmpl_models_builtin(&builtin, err, pconf);
}

static void detect_opts(tmpl_clean_opts_t *opts, const tmpl_conf_t *conf)
{
    if (conf->detector != TMPL_UNSET) {
        opts->detector = (tmpl_detector_e)conf->detector;
    }
    if (conf->smoothing != TMPL_UNSET) {
        opts->detect.smoothing = (tmpl_smoothing_e)conf->smoothing;
    }
    if (conf->ratio >= 0) {
        opts->detect.ratio = conf->ratio;
        opts->detect.threshold = conf->ratio;
    }
    opts->detect.models = builtin;
    if (conf->models.pagelevel != NULL) {
        opts->detect.models.pagelevel = conf->models.pagelevel;
    }
    if (conf->models.trees != NULL) {
        opts->detect.models.trees = conf->models.trees;
    }
}

void tmpl_conf_opts(tmpl_clean_opts_t *opts, const tmpl_conf_t *conf)
{
    *opts = tmpl_clean_opts_default;
    opts->mode = tmpl_conf_mode(conf);
    opts->age = tmpl_conf_delay(conf);
    detect_opts(opts, conf);
    if (conf->min_df != TMPL_UNSET) {
        opts->policy.min_df = (uint32_t)conf->min_df;
    }
    if (conf->lifetime_tb != TMPL_UNSET) {
        opts->policy.lifetime_tb = (uint32_t)conf->lifetime_tb;
        opts->policy.lifetime_n = (uint32_t)conf->lifetime_n;
    }
    if (conf->min_keep >= 0) {
        opts->guards.min_keep = conf->min_keep;
    }
    opts->guards.keep = conf->keep;
    opts->guards.drop = conf->drop;
    if (conf->separators != NULL) {
        opts->page.separators = &conf->separators->all;
    }
    if (conf->seed != NULL) {
        opts->page.seed = *conf->seed;
    }
}
