/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A directive that nothing makes use of is an operator's mistake that httpd accepts: a warning
 * names its file and line (T040) when the server starts. httpd merges sections for each request:
 * those of the main server and those of the request's virtual host. Which of them apply together is
 * not known before. So a directive has an effect if something makes use of it in any section that
 * might be merged with its own.
 */
#include "mod_tmpl.h"

#include "child_store.h"
#include "messages.h"

/* A directive of the module. */
typedef struct {
    const tmpl_setting_t *setting;
    const ap_directive_t *directive;
    const server_rec *server;
    tmpl_conf_t *section; /* what its section sets itself */
    const void *value;    /* tmpl_config_check_note() */
    int is_servers;       /* the section is its server's own, around all others */
} named_setting_t;

static apr_array_header_t *all; /* of named_setting_t; written while the configuration is read */

/* What a section may say: that a number is this, or, with is_not, anything else. */
typedef struct {
    tmpl_setting_e setting;
    int is_not;
    apr_int64_t value; /* of settings that are no number it is not looked at */
} setting_is_t;

#define IS(setting, value)                                                                         \
    {                                                                                              \
        TMPL_SETTING_##setting, 0, value                                                           \
    }
#define IS_NOT(setting, value)                                                                     \
    {                                                                                              \
        TMPL_SETTING_##setting, 1, value                                                           \
    }
#define JUDGES       IS_NOT(mode, TMPL_MODE_OFF)
#define BY_AUTO      IS(detector, TMPL_DETECTOR_AUTO)
#define BY_PAGELEVEL IS(detector, TMPL_DETECTOR_PAGELEVEL)

static const setting_is_t judges = JUDGES;

/* A directive that asks for something has an effect only where what it needs is in force. */
static const struct {
    setting_is_t asks, needs;
    const char *why; /* if it is in force nowhere */
} rules[] = {
    { IS(markdown, 1), JUDGES, "TmplMode is off here" },
    { IS(json, 1), JUDGES, "TmplMode is off here" },
    { IS(highlight_allow, 0), JUDGES, "TmplMode is off here" },
    { IS(validate, TMPL_VALIDATE_CONTENT), JUDGES, "TmplMode is off here" },
    { IS(mode, TMPL_MODE_HIGHLIGHT), IS(highlight_allow, 0),
      "highlight shows nobody anything until TmplHighlightAllow says for whom" },
    { IS(models, TMPL_DETECTOR_PAGELEVEL), BY_PAGELEVEL,
      "the model is for TmplDetector pagelevel, which is not in force here" },
    { IS(models, TMPL_DETECTOR_AUTO), BY_AUTO,
      "the model is for TmplDetector auto, which is not in force here" },
    { IS_NOT(smoothing, TMPL_SMOOTHING_OFF), BY_PAGELEVEL, "TmplDetector is not pagelevel here" },
    { IS(parts, 0), BY_AUTO,
      "only TmplDetector auto tells parts apart, which is not in force here" },
    { IS(marks, 0), IS(mode, TMPL_MODE_ANNOTATE), "TmplMode is not annotate here" },
    { IS(documents, 1), JUDGES, "TmplMode is off here" },
    { IS(documents, 1), IS_NOT(mode, TMPL_MODE_LEARN),
      "no page gets a date, as TmplMode is learn here" },
    { IS(documents, 1), BY_AUTO, "no page gets a date, as TmplDetector is not auto here" },
};

/* Whether a section says so: 1, 0, or TMPL_UNSET if the section inherits the setting. */
static int section_says(tmpl_conf_t *section, const setting_is_t *what)
{
    const tmpl_setting_t *setting = &tmpl_settings[what->setting];
    const void *field = tmpl_conf_field(section, setting);
    const tmpl_parts_t nothing = { 0, 0 };
    if (setting->form < TMPL_FORM_STORE) {
        apr_int64_t number = *(const apr_int64_t *)field;
        return number == TMPL_UNSET ? TMPL_UNSET : (number == what->value) != what->is_not;
    }
    if (setting->form == TMPL_FORM_PARTS) {
        return tmpl_parts_without(section->parts) != tmpl_parts_without(nothing);
    }
    if (*(const void *const *)field == NULL) {
        return TMPL_UNSET;
    }
    return setting->form != TMPL_FORM_MARKS || section->marks->id[0] != '\0';
}

/* Whether a directive says so. Its section may have two models, one for each detector. */
static int asks(const named_setting_t *named, const setting_is_t *what)
{
    return named->setting != &tmpl_settings[what->setting] ? 0
           : named->setting->form == TMPL_FORM_MODEL
               ? tmpl_detector_find(named->value) == (int)what->value
               : section_says(named->section, what) == 1;
}

void tmpl_config_check_reset(apr_pool_t *pconf)
{
    all = apr_array_make(pconf, 32, sizeof(named_setting_t));
}

void tmpl_config_check_note(cmd_parms *cmd, tmpl_conf_t *section, const void *value)
{
    /* AllowOverrideList can allow a directive in .htaccess, which is read during requests */
    if (ap_check_cmd_context(cmd, NOT_IN_HTACCESS) == NULL) {
        APR_ARRAY_PUSH(all, named_setting_t) =
            (named_setting_t){ cmd->info, cmd->directive, cmd->server,
                               section,   value,          cmd->path == NULL };
    }
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
static int reaches(const named_setting_t *named, const server_rec *s)
{
    return !named->server->is_virtual || named->server == s;
}

/* Whether requests to s can meet a section that says so; of the outermost one only with_outer. */
static int can_meet(const server_rec *s, const setting_is_t *what, int with_outer)
{
    tmpl_conf_t outer = outermost_section(s);
    int said = with_outer && section_says(&outer, what) == 1;
    for (int i = 0; i < all->nelts && !said; i++) {
        const named_setting_t *named = &APR_ARRAY_IDX(all, i, named_setting_t);
        said = !named->is_servers && reaches(named, s) && section_says(named->section, what) == 1;
    }
    return said;
}

/* Whether a request can meet the directive together with a section that says what it needs. */
static int is_setting_used(const named_setting_t *named, const setting_is_t *needs,
                           const server_rec *s)
{
    /* what the directive's own section says takes the place of what the server says */
    int inherits = named->is_servers || section_says(named->section, needs) == TMPL_UNSET;
    while (s != NULL && !(reaches(named, s) && can_meet(s, needs, inherits))) {
        s = s->next;
    }
    return s != NULL;
}

/* Whether a later line of the same section sets the setting, too. Models replace no other. */
static int is_replaced(const named_setting_t *named)
{
    const named_setting_t *end = &APR_ARRAY_IDX(all, all->nelts, named_setting_t),
                          *later = named + 1;
    while (later < end && !(later->section == named->section && later->setting == named->setting)) {
        later++;
    }
    return later < end && named->setting->form != TMPL_FORM_MODEL;
}

static tmpl_child_store_t **store_in(tmpl_conf_t *section, const named_setting_t *named)
{
    return tmpl_conf_field(section, named->setting);
}

/* Why no request uses the store; NULL: one may. */
static const char *why_store_is_overridden(const named_setting_t *named, const server_rec *s)
{
    const char *why = NULL;
    if (*store_in(named->section, named) != named->value) {
        return "a later line of the same section replaces it";
    }
    for (; named->is_servers && s != NULL; s = s->next) {
        if (reaches(named, s) && can_meet(s, &judges, 1)) {
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
static const char *why_no_effect(const named_setting_t *named, const server_rec *main_server)
{
    if (named->setting->form == TMPL_FORM_STORE) {
        return why_store_is_overridden(named, main_server);
    }
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        if (asks(named, &rules[i].asks) && !is_replaced(named) &&
            !is_setting_used(named, &rules[i].needs, main_server)) {
            return rules[i].why;
        }
    }
    return NULL;
}

void tmpl_config_check(server_rec *main_server, int warn)
{
    for (int i = 0; i < all->nelts; i++) {
        const named_setting_t *named = &APR_ARRAY_IDX(all, i, named_setting_t);
        const char *why = why_no_effect(named, main_server);
        if (named->setting->form == TMPL_FORM_STORE && why == NULL) {
            (*store_in(named->section, named))->is_used = 1;
        }
        if (warn && why != NULL) {
            ap_log_error(APLOG_MARK, APLOG_WARNING, 0, main_server, TMPL_LOG_NO_EFFECT,
                         named->directive->filename, named->directive->line_num,
                         named->setting->directive, why);
        }
    }
    tmpl_child_stores_drop_unused();
}
