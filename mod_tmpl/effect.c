/* SPDX-License-Identifier: Apache-2.0 */
/*
 * httpd merges sections for each request: those of the main server and those of the request's
 * virtual host. Which of them apply together is not known before. So a directive has an effect if
 * something makes use of it in any section that might be merged with its own.
 */
#include "effect.h"

#include "child_store.h"
#include "messages.h"
#include "section.h"

/* A directive of the module. */
typedef struct {
    const tmpl_setting_t *setting;
    const ap_directive_t *directive;
    const server_rec *server;
    tmpl_conf_t *section; /* what its section sets itself */
    const void *value;    /* tmpl_effect_note() */
    int is_servers;       /* the section is its server's own, around all others */
} effect_named_t;

static apr_array_header_t *all; /* of named_t; written while the configuration is read */

/* What must be in force for a setting to have an effect. */
typedef struct {
    tmpl_setting_e setting;
    int is_not; /* any value but this */
    apr_int64_t value;
} wanted_t;

static const wanted_t judges = { TMPL_SETTING_mode, 1, TMPL_MODE_OFF };
static const wanted_t annotates = { TMPL_SETTING_mode, 0, TMPL_MODE_ANNOTATE };
static const wanted_t by_pagelevel = { TMPL_SETTING_detector, 0, TMPL_DETECTOR_PAGELEVEL };
static const wanted_t by_auto = { TMPL_SETTING_detector, 0, TMPL_DETECTOR_AUTO };
static const wanted_t allows_highlight = { TMPL_SETTING_highlight_allow, 0, 0 };

/* Whether it is in force by what a section says: 1, 0, or TMPL_UNSET if the section inherits it. */
static int section_says(tmpl_conf_t *section, const wanted_t *wanted)
{
    const apr_int64_t *number;

    if (wanted->setting == TMPL_SETTING_highlight_allow) {
        return section->highlight_allow != NULL ? 1 : TMPL_UNSET;
    }
    number = tmpl_conf_field(section, &tmpl_settings[wanted->setting]);
    return *number == TMPL_UNSET ? TMPL_UNSET : (*number == wanted->value) != wanted->is_not;
}

/* Whether a directive asks for something: its value is not the default. */
typedef int asks_f(const effect_named_t *named);

static int asks_markdown(const effect_named_t *named)
{
    return named->section->markdown == 1;
}

static int asks_content(const effect_named_t *named)
{
    return named->section->validate == TMPL_VALIDATE_CONTENT;
}

static int asks_json(const effect_named_t *named)
{
    return named->section->json == 1;
}

static int asks_highlight(const effect_named_t *named)
{
    return named->section->mode == TMPL_MODE_HIGHLIGHT;
}

static int asks_pagelevel_model(const effect_named_t *named)
{
    return strcmp(named->value, "pagelevel") == 0;
}

static int asks_auto_model(const effect_named_t *named)
{
    return strcmp(named->value, "auto") == 0;
}

static int asks_smoothing(const effect_named_t *named)
{
    return named->section->smoothing != TMPL_SMOOTHING_OFF;
}

static int asks_marks(const effect_named_t *named)
{
    return named->section->marks->id[0] != '\0';
}

static int asks_parts(const effect_named_t *named)
{
    tmpl_parts_t nothing = { 0, 0 };

    return tmpl_parts_without(named->section->parts) != tmpl_parts_without(nothing);
}

/* A setting that asks for something has an effect only where wanted is in force. */
static const struct {
    tmpl_setting_e setting;
    asks_f *asks; /* NULL: it always does */
    const wanted_t *wanted;
    const char *why; /* if it is in force nowhere */
} rules[] = {
    { TMPL_SETTING_markdown, asks_markdown, &judges, "TmplMode is off here" },
    { TMPL_SETTING_json, asks_json, &judges, "TmplMode is off here" },
    { TMPL_SETTING_highlight_allow, NULL, &judges, "TmplMode is off here" },
    { TMPL_SETTING_validate, asks_content, &judges, "TmplMode is off here" },
    { TMPL_SETTING_mode, asks_highlight, &allows_highlight,
      "highlight shows nobody anything until TmplHighlightAllow says for whom" },
    { TMPL_SETTING_models, asks_pagelevel_model, &by_pagelevel,
      "the model is for TmplDetector pagelevel, which is not in force here" },
    { TMPL_SETTING_models, asks_auto_model, &by_auto,
      "the model is for TmplDetector auto, which is not in force here" },
    { TMPL_SETTING_smoothing, asks_smoothing, &by_pagelevel, "TmplDetector is not pagelevel here" },
    { TMPL_SETTING_parts, asks_parts, &by_auto,
      "only TmplDetector auto tells parts apart, which is not in force here" },
    { TMPL_SETTING_marks, asks_marks, &annotates, "TmplMode is not annotate here" },
};

void tmpl_effect_reset(apr_pool_t *pconf)
{
    all = apr_array_make(pconf, 32, sizeof(effect_named_t));
}

void tmpl_effect_note(cmd_parms *cmd, tmpl_conf_t *section, const void *value)
{
    /* AllowOverrideList can allow a directive in .htaccess, which is read during requests */
    if (ap_check_cmd_context(cmd, NOT_IN_HTACCESS) == NULL) {
        APR_ARRAY_PUSH(all, effect_named_t) = (effect_named_t){
            .setting = cmd->info,
            .directive = cmd->directive,
            .server = cmd->server,
            .section = section,
            .value = value,
            .is_servers = cmd->path == NULL,
        };
    }
}

static const effect_named_t *named_at(int i)
{
    return &APR_ARRAY_IDX(all, i, effect_named_t);
}

/* The section around all others of a server: its own settings and those of the main server. */
static tmpl_conf_t outermost_section(const server_rec *s)
{
    tmpl_conf_t section =
        *(const tmpl_conf_t *)ap_get_module_config(s->lookup_defaults, &tmpl_module);

    if (section.detector == TMPL_UNSET) {
        section.detector = tmpl_setting_preset(TMPL_SETTING_detector);
    }
    return section;
}

/* Whether requests to s may meet the directive. */
static int reaches(const effect_named_t *named, const server_rec *s)
{
    return !named->server->is_virtual || named->server == s;
}

/* Whether a section inside of s says 1. */
static int some_section_says(const server_rec *s, const wanted_t *wanted)
{
    int i;

    for (i = 0; i < all->nelts; i++) {
        const effect_named_t *named = named_at(i);

        if (!named->is_servers && reaches(named, s) && section_says(named->section, wanted) == 1) {
            return 1;
        }
    }
    return 0;
}

/* Whether requests to s can meet a section that says 1. */
static int server_says(const server_rec *s, const wanted_t *wanted)
{
    tmpl_conf_t own = outermost_section(s);

    return section_says(&own, wanted) == 1 || some_section_says(s, wanted);
}

/* Whether a request can meet the directive together with a section that says 1. */
static int is_setting_used(const effect_named_t *named, const wanted_t *wanted,
                           const server_rec *main_server)
{
    /* what the directive's own section says takes the place of what the server says */
    int inherits = named->is_servers || section_says(named->section, wanted) == TMPL_UNSET;
    const server_rec *s;

    for (s = main_server; s != NULL; s = s->next) {
        if (reaches(named, s) &&
            (inherits ? server_says(s, wanted) : some_section_says(s, wanted))) {
            return 1;
        }
    }
    return 0;
}

/*
 * Whether a later line of the same section sets the setting, too. A section may have two models,
 * one for each detector.
 */
static int is_replaced(const effect_named_t *named)
{
    const effect_named_t *later;

    for (later = named + 1; later < named_at(all->nelts); later++) {
        if (later->section == named->section && later->setting == named->setting) {
            return named->setting->form != TMPL_FORM_MODEL;
        }
    }
    return 0;
}

static int is_store(const effect_named_t *named)
{
    return named->setting->form == TMPL_FORM_STORE;
}

static tmpl_child_store_t **store_in(tmpl_conf_t *section, const effect_named_t *named)
{
    return tmpl_conf_field(section, named->setting);
}

/* Why no request uses the store; NULL: one may. */
static const char *why_store_is_overridden(const effect_named_t *named,
                                           const server_rec *main_server)
{
    const char *why = NULL;
    const server_rec *s;

    if (*store_in(named->section, named) != named->value) {
        return "a later line of the same section replaces it";
    }
    for (s = main_server; named->is_servers && s != NULL; s = s->next) {
        if (reaches(named, s) && server_says(s, &judges)) {
            tmpl_conf_t own = outermost_section(s);

            if (*store_in(&own, named) == named->value) {
                return NULL;
            }
            why = "each server with a TmplMode other than off has another one";
        }
    }
    return why;
}

/* Why the directive has no effect; NULL: it may have one. */
static const char *why_no_effect(const effect_named_t *named, const server_rec *main_server)
{
    size_t i;

    if (is_store(named)) {
        return why_store_is_overridden(named, main_server);
    }
    for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        if (named->setting == &tmpl_settings[rules[i].setting] &&
            (rules[i].asks == NULL || rules[i].asks(named)) &&
            !is_setting_used(named, rules[i].wanted, main_server) && !is_replaced(named)) {
            return rules[i].why;
        }
    }
    return NULL;
}

/* The <Limit> or <LimitExcept> around a directive; NULL: there is none. */
static const ap_directive_t *limit_around(const ap_directive_t *directive)
{
    const ap_directive_t *parent = directive->parent;

    return parent != NULL && (ap_cstr_casecmp(parent->directive, "<Limit") == 0 ||
                              ap_cstr_casecmp(parent->directive, "<LimitExcept") == 0)
               ? parent
               : NULL;
}

static void warn_about(const effect_named_t *named, const char *why, server_rec *main_server)
{
    const ap_directive_t *at = named->directive, *limit = limit_around(at);

    if (why != NULL) {
        ap_log_error(APLOG_MARK, APLOG_WARNING, 0, main_server, TMPL_LOG_NO_EFFECT, at->filename,
                     at->line_num, named->setting->directive, why);
    }
    if (limit != NULL) {
        ap_log_error(APLOG_MARK, APLOG_WARNING, 0, main_server, TMPL_LOG_LIMIT, at->filename,
                     at->line_num, named->setting->directive, limit->directive + 1);
    }
}

void tmpl_effect_check(server_rec *main_server, int warn)
{
    int i;

    for (i = 0; i < all->nelts; i++) {
        const effect_named_t *named = named_at(i);
        const char *why = why_no_effect(named, main_server);

        if (is_store(named) && why == NULL) {
            (*store_in(named->section, named))->is_used = 1;
        }
        if (warn) {
            warn_about(named, why, main_server);
        }
    }
    tmpl_child_stores_drop_unused();
}
