/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A section of the configuration: how it is created, merged, and distinguished, by the form of
 * each setting; and the defaults of settings. And what the module keeps with a request.
 */
#include <stddef.h>

#include "mod_tmpl.h"

/* The defaults, and the built-in models: made before any section, not changed afterwards. */
static apr_int64_t default_numbers[TMPL_SETTING_COUNT]; /* of settings that are a number */
static tmpl_clean_opts_t default_opts;

typedef void add_f(void *baton, const void *bytes, apr_size_t len);

/*
 * The operations on a field. A value that is not set has the bytes of unset; NULL: all 0. merge and
 * each are NULL where the inner section's value replaces the outer one, and the bytes tell values
 * apart.
 */
typedef struct {
    apr_size_t size;
    const void *unset;
    void (*merge)(void *to, const void *from, apr_pool_t *pool); /* from: the inner section's */
    void (*each)(const void *field, add_f *add, void *baton);    /* tmpl_conf_each_deciding */
} kind_t;

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
    if (*to == NULL || !named->relative) {
        *to = named;
        return;
    }
    both = apr_pmemdup(pool, *to, sizeof(*both));
    for (size_t i = 0; i < sizeof(both->own.has); i++) {
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

static const apr_int64_t no_number = TMPL_UNSET;
static const double no_share = TMPL_UNSET;
static const tmpl_lifetime_t no_lifetime = { TMPL_UNSET, TMPL_UNSET };

/*
 * An object that a directive has made lives as long as the configuration, so its address identifies
 * the object, unless the row has a function.
 */
static const kind_t kinds[TMPL_FORM_COUNT] = {
    [TMPL_FORM_MODE... TMPL_FORM_TIME] = { sizeof(apr_int64_t), &no_number, NULL, NULL },
    [TMPL_FORM_STORE... TMPL_FORM_SITES] = { sizeof(void *), NULL, NULL, NULL },
    [TMPL_FORM_SHARE] = { sizeof(double), &no_share, NULL, NULL },
    [TMPL_FORM_LIFETIME] = { sizeof(tmpl_lifetime_t), &no_lifetime, NULL, NULL },
    [TMPL_FORM_MODEL] = { sizeof(tmpl_models_t), NULL, models_merge, models_each },
    [TMPL_FORM_SECRET] = { sizeof(apr_uint64_t), NULL, NULL, NULL },
    [TMPL_FORM_SELECTORS] = { sizeof(void *), NULL, selectors_merge, selectors_each },
    [TMPL_FORM_MARKS] = { sizeof(void *), NULL, NULL, marks_each },
    [TMPL_FORM_PARTS] = { sizeof(tmpl_parts_t), NULL, parts_merge, parts_each },
    [TMPL_FORM_SEPARATORS] = { sizeof(void *), NULL, separators_merge, separators_each },
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
    (void)dir;
    for (int i = 0; i < TMPL_SETTING_COUNT; i++) {
        const kind_t *kind = &kinds[tmpl_settings[i].form];
        if (kind->unset != NULL) {
            memcpy(AT(void, conf, i), kind->unset, kind->size);
        }
    }
    return conf;
}

/* Whether a value, of a kind without merge, was set. */
static int is_set(const kind_t *kind, const void *field)
{
    static const apr_uint64_t nothing;
    return memcmp(field, kind->unset != NULL ? kind->unset : &nothing, kind->size) != 0;
}

void *tmpl_conf_merge(apr_pool_t *pool, void *base, void *add)
{
    tmpl_conf_t *conf = apr_pmemdup(pool, base, sizeof(*conf));
    const tmpl_conf_t *inner = add;
    if (inner->store != NULL) {
        conf->store_read = NULL; /* a replica of another store */
    }
    for (int i = 0; i < TMPL_SETTING_COUNT; i++) {
        const kind_t *kind = &kinds[tmpl_settings[i].form];
        const void *from = AT(const void, add, i);
        if (kind->merge != NULL) {
            kind->merge(AT(void, conf, i), from, pool);
        }
        else if (is_set(kind, from)) {
            memcpy(AT(void, conf, i), from, kind->size);
        }
    }
    return conf;
}

void tmpl_conf_each_deciding(const tmpl_conf_t *conf, add_f *add, void *baton)
{
    for (int i = 0; i < TMPL_SETTING_COUNT; i++) {
        const kind_t *kind = &kinds[tmpl_settings[i].form];
        const void *field = AT(const void, conf, i);
        if (tmpl_settings[i].decides && kind->each != NULL) {
            kind->each(field, add, baton);
        }
        else if (tmpl_settings[i].decides) {
            add(baton, field, kind->size);
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

apr_int64_t tmpl_conf_number(const tmpl_conf_t *conf, tmpl_setting_e setting)
{
    apr_int64_t number = *AT(const apr_int64_t, conf, setting);
    return number != TMPL_UNSET ? number : default_numbers[setting];
}

tmpl_mode_e tmpl_conf_mode(const tmpl_conf_t *conf)
{
    return (tmpl_mode_e)tmpl_conf_number(conf, TMPL_SETTING_mode);
}

unsigned tmpl_conf_offers(const tmpl_conf_t *conf)
{
    unsigned offers = (conf->markdown == 1 ? TMPL_VARIANT(TMPL_MODE_MARKDOWN) : 0) |
                      (conf->json == 1 ? TMPL_VARIANT(TMPL_MODE_JSON) : 0);
    return tmpl_conf_mode(conf) != TMPL_MODE_OFF ? offers : 0;
}

const char *tmpl_conf_type(const tmpl_conf_t *conf)
{
    static const char *const types[TMPL_MODE_COUNT] = {
        [TMPL_MODE_TEXT] = "text/plain; charset=utf-8",
        [TMPL_MODE_MARKDOWN] = "text/markdown; charset=utf-8",
        [TMPL_MODE_JSON] = "application/json", /* always UTF-8 (RFC 8259) */
        [TMPL_MODE_READER] = "text/html; charset=utf-8",
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

int tmpl_conf_tags_content(const tmpl_conf_t *conf)
{
    return conf->validate == TMPL_VALIDATE_CONTENT;
}

int tmpl_conf_edits(const tmpl_conf_t *conf)
{
    return tmpl_conf_mode(conf) >= TMPL_MODE_ANNOTATE;
}

static const tmpl_conf_t *servers_own(const server_rec *s)
{
    return ap_get_module_config(s->lookup_defaults, &tmpl_module);
}

apr_uint32_t tmpl_conf_recent(const server_rec *s)
{
    return (apr_uint32_t)tmpl_conf_number(servers_own(s), TMPL_SETTING_recent);
}

const apr_array_header_t *tmpl_conf_metrics_sites(const server_rec *s)
{
    return servers_own(s)->metrics_sites;
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

/* Written while the configuration is read. */
static apr_array_header_t *users; /* of server_rec *: those with a mode other than off */

void tmpl_conf_begin(apr_pool_t *pconf)
{
    default_opts = tmpl_clean_opts_default();
    tmpl_models_builtin(&default_opts.detect.models, pconf);
    for (int i = 0; i < TMPL_SETTING_COUNT; i++) {
        tmpl_form_e form = tmpl_settings[i].form;
        default_numbers[i] =
            form < TMPL_FORM_STORE && form != TMPL_FORM_FLAG ? tmpl_setting_preset(i) : 0;
    }
    users = apr_array_make(pconf, 4, sizeof(server_rec *));
}

void tmpl_conf_used_by(server_rec *s)
{
    /* a server's sections mostly follow each other */
    if (users->nelts == 0 || APR_ARRAY_IDX(users, users->nelts - 1, server_rec *) != s) {
        APR_ARRAY_PUSH(users, server_rec *) = s;
    }
}

int tmpl_conf_is_used_by(const server_rec *s)
{
    for (int i = 0; i < users->nelts; i++) {
        const server_rec *user = APR_ARRAY_IDX(users, i, server_rec *);
        if (user == s || !user->is_virtual) {
            return 1;
        }
    }
    return 0;
}

int tmpl_conf_is_used(void)
{
    return users->nelts > 0;
}

void tmpl_conf_opts(tmpl_clean_opts_t *opts, const tmpl_conf_t *conf)
{
    *opts = default_opts;
    for (int i = 0; i < TMPL_SETTING_COUNT; i++) {
        const kind_t *kind = &kinds[tmpl_settings[i].form];
        const void *from = AT(const void, conf, i);
        void *to = (char *)opts + tmpl_settings[i].opt - 1;
        if (tmpl_settings[i].opt == TMPL_NO_OPT || !is_set(kind, from)) {
            continue;
        }
        if (kind->unset == &no_number || kind->unset == &no_lifetime) {
            for (apr_size_t n = 0; n < kind->size / sizeof(apr_int64_t); n++) {
                ((apr_uint32_t *)to)[n] = (apr_uint32_t)((const apr_int64_t *)from)[n];
            }
        }
        else {
            memcpy(to, from, kind->size);
        }
    }
    opts->age = tmpl_conf_delay(conf);
    if (conf->ratio >= 0) {
        opts->detect.threshold = conf->ratio;
    }
    models_merge(&opts->detect.models, &conf->models, NULL);
    opts->guards.without = tmpl_parts_without(conf->parts);
    if (conf->separators != NULL) {
        opts->page.separators = &conf->separators->all;
    }
}

/* ---- what the module keeps with a request ---- */

tmpl_request_t *tmpl_request_of(request_rec *r)
{
    tmpl_request_t *record = ap_get_module_config(r->request_config, &tmpl_module);
    if (record == NULL) {
        record = apr_pcalloc(r->pool, sizeof(*record));
        ap_set_module_config(r->request_config, &tmpl_module, record);
    }
    return record;
}

const tmpl_request_t *tmpl_request_read(const request_rec *r)
{
    static const tmpl_request_t nothing;
    const tmpl_request_t *record = ap_get_module_config(r->request_config, &tmpl_module);
    return record != NULL ? record : &nothing;
}

/* section in the mode for r, where the mode depends on TmplHighlightAllow. */
static const tmpl_conf_t *conf_for(request_rec *r, const tmpl_conf_t *section)
{
    tmpl_mode_e mode = tmpl_conf_mode(section);
    const char *why;
    /* below 0 the expression failed, which httpd logs */
    if (r->main == NULL && section->highlight_allow != NULL &&
        ap_expr_exec(r, section->highlight_allow, &why) > 0) {
        mode = TMPL_MODE_HIGHLIGHT;
    }
    else if (mode == TMPL_MODE_HIGHLIGHT) {
        mode = TMPL_MODE_HEADERS;
    }
    return tmpl_conf_in_mode(section, mode, r->pool);
}

const tmpl_conf_t *tmpl_request_conf(request_rec *r)
{
    const tmpl_conf_t *section = tmpl_conf_of(r);
    tmpl_mode_e mode = tmpl_conf_mode(section);
    if (mode == TMPL_MODE_OFF ||
        (mode != TMPL_MODE_HIGHLIGHT && section->highlight_allow == NULL)) {
        return section;
    }
    /* evaluated once for each section: what the expression reads may change during the request */
    tmpl_request_t *record = tmpl_request_of(r);
    if (record->section != section) {
        record->section = section;
        record->conf = conf_for(r, section);
    }
    return record->conf;
}
