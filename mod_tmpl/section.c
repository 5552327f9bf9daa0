/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A section of the configuration: how it is created, merged, and distinguished, by the form of
 * each setting; and the defaults of settings.
 */
#include <stddef.h>

#include "section.h"

typedef void add_f(void *baton, const void *bytes, apr_size_t len);

/* The operations on a field. clear makes the field unset; NULL: an unset field is all 0 bytes. */
typedef struct {
    void (*clear)(void *field);
    void (*merge)(void *to, const void *from, apr_pool_t *pool); /* from: the inner section's */
    void (*each)(const void *field, add_f *add, void *baton);    /* tmpl_conf_each_deciding */
} kind_t;

static void number_clear(void *field)
{
    *(apr_int64_t *)field = TMPL_UNSET;
}

static void number_merge(void *to, const void *from, apr_pool_t *pool)
{
    const apr_int64_t *number = from;

    (void)pool;
    if (*number != TMPL_UNSET) {
        *(apr_int64_t *)to = *number;
    }
}

static void number_each(const void *field, add_f *add, void *baton)
{
    add(baton, field, sizeof(apr_int64_t));
}

static void share_clear(void *field)
{
    *(double *)field = TMPL_UNSET;
}

static void share_merge(void *to, const void *from, apr_pool_t *pool)
{
    const double *share = from;

    (void)pool;
    if (*share >= 0) {
        *(double *)to = *share;
    }
}

static void share_each(const void *field, add_f *add, void *baton)
{
    add(baton, field, sizeof(double));
}

static void lifetime_clear(void *field)
{
    *(tmpl_lifetime_t *)field = (tmpl_lifetime_t){ TMPL_UNSET, TMPL_UNSET };
}

static void lifetime_merge(void *to, const void *from, apr_pool_t *pool)
{
    const tmpl_lifetime_t *lifetime = from;

    (void)pool;
    if (lifetime->tb != TMPL_UNSET) {
        *(tmpl_lifetime_t *)to = *lifetime;
    }
}

static void lifetime_each(const void *field, add_f *add, void *baton)
{
    add(baton, field, sizeof(tmpl_lifetime_t));
}

/* For each kind of model the innermost section counts. */
static void models_merge(void *to, const void *from, apr_pool_t *pool)
{
    const tmpl_models_t *inner = from;
    tmpl_models_t *models = to;

    (void)pool;
    if (inner->pagelevel != NULL) {
        models->pagelevel = inner->pagelevel;
    }
    if (inner->trees != NULL) {
        models->trees = inner->trees;
    }
}

static void models_each(const void *field, add_f *add, void *baton)
{
    tmpl_models_id_t id = tmpl_models_id(field);

    add(baton, &id, sizeof(id));
}

static void pointer_merge(void *to, const void *from, apr_pool_t *pool)
{
    void *const *pointer = from;

    (void)pool;
    if (*pointer != NULL) {
        *(void **)to = *pointer;
    }
}

/*
 * An object that a directive has made lives as long as the configuration, so its address identifies
 * the object.
 */
static void pointer_each(const void *field, add_f *add, void *baton)
{
    add(baton, field, sizeof(void *));
}

static void selectors_merge(void *to, const void *from, apr_pool_t *pool)
{
    apr_array_header_t *const *list = from;
    apr_array_header_t **merged = to;

    if (*list != NULL) {
        *merged = *merged == NULL ? *list : apr_array_append(pool, *merged, *list);
    }
}

/* A list may have been merged for one request; its selectors live as long as the configuration. */
static void selectors_each(const void *field, add_f *add, void *baton)
{
    const apr_array_header_t *list = *(apr_array_header_t *const *)field;
    int n = list != NULL ? list->nelts : 0;

    add(baton, &n, sizeof(n));
    if (list != NULL) {
        add(baton, list->elts, (apr_size_t)n * sizeof(const tmpl_selector_t *));
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

static void separators_merge(void *to, const void *from, apr_pool_t *pool)
{
    const tmpl_separators_t *const *inner = from;

    if (*inner != NULL) {
        tmpl_conf_add_separators(to, *inner, pool);
    }
}

/* Adds the elements, not the address: separators may have been merged for one request. */
static void separators_each(const void *field, add_f *add, void *baton)
{
    const tmpl_separators_t *separators = *(const tmpl_separators_t *const *)field;
    int set = separators != NULL;

    add(baton, &set, sizeof(set));
    if (set) {
        add(baton, &separators->all, sizeof(separators->all));
    }
}

/* Adds the marks' name, not the address: an .htaccess file makes an object for one request. */
static void marks_each(const void *field, add_f *add, void *baton)
{
    const tmpl_marks_t *marks = *(tmpl_marks_t *const *)field;
    const char *id = marks != NULL ? marks->id : "";

    add(baton, id, strlen(id) + 1);
}

static void parts_merge(void *to, const void *from, apr_pool_t *pool)
{
    tmpl_parts_t *parts = to;

    (void)pool;
    *parts = tmpl_parts_join(*parts, *(const tmpl_parts_t *)from);
}

static void parts_each(const void *field, add_f *add, void *baton)
{
    tmpl_part_set_t without = tmpl_parts_without(*(const tmpl_parts_t *)field);

    add(baton, &without, sizeof(without));
}

/* Adds the seed, not its address. */
static void secret_each(const void *field, add_f *add, void *baton)
{
    const apr_uint64_t *seed = *(const apr_uint64_t *const *)field;
    apr_uint64_t value = seed != NULL ? *seed : 0;

    add(baton, &value, sizeof(value));
}

#define KIND_NUMBER                                                                                \
    {                                                                                              \
        number_clear, number_merge, number_each                                                    \
    }
#define KIND_POINTER                                                                               \
    {                                                                                              \
        NULL, pointer_merge, pointer_each                                                          \
    }

static const kind_t kinds[TMPL_FORM_COUNT] = {
    [TMPL_FORM_MODE] = KIND_NUMBER,
    [TMPL_FORM_DETECTOR] = KIND_NUMBER,
    [TMPL_FORM_SMOOTHING] = KIND_NUMBER,
    [TMPL_FORM_NUMBER] = KIND_NUMBER,
    [TMPL_FORM_GLOBAL] = KIND_NUMBER,
    [TMPL_FORM_SIZE] = KIND_NUMBER,
    [TMPL_FORM_TIME] = KIND_NUMBER,
    [TMPL_FORM_FLAG] = KIND_NUMBER,
    [TMPL_FORM_SHARE] = { share_clear, share_merge, share_each },
    [TMPL_FORM_LIFETIME] = { lifetime_clear, lifetime_merge, lifetime_each },
    [TMPL_FORM_MODEL] = { NULL, models_merge, models_each },
    [TMPL_FORM_STORE] = KIND_POINTER,
    [TMPL_FORM_CACHE] = KIND_POINTER,
    [TMPL_FORM_KEY] = KIND_POINTER,
    [TMPL_FORM_CONDITION] = KIND_POINTER,
    [TMPL_FORM_LEARN] = KIND_POINTER,
    [TMPL_FORM_SECRET] = { NULL, pointer_merge, secret_each },
    [TMPL_FORM_SITES] = KIND_POINTER,
    [TMPL_FORM_SELECTORS] = { NULL, selectors_merge, selectors_each },
    [TMPL_FORM_MARKS] = { NULL, pointer_merge, marks_each },
    [TMPL_FORM_PARTS] = { NULL, parts_merge, parts_each },
    [TMPL_FORM_SEPARATORS] = { NULL, separators_merge, separators_each },
};

/* Where a section keeps each setting. */
static const size_t offsets[TMPL_SETTING_COUNT] = {
#define TMPL_SETTING_OFFSET(field, ...) [TMPL_SETTING_##field] = offsetof(tmpl_conf_t, field),
    TMPL_SETTINGS(TMPL_SETTING_OFFSET)
#undef TMPL_SETTING_OFFSET
};

#define AT(type, conf, setting) ((type *)(void *)((char *)(conf) + offsets[setting]))

void *tmpl_conf_field(tmpl_conf_t *conf, const tmpl_setting_t *setting)
{
    return AT(void, conf, setting - tmpl_settings);
}

void *tmpl_conf_create(apr_pool_t *pool, char *dir)
{
    tmpl_conf_t *conf = apr_pcalloc(pool, sizeof(*conf));
    int i;

    (void)dir;
    for (i = 0; i < TMPL_SETTING_COUNT; i++) {
        const kind_t *kind = &kinds[tmpl_settings[i].form];

        if (kind->clear != NULL) {
            kind->clear(AT(void, conf, i));
        }
    }
    return conf;
}

void *tmpl_conf_merge(apr_pool_t *pool, void *base, void *add)
{
    tmpl_conf_t *conf = apr_pmemdup(pool, base, sizeof(*conf));
    const tmpl_conf_t *inner = add;
    int i;

    if (inner->store != NULL) {
        conf->store_read = NULL; /* a replica of another store */
    }
    for (i = 0; i < TMPL_SETTING_COUNT; i++) {
        kinds[tmpl_settings[i].form].merge(AT(void, conf, i), AT(const void, add, i), pool);
    }
    return conf;
}

void tmpl_conf_each_deciding(const tmpl_conf_t *conf, add_f *add, void *baton)
{
    int i;

    for (i = 0; i < TMPL_SETTING_COUNT; i++) {
        if (tmpl_settings[i].decides) {
            kinds[tmpl_settings[i].form].each(AT(const void, conf, i), add, baton);
        }
    }
}

const tmpl_conf_t *tmpl_conf_in_mode(const tmpl_conf_t *conf, tmpl_mode_e mode, apr_pool_t *pool)
{
    tmpl_conf_t *copy = apr_pmemdup(pool, conf, sizeof(*conf));

    copy->mode = mode;
    return copy;
}

const tmpl_conf_t *tmpl_conf_of(const request_rec *r)
{
    return ap_get_module_config(r->per_dir_config, &tmpl_module);
}

tmpl_mode_e tmpl_conf_mode(const tmpl_conf_t *conf)
{
    return conf->mode == TMPL_UNSET ? TMPL_MODE_OFF : (tmpl_mode_e)conf->mode;
}

int tmpl_conf_negotiates(const tmpl_conf_t *conf)
{
    return conf->markdown == 1 && tmpl_conf_mode(conf) != TMPL_MODE_OFF;
}

const char *tmpl_conf_type(const tmpl_conf_t *conf)
{
    static const char *const types[TMPL_MODE_COUNT] = {
        [TMPL_MODE_TEXT] = "text/plain; charset=utf-8",
        [TMPL_MODE_MARKDOWN] = "text/markdown; charset=utf-8",
    };

    return types[tmpl_conf_mode(conf)];
}

const char *tmpl_conf_variant(const tmpl_conf_t *conf, apr_pool_t *pool)
{
    tmpl_mode_e mode = tmpl_conf_mode(conf);

    return mode == TMPL_MODE_ANNOTATE && conf->marks != NULL
               ? apr_pstrcat(pool, tmpl_mode_name(mode), conf->marks->id, NULL)
               : tmpl_mode_name(mode);
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

apr_uint32_t tmpl_conf_recent(const server_rec *s)
{
    const tmpl_conf_t *conf = ap_get_module_config(s->lookup_defaults, &tmpl_module);

    return conf->recent == TMPL_UNSET ? TMPL_DEFAULT_RECENT : (apr_uint32_t)conf->recent;
}

const apr_array_header_t *tmpl_conf_metrics_sites(const server_rec *s)
{
    const tmpl_conf_t *conf = ap_get_module_config(s->lookup_defaults, &tmpl_module);

    return conf->metrics_sites;
}

/* Mode learn is meant to be invisible. */
int tmpl_conf_headers(const tmpl_conf_t *conf)
{
    return conf->headers == TMPL_UNSET ? tmpl_conf_mode(conf) >= TMPL_MODE_HEADERS
                                       : conf->headers != 0;
}

int tmpl_conf_holds(const tmpl_conf_t *conf)
{
    return tmpl_conf_edits(conf) || tmpl_conf_headers(conf);
}

/* The built-in models: read before any section, not changed afterwards. */
static tmpl_models_t builtin;

void tmpl_conf_begin(apr_pool_t *pconf)
{
    tmpl_models_builtin(&builtin, pconf);
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
    if (conf->lifetime.tb != TMPL_UNSET) {
        opts->policy.lifetime_tb = (uint32_t)conf->lifetime.tb;
        opts->policy.lifetime_n = (uint32_t)conf->lifetime.n;
    }
    opts->guards.without = tmpl_parts_without(conf->parts);
    if (conf->min_keep >= 0) {
        opts->guards.min_keep = conf->min_keep;
    }
    if (conf->min_confidence >= 0) {
        opts->guards.min_confidence = conf->min_confidence;
    }
    opts->marks = conf->marks;
    opts->guards.keep = conf->keep;
    opts->guards.drop = conf->drop;
    if (conf->separators != NULL) {
        opts->page.separators = &conf->separators->all;
    }
    if (conf->seed != NULL) {
        opts->page.seed = *conf->seed;
    }
}
